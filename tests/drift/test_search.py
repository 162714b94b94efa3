"""Differences that were planted in a tokenizer's file are found, shrunk and named."""

import copy
import json
import zlib
from functools import cache
from typing import Any

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from sentencepiece import SentencePieceProcessor
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, trainers

from playground.bpe.split_pattern import SPLIT_PATTERNS
from playground.catalog.opened import open_here
from playground.catalog.registry import get_tokenizer
from playground.core.tokenizer import Tokenizer
from playground.drift.definition import equal_by_definition
from playground.drift.search import Difference, find_difference
from playground.drift.shrinking import shrink
from playground.drift.steps import find_cause
from playground.drift.texts import simpler_characters
from playground.training.parallel_texts import load_parallel_texts
from playground.workers import pool
from tests.catalog.sentencepiece_models import trained_bytes

PATTERN = SPLIT_PATTERNS["llama3"]


@cache
def written() -> str:
    """A tokenizer.json with all steps, trained by the library."""
    made = tokenizers.Tokenizer(models.BPE())
    made.normalizer = normalizers.NFC()
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PATTERN), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=900, special_tokens=["<|end|>"], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    texts = [article for text in load_parallel_texts()[:6] for article in text.articles]
    made.train_from_iterator([*texts, "don't DON'T 12 123 1234 " * 20], trainer)
    made.add_tokens(["<tool>"])
    return made.to_str()


def opened(document: dict[str, Any]) -> Tokenizer:
    return open_here({"tokenizer.json": json.dumps(document).encode()}, None, "planted")


def library_ids(document: dict[str, Any], text: str) -> list[int]:
    ids: list[int] = tokenizers.Tokenizer.from_str(json.dumps(document)).encode(text).ids
    return ids


def pattern_of_two_digits(document):
    split = document["pre_tokenizer"]["pretokenizers"][0]
    split["pattern"]["Regex"] = PATTERN.replace("{1,3}", "{1,2}")


def pattern_of_small_contractions(document):
    split = document["pre_tokenizer"]["pretokenizers"][0]
    split["pattern"]["Regex"] = PATTERN.replace("(?i:", "(?:")


def merge_removed(document):
    del document["model"]["merges"][400]


def merges_in_another_order(document):
    merges = document["model"]["merges"]
    merges[20], merges[30] = merges[30], merges[20]


def added_token_lost(document):
    document["added_tokens"] = [each for each in document["added_tokens"] if each["content"] != "<tool>"]


def special_token_lost(document):
    document["added_tokens"] = [each for each in document["added_tokens"] if each["content"] != "<|end|>"]


def added_token_takes_spaces(document):
    document["added_tokens"][-1]["rstrip"] = True


def nothing_normalized(document):
    document["normalizer"] = None


def lower_cased(document):
    document["normalizer"] = {"type": "Lowercase"}


def compatible_forms(document):
    document["normalizer"] = {"type": "NFKC"}


def prefix_space(document):
    document["pre_tokenizer"]["pretokenizers"][1]["add_prefix_space"] = True


def ids_exchanged(document):
    vocab = document["model"]["vocab"]
    vocab["a"], vocab["b"] = vocab["b"], vocab["a"]


PLANTED = {
    pattern_of_two_digits: ("012", "split"),
    pattern_of_small_contractions: (None, "split"),
    merge_removed: (None, "merges"),
    merges_in_another_order: (None, "merges"),
    added_token_lost: ("<tool>", "added tokens"),
    special_token_lost: ("<|end|>", "added tokens"),
    added_token_takes_spaces: ("<tool> ", "added tokens"),
    nothing_normalized: (None, "normalization"),
    lower_cased: ("A", "normalization"),
    compatible_forms: (None, "normalization"),
    prefix_space: ("a", "normalization"),
    ids_exchanged: ("a", "ids"),
}


def planted(plant) -> tuple[dict[str, Any], dict[str, Any]]:
    document = json.loads(written())
    other = copy.deepcopy(document)
    plant(other)
    return document, other


def difference_of(one: Tokenizer, other: Tokenizer) -> Difference:
    found = find_difference(one, other).difference
    assert found is not None
    return found


def check_shortest(text: str, document: dict[str, Any], other: dict[str, Any]) -> None:
    """The library's ids differ for the text, and are equal once any one character is removed."""
    assert library_ids(document, text) != library_ids(other, text)
    for place in range(len(text)):
        rest = text[:place] + text[place + 1 :]
        assert library_ids(document, rest) == library_ids(other, rest)


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_a_planted_difference_is_found_with_the_step_that_caused_it(plant):
    document, other = planted(plant)
    found = difference_of(opened(document), opened(other))
    text, step = PLANTED[plant]
    assert found.step == step
    assert text is None or found.text == text
    check_shortest(found.text, document, other)
    for side, own in zip(found.sides, (document, other), strict=True):
        assert side is not None
        assert [token.id for token in side] == library_ids(own, found.text)


@settings(max_examples=8, deadline=None)
@given(st.data())
def test_any_merge_that_is_removed_is_found(data):
    document, other = planted(lambda _: None)
    del other["model"]["merges"][data.draw(st.integers(0, len(other["model"]["merges"]) - 1))]
    found = difference_of(opened(document), opened(other))
    assert found.step == "merges"
    check_shortest(found.text, document, other)


@pytest.mark.parametrize(
    ("option", "step"),
    [({"add_dummy_prefix": False}, "normalization"), ({"byte_fallback": False}, "merges")],
    ids=["prefix", "bytes"],
)
def test_a_planted_difference_of_a_sentencepiece_model_is_found(option, step):
    options = {"model_type": "bpe", "vocab_size": 320, "byte_fallback": True}
    files = [{"m.model": trained_bytes(given)} for given in (options, options | option)]
    found = difference_of(*(open_here(file, None, "planted") for file in files))
    assert found.step == step
    one, other = (SentencePieceProcessor(model_proto=raw) for file in files for raw in file.values())
    if step == "normalization":
        assert one.encode(found.text) != other.encode(found.text)


def test_none_is_found_where_the_library_reads_two_files_alike():
    document, other = planted(lambda changed: changed["model"].update(unk_token="never"))
    found = find_difference(opened(document), opened(other), max_texts=4_500)
    assert (found.difference, found.proof) == (None, "")
    assert found.n_texts == 4_500
    assert found.sentence == "None found in 4,500 texts."


def test_equal_definitions_are_a_proof_and_others_are_none():
    document, other = planted(lambda changed: changed.update(post_processor=None, decoder=None))
    assert "normalizer, pre-tokenizer, model and added tokens" in equal_by_definition(
        opened(document), opened(other)
    )
    for plant in PLANTED:
        document, other = planted(plant)
        assert equal_by_definition(opened(document), opened(other)) == ""


def test_vocabularies_without_common_ids_are_compared_by_bytes():
    gpt2, qwen3 = get_tokenizer("gpt2"), get_tokenizer("qwen3")
    found = find_difference(gpt2, qwen3)
    assert found.by_bytes
    assert found.difference
    text = found.difference.text
    raws = [[each.vocabulary.raw_of(token) for token in each.encode(text)] for each in (gpt2, qwen3)]
    assert raws[0] != raws[1]
    assert not find_difference(get_tokenizer("r50k_base"), get_tokenizer("p50k_base")).by_bytes


def test_a_text_that_one_tokenizer_drops_differs_by_normalization():
    """Claude’s tokenizers read nothing in newlines at the end of a text."""
    claude, other = get_tokenizer("claude_4_8"), get_tokenizer("o200k_base")
    assert claude.encode("\n").ids.tolist() == []
    why = "o200k_base reads it as “\\n” (U+000A), claude_4_8 as an empty text."
    assert find_cause(other, claude, "\n") == ("normalization", why)


def test_the_marks_of_claude_are_named():
    why = "gpt2 reads it as “0”, claude_3 as “⟨bow⟩0”."
    assert find_cause(get_tokenizer("gpt2"), get_tokenizer("claude_3"), "0") == ("normalization", why)


def test_a_worker_finds_the_same():
    document, other = planted(merge_removed)
    pair = opened(document), opened(other)
    found = pool.run("playground.drift.search.find_in_worker", *pair, 5_000, what="this")
    assert found == find_difference(*pair, max_texts=5_000)


@settings(max_examples=300)
@given(st.text(min_size=8, max_size=40), st.integers(4, 30))
def test_a_shrunk_text_has_no_character_to_spare_and_none_that_could_be_simpler(text, n):
    def holds(candidate: str) -> bool:
        return bool(candidate == text or zlib.crc32(candidate.encode()) % n == 0)

    found = shrink(text, holds)
    assert found == text or holds(found)
    for place in range(len(found)):
        before, after = found[:place], found[place + 1 :]
        assert not (before + after) or not holds(before + after)
        assert not any(holds(before + simpler + after) for simpler in simpler_characters(found[place]))
