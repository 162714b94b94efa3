"""The HTTP API gives tiktoken's results, and its refusals say what is wrong."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.catalog.openai import encoding_names, load_openai
from tests.server.browser_side import CLIENT as client

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


@given(name=st.sampled_from(encoding_names()), text=st.text(st.characters()), is_all=st.booleans())
@settings(max_examples=30, deadline=None)
def test_encode_gives_tiktokens_ids_and_decode_inverts_it(name, text, is_all):
    encoding = load_openai(name).encoding
    text += "<|endoftext|>" * is_all
    body = {"text": text, "encoding": name, "spans": True} | ({"allowed_special": "all"} if is_all else {})
    answer = client.post(ENCODE, content=json.dumps(body), headers=JSON).json()
    allowed = encoding.special_tokens_set if is_all else set()
    assert answer["ids"] == encoding.encode(text, allowed_special=allowed, disallowed_special=())
    assert answer["count"] == len(answer["ids"]) == len(answer["tokens"])
    back = client.post(DECODE, json={"ids": answer["ids"], "encoding": name}).json()
    assert back["text"] == text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert bytes.fromhex(back["bytes"]) == back["text"].encode()


def test_half_a_character_is_decoded_to_a_replacement_character():
    first, _ = client.post(ENCODE, json={"text": "안", "encoding": "cl100k_base"}).json()["ids"]
    answer = client.post(DECODE, json={"ids": [first], "model": "gpt-4"}).json()
    assert answer == {"encoding": "cl100k_base", "text": "�", "bytes": "ec95"}


@pytest.mark.parametrize(
    ("body", "word"),
    [
        (b"", "not valid JSON"),
        (b"null", "null"),
        (b'{"text": "a"}', "neither"),
        (b'{"text": "a", "encoding": "gpt2", "model": "gpt-4"}', "both"),
        (b'{"text": "a", "encoding": "gpt9"}', "did you mean gpt2 or gpt-5"),
        (b'{"text": "a", "encoding": "' + b"x" * 5000 + b'"}', "5,000"),
        (b'{"text": "a", "encoding": 3}', "encoding must be a string"),
        (b'{"encoding": "gpt2"}', "text is missing"),
        (b'{"text": "a", "encoding": "gpt2", "allowed_special": "some"}', "allowed_special must be"),
        (b'{"text": "a", "encoding": "gpt2", "allowed_special": ["<|im_start|>"]}', "<|endoftext|>"),
        (b'{"txet": "a", "encoding": "gpt2"}', "text, encoding"),
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
