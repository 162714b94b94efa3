"""How many tokens the same article needs in each language: the parallel texts of the UDHR.

Charts of it are made in `render.compare_charts`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from playground.core.assets import damaged, read_json
from playground.core.errors import InvalidInputError
from playground.core.tokenizer import Tokenizer

UDHR = "texts/udhr.json"
ENGLISH = "eng"


@dataclass(frozen=True, slots=True)
class ParallelText:
    """The Universal Declaration of Human Rights in one language; article 1 is `articles[0]`."""

    code: str
    name: str
    articles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LanguageCount:
    """What one language needs in one tokenizer; `times_english` compares with the same article in English."""

    language: str
    code: str
    tokenizer_name: str
    n_tokens: int
    n_characters: int
    n_bytes: int
    times_english: float


@cache
def load_parallel_texts() -> tuple[ParallelText, ...]:
    """All languages, English first, then by name. Raises AssetError.

    >>> [text.name for text in load_parallel_texts()][:2], len(load_parallel_texts())
    (['English', 'Amharic'], 39)
    """
    entries: list[Mapping[str, object]] = read_json(UDHR)
    try:
        texts = [
            ParallelText(str(item["code"]), str(item["name"]), _strings(item["articles"])) for item in entries
        ]
    except (KeyError, TypeError) as error:
        raise damaged(UDHR, f"an entry lacks {error}") from error
    return tuple(sorted(texts, key=lambda text: (text.code != ENGLISH, text.name)))


def article_text(code: str, article: int | None) -> str:
    """An article by its number from 1, or the whole declaration for None. Raises InvalidInputError.

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
    """Tokens of the same article in every language, for each tokenizer. Raises InvalidInputError.

    >>> from playground.catalog.registry import get_tokenizer
    >>> counts = count_languages([get_tokenizer("gpt2")])
    >>> [(count.n_tokens, count.times_english) for count in counts if count.language == "Burmese"]
    [(726, 22.0)]
    """
    counts = []
    for tokenizer in tokenizers:
        n_english = len(tokenizer.encode(article_text(ENGLISH, article)))
        for language in load_parallel_texts():
            text = article_text(language.code, article)
            n_tokens = len(tokenizer.encode(text))
            counts.append(
                LanguageCount(
                    language=language.name,
                    code=language.code,
                    tokenizer_name=tokenizer.name,
                    n_tokens=n_tokens,
                    n_characters=len(text),
                    n_bytes=len(text.encode()),
                    times_english=n_tokens / n_english,
                )
            )
    return counts


def _strings(items: object) -> tuple[str, ...]:
    if not isinstance(items, list):
        raise TypeError(f"a list of articles: {items!r}")
    return tuple(map(str, items))
