"""Checks of tokenizer files: file kinds, JSON, numbers, ids, vocabularies, and whole models.

Each fault is one VocabularyFileError with the file, the place and what is valid. `checked_model` is the last
check of every reader of merges.
"""

import reprlib
import threading
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from json import JSONDecodeError
from json.decoder import JSONArray, JSONDecoder  # type: ignore[attr-defined]
from json.scanner import py_make_scanner  # type: ignore[attr-defined]
from typing import Any, NoReturn, cast

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError, VocabularyFileError
from playground.core.tokenizer import replace_lone_surrogates
from playground.core.wording import json_kind
from playground.files.limits import (
    MAX_ENTRIES,
    MAX_ID,
    MAX_SPECIAL_CHARS,
    MAX_SPECIAL_TOKENS,
    MAX_TOKEN_BYTES,
    MAX_TOTAL_BYTES,
)

#: Characters of JSON that the C decoder reads in a few milliseconds.
_LONG_JSON = 200_000
#: File names and their text.
Files = dict[str, str]

_short_repr = reprlib.Repr()
_short_repr.maxstring = _short_repr.maxother = 60


def only_file(files: Files, ending: str) -> tuple[str, str]:
    """Return the name and text of the single file with an ending. Raises VocabularyFileError."""
    found = [(name, text) for name, text in files.items() if name.endswith(ending)]
    if len(found) > 1:
        names = " and ".join(name for name, _text in found[:2])
        raise VocabularyFileError(f"{names} are files of two tokenizers; choose one that ends in {ending}")
    if not found:
        raise VocabularyFileError(
            f"{' and '.join(files)} goes with a file that ends in {ending}: choose both at once"
        )
    return found[0]


def shown(value: object) -> str:
    """Return a value for a message: its Python literal, shortened.

    >>> shown("x" * 100)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxxx'"
    """
    return _short_repr.repr(value)


def text_or_empty(value: object) -> str:
    """Return a value of JSON that is text; "" for any other."""
    return value if isinstance(value, str) else ""


#: How files begin that people save in place of a tokenizer's, and what they are.
_OTHER_KINDS = {
    mark: what
    for marks, what in (
        ((b"<!doctype html", b"<html"), "a web page; save the file itself, by the page’s download button"),
        (
            (b"version https://git-lfs.github.com",),
            "what Git LFS keeps in the place of a file; fetch the file itself, by git lfs pull",
        ),
        ((b"pk\x03\x04", b"\x1f\x8b"), "an archive; choose the file that is in it"),
    )
    for mark in marks
}


#: What files of each ending contain, for messages about files that do not.
_HOLDS = {
    ".model": "a SentencePiece model begins with the byte 0x0A, and one of minbpe or tiktoken is text",
    ".tiktoken": "a .tiktoken has a token in Base64 and its rank a line",
    ".json": "it must hold JSON",
    ".bpe": "a vocab.bpe has a merge a line",
    ".txt": "a vocab.txt has a piece a line",
    ".jinja": "a template is text",
}


def read_text(raw: bytes, file_name: str) -> str:
    """Return a file as UTF-8 text without a byte order mark. Raises VocabularyFileError.

    >>> read_text(b"a\\xff", "x.tiktoken")
    Traceback (most recent call last):
    playground.core.errors.VocabularyFileError: x.tiktoken is not UTF-8 text: byte 0xFF at position 1; a \
.tiktoken has a token in Base64 and its rank a line
    """
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) and b"\0" in raw[:4]:
            raise VocabularyFileError(f"{file_name} is UTF-16 text; save it as UTF-8") from None
        holds = next((held for ending, held in _HOLDS.items() if file_name.endswith(ending)), "")
        raise VocabularyFileError(
            f"{file_name} is not UTF-8 text: byte 0x{raw[error.start]:02X} at position {error.start:,}"
            f"{holds and f'; {holds}'}"
        ) from None


def read_json(text: str, file_name: str) -> dict[str, Any]:
    """Return a file that is a JSON object without duplicate keys. Raises VocabularyFileError."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            n_of = Counter(key for key, _ in pairs)
            twice = next(key for key, n in n_of.items() if n > 1)
            raise ValueError(f"the key {shown(twice)} comes twice in one object")
        return found

    def no_constant(name: str) -> NoReturn:
        raise ValueError(f"{name} is not a number of JSON")

    try:
        hooks: dict[str, Any] = {"object_pairs_hook": unique, "parse_constant": no_constant}
        # The C decoder holds the interpreter to its end, seconds for a large vocabulary.
        decoder = patient_decoder if len(text) >= _LONG_JSON and threading.active_count() > 1 else JSONDecoder
        document = decoder(**hooks).decode(text)
    except RecursionError:
        raise VocabularyFileError(f"{file_name} is nested too deeply for a tokenizer's JSON") from None
    except JSONDecodeError as error:
        raise VocabularyFileError(f"{file_name} is not JSON: {_json_fault(error)}") from None
    except ValueError as error:
        raise VocabularyFileError(f"{file_name} is not JSON: {error}") from None
    if not isinstance(document, dict):
        raise VocabularyFileError(f"{file_name} must hold a JSON object, not {json_kind(document)}")
    return document


def _json_fault(error: JSONDecodeError) -> str:
    """Say where and why a text stops being JSON.

    >>> _json_fault(JSONDecodeError("Expecting value", '{"a": ', 6))
    'it ends in the middle, at line 1, column 7; a whole file ends with }'
    >>> _json_fault(JSONDecodeError("Expecting value", '{"a": b}', 6))
    "in line 1, column 7, 'b}' is out of place"
    """
    place = f"line {error.lineno:,}, column {error.colno:,}"
    rest = error.doc[error.pos : error.pos + 20]
    if error.msg.startswith("Unterminated") or not rest.strip():
        return f"it ends in the middle, at {place}; a whole file ends with }}"
    return f"in {place}, {shown(rest)} is out of place"


def check_kind(raw: bytes, file_name: str) -> None:
    """Raise VocabularyFileError for files that are often saved in place of a tokenizer's.

    >>> check_kind(b"", "vocab.txt")
    Traceback (most recent call last):
    playground.core.errors.VocabularyFileError: vocab.txt is empty; choose the whole file
    """
    start = raw[:200].lstrip().lower()
    found = next((what for mark, what in _OTHER_KINDS.items() if start.startswith(mark)), "")
    if not start:
        found = "empty; choose the whole file"
    if found:
        raise VocabularyFileError(f"{file_name} is {found}")


def patient_decoder(**hooks: Any) -> JSONDecoder:
    """Return a JSON decoder that lets other threads run while it reads, and takes four times as long.

    Objects and arrays are iterated in Python, and only the items of arrays, such as a pair of tokens, are
    read in C.
    """
    outer = cast(Any, JSONDecoder(**hooks))
    read_item = cast(Any, JSONDecoder(**hooks)).scan_once
    outer.parse_array = lambda text_and_end, _scan: JSONArray(text_and_end, read_item)
    outer.scan_once = py_make_scanner(outer)
    return cast(JSONDecoder, outer)


def check_id(token_id: object, place: str) -> int:
    """Return an id that is in range. Raises VocabularyFileError.

    >>> check_id(256, "x.model, line 7")
    256
    """
    if type(token_id) is not int or not 0 <= token_id <= MAX_ID:
        raise VocabularyFileError(f"{place}: {shown(token_id)} is not an id; ids run from 0 to {MAX_ID:,}")
    return token_id


def read_id(text: str, place: str) -> int:
    """Return an id written in the digits 0 to 9. Raises VocabularyFileError.

    >>> read_id("256", "x.model, line 7")
    256
    """
    return check_id(read_number(text, place), place)


def read_number(text: str, place: str) -> int:
    """Return a number written in the digits 0 to 9. Raises VocabularyFileError."""
    if not (text.isascii() and text.isdecimal() and len(text) <= 20):
        raise VocabularyFileError(f"{place}: {shown(text)} is not a whole number in the digits 0 to 9")
    return int(text)


def read_pattern(expression: str, place: str) -> SplitPattern:
    """Return the split pattern of a file, tried out. Raises VocabularyFileError."""
    try:
        return SplitPattern.typed(expression)
    except InvalidInputError as error:
        raise VocabularyFileError(f"{place}: {error}") from None


def check_vocab(vocab: object, place: str) -> dict[str, int]:
    """Return a vocabulary in which each token has its own id. Raises VocabularyFileError."""
    if not isinstance(vocab, dict):
        raise VocabularyFileError(f"{place} must be an object of tokens and their ids, not {shown(vocab)}")
    check_count(len(vocab), "tokens", MAX_ENTRIES, place)
    for token, token_id in vocab.items():
        if type(token_id) is not int or not 0 <= token_id <= MAX_ID:
            check_id(token_id, f"{place}, token {shown(token)}")
    if len(set(vocab.values())) != len(vocab):
        token_of: dict[int, str] = {}
        for token, token_id in vocab.items():
            other = token_of.setdefault(token_id, token)
            if other != token:
                raise VocabularyFileError(
                    f"{place}: the tokens {shown(other)} and {shown(token)} have one id, {token_id}; "
                    "each needs an id of its own"
                )
    if "" in vocab:
        raise VocabularyFileError(f"{place}: token {vocab['']} is empty; a token has one byte or more")
    return vocab


def check_count(n: int, what: str, limit: int, place: str) -> None:
    """Raise VocabularyFileError if a count exceeds a limit."""
    if n > limit:
        raise VocabularyFileError(f"{place} has {n:,} {what}; the limit is {limit:,}")


def byte_ids_of(ranks: Mapping[bytes, int], file_name: str) -> tuple[int, ...]:
    """Return the ids of the 256 bytes. Raises VocabularyFileError."""
    missing = [byte for byte in range(256) if bytes([byte]) not in ranks]
    if missing:
        raise VocabularyFileError(
            f"{file_name} has no token for byte 0x{missing[0]:02X}; a byte-level tokenizer has all 256"
        )
    return tuple(ranks[bytes([byte])] for byte in range(256))


def check_special_token(token: str, place: str) -> None:
    """Raise VocabularyFileError for a special token that is empty, too long or no valid text."""
    if not token:
        raise VocabularyFileError(f"{place}: a special token is empty; it needs one character or more")
    if len(token) > MAX_SPECIAL_CHARS:
        raise VocabularyFileError(
            f"{place}: a special token has {len(token):,} characters; the limit is {MAX_SPECIAL_CHARS}"
        )
    if replace_lone_surrogates(token) != token:
        raise VocabularyFileError(f"{place}: the special token {shown(token)} holds half a surrogate pair")


def checked_model(
    pattern: SplitPattern,
    merges: Sequence[tuple[int, int, int]],
    special_tokens: Mapping[str, int],
    byte_ids: tuple[int, ...],
    *,
    file_name: str,
    place_of_merge: Callable[[int], str],
) -> BpeModel:
    """Return the model if each merge joins known tokens, each id is one token, and no limit is exceeded.

    A merge may repeat an id as another way to the same bytes; the reader checks that the bytes are the same.
    `place_of_merge(n)` names the place of merge n in the file. Raises: VocabularyFileError.
    """

    def refuse(n: int, what: str) -> NoReturn:
        raise VocabularyFileError(f"{file_name}, {place_of_merge(n)}: {what}")

    check_count(len(merges), "merges", MAX_ENTRIES, file_name)
    check_count(len(special_tokens), "special tokens", MAX_SPECIAL_TOKENS, file_name)
    n_bytes_of = dict.fromkeys(byte_ids, 1)
    n_total = 0
    pairs = set()
    for n, (left, right, new_id) in enumerate(merges):
        if left not in n_bytes_of or right not in n_bytes_of:
            unknown = right if left in n_bytes_of else left
            refuse(n, f"token {unknown} is not a byte, and no earlier merge makes it")
        if (left, right) in pairs:
            refuse(n, f"the tokens {left} and {right} have merged before; a pair merges once")
        pairs.add((left, right))
        n_bytes = n_bytes_of[left] + n_bytes_of[right]
        if n_bytes_of.setdefault(new_id, n_bytes) != n_bytes:
            refuse(n, f"its id, {new_id}, is that of another token; each needs an id of its own")
        if n_bytes > MAX_TOKEN_BYTES:
            refuse(n, f"its token has {n_bytes:,} bytes; the limit is {MAX_TOKEN_BYTES:,}")
        n_total += n_bytes
        if n_total > MAX_TOTAL_BYTES:
            refuse(n, f"all tokens up to here have {n_total:,} bytes; the limit is {MAX_TOTAL_BYTES:,}")
    token_of: dict[int, str] = {}
    for token, token_id in special_tokens.items():
        place = f"{file_name}, special token {shown(token)}"
        check_special_token(token, place)
        check_id(token_id, place)
        if token_id in n_bytes_of or token_of.setdefault(token_id, token) != token:
            raise VocabularyFileError(
                f"{place}: its id, {token_id}, is that of another token; each needs an id of its own"
            )
    return BpeModel(pattern, tuple(merges), dict(special_tokens), byte_ids)
