"""Sizes are bounded before the work: each limit is named where it is passed, and holds on both its sides."""

import json

import pytest

from playground.catalog.trained import TrainedTokenizer
from playground.files.limits import MAX_ENTRIES, MAX_FILE_BYTES, MAX_SPECIAL_TOKENS, MAX_TOKEN_BYTES
from playground.files.table import read_model
from tests.files.fuzz import use
from tests.files.test_damaged import BYTES, GPT2, rank_line, refusal, tokenizer_json


def model_file(merges, special=()):
    lines = ["minbpe v1", "", str(len(special)), *special, *(f"{left} {right}" for left, right in merges)]
    return "\n".join(lines)


def doublings(n):
    """Merges of a token with itself, again and again: two to the n bytes."""
    return [(97, 97), *((256 + k, 256 + k) for k in range(n - 1))]


def chain(n):
    """Merges of one byte more each."""
    return [(97, 97), *((256 + k, 97) for k in range(n - 1))]


@pytest.mark.parametrize("n", [17, 20, 34, 40, 5000])
def test_merges_that_double_stop_at_the_longest_token(n):
    message = refusal({"x.model": model_file(doublings(n))})
    assert "line 20: its token has 131,072 bytes; the limit is 65,536" in message


def test_sixteen_doublings_fit():
    model = read_model({"x.model": model_file(doublings(16)).encode()}, GPT2)
    assert len(model.token_bytes()[271]) == MAX_TOKEN_BYTES
    use(model)


def test_a_chain_of_merges_stops_at_the_bytes_of_all_tokens():
    message = refusal({"x.model": model_file(chain(60_000))})
    assert "line 8194: all tokens up to here have 33,558,527 bytes; the limit is 33,554,432" in message


def test_a_document_is_bounded_alike():
    document = json.loads(tokenizer_json(added_tokens=[]))
    vocab = {token: token_id for token, token_id in document["model"]["vocab"].items() if len(token) == 1}
    merges, token = [], "a"
    for n in range(20):
        merges.append([token, token])
        token += token
        vocab[token] = 1000 + n
    message = refusal({"x.json": tokenizer_json(added_tokens=[], model__vocab=vocab, model__merges=merges)})
    assert "merge 17 of model.merges: its token has 131,072 bytes; the limit is 65,536" in message


@pytest.mark.parametrize(
    ("lengths", "words"),
    [
        ([MAX_TOKEN_BYTES + 1], ["65,537 bytes in its longest token", "65,536"]),
        ([MAX_TOKEN_BYTES] * 2, ["squared lengths", "8,589,", "4,294,967,296"]),
    ],
)
def test_a_file_of_ranks_is_bounded_before_its_merges_are_searched(lengths, words):
    tokens = [bytes([byte]) * n for byte, n in enumerate(lengths)]
    text = BYTES + "".join(rank_line(raw, rank) for rank, raw in enumerate(tokens, start=256))
    message = refusal({"x.tiktoken": text})
    assert all(word in message for word in words), message


def test_many_long_tokens_are_too_many_bytes(monkeypatch):
    monkeypatch.setattr("playground.files.tiktoken_ranks.MAX_TOTAL_BYTES", 300)
    read_model({"x.tiktoken": (BYTES + rank_line(b"ab", 256)).encode()}, GPT2)
    text = BYTES + rank_line(b"ab", 256) + rank_line(b"ab" * 22, 257)
    assert "302 bytes in all tokens; the limit is 300" in refusal({"x.tiktoken": text})


def test_too_many_special_tokens_are_not_read():
    tokens = [f"<{n}> {1000 + n}" for n in range(MAX_SPECIAL_TOKENS + 1)]
    message = refusal({"x.model": model_file([], tokens)})
    assert "10,001 special tokens; the limit is 10,000" in message
    model = read_model({"x.model": model_file([], tokens[:-1]).encode()}, GPT2)
    assert TrainedTokenizer("many", model).encode("<7>", allowed_special=frozenset(["<7>"])) == [1007]


@pytest.mark.parametrize("n", [MAX_ENTRIES, MAX_ENTRIES + 1])
def test_the_number_of_merges(n, monkeypatch):
    monkeypatch.setattr("playground.files.checked_model.MAX_ENTRIES", n - MAX_ENTRIES + 2)
    merges = model_file(chain(3))
    if n > MAX_ENTRIES:
        read_model({"x.model": merges.encode()}, GPT2)
    else:
        assert "3 merges; the limit is 2" in refusal({"x.model": merges})


def test_a_file_that_is_too_large_is_not_read():
    message = refusal({"x.model": "minbpe v1\n" + " " * MAX_FILE_BYTES})
    assert "x.model has 41,943,050 bytes; the limit is 41,943,040" in message
