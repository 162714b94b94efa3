"""Find tokens that ordinary text hardly produces, and tokens that two vocabularies have in common.

The health check follows Land and Bartolo (2024), arXiv:2405.05417, but needs neither a model's weights nor a
corpus: everything is found in the vocabulary, its ranks, and the encoder.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product

from playground.catalog.opened import OpenedModel, tokenizer_of
from playground.catalog.registry import get_tokenizer
from playground.core.errors import UnknownTokenError
from playground.core.text_units import is_utf8
from playground.core.tokenizer import Tokenizer
from playground.core.vocabulary import Vocabulary

#: Texts before the token's text: nothing, a mark, a letter, a digit, a space. A tokenizer that inserts a
#: leading space gives a token without one only after some text.
PROBES = ("", "«", "a", "1", " ")
#: Texts before and after the token's text. Without merges a token may depend on both: pieces of a word's
#: middle, such as Claude's, are tokens only between other letters. Most are found by the first of them.
LIKELY = (("x", ""), ("", "x"), ("x", "x"), ("q", ""), ("", "q"), ("q", "q"))
AROUND = tuple(
    product(
        ("", "x", "q", "z", "k", "ß", "é", "A", "1", "«", " "),
        ("", "x", "q", "e", "s", "a", "é", "A", "aA", "1", ".", " a", "\na"),
    )
)

#: Tokens that were published as glitch tokens, for GPT-2 and GPT-3 by Rumbelow and Watkins (2023,
#: lesswrong.com/posts/aPeJE8bSo6rAFoLqg), for cl100k_base by Land and Bartolo (report on OLMo 2, 2024).
GLITCH_TOKENS = (
    (
        *(" SolidGoldMagikarp", " petertodd", " TheNitromeFan", " RandomRedditorWithNo", " davidjl"),
        *(" Smartstocks", " Adinida", " Leilan", " attRot", " srfN", " TAMADRA", " Dragonbound"),
        *(" Mechdragon", " externalToEVAOnly", "TPPStreamerBot", "PsyNetMessage", "ForgeModLoader"),
        *("rawdownloadcloneembedreportprint", "BuyableInstoreAndOnline", "quickShipAvailable"),
        *("EStreamFrame", "龍契士", " サーティワン"),
    ),
    (
        *("useRalativeImagePath", "$PostalCodesNL", " ForCanBeConvertedToF", "webElementXpaths"),
        *("webElementProperties", "richTextPanel", "\tTokenNameIdentifier", " StreamLazy", "elementGuidId"),
        *(" typingsJapgolly", "adaptiveStyles", "SpecWarn", "methodPointerType", "artisanlib", "LANGADM"),
        *(" AppMethodBeat", "CppMethodIntialized", "_ComCallableWrapper", "selectorMethod", "\tRTHOOK"),
    ),
)
#: A token is an under-trained candidate if it was merged into a longer token within this share of its rank.
#: Counts fall slowly from merge to merge, so almost all its occurrences became part of the longer token.
RANK_GAP = 0.001


@dataclass(frozen=True, slots=True)
class Health:
    """Ids of unusual tokens in rising order (`glitch`: best known first); `n_tokens` includes special tokens.

    `lost` are tokens whose text encodes to other tokens, alone and after each of `PROBES`, or without merges
    between each pair of `AROUND`; `only_parts` are
    those of them from which longer tokens are merged. `not_utf8` are not valid UTF-8. `duplicates` are tokens
    of one kind with the same bytes. `spelled` are special tokens that ordinary text produces. `glitch` are
    those of `GLITCH_TOKENS` that the vocabulary has. `under_trained` maps a token to the longer token into
    which it was merged right after it was learned (`RANK_GAP`): text hardly has the first one alone.
    """

    n_tokens: int
    lost: tuple[int, ...]
    only_parts: tuple[int, ...]
    not_utf8: tuple[int, ...]
    duplicates: tuple[tuple[int, ...], ...]
    spelled: tuple[int, ...]
    glitch: tuple[int, ...] = ()
    under_trained: Mapping[int, int] = field(default_factory=dict)


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
    # A token without bytes, such as a mark of Claude's, has no text of its own.
    whole = ((token_id, raw.decode()) for token_id, raw in raw_of.items() if raw and token_id not in partial)
    lost = [token_id for token_id, text in whole if not _comes_back(tokenizer, token_id, text)]
    lost_raws = {raw_of[token_id] for token_id in lost}
    longer = (n for n, raw in raw_of.items() if lost and any(end in lost_raws for end in _iter_ends(raw)))
    parts = {part for token_id in longer for part in _parts_of(tokenizer, token_id)}
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
        glitch=glitch_tokens(vocabulary),
        under_trained=_under_trained(tokenizer, raw_of),
    )


def glitch_tokens(vocabulary: Vocabulary) -> tuple[int, ...]:
    """Return the ids of published glitch tokens, the best known first.

    A list of `GLITCH_TOKENS` counts only if the vocabulary has all its tokens: a few of its names may be in
    any vocabulary, where nobody has found them to misbehave.

    >>> 43453 in glitch_tokens(get_tokenizer("gpt2").vocabulary)
    True
    """
    found = [[vocabulary.ids_of(name.encode()) for name in names] for names in GLITCH_TOKENS]
    return tuple(ids[0] for own in found if all(own) for ids in own)


def _under_trained(tokenizer: Tokenizer, raw_of: Mapping[int, bytes]) -> dict[int, int]:
    """Map each token that was merged into a longer one right after it was learned to that longer token."""
    vocabulary = tokenizer.vocabulary
    rank_of_id = dict(zip(vocabulary.ids.tolist(), vocabulary.ranks.tolist(), strict=True))
    rank_of = {raw: rank_of_id[token_id] for token_id, raw in raw_of.items() if len(raw) > 1}
    found: dict[int, int] = {}
    for token_id, raw in raw_of.items():
        rank = rank_of_id[token_id]
        lowest = rank - RANK_GAP * rank
        for part in _iter_ends(raw):
            if lowest <= rank_of.get(part, -1) < rank:
                for part_id in set(vocabulary.ids_of(part)) & set(_parts_of(tokenizer, token_id)):
                    found.setdefault(part_id, token_id)
    return dict(sorted(found.items()))


def _iter_ends(raw: bytes) -> Iterator[bytes]:
    """Yield all beginnings and ends of a token, each shorter than the token."""
    for n in range(1, len(raw)):
        yield raw[:n]
        yield raw[n:]


def _parts_of(tokenizer: Tokenizer, token_id: int) -> tuple[int, ...]:
    """Return the tokens that a token is merged from; none without merges."""
    with suppress(UnknownTokenError):
        return () if tokenizer.merges is None else tuple(tokenizer.merges.parts_of(token_id))
    return ()


def health_of(name: str, model: OpenedModel | None) -> Health:
    """Check a tokenizer by name, or an opened model, which can be sent to a worker process.

    >>> len(health_of("utf8_bytes", None).not_utf8)
    128
    """
    return vocabulary_health(get_tokenizer(name) if model is None else tokenizer_of(name, model))


def _comes_back(tokenizer: Tokenizer, token_id: int, text: str) -> bool:
    probes = [(probe, "") for probe in PROBES]
    if tokenizer.merges is None:
        probes[1:1] = LIKELY
    if any(token_id in tokenizer.encode(before + text + after).ids for before, after in probes):
        return True
    if tokenizer.merges is not None:
        return False
    lines = "\n".join(before + text + after for before, after in AROUND)
    return token_id in tokenizer.encode(lines).ids


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
