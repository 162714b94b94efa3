"""What two vocabularies have in common, and what only one of them has."""

from collections.abc import Collection
from dataclasses import dataclass

#: Tokens that are listed of each vocabulary.
N_LONGEST = 50


@dataclass(frozen=True, slots=True)
class VocabularyComparison:
    """What two vocabularies have in common; `longest_only_*` list tokens by falling length in bytes."""

    n_first: int
    n_second: int
    n_shared: int
    longest_only_first: tuple[bytes, ...]
    longest_only_second: tuple[bytes, ...]


def compare_vocabularies(first: Collection[bytes], second: Collection[bytes]) -> VocabularyComparison:
    """How many tokens two vocabularies share by their bytes, and the longest that only one of them has.

    >>> compare_vocabularies([b"a", b"b", b"ab"], [b"a", b"b", b"ba"]).n_shared
    2
    """
    own, other = set(first), set(second)
    shared = own & other
    return VocabularyComparison(
        n_first=len(own),
        n_second=len(other),
        n_shared=len(shared),
        longest_only_first=_longest(own - shared),
        longest_only_second=_longest(other - shared),
    )


def _longest(raws: set[bytes]) -> tuple[bytes, ...]:
    return tuple(sorted(raws, key=lambda raw: (-len(raw), raw))[:N_LONGEST])
