"""A tokenizer.json that `tokenizers` runs: its checked contents.

`tokenizer_json` reads the byte-level BPE files that need no library.
"""

import binascii
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from playground.bpe.safe_cuts import PairCut
from playground.core.errors import VocabularyFileError
from playground.files.bert_of_llama import PATTERNS
from playground.files.charsmap import charsmap_of, check_charsmap, space_rules
from playground.files.checks import (
    check_count,
    check_id,
    check_special_token,
    check_vocab,
    shown,
    text_or_empty,
)
from playground.files.library_cuts import cuts_of, cuts_outside_added, iter_parts, pair_cut_of
from playground.files.limits import (
    MAX_ENTRIES,
    MAX_SPECIAL_TOKENS,
    MAX_WORDPIECE_CHARS,
)
from playground.files.tokenizers_library import HUGGING_FACE_PATTERNS

#: Merges of a file that the library runs; Gemma 3's has 514,906.
MAX_MERGES = 1_000_000
_WHITE_SPACE = r"\s*[\r\n]+|\s+(?!\S)|\s+"
#: Patterns of published files, which take time linear in the text.
_QUICK_PATTERNS = frozenset(
    {
        *PATTERNS,
        *HUGGING_FACE_PATTERNS.values(),
        *(
            rf"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|{number}"
            rf"| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_WHITE_SPACE}"
            for number in (r"\p{N}", r"\p{N}{1,3}")
        ),
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        rf"|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_WHITE_SPACE}",
        r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
        r"\p{N}{1,3}", r"\p{N}", r"\d", r"\s", r"\s+", r" {2,}", "[一-龥぀-ゟ゠-ヿ]+",
    }
)  # fmt: skip
#: Characters that may replace one character of a text without timing the file's steps.
_MAX_CONTENT_CHARS = 16
#: A piece that occurs in no text.
_NO_PIECE = "\U0010ffff\ufffe\uffff\U0010fffe"


class LibraryDocument(NamedTuple):
    """The contents of a tokenizer.json that the library runs.

    `tokens` are the model's by id, and `scores` theirs in a Unigram. `space` is the character that stands for
    a space in tokens, and `cut_space` in pretokens; "" for none. `frame` is the JSON without vocab and
    merges. With `cuts_bytes` pretokens are spelled by
    bytes. WordPiece knows no word longer than `n_max_word_chars`. `added` tokens are found wherever a text
    spells them, `special_tokens` only where they are allowed. `cutting` is a file with the same steps that
    returns pretokens instead of tokens. With `is_quick` these steps take time linear in the text;
    `decodes_quickly` says the same of decoding. `cuts_like` names the split pattern whose safe cuts are safe
    for the whole file, or is BERT, AT_SPACES or BEHIND_SPACES; "" for none. `cuts_outside_added` is the same
    for cuts that no added token crosses. `of_spaces` are characters that
    the normalizer drops or turns into spaces. `pair_cut` says where a text that is one pretoken may be cut;
    None for nowhere.
    """

    tokens: Mapping[int, str]
    scores: Mapping[int, float]
    added: Mapping[str, int]
    special_tokens: Mapping[str, int]
    unknown_id: int | None
    model_type: str
    n_merges: int
    frame: Mapping[str, Any]
    prefix: str
    suffix: str
    n_max_word_chars: int
    is_byte_level: bool
    space: str
    cut_space: str
    cuts_bytes: bool
    has_bytes: bool
    around: str
    ids_around: tuple[tuple[int, ...], tuple[int, ...]] | None
    n_kept_tokens: int
    cutting: str
    is_quick: bool
    decodes_quickly: bool
    cuts_like: str
    cuts_outside_added: str
    of_spaces: frozenset[str]
    pair_cut: PairCut | None

    @property
    def has_wrong_offsets(self) -> bool:
        """Whether the library's spans are wrong: it counts the bytes of a prefix or suffix as the text's."""
        return self.model_type == "BPE" and self.has_bytes and bool(self.prefix or self.suffix)


def read_library_document(document: Mapping[str, Any], file_name: str) -> LibraryDocument:
    """Check the JSON of a tokenizer.json of any kind. Raises VocabularyFileError."""
    model = document.get("model")
    if not isinstance(model, dict):
        raise VocabularyFileError(_without_model(document, file_name))
    place = f"{file_name}, model, vocab"
    if model.get("type") == "Unigram" and not isinstance(model.get("vocab"), list):
        raise VocabularyFileError(
            f"{place} must be a list of pieces with their scores, not {shown(model.get('vocab'))}"
        )
    tokens, scores = _read_vocab(model.get("vocab"), place)
    merges = model.get("merges")
    merges = merges if isinstance(merges, list) else []
    check_count(len(merges), "merges", MAX_MERGES, file_name)
    if model.get("dropout"):
        raise VocabularyFileError(
            f"{file_name}, model: dropout is {shown(model['dropout'])}, which gives other ids each time; "
            "only null can be read"
        )
    check_count(
        _integer(model.get("max_input_chars_per_word")), "max_input_chars_per_word", MAX_WORDPIECE_CHARS,
        f"{file_name}, model",
    )  # fmt: skip
    id_of = {token: token_id for token_id, token in tokens.items()}
    added, special_tokens = _read_added(document.get("added_tokens") or [], tokens, file_name)
    before = [document.get("normalizer"), document.get("pre_tokenizer")]
    parts = list(iter_parts(before))
    for part in parts:
        _check_charsmap(part, file_name)
    decoder = list(iter_parts(document.get("decoder")))
    unknown = model.get("unk_token")
    unknown_id = (
        model.get("unk_id") if "unk_id" in model else {**id_of, **special_tokens}.get(text_or_empty(unknown))
    )
    types = {text_or_empty(part.get("type")) for part in [*parts, *decoder]}
    is_wordpiece = model.get("type", "BPE") == "WordPiece"
    return LibraryDocument(
        tokens=tokens,
        scores=scores,
        added=added,
        special_tokens=special_tokens,
        unknown_id=unknown_id if isinstance(unknown_id, int) and unknown_id in tokens else None,
        model_type=str(model.get("type", "BPE")),
        n_merges=len(merges),
        frame={**document, "model": {key: model[key] for key in model.keys() - {"vocab", "merges"}}},
        prefix=text_or_empty(model.get("continuing_subword_prefix")) or ("##" if is_wordpiece else ""),
        suffix=text_or_empty(model.get("end_of_word_suffix")),
        n_max_word_chars=_integer(model.get("max_input_chars_per_word", 100)),
        is_byte_level="ByteLevel" in types,
        space=_space([*parts, *decoder]),
        cut_space=_space(parts),
        cuts_bytes=any(part.get("type") == "ByteLevel" for part in parts),
        has_bytes=bool(model.get("byte_fallback")) or "ByteFallback" in types,
        around=_around(document.get("post_processor")),
        ids_around=_ids_around(document.get("post_processor")),
        n_kept_tokens=_kept_tokens(document.get("truncation")),
        cutting=json.dumps(_cutting(document)),
        is_quick=all(map(_is_quick, parts)),
        decodes_quickly=all(map(_is_quick, decoder)),
        cuts_like=cuts_of(document),
        cuts_outside_added=cuts_outside_added(document),
        of_spaces=frozenset(
            character
            for part in parts
            if part.get("type") == "Precompiled"
            for character in space_rules(charsmap_of(part.get("precompiled_charsmap"))).characters
        ),
        pair_cut=pair_cut_of(document),
    )


def _without_model(document: Mapping[str, Any], file_name: str) -> str:
    """Say why a JSON object is not a tokenizer.json, and which file to open instead."""
    if "model_type" in document or "architectures" in document:
        return (
            f"{file_name} is the settings of a model, not its tokenizer; open the tokenizer.json or "
            "tokenizer.model that lies beside it"
        )
    if document and all(type(token_id) is int for token_id in document.values()):
        return (
            f"{file_name} is a table of tokens without its merges; choose vocab.json with merges.txt, "
            "or encoder.json with vocab.bpe, or a tokenizer.json"
        )
    found = f"is {shown(document['model'])}" if "model" in document else "is missing"
    return (
        f"{file_name} is not a complete tokenizer.json: its model {found}; valid is an object with a "
        "type, BPE, Unigram, WordPiece or WordLevel, and a vocab"
    )


def _read_vocab(vocab: object, place: str) -> tuple[dict[int, str], dict[int, float]]:
    if isinstance(vocab, list):
        check_count(len(vocab), "tokens", MAX_ENTRIES, place)
        for number, row in enumerate(vocab):
            match row:
                case [str(), float() | int()]:
                    continue
            raise VocabularyFileError(f"{place}, item {number}: {shown(row)} is no piece with its score")
        tokens = {token_id: row[0] for token_id, row in enumerate(vocab)}
        return tokens, {token_id: float(row[1]) for token_id, row in enumerate(vocab)}
    return {token_id: token for token, token_id in check_vocab(vocab, place).items()}, {}


def _read_added(
    entries: object, tokens: Mapping[int, str], file_name: str
) -> tuple[dict[str, int], dict[str, int]]:
    """Return the added tokens that are not special, and the special tokens, with their ids."""
    if not isinstance(entries, list):
        raise VocabularyFileError(f"{file_name}, added_tokens must be a list, not {shown(entries)}")
    check_count(len(entries), "added tokens", MAX_SPECIAL_TOKENS, file_name)
    added: dict[str, int] = {}
    special: dict[str, int] = {}
    token_of: dict[int, str] = {}
    for number, entry in enumerate(entries, start=1):
        place = f"{file_name}, added token {number}"
        if not isinstance(entry, dict) or not isinstance(entry.get("content"), str):
            raise VocabularyFileError(f"{place} must be an object with a content, not {shown(entry)}")
        content, token_id = entry["content"], check_id(entry.get("id"), place)
        check_special_token(content, place)
        other = token_of.setdefault(token_id, tokens.get(token_id, content))
        if other != content:
            raise VocabularyFileError(
                f"{place}: its id, {token_id}, is that of {shown(other)}; each needs an id of its own"
            )
        (special if entry.get("special") else added)[content] = token_id
    return added, special


def _is_quick(part: Mapping[str, Any]) -> bool:
    pattern = part.get("pattern")
    expression = pattern.get("Regex") if isinstance(pattern, dict) else None
    made = max(len(text_or_empty(part.get(name))) for name in ("content", "prepend"))
    is_linear = expression is None or text_or_empty(expression) in _QUICK_PATTERNS
    return is_linear and made <= _MAX_CONTENT_CHARS


def _check_charsmap(part: Mapping[str, Any], file_name: str) -> None:
    if part.get("type") == "Precompiled":
        try:
            check_charsmap(charsmap_of(part.get("precompiled_charsmap")), file_name)
        except binascii.Error:
            raise VocabularyFileError(f"{file_name}: its precompiled_charsmap is not Base64") from None


def _space(parts: list[Mapping[str, Any]]) -> str:
    """Return the character that stands for a space in tokens; "" for none."""
    for part in parts:
        if part.get("type") == "Metaspace":
            return text_or_empty(part.get("replacement")) or "\u2581"
        if part.get("type") == "Replace" and "\u2581" in json.dumps(part, ensure_ascii=False):
            return "\u2581"
    return ""


def _around(post_processor: object) -> str:
    """Return what the post-processor puts around a text, as "[CLS] … [SEP]"; "" for nothing."""
    for part in iter_parts(post_processor):
        match part:
            case {"type": "TemplateProcessing", "single": [*items]}:
                names = [_name_in_template(item) for item in items]
                if names != ["…"]:
                    return " ".join(names)
            case {"type": "BertProcessing" | "RobertaProcessing", "cls": [cls, _], "sep": [sep, _]}:
                return f"{cls} … {sep}"
    return ""


def _ids_around(post_processor: object) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Return the ids that the post-processor puts before and after a text; None for nothing or unknown."""
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    for part in iter_parts(post_processor):
        match part:
            case {"type": "TemplateProcessing", "single": [*items], "special_tokens": {**tokens}}:
                sides: list[list[int]] = [[]]
                for item in items:
                    match item:
                        case {"SpecialToken": {"id": str(name)}}:
                            match tokens.get(name):
                                case {"ids": [*ids]}:
                                    sides[-1] += map(_integer, ids)
                        case _:
                            sides.append([])
                if len(sides) != 2:  # the text does not come exactly once
                    return None
                before, after = (*sides[0], *before), (*after, *sides[1])
            case {"type": "BertProcessing" | "RobertaProcessing", "cls": [_, int(cls)], "sep": [_, int(sep)]}:
                before, after = (cls, *before), (*after, sep)
    return (before, after) if before or after else None


def _name_in_template(item: object) -> str:
    match item:
        case {"SpecialToken": {"id": str(name)}}:
            return name
    return "…"


def _kept_tokens(truncation: object) -> int:
    """Return the number of tokens after which the file truncates a text; 0 for none."""
    return _integer(truncation.get("max_length")) if isinstance(truncation, dict) else 0


def _cutting(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the file with a model for which every pretoken is one unknown token that spells it."""
    model = {"type": "Unigram", "unk_id": 0, "vocab": [[_NO_PIECE, 0.0]], "byte_fallback": False}
    nothing = dict.fromkeys(["truncation", "padding", "post_processor", "decoder"])
    return {**document, **nothing, "model": model}


def _integer(value: object) -> int:
    return value if isinstance(value, int) else 0
