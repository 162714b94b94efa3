"""A tokenizer.json that `tokenizers` runs: its checked contents, and where it lets a text be cut.

`tokenizer_json` reads the byte-level BPE files that need no library.
"""

import base64
import binascii
import json
import unicodedata
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

from playground.bpe.character_merging import PairOptions
from playground.bpe.safe_cuts import PairCut, pair_cut
from playground.core.errors import VocabularyFileError
from playground.files.charsmap import space_rules
from playground.files.checks import check_count, check_id, check_special_token, check_vocab, read_json, shown
from playground.files.limits import (
    MAX_ENTRIES,
    MAX_NORMALIZED_BYTES,
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
#: Patterns with known safe cuts.
_SAFE_PATTERNS = {expression: name for name, expression in HUGGING_FACE_PATTERNS.items()}
#: Cuts as BERT does: at white space and around each punctuation mark.
BERT = "bert"
#: Cuts at every space, which belongs to the word after it or to none.
AT_SPACES, BEHIND_SPACES = "at spaces", "behind spaces"
#: Normalizers that change each character by itself, or marks together with their letter.
_LOCAL = frozenset({"NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "BertNormalizer"})
#: Options by which an added token is found only in some places, or takes white space beside it.
_OF_PLACE = ("lstrip", "rstrip", "single_word")
#: Llama 2's normalizers.
_TO_SIGN = {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}
_SIGN_BEFORE = {"type": "Prepend", "prepend": "\u2581"}
#: Characters that may replace one character of a text without timing the file's steps.
_MAX_CONTENT_CHARS = 16
#: A piece that occurs in no text.
_NO_PIECE = "\U0010ffff\ufffe\uffff\U0010fffe"


class LibraryDocument(NamedTuple):
    """The contents of a tokenizer.json that the library runs.

    `tokens` are the model's by id, and `scores` theirs in a Unigram. `space` is the character that stands for
    a space in tokens, and `cut_space` in pretokens; "" for none. With `cuts_bytes` pretokens are spelled by
    bytes. WordPiece knows no word longer than `n_max_word_chars`. `added` tokens are found wherever a text
    spells them, `special_tokens` only where they are allowed. `cutting` is a file with the same steps that
    returns pretokens instead of tokens. With `is_quick` these steps take time linear in the text;
    `decodes_quickly` says the same of decoding. `cuts_like` names the split pattern whose safe cuts are safe
    for the whole file, or is BERT, AT_SPACES or BEHIND_SPACES; "" for none. `of_spaces` are characters that
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
    prefix: str
    suffix: str
    n_max_word_chars: int
    is_byte_level: bool
    space: str
    cut_space: str
    cuts_bytes: bool
    has_bytes: bool
    around: str
    n_kept_tokens: int
    cutting: str
    is_quick: bool
    decodes_quickly: bool
    cuts_like: str
    of_spaces: frozenset[str]
    pair_cut: PairCut | None

    @property
    def has_wrong_offsets(self) -> bool:
        """Whether the library's spans are wrong: it counts the bytes of a prefix or suffix as the text's."""
        return self.model_type == "BPE" and self.has_bytes and bool(self.prefix or self.suffix)


def read_library_document(text: str, file_name: str) -> LibraryDocument:
    """Read and check a tokenizer.json of any kind. Raises VocabularyFileError."""
    document = read_json(text, file_name)
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
    parts = list(_iter_parts(before))
    for part in parts:
        _check_charsmap(part, file_name)
    decoder = list(_iter_parts(document.get("decoder")))
    unknown = model.get("unk_token")
    unknown_id = model.get("unk_id") if "unk_id" in model else {**id_of, **special_tokens}.get(_text(unknown))
    types = {_text(part.get("type")) for part in [*parts, *decoder]}
    is_wordpiece = model.get("type", "BPE") == "WordPiece"
    return LibraryDocument(
        tokens=tokens,
        scores=scores,
        added=added,
        special_tokens=special_tokens,
        unknown_id=unknown_id if isinstance(unknown_id, int) and unknown_id in tokens else None,
        model_type=str(model.get("type", "BPE")),
        n_merges=len(merges),
        prefix=_text(model.get("continuing_subword_prefix")) or ("##" if is_wordpiece else ""),
        suffix=_text(model.get("end_of_word_suffix")),
        n_max_word_chars=_integer(model.get("max_input_chars_per_word", 100)),
        is_byte_level="ByteLevel" in types,
        space=_space([*parts, *decoder]),
        cut_space=_space(parts),
        cuts_bytes=any(part.get("type") == "ByteLevel" for part in parts),
        has_bytes=bool(model.get("byte_fallback")) or "ByteFallback" in types,
        around=_around(document.get("post_processor")),
        n_kept_tokens=_kept_tokens(document.get("truncation")),
        cutting=json.dumps(_cutting(document)),
        is_quick=all(map(_is_quick, parts)),
        decodes_quickly=all(map(_is_quick, decoder)),
        cuts_like=("" if added else _cuts_like(document)) or _cuts_at_spaces(document),
        of_spaces=frozenset(
            character
            for part in parts
            if part.get("type") == "Precompiled"
            for character in space_rules(_charsmap(part)).characters
        ),
        pair_cut=_pair_cut(document),
    )


def read_pairs(model: Mapping[str, Any]) -> tuple[list[tuple[str, str]], PairOptions]:
    """Return the merges of a file's BPE model and its options.

    Older files write a pair as a line with a space between the two tokens.
    """
    merges: list[Any] = [
        tuple(merge.split(" ") if isinstance(merge, str) else merge)
        for merge in model.get("merges") or []
        if not isinstance(merge, str) or not merge.startswith("#version")
    ]
    return merges, PairOptions(
        continuing_subword_prefix=_text(model.get("continuing_subword_prefix")),
        end_of_word_suffix=_text(model.get("end_of_word_suffix")),
        unknown_id=model["vocab"].get(model.get("unk_token")),
        fuse_unk=bool(model.get("fuse_unk")),
        byte_fallback=bool(model.get("byte_fallback")),
        ignore_merges=bool(model.get("ignore_merges")),
    )


def check_charsmap(charsmap: bytes, place: str) -> None:
    """Raise VocabularyFileError if SentencePiece's table replaces one character by too long a text."""
    n_trie = int.from_bytes(charsmap[:4], "little")
    longest = max(map(len, charsmap[4 + n_trie :].split(b"\0")))
    if longest > MAX_NORMALIZED_BYTES:
        raise VocabularyFileError(
            f"{place}: its normalizer makes {longest:,} bytes of a character; the limit is "
            f"{MAX_NORMALIZED_BYTES}"
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


def _iter_parts(part: object) -> Iterator[Mapping[str, Any]]:
    """Yield a part and all parts of its sequences, at any depth."""
    if isinstance(part, dict):
        yield part
        for name in ("normalizers", "pretokenizers", "processors", "decoders"):
            yield from _iter_parts(part.get(name))
    elif isinstance(part, list):
        for inner in part:
            yield from _iter_parts(inner)


def _is_quick(part: Mapping[str, Any]) -> bool:
    pattern = part.get("pattern")
    expression = pattern.get("Regex") if isinstance(pattern, dict) else None
    made = max(len(_text(part.get(name))) for name in ("content", "prepend"))
    return (expression is None or _text(expression) in _QUICK_PATTERNS) and made <= _MAX_CONTENT_CHARS


def _check_charsmap(part: Mapping[str, Any], file_name: str) -> None:
    if part.get("type") == "Precompiled":
        try:
            check_charsmap(_charsmap(part), file_name)
        except binascii.Error:
            raise VocabularyFileError(f"{file_name}: its precompiled_charsmap is not Base64") from None


def _charsmap(part: Mapping[str, Any]) -> bytes:
    return base64.b64decode(_text(part.get("precompiled_charsmap")), validate=True)


def _space(parts: list[Mapping[str, Any]]) -> str:
    """Return the character that stands for a space in tokens; "" for none."""
    for part in parts:
        if part.get("type") == "Metaspace":
            return _text(part.get("replacement")) or "\u2581"
        if part.get("type") == "Replace" and "\u2581" in json.dumps(part, ensure_ascii=False):
            return "\u2581"
    return ""


def _around(post_processor: object) -> str:
    """Return what the post-processor puts around a text, as "[CLS] … [SEP]"; "" for nothing."""
    for part in _iter_parts(post_processor):
        match part:
            case {"type": "TemplateProcessing", "single": [*items]}:
                names = [_name_in_template(item) for item in items]
                if names != ["…"]:
                    return " ".join(names)
            case {"type": "BertProcessing" | "RobertaProcessing", "cls": [cls, _], "sep": [sep, _]}:
                return f"{cls} … {sep}"
    return ""


def _name_in_template(item: object) -> str:
    match item:
        case {"SpecialToken": {"id": str(name)}}:
            return name
    return "…"


def _cuts_like(document: Mapping[str, Any]) -> str:
    """Return the split pattern that alone cuts a text, or BERT; "" for neither.

    Added tokens must have no options that depend on their place.
    """
    for entry in document.get("added_tokens") or []:
        if any(map(entry.get, _OF_PLACE)):
            return ""
    steps = document.get("pre_tokenizer")
    match document.get("normalizer"), steps, document["model"].get("type"):
        case (
            {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True},
            {"type": "BertPreTokenizer"},
            "WordPiece",
        ):
            is_found_first = not any(entry.get("normalized") for entry in document.get("added_tokens") or [])
            return BERT if is_found_first else ""
    if document.get("normalizer"):
        return ""
    match steps:
        case {"type": "Sequence", "pretokenizers": [first, second]}:
            split, byte_level = first, second
        case _:
            split, byte_level = None, steps
    if not (isinstance(byte_level, dict) and byte_level.get("type") == "ByteLevel"):
        return ""
    if byte_level.get("add_prefix_space", True):
        return ""
    match split, byte_level.get("use_regex", True):
        case None, True:
            return "gpt2"
        case {"type": "Split", "pattern": {"Regex": str(expression)}, "behavior": "Isolated"}, False:
            return "" if split.get("invert") else _SAFE_PATTERNS.get(expression, "")
    return ""


def _cuts_at_spaces(document: Mapping[str, Any]) -> str:
    """Return AT_SPACES or BEHIND_SPACES if a text may be cut there whatever surrounds it; "" otherwise.

    The model gets one pretoken after the other, so the tokens of two pieces are those of the whole if the
    pieces are normalized and cut into pretokens as the whole is:

    - No normalizer looks across a single space between two visible characters or drops these
      (`safe_cuts.space_cut`): a normal form composes nothing with a space before it, rules of a map
      (`charsmap.space_rules`) and texts to replace contain no space, and one space is not a run. Steps that
      work on the ends of a text are excluded.
    - One step ends a pretoken at each space, so steps before it do not matter and steps after it get words.
      The rest of a text begins with its space where the step adds one to a text that lacks it.
    - Every character has a token; otherwise the length of a token would depend on what follows the cut.
    - No added token contains white space.
    """
    model = document["model"]
    for entry in document.get("added_tokens") or []:
        content = unicodedata.normalize("NFKD", entry["content"])
        if any(map(entry.get, _OF_PLACE)):
            return ""
        if any(map(str.isspace, content)) or "\u2581" in content or not content.isprintable():
            return ""
    if not all(map(_is_local, _iter_parts(document.get("normalizer")))):
        return ""
    steps = [part for part in _iter_parts(document.get("pre_tokenizer")) if part.get("type") != "Sequence"]
    kinds = [_kind_of_step(part) for part in steps]
    first = next((kind for kind in kinds if kind in (AT_SPACES, BEHIND_SPACES)), "")
    if not first or "" in kinds:
        return ""
    has_bytes = any(part.get("type") == "ByteLevel" for part in steps) or bool(model.get("byte_fallback"))
    knows_all = has_bytes or model.get("unk_token") or isinstance(model.get("unk_id"), int)
    is_of_text_start = any(part.get("prepend_scheme") == "first" for part in steps)
    return first if knows_all and not (is_of_text_start and first == BEHIND_SPACES) else ""


def _pair_cut(document: Mapping[str, Any]) -> PairCut | None:
    """Return where a file like Llama 2's lets a text be cut: at places that no merge crosses.

    - The only normalizing is that spaces become U+2581 and one is put before the text, which has no effect
      behind `PairCut.before`; and nothing cuts the text into pretokens.
    - Every character has a token or its bytes have, so none is unknown together with its neighbours, and
      bytes merge with nothing.
    - Only special tokens are found in the text, independently of what surrounds them; after one, a new text
      begins.
    """
    model = document["model"]
    if not (model.get("type", "BPE") == "BPE" and model.get("byte_fallback") is True):
        return None
    others = ("ignore_merges", "continuing_subword_prefix", "end_of_word_suffix")
    of_bytes = {f"<0x{byte:02X}>" for byte in range(256)}
    if any(map(model.get, others)) or not of_bytes <= model["vocab"].keys():
        return None
    for entry in document.get("added_tokens") or []:
        if not entry.get("special") or any(map(entry.get, [*_OF_PLACE, "normalized"])):
            return None
    steps = [part for part in _iter_parts(document.get("normalizer")) if part.get("type") != "Sequence"]
    if _TO_SIGN not in steps or any(part not in (_TO_SIGN, _SIGN_BEFORE) for part in steps):
        return None
    written = model.get("merges")
    if not isinstance(written, list) or not all(isinstance(merge, str | list) for merge in written):
        return None
    merges, _options = read_pairs(model)
    if not all(len(merge) == 2 and all(isinstance(half, str) and half for half in merge) for merge in merges):
        return None  # the library reports the fault
    if document.get("pre_tokenizer") or not of_bytes.isdisjoint(chain.from_iterable(merges)):
        return None
    return pair_cut({(left[-1], right[0]) for left, right in merges})


def _is_local(part: Mapping[str, Any]) -> bool:
    """Whether a normalizer works the same on both sides of a space, whatever the other side is."""
    match part:
        case {"type": "Sequence"}:
            return True
        case {"type": "Precompiled"}:
            return not space_rules(_charsmap(part)).crosses_space
        case {"type": "Replace", "pattern": {"Regex": " {2,}" | r"\s+"}, "content": " "}:
            return True
        case {"type": "Replace", "pattern": {"String": str(pattern)}, "content": str(content)}:
            return bool(pattern and content) and not any(map(str.isspace, pattern + content))
    return _text(part.get("type")) in _LOCAL


def _kind_of_step(part: Mapping[str, Any]) -> str:
    """Return where a pre-tokenizer cuts: AT_SPACES, BEHIND_SPACES, "inside" words; "" if unknown."""
    match part:
        case {"type": "Metaspace"}:
            return AT_SPACES if part.get("split", True) is True else ""
        case {"type": "ByteLevel"}:
            return AT_SPACES if part.get("use_regex", True) is True else "inside"
        case {"type": "Whitespace" | "WhitespaceSplit" | "BertPreTokenizer"}:
            return BEHIND_SPACES
        case {"type": "Digits" | "Punctuation"}:
            return "" if part.get("behavior") == "Removed" else "inside"
    return ""


def _kept_tokens(truncation: object) -> int:
    """Return the number of tokens after which the file truncates a text; 0 for none."""
    return _integer(truncation.get("max_length")) if isinstance(truncation, dict) else 0


def _cutting(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the file with a model for which every pretoken is one unknown token that spells it."""
    model = {"type": "Unigram", "unk_id": 0, "vocab": [[_NO_PIECE, 0.0]], "byte_fallback": False}
    nothing = dict.fromkeys(["truncation", "padding", "post_processor", "decoder"])
    return {**document, **nothing, "model": model}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _integer(value: object) -> int:
    return value if isinstance(value, int) else 0
