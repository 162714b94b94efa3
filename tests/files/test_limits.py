"""Sizes are limited before the work; an exceeded limit is named, and the limit itself is allowed."""

import json

import pytest

from playground.catalog.trained import TrainedTokenizer
from playground.files.limits import MAX_SPECIAL_TOKENS, MAX_TOKEN_BYTES
from playground.files.registry import read_model
from tests.files.test_damaged import BYTES, GPT2, rank_line, refusal, tokenizer_json


def model_file(merges, special=()) -> str:
    lines = ["minbpe v1", "", str(len(special)), *special, *(f"{left} {right}" for left, right in merges)]
    return "\n".join(lines)


def doublings(n):
    """Return merges of a token with itself, again and again: two to the n bytes."""
    return [(97, 97), *((256 + k, 256 + k) for k in range(n - 1))]


def chain(n):
    """Return merges that each add one byte."""
    return [(97, 97), *((256 + k, 97) for k in range(n - 1))]


@pytest.mark.parametrize("n", [15, 5000])
def test_doubling_merges_stop_at_the_longest_token(n):
    message = refusal({"x.model": model_file(doublings(n))})
    assert message == "x.model, line 18: its token has 32,768 bytes; the limit is 16,384"


def test_a_chain_of_merges_stops_at_the_bytes_of_all_tokens(monkeypatch):
    message = refusal({"x.model": model_file(chain(60_000))})
    assert (
        message == "x.model, line 5795: all tokens up to here have 16,782,320 bytes; the limit is 16,777,216"
    )
    monkeypatch.setattr("playground.files.checks.MAX_TOTAL_BYTES", 2 + 3 + 4)
    read_model({"x.model": model_file(chain(3)).encode()}, GPT2)
    assert "line 7: all tokens up to here have 14 bytes; the limit is 9" in refusal(
        {"x.model": model_file(chain(4))}
    )


def test_a_tokenizer_json_has_the_same_limits():
    document = json.loads(tokenizer_json(added_tokens=[]))
    vocab = {token: token_id for token, token_id in document["model"]["vocab"].items() if len(token) == 1}
    merges, token = [], "a"
    for n in range(20):
        merges.append([token, token])
        token += token
        vocab[token] = 1000 + n
    message = refusal({"x.json": tokenizer_json(added_tokens=[], model__vocab=vocab, model__merges=merges)})
    assert "merge 15 of model.merges: its token has 32,768 bytes; the limit is 16,384" in message


def ranks_file(*tokens) -> str:
    return BYTES + "".join(rank_line(raw, rank) for rank, raw in enumerate(tokens, start=256))


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        ([b"a" * (MAX_TOKEN_BYTES + 1)], "16,385 bytes in its longest token; the limit is 16,384"),
        (
            [bytes([n]) * MAX_TOKEN_BYTES for n in range(4)],
            "1,073,742,080 as the sum of its tokens' squared lengths",
        ),
    ],
)
def test_a_file_of_ranks_is_bounded_before_its_merges_are_searched(tokens, words):
    assert words in refusal({"x.tiktoken": ranks_file(*tokens)})


def test_too_many_special_tokens_are_not_read():
    tokens = [f"<{n}> {1000 + n}" for n in range(MAX_SPECIAL_TOKENS + 1)]
    message = refusal({"x.model": model_file([], tokens)})
    assert "10,001 special tokens; the limit is 10,000" in message
    model = read_model({"x.model": model_file([], tokens[:-1]).encode()}, GPT2)
    assert TrainedTokenizer("many", model).encode("<7>", allowed_special=frozenset(["<7>"])) == [1007]


def test_a_file_at_the_limit_is_read_and_a_larger_one_refused(monkeypatch):
    text = model_file(chain(3))
    monkeypatch.setattr("playground.files.registry.MAX_FILE_BYTES", len(text))
    read_model({"x.model": text.encode()}, GPT2)
    message = refusal({"x.model": text + " "})
    assert message == f"x.model has {len(text) + 1} bytes; the limit is {len(text)}"
