"""The table of ranks that gives a tokenizer's ids, and its split pattern, as splintr takes them.

tiktoken merges by rank. `tokenizers` merges listed pairs; a table of ranks gives the same ids if each token
is listed with the two parts in which its bytes merge by lower ranks. Two other parts of a token never meet:
then its own bytes would merge that way, too.
"""

from base64 import b64encode
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import splintr

from playground.bpe.gpt2_bytes import from_many_gpt2_characters
from playground.bpe.model import merges_and_whole
from playground.bpe.split_pattern import OPEN_MODEL_PATTERNS, SPLIT_PATTERNS
from playground.catalog.normalized import NormalizedTokenizer, library_nfc, nfc_text
from playground.catalog.ranked import RankedTokenizer
from playground.core.errors import VocabularyFileError
from playground.core.tokenizer import Tokenizer

if TYPE_CHECKING:
    from playground.catalog.tokenizer_json_file import TokenizerJsonFile

#: Split patterns as splintr spells them, without possessive quantifiers; they cut alike. DeepSeek's is not
#: here: its look-aheads take splintr seven times as long as tiktoken.
_PATTERNS = {
    SPLIT_PATTERNS["gpt2"]: splintr.GPT2_PATTERN,
    OPEN_MODEL_PATTERNS["gpt2"]: splintr.GPT2_PATTERN,
    SPLIT_PATTERNS["cl100k"]: splintr.CL100K_BASE_PATTERN,
    SPLIT_PATTERNS["o200k"]: splintr.O200K_BASE_PATTERN,
    SPLIT_PATTERNS["llama3"]: splintr.LLAMA3_PATTERN,
    OPEN_MODEL_PATTERNS["qwen"]: splintr.QWEN2_PATTERN,
    OPEN_MODEL_PATTERNS["tekken"]: splintr.MISTRAL_V3_PATTERN,
    OPEN_MODEL_PATTERNS["kimi"]: splintr.KIMI_PATTERN,
}
_N_BYTES = 256


class RankTable(NamedTuple):
    """The lines of a `.tiktoken` file with ids as ranks, the split pattern, and what is done to a text.

    `added` tokens are found in every text.
    """

    lines: bytes
    pattern: str
    normalize: Callable[[str], str] | None = None
    added: Mapping[str, int] = {}


def rank_table_of(tokenizer: Tokenizer) -> RankTable | None:
    """Return the table of a tokenizer; None if no table gives its ids, or its split pattern is not known.

    >>> from playground.catalog.registry import get_tokenizer
    >>> rank_table_of(get_tokenizer("gpt2")).lines[:9], rank_table_of(get_tokenizer("characters"))
    (b'IQ== 0\\nIg', None)
    """
    if isinstance(tokenizer, NormalizedTokenizer):
        table = rank_table_of(tokenizer.base)
        return table and table._replace(normalize=partial(nfc_text, nfc=tokenizer.nfc))
    pattern = _PATTERNS.get(tokenizer.split_pattern or "")
    if isinstance(tokenizer, RankedTokenizer):
        lines = pattern and (tokenizer.rank_lines or _lines(tokenizer.mergeable_ranks))
        return RankTable(lines, pattern) if pattern and lines else None
    # Only here: they import the readers of files.
    from playground.catalog.tokenizer_json_file import TokenizerJsonFile
    from playground.catalog.trained import TrainedTokenizer

    if isinstance(tokenizer, TokenizerJsonFile):
        return _table_of_json(tokenizer)
    if not pattern or not isinstance(tokenizer, TrainedTokenizer) or not tokenizer.is_exact_in_tiktoken:
        return None
    ranks = tokenizer.mergeable_ranks
    return RankTable(_lines(ranks), pattern) if _has_all_bytes(ranks) else None


def _table_of_json(tokenizer: "TokenizerJsonFile") -> RankTable | None:
    from playground.files.tokenizer_json import ADDED_TOKEN, MODEL, check_part, read_split

    model = {**MODEL, "ignore_merges": (False, True)}
    added_token = {**ADDED_TOKEN, "special": (False, True), "normalized": (False,)}
    document = tokenizer.document
    frame, normalizer = document.frame, document.frame.get("normalizer")
    if normalizer not in (None, {"type": "NFC"}) or tokenizer.merges is None:
        return None
    try:
        check_part(frame["model"], model, "", may_lack=model.keys())
        for token in frame.get("added_tokens") or []:
            check_part(token, added_token, "")
        pattern = _PATTERNS.get(read_split(frame.get("pre_tokenizer"), "").expression)
    except VocabularyFileError:
        return None
    ranks = _ranks_of_pairs(tokenizer) if pattern else None
    if pattern is None or ranks is None:
        return None
    normalize = partial(nfc_text, nfc=library_nfc) if normalizer else None
    return RankTable(_lines(ranks), pattern, normalize, tokenizer.added_tokens)


def _ranks_of_pairs(tokenizer: "TokenizerJsonFile") -> dict[bytes, int] | None:
    """Return the tokens that a text can have with their ids, if these are the ranks; None if they are not."""
    assert tokenizer.merges is not None
    tokens = tokenizer.document.tokens
    raw_of = dict(zip(tokens, from_many_gpt2_characters(tokens.values()), strict=True))
    listed = tokenizer.merges.merges
    if (np.diff(listed[:, 2]) < 0).any():
        return None  # the pairs are not in the order of the ids
    made = {*listed[:, 2].tolist()}
    takes_whole = tokenizer.merges.options.ignore_merges
    ranks: dict[bytes, int] = {}
    for token_id, raw in raw_of.items():
        if raw and (len(raw) == 1 or token_id in made):
            ranks[raw] = token_id
        elif raw and takes_whole and token_id not in tokenizer.special_tokens.values():
            return None  # found as a whole pretoken only
    if not _has_all_bytes(ranks):
        return None
    merges, whole = merges_and_whole(ranks)
    pairs = set(map(tuple, listed[:, :2].tolist()))
    if whole or not {(left, right) for left, right, _ in merges} <= pairs:
        return None
    return ranks


def _has_all_bytes(ranks: Mapping[bytes, int]) -> bool:
    return sum(len(raw) == 1 for raw in ranks) == _N_BYTES


def _lines(ranks: Mapping[bytes, int]) -> bytes:
    return b"".join(b"%b %d\n" % (b64encode(raw), rank) for raw, rank in ranks.items())
