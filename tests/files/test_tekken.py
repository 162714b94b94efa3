"""Mistral's tekken.json gives the ids of tiktoken's engine, after its special tokens; damage is reported."""

import base64
import json
from typing import Any

import pytest
import tiktoken
from hypothesis import example, given, settings
from hypothesis import strategies as st

from playground.bpe.split_pattern import OPEN_MODEL_PATTERNS, SplitPattern
from playground.catalog.opened import open_files, tokenizer_of
from playground.catalog.trained import load_python_docs
from playground.core.errors import PlaygroundError

RANKS = load_python_docs().model.mergeable_ranks()
N_SPECIAL, N_RANKS = 30, 900
PATTERN = OPEN_MODEL_PATTERNS["tekken"]


def document(**changed: Any) -> dict[str, Any]:
    """Return a file like Mistral's, whose last ranks exceed the vocabulary."""
    ranked = sorted(RANKS, key=lambda raw: RANKS[raw])[: N_RANKS + 50]
    return {
        "config": {
            "pattern": PATTERN, "default_num_special_tokens": N_SPECIAL, "version": "v3",
            "default_vocab_size": N_SPECIAL + N_RANKS,
        },
        "vocab": [
            {"rank": rank, "token_bytes": base64.b64encode(raw).decode(), "token_str": None}
            for rank, raw in enumerate(ranked)
        ],
        **changed,
    }  # fmt: skip


def opened(**changed: Any) -> Any:
    files = {"tekken.json": json.dumps(document(**changed)).encode()}
    return tokenizer_of("tekken", open_files(files, SplitPattern.named("gpt2")))


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return opened()


@pytest.fixture(scope="module")
def oracle() -> tiktoken.Encoding:
    ranked = sorted(RANKS, key=lambda raw: RANKS[raw])[:N_RANKS]
    ranks = {raw: N_SPECIAL + rank for rank, raw in enumerate(ranked)}
    return tiktoken.Encoding("tekken", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={})


@given(text=st.text(max_size=30) | st.text("the def import\n 12é", max_size=40))
@example(text="x\u0558:A")  # a letter to `regex`, not to tiktoken
@settings(max_examples=30, deadline=None)
def test_ids_are_those_of_tiktokens_engine(tokenizer, oracle, text):
    assert tokenizer.encode(text) == oracle.encode_ordinary(text)


def test_special_tokens_come_first_with_the_files_names_or_mistrals():
    assert opened().special_tokens["[INST]"] == 3
    own = [{"rank": 1, "token_str": "<go>", "is_control": True}]
    named = opened(special_tokens=own).special_tokens
    assert (named["<go>"], named["<SPECIAL_0>"], len(named)) == (1, 0, N_SPECIAL)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"config": None}, "lacks its config or its vocab"),
        ({"config": {**document()["config"], "default_vocab_size": 100}}, "of which its config takes 70"),
        ({"config": {**document()["config"], "default_num_special_tokens": -1}}, "is -1, not a number"),
        ({"vocab": [{"rank": 7, "token_bytes": "AA=="}, *document()["vocab"][1:]]}, "and the rank 0"),
        ({"vocab": [document()["vocab"][0]] * 2 + document()["vocab"][2:]}, "token 1 is "),
        ({"special_tokens": [{"rank": 99, "token_str": "x"}]}, "a rank below 30"),
        ({"special_tokens": [{"rank": n, "token_str": "x"} for n in (1, 2)]}, "have one name"),
    ],
)  # fmt: skip
def test_a_damaged_file_is_refused_with_the_fault(changed, words):
    with pytest.raises(PlaygroundError, match=words):
        opened(**changed)
