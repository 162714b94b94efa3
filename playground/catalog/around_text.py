"""The special tokens that a model's own library puts around each text, such as `[CLS]` and `[SEP]`.

`Tokenizer.encode` leaves them out, so that ids of parts join to the ids of the whole text.
"""

from typing import NamedTuple

from playground.catalog.claude import ClaudeTokenizer
from playground.catalog.extended import without_own_special_tokens
from playground.catalog.tokenizer_json_file import TokenizerJsonFile
from playground.catalog.wordpiece import WordPieceTokenizer
from playground.core.tokenizer import Tokenizer


class Around(NamedTuple):
    """Ids before and after a text, and how to show them: "[CLS] … [SEP]"."""

    before: tuple[int, ...]
    after: tuple[int, ...]
    shown: str

    @property
    def n_tokens(self) -> int:
        """The number of added tokens."""
        return len(self.before) + len(self.after)


def around_text(tokenizer: Tokenizer) -> Around | None:
    """Return the tokens that the model's library puts around a text; None if the file declares none.

    BERT's library adds them to each `vocab.txt`; a tokenizer.json declares them in its post-processor.

    >>> from playground.catalog.registry import get_tokenizer
    >>> around_text(get_tokenizer("bert_uncased")), around_text(get_tokenizer("gpt2"))
    (Around(before=(101,), after=(102,), shown='[CLS] … [SEP]'), None)
    """
    tokenizer = without_own_special_tokens(tokenizer)
    if isinstance(tokenizer, WordPieceTokenizer):
        special = tokenizer.special_tokens
        if "[CLS]" in special and "[SEP]" in special:
            return Around((special["[CLS]"],), (special["[SEP]"],), "[CLS] … [SEP]")
    if isinstance(tokenizer, TokenizerJsonFile) and tokenizer.ids_around:
        return Around(*tokenizer.ids_around, tokenizer.shown_around)
    return None


def beside_text(tokenizer: Tokenizer) -> tuple[int, str] | None:
    """Return the number of tokens that a model gets besides a text, and what they are; None if unknown.

    >>> from playground.catalog.registry import get_tokenizer
    >>> beside_text(get_tokenizer("bert_uncased"))
    (2, 'with [CLS] … [SEP], as the model’s library adds them')
    """
    base = without_own_special_tokens(tokenizer)
    if isinstance(base, ClaudeTokenizer):
        return base.generation.n_frame, "with the frame of one user message"
    around = around_text(base)
    return (around.n_tokens, f"with {around.shown}, as the model’s library adds them") if around else None
