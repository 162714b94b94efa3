"""GGUF files give the ids of llama.cpp, and a damaged or unknown file one sentence.

The texts and ids in `llama_cpp/` are llama.cpp's own (MIT, The ggml authors), from the source package
llama-cpp-python 0.3.36: `ggml-vocab-*.gguf.inp` and `.out`.
"""

import resource
import struct
import time
from pathlib import Path

import pytest

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.kept_file import read_kept, write_kept
from playground.catalog.opened import OpenedTokenizer, read_and_try, tokenizer_of
from playground.catalog.registry import get_tokenizer
from playground.core.errors import VocabularyFileError
from playground.files.gguf import header_of, read_header
from tests.catalog.test_contract import HARD_TEXTS
from tests.files.gguf_files import bert_entries, gguf_file, gpt2_entries, mistral_entries

VECTORS = Path(__file__).parent / "llama_cpp"
TEXTS = (VECTORS / "texts.inp").read_bytes().decode().split("\n__ggml_vocab_test__\n")
SMALL = {"model": "gpt2", "pre": "gpt-2", "tokens": ["a", "b", "ab"], "merges": ["a b"]}
BODY = gguf_file(SMALL)


def expected_ids(name: str, n_texts: int) -> list[list[int]]:
    lines = (VECTORS / f"{name}.out").read_text().split("\n")[:n_texts]
    return [[int(token_id) for token_id in line.split()] for line in lines]


def opened(raw: bytes) -> OpenedTokenizer:
    return tokenizer_of("opened", read_and_try({"model.gguf": raw}, SplitPattern.named("none")))


@pytest.mark.parametrize(("name", "entries"), [("gpt-2", gpt2_entries), ("bert-bge", bert_entries)])
def test_a_file_gives_the_ids_that_llama_cpp_expects(name, entries):
    tokenizer = opened(gguf_file(entries(), weights=bytes(1000)))
    assert [list(tokenizer.encode(text)) for text in TEXTS] == expected_ids(name, len(TEXTS))


def test_gemma_4_gives_the_ids_that_llama_cpp_expects():
    texts = (VECTORS / "gemma-4.inp").read_bytes().decode().split("\n__ggml_vocab_test__\n")
    ids = [list(get_tokenizer("gemma_4").encode(text)) for text in texts]
    assert ids == expected_ids("gemma-4", len(texts))


def test_scores_give_the_ids_of_the_sentencepiece_model_that_they_came_from():
    tokenizer, mistral = opened(gguf_file(mistral_entries())), get_tokenizer("mistral_v1")
    for text in (*TEXTS, *HARD_TEXTS.values()):
        assert tokenizer.encode(text) == list(mistral.encode(text))
    config = tokenizer.config
    assert config is not None
    assert (config.names["bos_token"], list(config.templates)) == ("<s>", ["default"])


def test_a_special_token_is_text_unless_it_is_allowed_and_a_user_defined_token_is_always_a_token():
    tokens = ["a", "b", "ab", "<|x|>", "b b", *"<|x>", "Ġ"]
    tokenizer = opened(gguf_file(SMALL | {"tokens": tokens, "token_type": [1, 1, 1, 3, 4, *[1] * 5]}))
    assert tokenizer.encode("ab<|x|>b b") == [2, 5, 6, 7, 6, 8, 4]
    assert tokenizer.encode("ab<|x|>", allowed_special=frozenset({"<|x|>"})) == [2, 3]


def test_bert_gets_words_as_llama_cpp_makes_them():
    """Its decomposition keeps a syllable's first letter only, marks are dropped, and "[" begins a word."""
    tokenizer = opened(gguf_file(bert_entries()))
    vocabulary = tokenizer.vocabulary
    for text, words in (("한국", "ᄒᄀ"), ("हिन्दी", "हनद"), ("a\x0bb", "a b"), ("a[b", "a [ b")):
        assert tokenizer.encode(text) == list(get_tokenizer("bert_uncased").encode(words)), text
    assert [vocabulary.entry(token_id).spelled for token_id in tokenizer.encode("[")] == ["["]


def test_phi_3_takes_the_white_space_behind_its_control_tokens_and_a_typed_end_is_text():
    entries = mistral_entries() | {"general.name": "Phi-3 Mini"}
    entries["tokens"] = [*entries["tokens"][:-1], "<|user|>"]
    entries["token_type"] = [*entries["token_type"][:-1], 3]
    entries["token_type"][2] = 4  # Phi-3's file calls </s> user-defined, which llama.cpp corrects
    tokenizer, mistral = opened(gguf_file(entries)), get_tokenizer("mistral_v1")
    special = frozenset(tokenizer.special_tokens)
    user = len(entries["tokens"]) - 1
    found = tokenizer.encode("<|user|>\n Hi</s> \n", allowed_special=special)
    assert found == [user, *mistral.encode("Hi"), 2]
    assert (found.starts.tolist(), found.ends.tolist()) == ([0, 10, 12], [10, 12, 18])
    assert tokenizer.encode("<s> a", allowed_special=special) == [1, *mistral.encode(" a")]
    assert tokenizer.encode("</s>") == list(mistral.encode("</s>"))


def test_a_tokenizer_of_a_gguf_file_can_be_saved_by_the_browser():
    model = read_and_try({"model.gguf": gguf_file(gpt2_entries())}, SplitPattern.named("none"))
    assert read_kept(write_kept(model), visitor="") == model


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b"GGUF", "byte 4: the header goes on for 4 bytes, but the file ends after 4"),
        (b"GGUF" + struct.pack("<I", 1), "has version 1 of GGUF; versions 2 and 3 are read"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 2**63), "9,223,372,036,854,775,808 entries of its header"),
        (BODY[:24] + struct.pack("<Q", 2**63), "goes on for 9,223,372,036,854,775,808 bytes, but the file"),
        (gguf_file({}) [:16] + struct.pack("<QQ", 1, 1) + b"a" + struct.pack("<IIQ", 9, 9, 1),
         "an array contains arrays"),
        (gguf_file({})[:16] + struct.pack("<QQ", 1, 1) + b"a" + struct.pack("<IIQ", 9, 8, 2**63),
         "an array has 9,223,372,036,854,775,808 items; up to 4,000,000 are read"),
        (gguf_file({})[:16] + struct.pack("<QQ", 1, 1) + b"a" + struct.pack("<IIQ", 9, 8, 10**6),
         "text 1 of 1,000,000 ends after the end of the file"),
        (gguf_file({})[:16] + struct.pack("<QQ", 1, 1) + b"a" + struct.pack("<I", 77), "no type of value 77"),
        (BODY[:-8], "the end of the file"),
        (gguf_file({"general.name": "x"}), "contains no tokenizer"),
        (gguf_file(SMALL | {"model": 5}), "tokenizer.ggml.model has a wrong type"),
        (gguf_file(SMALL | {"tokens": [1, 2]}), "tokenizer.ggml.tokens has items of a wrong type"),
        (gguf_file(SMALL | {"tokens": ["a", "a"]}), "two tokens are spelled the same"),
        (gguf_file(SMALL | {"token_type": [1]}), "fewer types or scores than tokens"),
        (gguf_file(SMALL | {"merges": ["ab"]}), "a merge is not two tokens with a space between"),
        (gguf_file(SMALL | {"model": "rwkv"}), "the kind of tokenizer 'rwkv' is not known; open the"),
        (gguf_file(SMALL | {"pre": "kimi-k2"}), "to split a text 'kimi-k2' .* is not known; open the"),
        (gguf_file({key: SMALL[key] for key in ("model", "tokens")}), "does not name how it splits a text"),
        (gguf_file({"model": "bert", "tokens": ["a"]}), "does not name its unknown token"),
        (gguf_file({"model": "llama", "tokens": ["a"], "token_type": [7]}), "a type of token that is not"),
        (gguf_file(SMALL | {"tokenizer.chat_template": "{% if"}), "model.gguf, template 'default'"),
    ],
)  # fmt: skip
def test_a_damaged_or_unknown_file_is_refused_with_one_sentence(raw, sentence):
    with pytest.raises(VocabularyFileError, match=sentence) as caught:
        opened(raw)
    assert str(caught.value).startswith("model.gguf")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("version", [1, 2, 3, 4])
def test_versions_2_and_3_are_read_with_numbers_of_every_kind(version):
    numbers = {"B": 0, "b": 1, "H": 2, "h": 3, "I": 4, "i": 5, "f": 6, "Q": 10, "q": 11, "d": 12}
    raw = b"GGUF" + struct.pack("<IQQ", version, 0, len(numbers))
    for code, kind in numbers.items():
        value = -2 if code.islower() else 2
        raw += struct.pack(f"<Q1sI{code}", 1, code.encode(), kind, value)
    if version not in (2, 3):
        with pytest.raises(VocabularyFileError):
            read_header(raw, "x.gguf")
        return
    assert read_header(raw, "x.gguf") == {code: -2 if code.islower() else 2 for code in numbers}


def test_of_a_model_of_40_gigabytes_only_the_header_is_read(tmp_path):
    path = tmp_path / "large.gguf"
    header = gguf_file(gpt2_entries())
    with path.open("wb") as file:
        file.write(header)
        file.truncate(40 * 10**9)
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    assert header_of(path) == header
    assert time.process_time() - start < 0.5
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000
    assert read_header(header_of(path), "x")["tokenizer.ggml.pre"] == "gpt-2"
