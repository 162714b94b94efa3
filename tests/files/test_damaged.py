"""A damaged file raises VocabularyFileError with the file, the place and valid values, or it works."""

import base64
import json

import pytest
from hypothesis import example, given, settings

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.opened import read_and_try
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import PlaygroundError, VocabularyFileError
from playground.files.registry import read_model
from tests.files.mutated_files import mutated_files, read_and_use, real_files

GPT2 = SplitPattern.named("gpt2")
BYTES = "".join(f"{base64.b64encode(bytes([byte])).decode()} {byte}\n" for byte in range(256))
#: A `.model` before its merges, and one with a special token.
HEAD = "minbpe v1\n\n0\n"
SPECIAL = "minbpe v1\n\n1\n<s> 256\n"


def rank_line(raw, rank):
    return f"{base64.b64encode(raw).decode()} {rank}\n"


def tokenizer_json(**changes) -> str:
    """Return a document of 40 merges; keyword arguments change values, with keys joined by "__"."""
    document = json.loads(real_files()["tokenizer.json"][0]["x.json"])
    for path, value in changes.items():
        *parents, key = path.split("__")
        part = document
        for parent in parents:
            part = part[parent]
        part[key] = value
    return json.dumps(document)


def refusal(files):
    with pytest.raises(VocabularyFileError) as caught:
        read_model({name: text.encode() for name, text in files.items()}, GPT2)
    message = str(caught.value)
    assert len(message) < 500
    return message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("something else\n", ["line 1", "'something else'", "minbpe v1"]),
        ("minbpe v1\n(\n0\n", ["line 2", "does not compile"]),
        ("minbpe v1\n\n2\n<s> 256", ["ends before the last of its 2 special tokens"]),
        ("minbpe v1\n\n1\n<s> 1e9\n", ["line 4", "'1e9'"]),
        ("minbpe v1\n\n2\n<s> 256\n<s> 257\n", ["line 5", "'<s>'", "twice"]),
        (f"{SPECIAL}97 98\n", ["'<s>'", "256", "another token"]),
        (f"minbpe v1\n\n1\n<s> {2**31}\n", ["line 4", "2147483648", "2,147,483,647"]),
        (f"{HEAD}97 98\n97 98\n", ["line 5", "97 and 98", "once"]),
        (f"{HEAD}97 ٣\n", ["line 4", "digits"]),
    ],
)
def test_a_damaged_model_file_is_refused(text, words):
    message = refusal({"x.model": text})
    assert all(word in message for word in ["x.model", *words]), message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["no token for byte 0x00"]),
        ("YQ== zero\n", ["line 1", "'zero'"]),
        (BYTES + "= 256\n", ["line 257", "base64"]),
        (BYTES + rank_line(b"ab", 2**31), ["line 257", "2147483648", "2,147,483,647"]),
        (BYTES + rank_line(b"a", 256), ["line 257", "line 98", "b'a'"]),
        (BYTES + rank_line(b"ab", 97), ["line 257", "line 98", "rank 97"]),
        (BYTES + rank_line(b"ab", 257), ["no rank 256", "up to 257", "missing"]),
    ],
)
def test_a_damaged_file_of_ranks_is_refused(text, words):
    message = refusal({"x.tiktoken": text})
    assert all(word in message for word in ["x.tiktoken", *words]), message


def test_each_line_that_a_file_of_ranks_loses_is_missed():
    text = real_files()["tiktoken"][0]["x.tiktoken"].decode()
    lines = text.splitlines(keepends=True)
    for n in range(len(lines) - 1):
        message = refusal({"x.tiktoken": "".join(lines[:n] + lines[n + 1 :])})
        assert f"no rank {n}" in message or "no token for byte" in message


def test_p50k_leaves_out_a_rank_for_its_special_token():
    from playground.catalog.openai import load_openai

    p50k = load_openai("p50k_base")
    text = "".join(rank_line(raw, rank) for raw, rank in p50k.mergeable_ranks.items())
    assert "50256 " not in text
    tokenizer = TrainedTokenizer("p50k", read_model({"p50k.tiktoken": text.encode()}, GPT2))
    assert tokenizer.encode("a" + " " * 30 + "b") == p50k.encode("a" + " " * 30 + "b")
    refusal({"p50k.tiktoken": "".join(text.splitlines(keepends=True)[:-1])})


def test_each_line_that_a_vocab_bpe_loses_is_missed():
    for files in real_files()["gpt2"]:
        lines = files["x.vocab.bpe"].decode().splitlines(keepends=True)
        for n in range(1, len(lines)):
            lost = "".join(lines[:n] + lines[n + 1 :])
            message = refusal({**{k: v.decode() for k, v in files.items()}, "x.vocab.bpe": lost})
            assert "x.vocab.bpe" in message
        for n in range(1, len(lines)):
            refusal({**{k: v.decode() for k, v in files.items()}, "x.vocab.bpe": "".join(lines[:n])})


@pytest.mark.parametrize(
    ("encoder", "bpe", "words"),
    [
        ("[]", "", ["encoder.json", "object"]),
        ('{"a": 1, "a": 2}', "", ["encoder.json", "'a'", "twice"]),
        ('{"a": 1, "b": 1}', "", ["'a'", "'b'", "one id"]),
        ('{"a": -1}', "", ["'a'", "-1"]),
        ('{"a": NaN}', "", ["NaN"]),
        ("[" * 100_000, "", ["encoder.json", "deep"]),
        ('{"a": 1}', "", ["no token for byte"]),
        (None, "#version: 0.2\nt h\nt h\n", ["line 3", "once"]),
        (None, "#version: 0.2\nt h e\n", ["line 2", "pair"]),
        (None, "#version: 0.2\nth e\n", ["line 2", "no earlier merge"]),
    ],
)
def test_damaged_files_of_gpt2_are_refused(encoder, bpe, words):
    files = {name: raw.decode() for name, raw in real_files()["gpt2"][0].items()}
    files["x.vocab.bpe"] = bpe or files["x.vocab.bpe"]
    files["x.encoder.json"] = encoder or files["x.encoder.json"]
    message = refusal(files)
    assert all(word in message for word in words), message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", ["JSON"]),
        ("[" * 100_000, ["deep"]),
        ("{}", ["lacks", "'pre_tokenizer'"]),
        (
            '{"model": {"type": "Unigram", "vocab": []}, "pre_tokenizer": null}',
            ["'Unigram'", "byte-level BPE"],
        ),
        (tokenizer_json(model__vocab={"a": 0}, added_tokens=[]), ["byte 0x00"]),
        (tokenizer_json(model__vocab__=300), ["300", "empty"]),
        (tokenizer_json(model__merges={}), ["merges", "list"]),
        (tokenizer_json(model__merges=["t h", ["th", "e"]]), ["merge 1", "pair"]),
        (tokenizer_json(model__merges=["t h e"]), ["merge 1", "pair"]),
        (tokenizer_json(model__merges=[["t", "zz"]]), ["merge 1", "'zz'", "vocabulary"]),
        (tokenizer_json(model__merges=[["th", "e"]]), ["merge 1", "no earlier merge"]),
        (tokenizer_json(model__merges=[["t", "h"], ["t", "h"]]), ["merge 2", "once"]),
    ],
)
def test_a_damaged_tokenizer_json_is_refused(text, words):
    message = refusal({"x.json": text})
    assert all(word in message for word in ["x.json", *words]), message


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"encoder.json": b"{}"}, "^encoder.json goes with a file that ends in vocab.bpe: choose both"),
        ({"vocab.bpe": b"a b\n"}, "^vocab.bpe goes with a file that ends in encoder.json: choose both"),
        ({"merges.txt": b"a b\n"}, "^merges.txt goes with vocab.json: choose both at once"),
        ({"a.tiktoken": b"", "b.tiktoken": b""}, "^a.tiktoken and b.tiktoken are files of two tokenizers"),
        ({"x.model": b"\xff" * 9}, "byte 0xFF at position 0; a SentencePiece model begins with"),
        ({"x.tiktoken": b"\xff" * 9}, "position 0; a .tiktoken has a token in Base64 and its rank a line"),
        ({"x.json": '{"a": 1}'.encode("utf-16")}, "^x.json is UTF-16 text; save it as UTF-8"),
        ({"photo.png": b"\x89PNG"}, "no tokenizer format is called 'photo.png'; names end in .model"),
    ],
)  # fmt: skip
def test_mismatched_files_are_refused_with_what_is_expected(files, words):
    with pytest.raises(PlaygroundError, match=words):
        read_model(files, GPT2)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"vocab.json": b'{"a": 0}'}, "^vocab.json is a table of tokens without its merges; choose vocab"),
        ({"config.json": b'{"model_type": "llama"}'}, "^config.json is the settings of a model, not its to"),
        ({"x.gguf": b"GGUF\x03"}, "^x.gguf, byte 4: the header goes on for 4 bytes, but the"),
        ({"x.json": b"\xff", "tokenizer_config.json": b"{}"}, "^x.json is not UTF-8 text: byte 0xFF"),
    ],
)  # fmt: skip
def test_config_files_are_distinguished_from_tokenizers(files, words):
    with pytest.raises(PlaygroundError, match=words):
        read_and_try(files, GPT2)


@given(case=mutated_files())
@settings(max_examples=20)
@example(case={"x.model": f"{SPECIAL}{HEAD}".encode()})
def test_any_file_that_is_read_can_be_used(case):
    read_and_use(case)
