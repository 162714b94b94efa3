"""Hugging Face's `tokenizer.json` with byte-level BPE; files with any other part are refused.

A list of known values says what each part may be: with them `tokenizers` gives the ids of plain byte-level
BPE, and the tests check each value with the library.
"""

import json
from collections.abc import Collection, Mapping
from typing import Any

from playground.bpe.model import BpeModel, iter_late_tokens
from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import CannotHoldError, UnknownPartError, VocabularyFileError
from playground.files.checks import (
    Files,
    check_count,
    check_id,
    check_special_token,
    check_vocab,
    only_file,
    read_json,
    read_pattern,
    shown,
)
from playground.files.gpt2 import VERSION_LINE, gpt2_vocab, model_of_gpt2_vocab
from playground.files.limits import MAX_ENTRIES, MAX_SPECIAL_TOKENS
from playground.files.proof import Loaded
from playground.files.tokenizers_library import (
    HUGGING_FACE_PATTERNS,
    check_cuts,
    load_document,
    split_expression,
)


def write_tokenizer_json(model: BpeModel, name: str) -> Files:
    """Return a `tokenizer.json` that `tokenizers` and `transformers` load. Raises CannotHoldError."""
    model.need_plain_merges()
    if late := next(iter_late_tokens(model.mergeable_ranks(), model.whole), None):
        raise CannotHoldError(
            f"a tokenizer.json cannot hold the token {shown(late)}, which is merged from tokens of "
            "higher rank; choose .tiktoken"
        )
    split = [] if model.pattern.is_none else [
        {
            "type": "Split",
            "pattern": {"Regex": split_expression(model.pattern)},
            "behavior": "Isolated",
            "invert": False,
        }
    ]  # fmt: skip
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    added = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    vocab, merges = gpt2_vocab(model)
    document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": token_id, "content": token, **added} for token, token_id in model.special_tokens.items()
        ],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [*split, byte_level]},
        "post_processor": None,
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": bool(model.whole),
            "vocab": vocab,
            "merges": merges,
        },
    }
    return {f"{name}.json": json.dumps(document, ensure_ascii=False, indent=1)}


def load_tokenizer_json(files: Files, _model: BpeModel) -> Loaded:
    """Load the file in Hugging Face's library. Raises CannotHoldError."""
    return load_document(only_file(files, ".json")[1])


def read_tokenizer_json(files: Files, _pattern: SplitPattern | None) -> BpeModel:
    """Read a byte-level BPE `tokenizer.json`. Raises VocabularyFileError."""
    file_name, text = only_file(files, ".json")
    document = check_part(
        read_json(text, file_name), DOCUMENT, file_name, may_lack=DOCUMENT.keys() - {"pre_tokenizer", "model"}
    )
    place = f"{file_name}, model"
    if isinstance(document["model"], dict) and document["model"].get("type", "BPE") != "BPE":
        raise VocabularyFileError(
            f"{place} is {shown(document['model']['type'])}; only byte-level BPE can be read here"
        )
    model = check_part(document["model"], MODEL, place, may_lack=MODEL.keys() - {"vocab", "merges"})
    vocab = check_vocab(model["vocab"], f"{place}, vocab")
    check_harmless(document.get("post_processor"), f"{file_name}, post_processor")
    check_harmless(document.get("decoder"), f"{file_name}, decoder")
    return model_of_gpt2_vocab(
        vocab,
        read_pairs(model["merges"], f"{place}, merges"),
        read_tried_split(document["pre_tokenizer"], file_name),
        read_special_tokens(document.get("added_tokens", []), vocab, file_name),
        file_name=file_name,
        place_of_merge=lambda n: f"merge {n + 1} of model.merges",
    )


def read_pairs(merges: object, place: str) -> list[list[Any]]:
    """Return pairs of tokens, from a list of pairs or, in older files, of lines."""
    if not isinstance(merges, list):
        raise VocabularyFileError(f"{place} must be a list, not {shown(merges)}")
    check_count(len(merges), "merges", MAX_ENTRIES, place)
    if not all(isinstance(pair, str) for pair in merges):
        return merges
    for n, line in enumerate(merges, start=1):
        if line.startswith(VERSION_LINE):
            raise VocabularyFileError(
                f"{place}: Hugging Face's library takes merge {n}, {shown(line)}, for a version and skips it"
            )
    return [line.split(" ") for line in merges]


#: The values that each key may have; an empty tuple allows any value, which changes no id.
Allowed = Mapping[str, tuple[object, ...]]
_ANY: tuple[object, ...] = ()
_NONE = (None,)
_NO = (False,)

#: The keys and values of each part.
DOCUMENT: Allowed = {
    "version": ("1.0",),
    "truncation": _NONE,
    "padding": _NONE,
    "normalizer": _NONE,
    "added_tokens": _ANY,
    "pre_tokenizer": _ANY,
    "post_processor": _ANY,
    "decoder": _ANY,
    "model": _ANY,
}
MODEL: Allowed = {
    "type": ("BPE",),
    "dropout": _NONE,
    "unk_token": _NONE,
    "continuing_subword_prefix": (None, ""),
    "end_of_word_suffix": (None, ""),
    "fuse_unk": _NO,
    "byte_fallback": _NO,
    "ignore_merges": _NO,
    "vocab": _ANY,
    "merges": _ANY,
}
ADDED_TOKEN: Allowed = {
    "id": _ANY,
    "content": _ANY,
    "single_word": _NO,
    "lstrip": _NO,
    "rstrip": _NO,
    "normalized": (False, True),
    "special": (True,),
}
BYTE_LEVEL: Allowed = {
    "type": ("ByteLevel",),
    "add_prefix_space": _NO,
    "trim_offsets": (True, False),
    "use_regex": (True, False),
}
#: After the model or for decoding, these change no id.
HARMLESS_BYTE_LEVEL: Allowed = {**BYTE_LEVEL, "add_prefix_space": (False, True)}
SEQUENCE: Allowed = {"type": ("Sequence",), "pretokenizers": _ANY}
SPLIT: Allowed = {"type": ("Split",), "pattern": _ANY, "behavior": ("Isolated",), "invert": _NO}
#: The same for a pattern that matches every text completely, so that nothing is removed.
SPLIT_OF_ALL: Allowed = {**SPLIT, "behavior": ("Removed",), "invert": (True,)}


def check_part(
    part: object, allowed: Allowed, place: str, *, may_lack: Collection[str] = ()
) -> dict[str, Any]:
    """Return a part if all its keys and values are known. Raises VocabularyFileError.

    >>> check_part({"type": "Sequence", "pretokenizers": []}, SEQUENCE, "x.json, pre_tokenizer")
    {'type': 'Sequence', 'pretokenizers': []}
    """
    if not isinstance(part, dict):
        raise VocabularyFileError(f"{place} must be an object, not {shown(part)}")
    for key, value in part.items():
        if key not in allowed:
            raise VocabularyFileError(
                f"{place} has a part {shown(key)} that is not known here; what it does is not guessed"
            )
        if allowed[key] and not any(type(value) is type(known) and value == known for known in allowed[key]):
            valid = " or ".join(map(json.dumps, allowed[key]))
            raise UnknownPartError(
                f"{place}: {key} is {_as_json(value)}, which may give other ids; only {valid} can be read"
            )
    for key in allowed:
        if key not in part and key not in may_lack:
            raise VocabularyFileError(f"{place} lacks its part {shown(key)}")
    return part


def read_tried_split(pre_tokenizer: object, file_name: str) -> SplitPattern:
    """Return the split pattern of a pre_tokenizer that cuts alike in both regex engines.

    Raises VocabularyFileError.
    """
    pattern = read_split(pre_tokenizer, file_name)
    if pattern.name == "custom":
        check_cuts(pattern, f"{file_name}, pre_tokenizer, step 1")
    return pattern


def read_split(pre_tokenizer: object, file_name: str) -> SplitPattern:
    """Return the split pattern of a pre_tokenizer. Raises VocabularyFileError."""
    place = f"{file_name}, pre_tokenizer"
    steps = [pre_tokenizer]
    if _type_of(pre_tokenizer) == "Sequence":
        steps = _list_of(check_part(pre_tokenizer, SEQUENCE, place)["pretokenizers"], place)
    match list(map(_type_of, steps)):
        case ["ByteLevel"]:
            has_regex = check_part(steps[0], BYTE_LEVEL, place, may_lack=["use_regex"]).get("use_regex", True)
            return SplitPattern.named("gpt2" if has_regex else "none")
        case ["Split", "ByteLevel"]:
            byte_level = check_part(steps[1], BYTE_LEVEL, f"{place}, step 2", may_lack=["use_regex"])
            if byte_level.get("use_regex", True):
                raise UnknownPartError(
                    f"{place}, step 2: use_regex splits once more; after a Split only false can be read here"
                )
            return _read_regex(steps[0], f"{place}, step 1")
        case types:
            raise UnknownPartError(
                f"{place}: the steps {shown(types)} cannot be read; ByteLevel can, alone or after a Split"
            )


def read_special_tokens(added_tokens: object, vocab: Mapping[str, int], file_name: str) -> dict[str, int]:
    """Return the special tokens with the ids that `tokenizers` gives them. Raises VocabularyFileError."""
    entries = _list_of(added_tokens, f"{file_name}, added_tokens")
    check_count(len(entries), "added tokens", MAX_SPECIAL_TOKENS, file_name)
    special_tokens: dict[str, int] = {}
    kinds = set()
    next_id = len(vocab)
    for n, entry in enumerate(entries, start=1):
        place = f"{file_name}, added token {n}"
        token = check_part(entry, ADDED_TOKEN, place)
        content = token["content"]
        if not isinstance(content, str):
            raise VocabularyFileError(f"{place}: its content must be text, not {shown(content)}")
        check_special_token(content, place)
        if content in special_tokens:
            raise VocabularyFileError(f"{place}: {shown(content)} comes twice")
        given = vocab.get(content, next_id)
        if check_id(token["id"], place) != given:
            raise VocabularyFileError(
                f"{place}: {shown(content)} has the id {token['id']}, but Hugging Face's library counts on "
                f"from its vocabulary and gives it {given}"
            )
        special_tokens[content] = given
        next_id = max(next_id, given + 1)
        kinds.add(token["normalized"])
    if len(kinds) > 1:
        raise UnknownPartError(
            f"{file_name}, added_tokens: some are normalized and some are not, so they are searched one kind "
            "after the other; only one kind can be read here"
        )
    return special_tokens


def check_harmless(part: object, place: str) -> None:
    """Raise VocabularyFileError unless a post_processor or decoder changes no id."""
    if part is not None:
        if _type_of(part) != "ByteLevel":
            raise UnknownPartError(
                f"{place} is {shown(_type_of(part))}, which may add tokens or change the text; only null and "
                "ByteLevel can be read here"
            )
        check_part(part, HARMLESS_BYTE_LEVEL, place, may_lack=["use_regex"])


def _read_regex(split: object, place: str) -> SplitPattern:
    expression = split.get("pattern") if isinstance(split, dict) else None
    match expression:
        case {"Regex": str(regular), **others} if not others:
            for name, known in HUGGING_FACE_PATTERNS.items():
                if regular == known:
                    is_removed = isinstance(split, dict) and split.get("behavior") == "Removed"
                    check_part(split, SPLIT_OF_ALL if is_removed else SPLIT, place)
                    return SplitPattern.named(name)
            check_part(split, SPLIT, place)
            try:
                return read_pattern(regular, place)
            except VocabularyFileError as error:  # Oniguruma may read it
                raise UnknownPartError(str(error)) from None
    raise UnknownPartError(
        f"{place} splits by {_as_json(expression)}; only a regular expression can be read here"
    )


def _list_of(value: object, place: str) -> list[object]:
    if not isinstance(value, list):
        raise VocabularyFileError(f"{place} must be a list, not {shown(value)}")
    return value


def _type_of(part: object) -> object:
    return part.get("type") if isinstance(part, dict) else part


def _as_json(value: object) -> str:
    return json.dumps(value) if value is None or isinstance(value, bool) else shown(value)
