"""A trained tokenizer written for other tools, with the proof that they give its ids."""

from playground.catalog.trained import TrainedTokenizer
from playground.files.proof import Export
from playground.files.table import Format


def export_trained(tokenizer: TrainedTokenizer, entry: Format) -> Export:
    """Write files that are named after the tokenizer. Raises CannotHoldError.

    >>> from playground.catalog.bundled import load_python_docs
    >>> from playground.files.table import FORMATS
    >>> written = export_trained(load_python_docs(), FORMATS["tiktoken"])
    >>> list(written.files), written.proof.library.split()[0]
    (['python_docs_4k.tiktoken'], 'tiktoken')
    """
    return tokenizer.export(entry)
