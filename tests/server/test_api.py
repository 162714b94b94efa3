"""The HTTP API answers as tiktoken does, and refuses what it cannot serve with a word on why."""

import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.testclient import TestClient

from playground.catalog.openai import encoding_names, load_openai
from playground.catalog.registry import ABOUT, TOKENIZERS, get_tokenizer
from playground.server.protection.bodies import MAX_BODY_BYTES
from playground.server.routes import ROUTES

ENCODE = "/api/v1/encode"
DECODE = "/api/v1/decode"
ENCODINGS = "/api/v1/encodings"
JSON = {"Content-Type": "application/json"}
client = TestClient(Starlette(routes=ROUTES))


def refused(response, status, *words):
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/json"
    assert list(response.json()) == ["error"]
    for word in words:
        assert word in response.json()["error"]
    return True


def post_raw(body, path=ENCODE, **headers):
    return client.post(path, content=body, headers={"content-type": "application/json", **headers})


def test_encode_without_spans():
    answer = client.post(ENCODE, json={"text": "Hello world", "encoding": "gpt2"})
    assert answer.json() == {"encoding": "gpt2", "ids": [15496, 995], "count": 2}


def test_encode_by_model_with_spans():
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
def test_encode_is_tiktokens_and_decode_inverts_it(name, text, is_all):
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


def test_allowed_special_may_be_a_list():
    body = {"text": "<|endoftext|><|endofprompt|>", "encoding": "o200k_base"}
    only_one = client.post(ENCODE, json=body | {"allowed_special": ["<|endofprompt|>"], "spans": True}).json()
    assert only_one["ids"][-1] == 200018
    assert [token["is_special"] for token in only_one["tokens"]][-2:] == [False, True]
    assert 199999 not in only_one["ids"]
    wrong = client.post(ENCODE, json=body | {"allowed_special": ["<|im_start|>"]})
    assert refused(wrong, 400, "<|im_start|>", "<|endofprompt|>")


def test_decode_of_half_a_character():
    first, _ = client.post(ENCODE, json={"text": "안", "encoding": "cl100k_base"}).json()["ids"]
    answer = client.post(DECODE, json={"ids": [first], "model": "gpt-4"}).json()
    assert answer == {"encoding": "cl100k_base", "text": "�", "bytes": "ec95"}
    assert client.post(DECODE, json={"ids": [], "encoding": "gpt2"}).json()["text"] == ""


@pytest.mark.parametrize("escaped", ["\\ud83d", "\\u0000", "\\ud83d\\ude00", "<script>alert(1)</script>", ""])
def test_hard_json_strings(escaped):
    answer = post_raw(f'{{"text": "{escaped}", "encoding": "cl100k_base", "spans": true}}')
    text = json.loads(f'"{escaped}"').encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    raw = b"".join(bytes.fromhex(token["bytes"]) for token in answer.json()["tokens"])
    assert answer.status_code == 200
    assert raw.decode() == text


@pytest.mark.parametrize(
    ("body", "word"),
    [
        (b"", "not valid JSON"),
        (b"\xff\xfe", "byte 0"),
        (b"{", "not valid JSON"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b'{"text": ' + b"9" * 5000 + b"}", "not valid JSON"),
        (b"[]", "list"),
        (b"null", "null"),
        (b'{"text": "a"}', "neither"),
        (b'{"text": "a", "encoding": "gpt2", "model": "gpt-4"}', "both"),
        (b'{"text": "a", "encoding": "gpt9"}', "o200k_base"),
        (b'{"text": "a", "model": "\\ud83d"}', "o200k_base"),
        (b'{"text": "a", "encoding": "' + b"x" * 5000 + b'"}', "5,000"),
        (b'{"text": "a", "encoding": 3}', "encoding must be a string"),
        (b'{"text": "a", "encoding": null}', "encoding must be a string"),
        (b'{"text": "a", "encoding": ["gpt2"]}', "encoding must be a string"),
        (b'{"encoding": "gpt2"}', "text is missing"),
        (b'{"text": null, "encoding": "gpt2"}', "text must be a string"),
        (b'{"text": ["a"], "encoding": "gpt2"}', "text must be a string"),
        (b'{"text": NaN, "encoding": "gpt2"}', "NaN is no number"),
        (b'{"text": "a", "encoding": "gpt2", "spans": 1}', "spans must be"),
        (b'{"text": "a", "encoding": "gpt2", "allowed_special": "some"}', "allowed_special must be"),
        (b'{"text": "a", "encoding": "gpt2", "allowed_special": {"a": {}}}', "allowed_special must be"),
        (b'{"text": "a", "encoding": "gpt2", "allowed_special": ["<|im_start|>"]}', "<|endoftext|>"),
        (b'{"text": "a", "encoding": "gpt2", "allowed_special": [["a"]]}', "allowed_special[0]"),
        (b'{"text": "a", "encoding": "gpt2", "allowed_special": [true]}', "true"),
        (b'{"txet": "a", "encoding": "gpt2"}', "text, encoding"),
    ],
)  # fmt: skip
def test_unusable_encode_bodies(body, word):
    assert refused(post_raw(body), 400, word)


@pytest.mark.parametrize(
    ("ids", "words"),
    [
        ("[true]", ["ids[0]", "true"]),
        ("[1, 1.0]", ["ids[1]", "1.0"]),
        ('["1"]', ["ids[0]", "'1'"]),
        ("[null]", ["ids[0]"]),
        ("[[1]]", ["ids[0]", "a list"]),
        ("7", ["ids must be a list", "7"]),
        ("[-1]", ["-1", "0 to 50,256"]),
        ("[50257]", ["50257", "0 to 50,256"]),
        (f"[{10**40}]", [str(10**40), "0 to 50,256"]),
    ],
)
def test_unusable_ids(ids, words):
    assert refused(post_raw(f'{{"ids": {ids}, "encoding": "gpt2"}}', DECODE), 400, *words)


#: One of each kind; what their own libraries answer is compared in the tests of `catalog`.
KINDS = ["gpt2", "qwen3", "deepseek_v3", "mistral_v1", "mistral_tekken", "bert_uncased", "python_docs_4k"]


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_encodes_and_decodes_as_its_library(name):
    tokenizer, text = get_tokenizer(name), "Héllo  wörld ﬁ 안녕 <s>"
    answer = client.post(ENCODE, json={"text": text, "encoding": name, "spans": True}).json()
    assert answer["ids"] == list(tokenizer.encode(text))
    places = [(token["byte_start"], token["byte_end"]) for token in answer["tokens"]]
    assert all(0 <= start <= end <= len(text.encode()) for start, end in places)
    back = client.post(DECODE, json={"ids": answer["ids"], "encoding": name}).json()
    assert back["text"] == tokenizer.decode(answer["ids"])


def test_a_text_is_decoded_as_sentencepiece_and_bert_write_it():
    """The bytes of tokens join to another: `▁` before a text is no space, BERT's words have one between."""
    for name, text in {"mistral_v1": "Hello world", "bert_uncased": "hello world"}.items():
        ids = client.post(ENCODE, json={"text": text, "encoding": name}).json()["ids"]
        assert client.post(DECODE, json={"ids": ids, "encoding": name}).json()["text"] == text


def test_encodings_are_listed_with_their_kind():
    rows = {row.pop("encoding"): row for row in client.get(ENCODINGS).json()["encodings"]}
    assert list(rows) == [*TOKENIZERS]
    assert rows["mistral_v1"] == {
        "family": "Mistral 7B v0.1, Mixtral 8x7B", "kind": "SentencePiece BPE",
        "n_vocab": 32_000, "licence": "Apache-2.0",
    }  # fmt: skip
    assert rows["utf8_bytes"] == {"family": None, "kind": "a token a byte", "n_vocab": 256, "licence": None}


@pytest.mark.parametrize("name", TOKENIZERS)
def test_the_number_of_ids_that_is_told_is_that_of_the_vocabulary(name):
    assert ABOUT[name].n_vocab == get_tokenizer(name).vocabulary.n_vocab


def test_nothing_is_loaded_to_list_encodings(monkeypatch):
    for name in TOKENIZERS:
        monkeypatch.setitem(TOKENIZERS, name, None)
    monkeypatch.setattr("playground.catalog.registry._loaded", {})
    assert client.get(ENCODINGS).status_code == 200


def test_encodings_are_only_got():
    answer = client.post(ENCODINGS, json={})
    assert refused(answer, 405, "GET")
    assert answer.headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize(
    "fields",
    [{}, {"encoding": "gpt2", "model": "gpt-4"}, {"encoding": "gpt9"}, {"model": "llama-3-8b"},
     {"model": "gemma-2"}, {"model": "claude-3"}, {"encoding": "mistral_v1", "allowed_special": ["<pad>"]},
     {"encoding": "bert_uncased", "allowed_special": ["<s>"]}],
)  # fmt: skip
def test_what_is_said_of_a_kind_is_one_sentence(fields):
    error = client.post(ENCODE, json={"text": "a", **fields}).json()["error"]
    assert ". " not in error
    assert "\n" not in error


def test_every_valid_encoding_is_named():
    error = client.post(ENCODE, json={"text": "", "encoding": "?"}).json()["error"]
    assert all(name in error for name in TOKENIZERS)


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW"])
def test_other_methods(method):
    answer = client.request(method, ENCODE)
    assert refused(answer, 405, "POST")
    assert answer.headers["allow"] == "POST"


def test_unknown_path():
    assert refused(client.post("/api/v1/tokenize", json={}), 404, ENCODE, DECODE, ENCODINGS)


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "", "http://testserver.evil", "http://[::1"]
)
def test_foreign_pages_are_refused(origin):
    assert refused(post_raw(b'{"text": "a", "encoding": "gpt2"}', origin=origin), 403)


@pytest.mark.parametrize("origin", ["http://testserver", "https://TestServer"])
def test_own_pages_are_served(origin):
    assert post_raw(b'{"text": "a", "encoding": "gpt2"}', origin=origin).status_code == 200


@pytest.mark.parametrize(
    "content_type", ["text/plain", "", "application/x-www-form-urlencoded", "application/jsonx"]
)
def test_other_content_types(content_type):
    answer = client.post(ENCODE, content=b"{}", headers={"content-type": content_type})
    assert refused(answer, 415, "application/json")


def test_a_packed_body_is_refused_as_one():
    body = gzip.compress(b'{"text": "a", "encoding": "gpt2"}')
    headers = {"content-type": "application/json", "content-encoding": "gzip"}
    assert refused(client.post(ENCODE, content=body, headers=headers), 415, "'gzip'")
    headers["content-encoding"] = "identity"
    assert client.post(ENCODE, content=gzip.decompress(body), headers=headers).status_code == 200


def test_content_type_may_have_parameters():
    body = b'{"text": "a", "encoding": "gpt2"}'
    headers = {"content-type": "Application/JSON; charset=utf-8"}
    assert client.post(ENCODE, content=body, headers=headers).status_code == 200


def test_text_limit_counts_utf8_bytes():
    def status_of(text):
        return client.post(ENCODE, json={"text": text, "encoding": "characters"})

    assert status_of("é" * 500_000).json()["count"] == 500_000
    assert refused(status_of("é" * 500_000 + "a"), 413, "1,000,001", "1,000,000")
    escaped = "\\u0000" * 1_000_000  # the longest spelling of the longest text
    answer = post_raw(f'{{"text": "{escaped}", "encoding": "utf8_bytes"}}')
    assert answer.json()["count"] == 1_000_000


def test_body_is_counted_as_it_comes():
    sent = 0

    def chunks():
        nonlocal sent
        while sent < MAX_BODY_BYTES + 2_000_000:
            sent += 100_000
            yield b" " * 100_000

    answer = client.post(ENCODE, content=chunks(), headers={"content-type": "application/json"})
    assert refused(answer, 413, "10,000,000")


def test_decode_limits():
    too_many = {"ids": [1] * 1_000_001, "encoding": "gpt2"}
    assert refused(client.post(DECODE, json=too_many), 413, "1,000,001")
    spaces_128 = load_openai("cl100k_base").encode(" " * 81)[0]
    too_long = {"ids": [spaces_128] * 100_000, "encoding": "cl100k_base"}
    assert refused(client.post(DECODE, json=too_long), 413, "1,000,000")


def test_the_most_ids_are_decoded(monkeypatch):
    monkeypatch.setattr("playground.server.api.MAX_IDS", 3)
    for n_ids, status in ((3, 200), (4, 413)):
        assert client.post(DECODE, json={"ids": [0] * n_ids, "encoding": "gpt2"}).status_code == status


@pytest.mark.parametrize("text", [" " * 1_000_000, "a" * 1_000_000, "👩‍👩‍👧‍👦" * 20_000])
def test_the_longest_texts(text):
    answer = client.post(ENCODE, json={"text": text, "encoding": "o200k_base"}).json()
    back = client.post(DECODE, json={"ids": answer["ids"], "encoding": "o200k_base"}).json()
    assert back["text"] == text


def test_no_call_writes_many_tokens_for_it_holds_the_interpreter(monkeypatch):
    text, dumps, n_written = "hello world " * 10_000, json.dumps, []

    def counted(value, **options):
        n_written.append(len(value))
        return dumps(value, **options)

    monkeypatch.setattr(json, "dumps", counted)
    answer = client.post(
        ENCODE, content=dumps({"text": text, "encoding": "gpt2", "spans": True}), headers=JSON
    )
    assert max(n_written) <= 500
    assert "".join(token["text"] for token in answer.json()["tokens"]) == text
    assert answer.json()["ids"] == [token["id"] for token in answer.json()["tokens"]]
