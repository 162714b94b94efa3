"""The Universal Declaration of Human Rights (UDHR) in many languages, which ships with the app.

`corpora` offers it for training, and `analysis.language_counts` counts its tokens.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from playground.core.assets import damaged, read_json

UDHR = "texts/udhr.json"


@dataclass(frozen=True, slots=True)
class ParallelText:
    """The declaration in one language; article 1 is `articles[0]`."""

    code: str
    name: str
    articles: tuple[str, ...]


@cache
def load_parallel_texts() -> tuple[ParallelText, ...]:
    """Return the Declaration in all languages, in the order of the file. Raises AssetError.

    >>> [text.name for text in load_parallel_texts()][:2], len(load_parallel_texts())
    (['English', 'Spanish'], 39)
    """
    entries: list[Mapping[str, object]] = read_json(UDHR)
    try:
        return tuple(
            ParallelText(str(item["code"]), str(item["name"]), _strings(item["articles"])) for item in entries
        )
    except (KeyError, TypeError) as error:
        raise damaged(UDHR, f"an entry lacks {error}") from error


def _strings(items: object) -> tuple[str, ...]:
    if not isinstance(items, list):
        raise TypeError(f"a list of articles: {items!r}")
    return tuple(map(str, items))
