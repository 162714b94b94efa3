"""If its library refuses a tokenizer.json, the wrong part is named, with valid values."""

import json

import pytest

from playground.files.tokenizers_library import example_of, find_fault, kinds_of

KINDS = [
    (name, kind)
    for name in ("normalizer", "pre_tokenizer", "post_processor", "decoder")
    for kind in kinds_of(name)
]


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_values_named_as_valid_are_accepted_by_the_library(name, kind):
    example = json.loads(example_of(kinds_of(name)[kind], kind))
    assert example["type"] == kind
    if kind != "Precompiled":  # whose table is left out
        assert find_fault({name: example}) == ""


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (
            {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Digits"}, {"type": "X"}]}},
            "pre_tokenizer, item 1: a part of it lacks its individual_digits",
        ),
        (
            {"decoder": {"type": "Sequence", "decoders": [{"type": "Fuse"}, {"type": "X"}]}},
            "decoder, item 2, type, is 'X'; valid is null, or an object whose type tokenizers",
        ),
        ({"decoder": {"type": "Strip"}}, 'valid is, for example, {"type":"Strip","content":" ","start":0'),
        ({"post_processor": []}, "post_processor is []; valid is null, or an object whose type"),
        ({"normalizer": "NFC"}, "normalizer is 'NFC'; valid is null"),
        ({"padding": {"strategy": "x"}}, "padding: a part of it is x; valid are BatchLongest or Fixed"),
        ({"truncation": {"max_length": "x"}}, "truncation: a part of it is x, where a whole number from 0"),
        (
            {"added_tokens": [{"id": 0, "content": "a"}] * 2},
            "added_tokens, item 1: a part of it lacks its single_word",
        ),
    ],
)
def test_the_refused_part_is_named_with_valid_values(document, words):
    said = find_fault(document)
    assert said.startswith(words) or words in said
    assert "line" not in said
    assert "struct" not in said


def test_a_type_that_is_not_a_string_is_reported():
    assert "type, is [" in find_fault({"normalizer": {"type": ["NFC"]}})
