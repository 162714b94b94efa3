"""A tokenizer.json with an unknown part is refused; others give the ids of `tokenizers`."""

import json
from copy import deepcopy
from functools import cache

import pytest
import tokenizers
from hypothesis import example, given, settings
from hypothesis import strategies as st

from playground.bpe.split_pattern import SPLIT_PATTERNS, SplitPattern
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import VocabularyFileError
from playground.files.proof import new_texts, proof_texts
from playground.files.registry import FILE_FORMATS, read_model
from playground.files.tokenizers_library import HUGGING_FACE_PATTERNS
from tests.files.mutated_files import small_model
from tests.files.test_files import HARD

SPECIAL = ("<|end|>", "<x>")
TEXTS = [
    *HARD,
    *proof_texts(SPECIAL),
    *new_texts(),
    "The CAT, ﬁne THE the\u00a0cat  ",
    " the",
    "the<x>",
    "<x> the ",
]
DELETE = object()
FLAGS = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}


def split(expression, behavior="Isolated", invert=False, **more):
    return {"type": "Split", "pattern": {"Regex": expression}, "behavior": behavior, "invert": invert, **more}


def sequence(*steps):
    return {"type": "Sequence", "pretokenizers": list(steps)}


def added(content="<x>", token_id=297, **flags):
    return {"id": token_id, "content": content, **FLAGS, **flags}


END = added("<|end|>", 296)
TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "<x>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {"<x>": {"id": "<x>", "ids": [297], "tokens": ["<x>"]}},
}
#: Qwen's: one digit a pretoken.
QWEN = SPLIT_PATTERNS["llama3"].replace("{1,3}", "")

_SPLIT = "pre_tokenizer.pretokenizers.0"

#: Changes that give other ids, or may: the keys with dots between, the value, and what the refusal names.
REFUSED = {
    "a prefix space": ("pre_tokenizer.pretokenizers.1.add_prefix_space", True, "add_prefix_space is true"),
    "two regular expressions": ("pre_tokenizer.pretokenizers.1.use_regex", True, "use_regex"),
    "lower case": ("normalizer", {"type": "Lowercase"}, "normalizer is"),
    "NFKC": ("normalizer", {"type": "NFKC"}, "normalizer is"),
    "NFC": ("normalizer", {"type": "NFC"}, "normalizer is"),
    "a prefix": ("normalizer", {"type": "Prepend", "prepend": "▁"}, "normalizer is"),
    "matches removed": (_SPLIT, split(r"\s+", "Removed"), "behavior is 'Removed'"),
    "known matches removed": (
        _SPLIT, split(HUGGING_FACE_PATTERNS["gpt2"], "Removed"), "invert is false",
    ),
    "the rest removed": (_SPLIT, split(r"[a-z]+", "Removed", True), "'Removed'"),
    "merged with the one before": (
        _SPLIT, split(r"\s", "MergedWithPrevious"), "'MergedWithPrevious'",
    ),
    "merged with the next": (_SPLIT, split(r"\s", "MergedWithNext"), "'MergedWithNext'"),
    "contiguous": (_SPLIT, split(r"\s", "Contiguous"), "'Contiguous'"),
    "inverted": (_SPLIT, split(r"[a-z]+", invert=True), "invert is true"),
    "a pattern that is text": (
        _SPLIT, {**split(""), "pattern": {"String": " "}}, "regular expression",
    ),
    "two splits": (
        "pre_tokenizer", sequence(split(r"[a-z]+"), split(r"\d"), BYTE_LEVEL), "['Split', 'Split', 'Byte",
    ),
    "digits": (
        "pre_tokenizer", sequence({"type": "Digits", "individual_digits": True}, BYTE_LEVEL), "'Digits'",
    ),
    "no byte level": ("pre_tokenizer", sequence(split(r"[a-z]+")), "['Split']"),
    "no pre_tokenizer": ("pre_tokenizer", None, "[None]"),
    "nothing in the sequence": ("pre_tokenizer", sequence(), "[]"),
    "another pre_tokenizer": ("pre_tokenizer", {"type": "Whitespace"}, "'Whitespace'"),
    "a pattern that Oniguruma reads otherwise": (
        _SPLIT, split(r"\p{N}{1,3}+|[^\p{N}]"), "otherwise than Python's regex",
    ),
    "tiktoken's pattern, which Oniguruma reads otherwise": (
        _SPLIT, split(SPLIT_PATTERNS["cl100k"] + "|x"), "otherwise than Python's regex",
    ),
    "a pattern that Oniguruma does not know": (
        _SPLIT, split(r"(?V1)[a-z]+|[^a-z]"), "does not compile",
    ),
    "ignored merges": ("model.ignore_merges", True, "ignore_merges is true"),
    "dropout": ("model.dropout", 0.5, "dropout is 0.5"),
    "byte fallback": ("model.byte_fallback", True, "byte_fallback is true"),
    "fused unknowns": ("model.fuse_unk", True, "fuse_unk is true"),
    "a prefix of later pieces": ("model.continuing_subword_prefix", "##", "subword_prefix is '##'"),
    "a suffix of words": ("model.end_of_word_suffix", "</w>", "end_of_word_suffix is '</w>'"),
    "an unknown token": ("model.unk_token", "<x>", "unk_token is '<x>'"),
    "another model": ("model.type", "WordPiece", "'WordPiece'"),
    "an ordinary added token": ("added_tokens", [END, added(special=False)], "special is false"),
    "space taken on the left": ("added_tokens", [END, added(lstrip=True)], "lstrip is true"),
    "space taken on the right": ("added_tokens", [END, added(rstrip=True)], "rstrip is true"),
    "a whole word": ("added_tokens", [END, added(single_word=True)], "single_word is true"),
    "two kinds of added tokens": ("added_tokens", [END, added(normalized=True)], "normalized"),
    "an id that the library does not give": ("added_tokens", [END, added(token_id=400)], "has the id 400"),
    "an added token that is ordinary": ("added_tokens", [END, added("a", 97)], "97, is that of another"),
    "an added token that a merge made": ("added_tokens", [END, added("the", 258)], "258, is that of another"),
    "an empty added token": ("added_tokens", [END, added("")], "added token 2: a special token is empty"),
    "half a surrogate pair": ("added_tokens", [END, added("\ud800")], "half a surrogate pair"),
    "a token that nothing makes": ("added_tokens", [added()], "no merge makes token 296, '<|end|>'"),
    "no added tokens": ("added_tokens", DELETE, "no merge makes token"),
    "an added token twice": ("added_tokens", [END, END], "twice"),
    "an unknown flag": ("added_tokens", [END, added(extra=1)], "'extra'"),
    "a template": ("post_processor", TEMPLATE, "'TemplateProcessing'"),
    "a sequence after the model": ("post_processor", {"type": "Sequence", "processors": []}, "'Sequence'"),
    "another decoder": ("decoder", {"type": "Metaspace"}, "'Metaspace'"),
    "truncation": ("truncation", {"max_length": 2}, "truncation is"),
    "padding": ("padding", {"strategy": "BatchLongest"}, "padding is"),
    "another version": ("version", "2.0", "version is '2.0'"),
    "an unknown part": ("extra", 1, "'extra'"),
    "an unknown part of the model": ("model.extra", 1, "'extra'"),
    "an unknown part of a step": ("pre_tokenizer.pretokenizers.0.extra", 1, "'extra'"),
}  # fmt: skip

#: Changes that give the same ids.
READ = {
    "gpt2's own regular expression": ("pre_tokenizer", {**BYTE_LEVEL, "use_regex": True}),
    "the same, not said": (
        "pre_tokenizer",
        {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False},
    ),
    "no split": ("pre_tokenizer", BYTE_LEVEL),
    "no split in a sequence": ("pre_tokenizer", sequence(BYTE_LEVEL)),
    **{f"the pattern {name}": (_SPLIT, split(known)) for name, known in HUGGING_FACE_PATTERNS.items()},
    **{
        f"the pattern {name}, all else removed": (
            "pre_tokenizer.pretokenizers.0",
            split(known, "Removed", True),
        )
        for name, known in HUGGING_FACE_PATTERNS.items()
    },
    "an open model's pattern": (_SPLIT, split(QWEN)),
    "a typed pattern": (_SPLIT, split(r"[a-z]+|[0-9]|[^a-z0-9]+")),
    "a typed pattern that leaves text out": (_SPLIT, split(r"[a-z]+")),
    "the same pattern as text": (_SPLIT, split(r"(?:the| |\n)")),
    "no prefix": ("model.continuing_subword_prefix", ""),
    "no suffix": ("model.end_of_word_suffix", ""),
    "no type": ("model.type", DELETE),
    "no dropout": ("model.dropout", DELETE),
    "no version": ("version", DELETE),
    "normalized added tokens": ("added_tokens", [{**END, "normalized": True}, added(normalized=True)]),
    "offsets after the model": (
        "post_processor",
        {**BYTE_LEVEL, "add_prefix_space": True, "use_regex": True},
    ),
    "no decoder": ("decoder", None),
    "merges as lines": ("model.merges", "lines"),
}


@cache
def base():
    model = small_model(SplitPattern.named("gpt2"), SPECIAL)
    return FILE_FORMATS["tokenizer.json"].write(model, "x")["x.json"]


def changed(*changes):
    document = json.loads(base())
    for path, value in changes:
        *parents, key = path.split(".")
        part = document
        try:
            for parent in parents:
                part = part[int(parent) if isinstance(part, list) else parent]
            if key == "extra":
                part.setdefault(key)
            part[int(key) if isinstance(part, list) else key]
        except (KeyError, IndexError, TypeError, AttributeError):
            continue  # an earlier change has taken this part away
        if value is DELETE:
            del part[key]
        elif value == "lines":
            part[key] = [" ".join(pair) for pair in part[key]]
        else:
            # a copy: a later change may go into it
            part[int(key) if isinstance(part, list) else key] = deepcopy(value)
    return json.dumps(document)


def check_against_the_library(text, texts=TEXTS):
    model = read_model({"x.json": text.encode()}, SplitPattern.named("o200k"))
    tokenizer = TrainedTokenizer("x", model)
    loaded = tokenizers.Tokenizer.from_str(text)
    every_special = frozenset(tokenizer.special_tokens)
    ours = {text: tokenizer.encode(text, allowed_special=every_special) for text in texts}
    assert ours == {text: loaded.encode(text).ids for text in texts}
    assert len(tokenizer.vocabulary) == loaded.get_vocab_size()


@pytest.mark.parametrize("name", REFUSED)
def test_parts_that_may_change_the_ids_are_refused_by_name(name):
    path, value, words = REFUSED[name]
    with pytest.raises(VocabularyFileError) as caught:
        read_model({"x.json": changed((path, value)).encode()}, SplitPattern.named("gpt2"))
    message = str(caught.value)
    assert message.startswith("x.json")
    assert words in message, message


@pytest.mark.parametrize("name", READ)
def test_files_that_are_read_give_the_librarys_ids(name):
    check_against_the_library(changed(READ[name]))


def test_the_base_is_read():
    check_against_the_library(base())


_changes = st.lists(
    st.sampled_from([(path, value) for path, value, _ in REFUSED.values()])
    | st.sampled_from(list(READ.values())),
    max_size=3,
)


@given(changes=_changes, text=st.text(max_size=8))
@example(
    changes=[
        ("pre_tokenizer", {"type": "Sequence", "pretokenizers": []}),
        ("pre_tokenizer.pretokenizers.0.extra", 1),
    ],
    text="",
)
@settings(max_examples=30)
def test_any_changes_are_refused_or_give_the_librarys_ids(changes, text):
    document = changed(*changes)
    try:
        read_model({"x.json": document.encode()}, SplitPattern.named("gpt2"))
    except VocabularyFileError:
        return
    check_against_the_library(document, [text, *HARD])


@pytest.mark.parametrize("part", ["model", "pre_tokenizer", "model.vocab", "model.merges"])
def test_missing_parts_are_named(part):
    with pytest.raises(VocabularyFileError, match=f"lacks its part '{part.split('.')[-1]}'"):
        read_model({"x.json": changed((part, DELETE)).encode()}, SplitPattern.named("gpt2"))
