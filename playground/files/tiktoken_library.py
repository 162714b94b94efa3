"""What tiktoken makes of our ranks; it is imported only when a file or a pattern asks for it."""

from collections.abc import Mapping
from functools import lru_cache

from playground.bpe.split_pattern import SplitPattern
from playground.files.proof import Loaded, library_errors, new_texts, proof_texts, versioned


def tiktoken_expression(pattern: SplitPattern) -> str:
    """A split pattern for tiktoken, which must have one.

    >>> tiktoken_expression(SplitPattern.named("none"))
    '(?s:.+)'
    """
    return pattern.expression or r"(?s:.+)"


def load_ranks(
    ranks: Mapping[bytes, int], pattern: SplitPattern, special_tokens: Mapping[str, int]
) -> Loaded:
    """Load ranks, a split pattern and special tokens. Raises CannotHoldError."""
    import tiktoken

    library = versioned("tiktoken")
    with library_errors(library):
        encoding = tiktoken.Encoding(
            "export",
            pat_str=tiktoken_expression(pattern),
            mergeable_ranks=dict(ranks),
            special_tokens=dict(special_tokens),
        )
        cuts = _cuts(tiktoken_expression(pattern))
    return Loaded(library, lambda text: encoding.encode(text, allowed_special="all"), cuts.__getitem__)


@lru_cache(maxsize=16)
def _cuts(expression: str) -> Mapping[str, list[str]]:
    """The pretokens of each test text.

    tiktoken does not tell where it cuts. It takes a pretoken whole that is a token, so in a vocabulary of all
    parts of the texts each pretoken is one token.
    """
    import tiktoken

    texts = [*proof_texts(), *new_texts()]
    parts = {
        text[start:end]
        for text in texts
        for start in range(len(text))
        for end in range(start + 1, len(text) + 1)
    }
    raws = {part.encode(): None for part in parts} | {bytes([byte]): None for byte in range(256)}
    encoding = tiktoken.Encoding(
        "cuts",
        pat_str=expression,
        mergeable_ranks={raw: rank for rank, raw in enumerate(raws)},
        special_tokens={},
    )
    return {
        text: [encoding.decode([token_id]) for token_id in encoding.encode_ordinary(text)] for text in texts
    }
