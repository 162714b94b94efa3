"""Random tokenizer files as other tools write them, and a check that an opened file equals its library."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import tokenizers
from hypothesis import strategies as st

from playground.bpe.split_pattern import SplitPattern
from playground.catalog import opened
from playground.core.errors import InvalidInputError, LimitExceededError, VocabularyFileError
from tests.catalog.sentencepiece_models import library_ids_of, trained_bytes
from tests.catalog.tokenizer_documents import (
    CUT_AT_SPACES,
    CUT_BETWEEN_PAIRS,
    DOCUMENTS,
    WORD_KINDS,
    document,
)

_ADDED = [
    "mat",
    "CAT",
    "Don't",
    "é t",
    "<user>",
    "\u2581",
    "the",
    " x",
    "x ",
    "ß",
    "ﬁ",
    "é",
    "</s>",
    "\n",
    "中",
]
#: A symbol with a space at an end takes the space that the library inserts, and then no token covers nothing.
_SYMBOLS = [token for token in _ADDED if token == token.strip()]
_PARTS = [*_ADDED, "the cat", " ", "   ", "mat  ", "İ", "안녕", "🙂", "½", "hello", "HELLO", "cats", "A",
          "e\u0301", "<s>", "\0", "12", "don't", ";", "\u3000", "Sat on", "𝒳", "\ufdfa", "[UNK]"]  # fmt: skip
_NORMALIZERS: list[Any] = [
    {"type": "Lowercase"}, {"type": "NFC"}, {"type": "NFKD"}, {"type": "StripAccents"}, {"type": "ByteLevel"},
    {"type": "Strip", "strip_left": True, "strip_right": True},
    {"type": "Replace", "pattern": {"String": "a"}, "content": "xx"},
    {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": ""},
    {"type": "Prepend", "prepend": "\u2581"},
    {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None,
     "lowercase": True},
]  # fmt: skip
_PRE_TOKENIZERS: list[Any] = [
    {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
    {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False},
    {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "first", "split": True},
    {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": False},
    {"type": "Split", "pattern": {"Regex": r"\s+"}, "behavior": "Removed", "invert": False},
    {"type": "Split", "pattern": {"String": "t"}, "behavior": "MergedWithPrevious", "invert": False},
    {"type": "Digits", "individual_digits": True}, {"type": "Punctuation", "behavior": "Isolated"},
    {"type": "Whitespace"}, {"type": "WhitespaceSplit"}, {"type": "BertPreTokenizer"},
    {"type": "UnicodeScripts"}, {"type": "FixedLength", "length": 3},
]  # fmt: skip


class FileCase(NamedTuple):
    """A tokenizer's file, and texts to encode with it."""

    name: str
    raw: bytes
    texts: list[str]


_TEXTS = st.lists(st.lists(st.sampled_from(_PARTS), max_size=7).map("".join), min_size=1, max_size=4)


@st.composite
def json_files(draw: st.DrawFn) -> FileCase:
    """A tokenizer.json, some with other steps, other options of the model, and more added tokens."""
    titles = [*(DOCUMENTS | WORD_KINDS | CUT_AT_SPACES | CUT_BETWEEN_PAIRS)]
    found = json.loads(document(draw(st.sampled_from(titles))))
    for name, items, parts in (
        ("normalizer", "normalizers", _NORMALIZERS),
        ("pre_tokenizer", "pretokenizers", _PRE_TOKENIZERS),
    ):
        if draw(st.integers(0, 2)) == 0:
            steps = draw(st.lists(st.sampled_from(parts), max_size=2))
            found[name] = {"type": "Sequence", items: steps} if steps else None
    model, added = found["model"], found["added_tokens"]
    for option in ("byte_fallback", "fuse_unk", "ignore_merges") if model["type"] == "BPE" else ():
        if draw(st.integers(0, 3)) == 0:
            model[option] = draw(st.booleans())
    spelled = [row[0] for row in model["vocab"]] if model["type"] == "Unigram" else model["vocab"]
    id_of = model["vocab"] if isinstance(spelled, dict) else {token: n for n, token in enumerate(spelled)}
    next_id = max([*id_of.values(), *(token["id"] for token in added)]) + 1
    known = {token["content"] for token in added}
    for content in draw(st.lists(st.sampled_from(_ADDED), max_size=3, unique=True)):
        if content not in known:
            token_id = id_of.get(content, next_id)
            next_id += token_id == next_id
            is_set = st.sampled_from([False, False, True])
            options = {
                option: draw(is_set)
                for option in ("single_word", "lstrip", "rstrip", "normalized", "special")
            }
            added.append({"id": token_id, "content": content, **options})
    return FileCase("x.json", json.dumps(found).encode(), draw(_TEXTS))


@st.composite
def sentencepiece_files(draw: st.DrawFn) -> FileCase:
    """A SentencePiece model trained with any options."""
    has_bytes = draw(st.booleans())
    options = {
        "model_type": draw(st.sampled_from(["unigram", "bpe", "word", "char"])),
        "vocab_size": 330 if has_bytes else draw(st.integers(40, 80)),
        "byte_fallback": has_bytes,
        "normalization_rule_name": draw(
            st.sampled_from(["identity", "nfkc", "nmt_nfkc", "nfkc_cf", "nmt_nfkc_cf"])
        ),
        "user_defined_symbols": draw(st.lists(st.sampled_from(_SYMBOLS), max_size=2, unique=True)),
        **{
            option: draw(st.booleans())
            for option in (
                "add_dummy_prefix", "remove_extra_whitespaces", "treat_whitespace_as_suffix",
                "split_by_whitespace", "split_digits", "allow_whitespace_only_pieces",
            )
        },
    }  # fmt: skip
    return FileCase("x.model", trained_bytes(options), draw(_TEXTS))


def check_file(case: FileCase) -> None:
    """Ids are the library's, spans stay inside the text, and builds make the ids; or the file is refused."""
    try:
        model = opened.read_and_try({case.name: case.raw}, SplitPattern.named("gpt2"))
    except (VocabularyFileError, InvalidInputError, LimitExceededError):
        return
    tokenizer: Any = opened.tokenizer_of("x", model)
    every_special = frozenset(tokenizer.special_tokens)
    for text in case.texts:
        try:
            encoding = tokenizer.encode(text)
        except InvalidInputError:
            continue
        own_ids = list(encoding)
        if case.name.endswith(".model"):  # a space that the library inserts covers nothing
            own_ids = encoding.ids[encoding.ends > encoding.starts].tolist()
        assert own_ids == _library_ids(case)(text)
        starts, ends = encoding.starts.tolist(), encoding.ends.tolist()
        assert starts == sorted(starts)
        assert ends == sorted(ends)
        assert all(0 <= start <= end <= len(text.encode()) for start, end in zip(starts, ends, strict=True))
        tokenizer.decode(encoding)
        pretokens = tokenizer.iter_pretokens(text)
        assert [token_id for word in pretokens for token_id in tokenizer.build(word).ids] == own_ids
        if case.name.endswith(".json"):
            with_special = tokenizer.encode(text, allowed_special=every_special)
            assert list(with_special) == _library_ids(case, allows_special=True)(text)


def _library_ids(case: FileCase, *, allows_special: bool = False) -> Callable[[str], list[int]]:
    if case.name.endswith(".model"):
        return library_ids_of(case.raw)
    library: Any = tokenizers.Tokenizer.from_str(case.raw.decode())
    library.no_truncation()
    library.no_padding()
    library.encode_special_tokens = not allows_special
    return lambda text: list(library.encode(text, add_special_tokens=False).ids)
