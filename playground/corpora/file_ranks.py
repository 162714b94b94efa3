"""The table of ranks that gives the ids of a tokenizer.json with byte-level BPE, for the compiled encoder.

`tokenizers` merges listed pairs. A table of ranks gives the same ids if the pairs are listed in the order of
the tokens that they make, and contain, for each token, the two parts as which the table merges its bytes. Two
other parts of a token never meet: then its own bytes would merge that way, too.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping
from itertools import accumulate, chain
from typing import NamedTuple

import numpy as np

from playground.bpe.character_merging import BySpelledPair
from playground.bpe.gpt2_bytes import from_many_gpt2_characters
from playground.bpe.merging import ByRank
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.normalized import library_nfc
from playground.catalog.tokenizer_json_file import TokenizerJsonFile
from playground.core.errors import VocabularyFileError
from playground.core.vocabulary import Ids
from playground.files.tokenizer_json import ADDED_TOKEN, MODEL, check_part, read_split
from playground.training.kernel.listed_merges import JOINED, LEFT, RIGHT, find_parts

_N_BYTES = 256
_MODEL = {**MODEL, "ignore_merges": (False, True)}
_ADDED_TOKEN = {**ADDED_TOKEN, "special": (False, True), "normalized": (False,)}


class FileRanks(NamedTuple):
    """Tokens in the order of their ranks, their ids, the split pattern, and what is done to the text."""

    tokens: list[bytes]
    ids: Ids
    pattern: SplitPattern
    normalize: Callable[[str], str] | None


def ranks_of_file(tokenizer: TokenizerJsonFile) -> FileRanks | None:
    """Return the ranks of a tokenizer.json; None if its ids are not those of a table of ranks."""
    document = tokenizer.document
    frame, normalizer = document.frame, document.frame.get("normalizer")
    if normalizer not in (None, {"type": "NFC"}) or tokenizer.merges is None:
        return None
    try:
        check_part(frame["model"], _MODEL, "", may_lack=_MODEL.keys())
        for token in frame.get("added_tokens") or []:
            check_part(token, _ADDED_TOKEN, "")
        pattern = read_split(frame.get("pre_tokenizer"), "")
    except VocabularyFileError:
        return None
    id_of = _ranked(document.tokens, tokenizer.merges)
    if id_of is None:
        return None
    ids = np.fromiter(id_of.values(), np.uint32, len(id_of))
    return FileRanks([*id_of], ids, pattern, library_nfc() if normalizer else None)


def _ranked(tokens: Mapping[int, str], rule: BySpelledPair) -> dict[bytes, int] | None:
    """Return the tokens that a text can have with their ids, by rank; None if the merges differ."""
    spelled = dict(zip(tokens, from_many_gpt2_characters(tokens.values()), strict=True))
    raw_of = {token_id: raw for token_id, raw in spelled.items() if raw}  # no text is spelled like the others
    of_bytes = sorted((raw, token_id) for token_id, raw in raw_of.items() if len(raw) == 1)
    if len(of_bytes) < _N_BYTES:
        return None
    takes_whole = rule.options.ignore_merges
    by_rank = dict.fromkeys(
        chain(
            [token_id for _raw, token_id in of_bytes],
            rule.merges[:, JOINED].tolist(),
            raw_of if takes_whole else (),
        )
    )
    if not by_rank.keys() <= raw_of.keys():
        return None
    rank_of_id = {token_id: rank for rank, token_id in enumerate(by_rank)}
    columns = [[rank_of_id.get(n, -1) for n in column] for column in rule.merges.T.tolist()]
    pairs = np.ascontiguousarray(np.array(columns, np.int64).T)
    if (np.diff(pairs[:, JOINED]) < 0).any():
        return None  # the pairs of a token are not together
    parts = find_parts(pairs, _N_BYTES, len(by_rank))
    raws = [raw_of[token_id] for token_id in by_rank]
    ranks = {raw: rank for rank, raw in enumerate(raws)}
    whole = [raws[rank] for rank in np.flatnonzero(parts[:, LEFT] < 0).tolist()[_N_BYTES:]]
    table = ByRank(ranks)
    late = {raw for raw in whole if not table.build(raw).is_whole}  # merged from tokens of higher rank
    last = _merged_last(table, raws, late)
    listed = set(map(tuple, pairs[:, [LEFT, RIGHT]].tolist())) if late else set()
    if not {(ranks[pair[0]], ranks[pair[1]]) for pair in last.values() if pair} <= listed:
        return None
    never = set() if takes_whole else {raw for raw in [*whole, *last] if last.get(raw) is None}
    return {raw: token_id for raw, token_id in zip(raws, by_rank, strict=True) if raw not in never}


def _merged_last(
    table: ByRank, raws: list[bytes], late: set[bytes]
) -> dict[bytes, tuple[bytes, bytes] | None]:
    """Return the last two parts of each token that contains a late one; None if more parts remain."""
    joined, ends = b"".join(raws), list(accumulate(map(len, raws)))
    found: dict[bytes, tuple[bytes, bytes] | None] = {}
    for part in late:
        place = joined.find(part)
        while place >= 0:  # a place across two tokens does no harm
            raw = raws[bisect_right(ends, place)]
            if raw not in found:
                merged = table.build(raw)
                middle = 0 if merged.is_whole or not merged.steps else merged.steps[-1].middle
                found[raw] = (raw[:middle], raw[middle:]) if middle else None
            place = joined.find(part, place + 1)
    return found
