"""Mistral's tekken.json: ranks with their bytes, a split pattern, and special tokens with the first ids.

It is not offered for export, because only Mistral's tools load it; the browser keeps opened files in it.
"""

import base64
import binascii
import json
import re
from collections.abc import Mapping
from typing import Any

from playground.bpe.model import BpeModel, merges_and_whole
from playground.core.errors import CannotHoldError, VocabularyFileError
from playground.files.checks import (
    Files,
    byte_ids_of,
    check_count,
    check_special_token,
    only_file,
    read_json,
    read_pattern,
    shown,
)
from playground.files.limits import MAX_ENTRIES, MAX_SPECIAL_TOKENS
from playground.files.tiktoken_ranks import check_sizes

#: The first special tokens of a file that names none, as in `mistral-common`.
_NAMES = (
    "<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]",
    "[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]",
)  # fmt: skip


def is_tekken(file_name: str) -> bool:
    """Whether a file has a name that Mistral gives such files.

    >>> is_tekken("tekken.json"), is_tekken("tekken_240911.json"), is_tekken("tokenizer.json")
    (True, True, False)
    """
    return re.fullmatch(r"(.*[/\\])?tekken[^/\\]*\.json", file_name) is not None


def read_tekken(files: Files) -> BpeModel:
    """Read a tekken.json; only as many ranks count as its config says.

    Raises: VocabularyFileError.
    """
    file_name, text = only_file(files, ".json")
    document = read_json(text, file_name)
    config, vocab = document.get("config"), document.get("vocab")
    if not isinstance(config, dict) or not isinstance(vocab, list):
        raise VocabularyFileError(f"{file_name} lacks its config or its vocab, which a tekken.json has")
    n_special = _count(config, "default_num_special_tokens", file_name)
    n_ranks = _count(config, "default_vocab_size", file_name) - n_special
    check_count(n_special, "special tokens", MAX_SPECIAL_TOKENS, file_name)
    check_count(len(vocab), "tokens", MAX_ENTRIES, file_name)
    if not isinstance(config.get("pattern"), str):
        raise VocabularyFileError(f"{file_name}, config: its pattern is {shown(config.get('pattern'))}")
    if not 256 <= n_ranks <= len(vocab):
        raise VocabularyFileError(
            f"{file_name} has {len(vocab):,} tokens, of which its config takes {n_ranks:,}; at least 256 "
            "are needed"
        )
    pattern = read_pattern(config["pattern"], f"{file_name}, config, pattern")
    ranks: dict[bytes, int] = {}
    for rank, entry in enumerate(vocab[:n_ranks]):
        raw = _raw_of(entry, rank, f"{file_name}, token {rank}")
        if raw in ranks:
            raise VocabularyFileError(f"{file_name}, token {rank}: {shown(raw)} is token {ranks[raw]} too")
        ranks[raw] = rank
    check_sizes(ranks, file_name)
    byte_ids = tuple(n_special + rank for rank in byte_ids_of(ranks, file_name))
    merges, whole = merges_and_whole(ranks)
    shifted = tuple((n_special + left, n_special + right, n_special + made) for left, right, made in merges)
    shifted_whole = tuple((raw, n_special + rank) for raw, rank in whole)
    special = _read_special(document.get("special_tokens"), n_special, file_name)
    return BpeModel(pattern, shifted, special, byte_ids, shifted_whole)


def write_tekken(model: BpeModel, name: str) -> Files:
    """Return a file that `read_tekken` reads. Raises CannotHoldError."""
    model.need_plain_merges()
    n_special = len(model.special_tokens)
    ranks = model.mergeable_ranks()
    ids = [*model.special_tokens.values(), *ranks.values()]
    if sorted(ids) != list(range(len(ids))) or min(ranks.values()) < n_special:
        raise CannotHoldError("a tekken.json numbers its special tokens from 0, and all others after them")
    by_rank = sorted(ranks, key=lambda raw: ranks[raw])
    document = {
        "config": {
            "pattern": model.pattern.expression,
            "default_vocab_size": len(ids),
            "default_num_special_tokens": n_special,
        },
        "vocab": [
            {"rank": rank, "token_bytes": base64.b64encode(raw).decode()} for rank, raw in enumerate(by_rank)
        ],
        "special_tokens": [
            {"rank": token_id, "token_str": token} for token, token_id in model.special_tokens.items()
        ],
    }
    return {f"tekken-{name}.json": json.dumps(document)}


def _count(config: Mapping[str, Any], name: str, file_name: str) -> int:
    n = config.get(name)
    if type(n) is not int or n < 0:
        raise VocabularyFileError(f"{file_name}, config: its {name} is {shown(n)}, not a number")
    return n


def _raw_of(entry: object, rank: int, place: str) -> bytes:
    match entry:
        case {"rank": int(own), "token_bytes": str(encoded)} if own == rank:
            try:
                raw = base64.b64decode(encoded, validate=True)
            except (ValueError, binascii.Error) as error:
                raise VocabularyFileError(f"{place}: its token_bytes are not base64: {error}") from None
            if raw:
                return raw
    raise VocabularyFileError(f"{place} is {shown(entry)}; it needs token_bytes and the rank {rank}")


def _read_special(entries: object, n_special: int, file_name: str) -> dict[str, int]:
    """Return the special tokens; an id without a name is called `<SPECIAL_n>`."""
    name_of: dict[int, str] = {}
    if entries is None:
        name_of = dict(enumerate(_NAMES[:n_special]))
    elif not isinstance(entries, list):
        raise VocabularyFileError(f"{file_name}, special_tokens must be a list, not {shown(entries)}")
    else:
        for entry in entries:
            match entry:
                case {"rank": int(token_id), "token_str": str(name)} if 0 <= token_id < n_special:
                    check_special_token(name, f"{file_name}, special token {token_id}")
                    name_of[token_id] = name
                case _:
                    raise VocabularyFileError(
                        f"{file_name}: the special token {shown(entry)} needs a token_str and a rank below "
                        f"{n_special}"
                    )
    special = {name_of.get(token_id, f"<SPECIAL_{token_id}>"): token_id for token_id in range(n_special)}
    if len(special) < n_special:
        raise VocabularyFileError(f"{file_name}: two of its special tokens have one name")
    return special
