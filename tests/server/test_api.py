"""The HTTP API gives tiktoken's results, and its refusals say what is wrong."""

import base64
import json

import pytest

from playground.catalog.openai import load_openai
from playground.catalog.registry import get_tokenizer
from playground.catalog.trained import load_python_docs
from playground.files.tokenizer_json import write_tokenizer_json
from tests.server.browser_side import CLIENT as client

COUNT = "/api/v1/count"
ENCODE = "/api/v1/encode"
DECODE = "/api/v1/decode"
ENCODINGS = "/api/v1/encodings"
JSON = {"Content-Type": "application/json"}


def assert_refused(response, status, *words):
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/json"
    assert list(response.json()) == ["error"]
    for word in words:
        assert word in response.json()["error"]


def post_raw(body, path=ENCODE):
    return client.post(path, content=body, headers=JSON)


def test_encode_returns_ids_without_spans_by_default():
    answer = client.post(ENCODE, json={"text": "Hello world", "encoding": "gpt2"})
    assert answer.json() == {"encoding": "gpt2", "ids": [15496, 995], "count": 2}


def test_encode_by_model_name_returns_tokens_with_spans():
    answer = client.post(ENCODE, json={"text": "안!", "model": "gpt-4", "spans": True}).json()
    assert answer["encoding"] == "cl100k_base"
    first, second, third = answer["tokens"]
    assert [first["id"], second["id"], third["id"]] == answer["ids"]
    assert first["text"] is None
    assert bytes.fromhex(first["bytes"] + second["bytes"]) == "안".encode()
    assert (first["char_start"], first["char_end"]) == (second["char_start"], second["char_end"]) == (0, 1)
    assert third == {
        "id": 0, "text": "!", "bytes": "21", "byte_start": 3, "byte_end": 4,
        "char_start": 1, "char_end": 2, "is_special": False,
    }  # fmt: skip


def test_several_texts_are_counted_and_encoded_in_one_request():
    texts = ["Hello world", "", "안"]
    answer = client.post(ENCODE, json={"texts": texts, "encoding": "gpt2"}).json()
    single = [client.post(ENCODE, json={"text": text, "encoding": "gpt2"}).json() for text in texts]
    assert answer["results"] == [{"ids": one["ids"], "count": one["count"]} for one in single]
    counted = client.post(COUNT, json={"texts": texts, "encoding": "gpt2"}).json()
    assert counted == {"encoding": "gpt2", "count": answer["count"], "counts": [2, 0, 3]}
    counted = client.post(COUNT, json={"text": "안", "model": "gpt-2"}).json()
    assert counted == {"encoding": "gpt2", "count": 3}


def test_a_chat_is_counted_for_its_own_model_or_the_sent_one():
    tool = {"name": "f", "description": "d", "parameters": {}}
    chat = {"model": "gpt-4", "messages": [{"role": "user", "content": "Hi"}], "tools": [tool]}
    answer = client.post(COUNT, json={"chat": chat}).json()
    assert (answer["model"], answer["encoding"], answer["mark"]) == ("GPT-4", "cl100k_base", "")
    line = len(get_tokenizer("cl100k_base").encode("f:d"))
    assert answer["count"] == 8 + 10 + line + 12, "the cookbook's constants around a tool"
    assert answer["count"] == sum(part["n_tokens"] for part in answer["parts"])
    for model, name in (("Qwen3", "Qwen3"), ("claude-opus-5", "Claude Opus 5")):
        assert client.post(COUNT, json={"chat": chat, "model": model}).json()["model"] == name
    assert client.post(COUNT, json={"chat": chat["messages"], "encoding": "gpt2"}).json()["not_counted"] == [
        "the frame around messages"
    ]
    refused = {**chat, "model": "gpt-6"}
    assert_refused(client.post(COUNT, json={"chat": refused}), 400, "the request is for gpt-6")
    assert_refused(client.post(COUNT, json={"chat": chat["messages"]}), 400, "none was sent")
    assert_refused(client.post(COUNT, json={"chat": {"a": 1}, "model": "gpt-4"}), 400, "messages")
    assert_refused(client.post(COUNT, json={"chat": [], "text": "a", "model": "gpt-4"}), 400, "text and chat")
    both = {"chat": chat, "model": "gpt-4", "encoding": "gpt2"}
    assert_refused(client.post(COUNT, json=both), 400, "encoding and model were sent")


def test_answers_in_a_reconstructed_encoding_say_that_they_are_not_exact():
    asked = {"text": "Hello", "model": "claude-opus-4-8"}
    note = "claude_4_8 is reconstructed, not exact. A message adds 6 tokens."
    encoded = client.post(ENCODE, json=asked).json()
    counted = client.post(COUNT, json=asked).json()
    decoded = client.post(DECODE, json={"ids": encoded["ids"], "encoding": "claude_4_8"}).json()
    assert counted == {"encoding": "claude_4_8", "note": note, "count": len(encoded["ids"])}
    assert (encoded["note"], decoded["note"], decoded["text"]) == (note, note, "Hello")


def test_an_uploaded_tokenizer_counts_without_being_shipped():
    [written] = write_tokenizer_json(load_python_docs().model, "x").values()
    config = {"chat_template": "{% for m in messages %}{{ m.content }}{% endfor %}"}
    files = {"mine.json": written, "tokenizer_config.json": json.dumps(config)}
    encoded = {name: base64.b64encode(text.encode()).decode() for name, text in files.items()}
    answer = client.post(ENCODE, json={"text": "Hello world", "files": encoded}).json()
    assert answer["encoding"] == "mine"
    assert answer["ids"] == load_python_docs().encode("Hello world")
    chat = [{"role": "user", "content": "Hello world"}]
    assert client.post(COUNT, json={"chat": chat, "files": encoded}).json()["count"] == answer["count"]
    for name in ("mine", "other"):
        named = {f"{name}.json": encoded["mine.json"]}
        assert client.post(ENCODE, json={"text": "Hello", "files": named}).json()["encoding"] == name


def test_ranks_in_no_order_of_merges_are_doubted():
    raws = [bytes([byte]) for byte in range(256)] + [b"abcd", b"bcde", b"cdef"]
    ranks = "".join(f"{base64.b64encode(raw).decode()} {rank}\n" for rank, raw in enumerate(raws))
    asked = {"text": "abcd", "files": {"x.tiktoken": base64.b64encode(ranks.encode()).decode()}}
    answer = client.post(COUNT, json=asked | {"pattern": "cl100k"}).json()
    assert answer["note"] == "x is not a vocabulary that merges could have made."
    assert "choose what its maker names" in client.post(COUNT, json=asked).json()["error"]


def test_half_a_character_is_decoded_to_a_replacement_character():
    first, _ = client.post(ENCODE, json={"text": "안", "encoding": "cl100k_base"}).json()["ids"]
    answer = client.post(DECODE, json={"ids": [first], "model": "gpt-4"}).json()
    assert answer == {"encoding": "cl100k_base", "text": "�", "bytes": "ec95"}


@pytest.mark.parametrize(
    ("body", "word"),
    [
        (b"", "not valid JSON"),
        (b"null", "null"),
        (b'{"text": "a"}', "send one of encoding, model and files, none was sent"),
        (b'{"text": "a", "encoding": "gpt2", "model": "gpt-4"}', "encoding and model were sent"),
        (b'{"text": "a", "encoding": "gpt9"}', "did you mean gpt2 or gpt-5"),
        (b'{"text": "a", "encoding": "' + b"x" * 5000 + b'"}', "5,000"),
        (b'{"text": "a", "encoding": 3}', "encoding must be a string"),
        (b'{"encoding": "gpt2"}', "send one of text, texts; none was sent"),
        (b'{"text": "a", "files": {}}', "files has 0 files; a tokenizer has 1 to 6"),
        (b'{"text": "a", "files": {"a.json": "?"}}', "must be the file in Base64"),
        (b'{"text": "a", "files": {"a.json": "e30="}}', "a.json"),
        (b'{"text": "a", "encoding": "gpt2", "allowed_special": "some"}', "allowed_special must be"),
        (b'{"text": "a", "encoding": "gpt2", "allowed_special": ["<|im_start|>"]}', "<|endoftext|>"),
        (b'{"txet": "a", "encoding": "gpt2"}', "text, texts, encoding"),
    ],
)
def test_an_invalid_body_is_refused_with_the_reason(body, word):
    assert_refused(post_raw(body), 400, word)


@pytest.mark.parametrize(
    ("ids", "words"),
    [("[1, 1.0]", ["ids[1]", "1.0"]), ("7", ["ids must be a list", "7"]), ("[-1]", ["-1", "0 to 50,256"]),
     (f"[{10**40}]", [str(10**40), "0 to 50,256"])],
)  # fmt: skip
def test_invalid_ids_are_refused_with_their_place_or_range(ids, words):
    assert_refused(post_raw(f'{{"ids": {ids}, "encoding": "gpt2"}}', DECODE), 400, *words)


def test_other_methods_and_paths_are_refused_with_those_that_exist():
    answer = client.post(ENCODINGS, json={})
    assert_refused(answer, 405, "GET")
    assert answer.headers["allow"] == "GET, HEAD"
    assert_refused(client.request("BREW", ENCODE), 405, "POST")
    assert_refused(client.post("/api/v1/tokenize", json={}), 404, ENCODE, DECODE, ENCODINGS)


def test_the_text_limit_counts_utf8_bytes():
    def encode(text):
        return client.post(ENCODE, json={"text": text, "encoding": "characters"})

    assert encode("é" * 500_000).json()["count"] == 500_000
    assert_refused(encode("é" * 500_000 + "a"), 413, "1,000,001", "1,000,000")
    escaped = "\\u0000" * 1_000_000  # the longest spelling of the longest text
    assert post_raw(f'{{"text": "{escaped}", "encoding": "utf8_bytes"}}').json()["count"] == 1_000_000


def test_decode_limits_the_ids_and_the_bytes_that_they_spell():
    assert_refused(client.post(DECODE, json={"ids": [1] * 1_000_001, "encoding": "gpt2"}), 413, "1,000,001")
    spaces = load_openai("cl100k_base").encode(" " * 81)[0]
    too_long = {"ids": [spaces] * 100_000, "encoding": "cl100k_base"}
    assert_refused(client.post(DECODE, json=too_long), 413, "1,000,000")
