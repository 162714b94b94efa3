"""Count the tokens of the same article of the UDHR in each language, for several tokenizers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from playground.core.encoding import Encoding
from playground.core.errors import InvalidInputError
from playground.core.tokenizer import Tokenizer
from playground.training.parallel_texts import load_parallel_texts

ENGLISH = "eng"


@dataclass(frozen=True, slots=True)
class LanguageCount:
    """The tokens of one language in one tokenizer; `times_english` is their ratio to English.

    The ratio is NaN if English has no tokens. `is_lossy` is True if some of the text is dropped or unknown,
    which makes a low count misleading.
    """

    language: str
    code: str
    tokenizer_name: str
    n_tokens: int
    n_characters: int
    n_bytes: int
    times_english: float
    is_lossy: bool = False


def article_text(code: str, article: int | None) -> str:
    """Return an article by its number from 1, or the whole declaration for None. Raises InvalidInputError.

    >>> article_text("eng", 3)
    'Everyone has the right to life, liberty and the security of person.'
    """
    for text in load_parallel_texts():
        if text.code == code:
            if article is None:
                return "\n\n".join(text.articles)
            if not 1 <= article <= len(text.articles):
                raise InvalidInputError(
                    f"there is no article {article}; the declaration has 1 to {len(text.articles)}"
                )
            return text.articles[article - 1]
    known = ", ".join(text.code for text in load_parallel_texts())
    raise InvalidInputError(f"unknown language {code!r}; choose from {known}")


def count_languages(tokenizers: Sequence[Tokenizer], *, article: int | None = 1) -> list[LanguageCount]:
    """Count an article in every language (English first, then by name) for each tokenizer.

    Raises InvalidInputError.

    >>> from playground.catalog.registry import get_tokenizer
    >>> counts = count_languages([get_tokenizer("gpt2")])
    >>> [(count.n_tokens, count.times_english) for count in counts if count.language == "Burmese"]
    [(726, 22.0)]
    """
    languages = sorted(load_parallel_texts(), key=lambda text: (text.code != ENGLISH, text.name))
    counts = []
    for tokenizer in tokenizers:
        n_english = len(tokenizer.encode(article_text(ENGLISH, article)))
        for language in languages:
            text = article_text(language.code, article)
            encoding = tokenizer.encode(text)
            n_tokens = len(encoding)
            counts.append(
                LanguageCount(
                    language=language.name,
                    code=language.code,
                    tokenizer_name=tokenizer.name,
                    n_tokens=n_tokens,
                    n_characters=len(text),
                    n_bytes=len(text.encode()),
                    times_english=n_tokens / n_english if n_english else math.nan,
                    is_lossy=_is_lossy(tokenizer, encoding),
                )
            )
    return counts


def _is_lossy(tokenizer: Tokenizer, encoding: Encoding) -> bool:
    """Whether a token is unknown, or a visible character is covered by no token."""
    entries = map(tokenizer.vocabulary.entry, set(encoding))
    if any(entry.kind == "unknown" for entry in entries):
        return True
    raw = encoding.text.encode()
    change = np.zeros(len(raw) + 1, np.int64)
    np.add.at(change, encoding.starts, 1)
    np.add.at(change, encoding.ends, -1)
    is_left_out = np.cumsum(change)[:-1] == 0
    left_out = np.frombuffer(raw, np.uint8)[is_left_out].tobytes()
    return bool(left_out.decode(errors="ignore").strip())
