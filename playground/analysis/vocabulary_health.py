"""Find tokens that ordinary text hardly produces, and tokens that two vocabularies have in common.

The health check follows Land and Bartolo (2024), arXiv:2405.05417, but looks only at the tokenizer: it needs
neither a model's weights nor a corpus.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from playground.catalog.opened import OpenedModel, tokenizer_of
from playground.catalog.registry import get_tokenizer
from playground.core.errors import UnknownTokenError
from playground.core.text_units import is_utf8
from playground.core.tokenizer import Tokenizer

#: Texts before the token's text: nothing, a mark, a letter, a digit, a space. A tokenizer that inserts a
#: leading space gives a token without one only after some text.
PROBES = ("", "«", "a", "1", " ")


@dataclass(frozen=True, slots=True)
class Health:
    """Ids of unusual tokens in rising order; `n_tokens` includes special tokens.

    `lost` are tokens whose text encodes to other tokens, alone and after each of `PROBES`; `only_parts` are
    those of them from which longer tokens are merged. `not_utf8` are not valid UTF-8. `duplicates` are tokens
    of one kind with the same bytes. `spelled` are special tokens that ordinary text produces.
    """

    n_tokens: int
    lost: tuple[int, ...]
    only_parts: tuple[int, ...]
    not_utf8: tuple[int, ...]
    duplicates: tuple[tuple[int, ...], ...]
    spelled: tuple[int, ...]


def vocabulary_health(tokenizer: Tokenizer) -> Health:
    """Check every token of a vocabulary; o200k_base takes some seconds.

    >>> from playground.bpe.model import BpeModel
    >>> from playground.bpe.split_pattern import SplitPattern
    >>> from playground.catalog.trained import TrainedTokenizer
    >>> merges = ((97, 98, 256), (256, 99, 257), (98, 99, 258))
    >>> health = vocabulary_health(TrainedTokenizer("x", BpeModel(SplitPattern.named("none"), merges)))
    >>> health.lost, len(health.not_utf8), health.duplicates
    ((), 128, ())
    """
    vocabulary = tokenizer.vocabulary
    special = tokenizer.special_tokens
    special_ids = set(special.values())
    ids = [token_id for token_id in vocabulary.ids.tolist() if token_id not in special_ids]
    raw_of = {token_id: vocabulary.raw_of(token_id) for token_id in ids}
    not_utf8 = [token_id for token_id, raw in raw_of.items() if not is_utf8(raw)]
    partial = set(not_utf8)
    whole = ((token_id, raw.decode()) for token_id, raw in raw_of.items() if token_id not in partial)
    lost = [token_id for token_id, text in whole if not _comes_back(tokenizer, token_id, text)]
    parts = set(_iter_parts(tokenizer, ids)) if lost else set()
    ids_of: defaultdict[tuple[bytes, str], list[int]] = defaultdict(list)
    for token_id, raw in raw_of.items():
        ids_of[raw, vocabulary.entry(token_id).kind].append(token_id)
    return Health(
        n_tokens=len(vocabulary),
        lost=tuple(lost),
        only_parts=tuple(token_id for token_id in lost if token_id in parts),
        not_utf8=tuple(not_utf8),
        duplicates=tuple(tuple(found) for found in ids_of.values() if len(found) > 1),
        spelled=tuple(sorted({n for name, n in special.items() if n in list(tokenizer.encode(name))})),
    )


def health_of(name: str, model: OpenedModel | None) -> Health:
    """Check a tokenizer by name, or an opened model, which can be sent to a worker process.

    >>> len(health_of("utf8_bytes", None).not_utf8)
    128
    """
    return vocabulary_health(get_tokenizer(name) if model is None else tokenizer_of(name, model))


def _comes_back(tokenizer: Tokenizer, token_id: int, text: str) -> bool:
    return any(token_id in tokenizer.encode(probe + text).ids for probe in PROBES)


def _iter_parts(tokenizer: Tokenizer, ids: list[int]) -> Iterator[int]:
    """Yield the parts of each token; nothing for a tokenizer without merges."""
    merges = tokenizer.merges
    if merges is None:
        return
    for token_id in ids:
        try:
            yield from merges.parts_of(token_id)
        except UnknownTokenError:
            continue


#: Number of tokens listed of each vocabulary.
N_LONGEST = 50


@dataclass(frozen=True, slots=True)
class VocabularyComparison:
    """Counts of shared tokens; `longest_only_*` are the longest tokens of only one vocabulary, in bytes."""

    n_first: int
    n_second: int
    n_shared: int
    longest_only_first: tuple[bytes, ...]
    longest_only_second: tuple[bytes, ...]


def compare_vocabularies(first: Collection[bytes], second: Collection[bytes]) -> VocabularyComparison:
    """Count the tokens that two vocabularies share by their bytes, and find the longest of only one.

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
