"""The table of ranks that gives the ids of a tokenizer.json with byte-level BPE, for the compiled encoder.

`tokenizers` merges listed pairs. A table of ranks gives the same ids if the pairs are listed in the order of
the tokens that they make, and contain, for each token, the two parts as which the table merges its bytes. Two
other parts of a token never meet: then its own bytes would merge that way, too.
"""

import json
from bisect import bisect_right
from collections.abc import Callable, Mapping
from itertools import accumulate
from typing import Any, NamedTuple

from playground.bpe.gpt2_bytes import from_gpt2_characters
from playground.bpe.merging import ByRank
from playground.bpe.model import iter_late_tokens, merges_and_whole
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.normalized import library_nfc
from playground.catalog.tokenizer_json_file import TokenizerJsonFile
from playground.core.errors import VocabularyFileError
from playground.files.tokenizer_json import ADDED_TOKEN, MODEL, check_part, read_pairs, read_split

_MODEL = {**MODEL, "ignore_merges": (False, True)}
_ADDED_TOKEN = {**ADDED_TOKEN, "special": (False, True), "normalized": (False,)}


class FileRanks(NamedTuple):
    """Tokens in the order of their ranks, with their ids, the split pattern, and what is done to the text."""

    ids: Mapping[bytes, int]
    pattern: SplitPattern
    normalize: Callable[[str], str] | None


def ranks_of_file(tokenizer: TokenizerJsonFile) -> FileRanks | None:
    """Return the ranks of a tokenizer.json; None if its ids are not those of a table of ranks."""
    document = json.loads(tokenizer.model.raw.decode("utf-8-sig"))
    try:
        model = check_part(document["model"], _MODEL, "", may_lack=_MODEL.keys() - {"vocab", "merges"})
        for token in document.get("added_tokens") or []:
            check_part(token, _ADDED_TOKEN, "")
        pattern = read_split(document.get("pre_tokenizer"), "")
        pairs = read_pairs(model["merges"], "")
    except VocabularyFileError:
        return None
    normalizer = document.get("normalizer")
    if normalizer not in (None, {"type": "NFC"}):
        return None
    ids = _ranked(model, pairs)
    return None if ids is None else FileRanks(ids, pattern, library_nfc() if normalizer else None)


def _ranked(model: Mapping[str, Any], pairs: list[list[str]]) -> dict[bytes, int] | None:
    """Return the tokens that a text can have with their ids, by rank; None if the merges differ."""
    raw_of: dict[str, bytes] = {}
    for spelled in model["vocab"]:
        try:
            raw = from_gpt2_characters(spelled)
        except KeyError:
            continue  # no text is spelled like this
        if raw:
            raw_of[spelled] = raw
    ranks = {raw: n for n, raw in enumerate(sorted(raw for raw in raw_of.values() if len(raw) == 1))}
    listed: set[tuple[bytes, bytes]] = set()
    last = 0
    try:
        for left, right in pairs:
            pair = raw_of[left], raw_of[right]
            listed.add(pair)
            rank = ranks.setdefault(pair[0] + pair[1], len(ranks))
            if rank < last:
                return None  # the pairs of a token are not together
            last = rank
    except (KeyError, TypeError, ValueError):
        return None
    takes_whole = bool(model.get("ignore_merges"))
    for raw in raw_of.values() if takes_whole else ():
        ranks.setdefault(raw, len(ranks))
    merges, whole = merges_and_whole(ranks)
    late = {*iter_late_tokens(ranks, whole)}
    made = _merged_last(ranks, late)
    raws = list(ranks)
    for left_rank, right_rank, rank in merges:
        made.setdefault(raws[rank], (raws[left_rank], raws[right_rank]))
    if not {pair for pair in made.values() if pair} <= listed:
        return None
    never = set() if takes_whole else {raw for raw, _ in whole if raw not in late}
    id_of = {raw: model["vocab"][spelled] for spelled, raw in raw_of.items()}
    return {raw: id_of[raw] for raw in ranks if raw not in never}


def _merged_last(ranks: Mapping[bytes, int], late: set[bytes]) -> dict[bytes, tuple[bytes, bytes] | None]:
    """Return the last two parts of each token that contains a late one; None if more parts remain."""
    rule, raws = ByRank(ranks), list(ranks)
    joined, ends = b"".join(raws), list(accumulate(map(len, raws)))
    found: dict[bytes, tuple[bytes, bytes] | None] = {}
    for part in late:
        place = joined.find(part)
        while place >= 0:  # a place across two tokens does no harm
            raw = raws[bisect_right(ends, place)]
            if raw not in found:
                merged = rule.build(raw)
                middle = 0 if merged.is_whole or not merged.steps else merged.steps[-1].middle
                found[raw] = (raw[:middle], raw[middle:]) if middle else None
            place = joined.find(part, place + 1)
    return found
