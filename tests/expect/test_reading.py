"""Texts read by a model: llama.cpp agrees, and an edited text gives what a fresh reading gives."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.core.errors import VocabularyFileError
from playground.expect import reading
from playground.expect.llama import Llama
from playground.expect.reading import MAX_TOKENS, SMALL_MODEL, Model, Reader, Reading, about_model, read_text
from tests.expect.models import write_tiny_model

#: By llama.cpp (xllamacpp 2026.10) from the same weights as float32: bits of each token, and the next token.
BY_LLAMA_CPP = json.loads(Path(__file__).with_name("llama_cpp.json").read_text())
#: The texts' first token follows a token that begins every text.
TOLERANCE = 0.001


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return Model(write_tiny_model(tmp_path_factory.mktemp("model") / "tiny.gguf"), (0, 0))


def read_whole(model: Model, parts: list[str], key: str = "a", n_new: int = 64) -> Reading:
    while not (found := model.read(key, parts, n_new)).is_over:
        pass
    return found


def assert_as_llama_cpp(model: Model, expected: dict[str, Any]) -> None:
    found = read_whole(model, [expected["text"]])
    assert found.ids == expected["ids"]
    assert [each.bits for each in found.expected[:-1]] == pytest.approx(expected["bits"], abs=TOLERANCE)
    tokens, chances = zip(*found.expected[-1].likeliest, strict=True)
    assert [list(tokens), list(chances)] == [
        [token for token, _ in expected["next"]],
        pytest.approx([chance for _, chance in expected["next"]], abs=TOLERANCE),
    ]


def test_a_model_like_llama_3_expects_what_llama_cpp_expects(tmp_path):
    path = write_tiny_model(tmp_path / "tiny.gguf", has_output=True, has_factors=True, key_heads=4)
    assert_as_llama_cpp(Model(path, (0, 0)), BY_LLAMA_CPP["tiny"])


@pytest.mark.model
def test_the_small_model_expects_what_llama_cpp_expects(small_model):
    model = Model(small_model, (0, 0))
    assert len(BY_LLAMA_CPP["small"]) == 10
    assert replace(about_model(small_model), name=SMALL_MODEL.name) == SMALL_MODEL
    for expected in BY_LLAMA_CPP["small"]:
        assert_as_llama_cpp(model, expected)


@given(texts=st.lists(st.text("then a1 \n", max_size=30), min_size=2, max_size=5), n_new=st.integers(1, 9))
def test_after_any_edits_the_result_is_that_of_a_fresh_reading(tiny, texts, n_new):
    for text in texts[:-1]:
        tiny.read("edited", [text], n_new)  # not always to its end
    edited = read_whole(tiny, [texts[-1]], "edited", n_new)
    tiny.readers.pop("fresh", None)
    fresh = read_whole(tiny, [texts[-1]], "fresh")
    assert edited.ids == fresh.ids
    assert len(edited.expected) == len(edited.ids) + 1
    for one, other in zip(edited.expected, fresh.expected, strict=True):
        assert one.bits == pytest.approx(other.bits, abs=1e-3)
        assert dict(one.likeliest) == pytest.approx(dict(other.likeliest), abs=1e-4)


def test_a_reader_computes_only_what_follows_an_edit(tiny, monkeypatch):
    computed = []
    forward = Llama.forward

    def counted(self, tokens, *rest):
        computed.append(len(tokens))
        return forward(self, tokens, *rest)

    monkeypatch.setattr(Llama, "forward", counted)
    reader = Reader(tiny.llama)
    for tokens in ([1, 2, 3, 4], [1, 2, 3, 4, 5], [1, 2, 3], [1, 9, 3]):
        reader.read(tokens, 64)
    assert computed == [4, 1, 2]


def test_bits_ranks_and_chances_are_those_of_the_scores(tiny):
    found = read_whole(tiny, ["the tin"])
    tokens = [262, *found.ids]
    keys, values = np.zeros((2, 2, 2, len(tokens), 16), np.float32)
    scores = tiny.llama.logits(tiny.llama.forward(tokens, keys, values, 0)).astype(np.float64)
    chances = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    for row, token in enumerate(found.ids):
        own = chances[row, token]
        assert found.expected[row].bits == pytest.approx(-np.log2(own), abs=1e-4)
        assert found.expected[row].rank == 1 + (chances[row] > own).sum()
        best = sorted(chances[row], reverse=True)[:5]
        assert [chance for _, chance in found.expected[row].likeliest] == pytest.approx(best, abs=1e-5)


def test_parts_are_encoded_one_by_one(tiny):
    assert read_whole(tiny, [" the"]).ids == [258]
    found = read_whole(tiny, [" t", "", "he"])
    assert [found.raws[token] for token in found.ids] == [b" ", b"t", b"h", b"e"]
    assert sum(found.lengths) == 4


def test_a_long_text_is_read_up_to_the_limit_and_says_how_much_is_left_out(tiny):
    found = read_whole(tiny, ["e" * 100])
    assert (len(found.ids), found.n_left_out) == (63, 37), "the context of this model is 64"
    assert MAX_TOKENS == 1000


def test_few_texts_are_kept(tiny):
    for key in "abcdefg":
        tiny.read(key, ["a"], 64)
    assert list(tiny.readers) == ["d", "e", "f", "g"]


def test_another_file_at_the_same_path_is_read_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "_held", [])
    path = write_tiny_model(tmp_path / "tiny.gguf")
    first = read_text(str(path), "a", ["the"])
    held = reading._held[0]
    read_text(str(path), "a", ["the"])
    assert reading._held[0] is held
    write_tiny_model(path, layers=1)
    assert read_text(str(path), "a", ["the"]).expected != first.expected
    assert reading._held[0] is not held


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"architecture": "qwen2"}, "has the architecture qwen2; models of the architecture llama"),
        ({"more": {"llama.expert_count": 8}}, "is a mixture of experts"),
        ({"more": {"llama.rope.scaling.type": "yarn"}}, "scales positions"),
        ({"extra": {"blk.0.attn_q_norm": (16,)}}, "not known here: blk.0.attn_q_norm.weight"),
        ({"without": "blk.1.ffn_up"}, "lacks the weights blk.1.ffn_up.weight"),
        ({"extra": {"blk.1.ffn_up": (96, 32)}}, r"ffn_up.weight has the shape \(96, 32\), not \(96, 64\)"),
    ],
)  # fmt: skip
def test_a_model_that_is_not_run_here_is_refused_by_name(tmp_path, changed, message):
    path = write_tiny_model(tmp_path / "other.gguf", **changed)
    with pytest.raises(VocabularyFileError, match=message):
        about_model(path)


def test_a_model_that_is_too_large_is_refused(tmp_path, monkeypatch):
    path = write_tiny_model(tmp_path / "large.gguf")
    about = about_model(path)
    assert about.n_weights == sum(tensor.size for tensor in Model(path, (0, 0)).llama._weights.values())
    assert about.memory_bytes > 4 * about.n_weights
    monkeypatch.setattr("playground.expect.llama.MAX_WEIGHTS", 50_000)
    with pytest.raises(VocabularyFileError, match=r"has 0.0 billion weights; up to 5e-05 billion"):
        about_model(path)
