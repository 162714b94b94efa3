"""A config beside a tokenizer's file is read like transformers reads it, or refused with its place."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.core.errors import VocabularyFileError
from playground.files.limits import MAX_ID
from playground.files.tokenizer_config import (
    AddedToken,
    TokenizerConfig,
    read_config,
    write_config,
)

CONFIG = "tokenizer_config.json"
_text = st.text(max_size=12)
_content = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
_added = st.dictionaries(st.integers(0, MAX_ID), _content, max_size=4).flatmap(
    lambda contents: st.tuples(
        *(
            st.builds(AddedToken, st.just(contents[token_id]), st.just(token_id), *[st.booleans()] * 5)
            for token_id in sorted(contents)
        )
    )
)
_configs = st.builds(
    TokenizerConfig,
    st.dictionaries(_text, _text, max_size=3),
    st.dictionaries(st.sampled_from(["bos_token", "eos_token", "image_token"]), _text),
    _added,
)


def read(document, **others):
    return read_config({CONFIG: json.dumps(document).encode(), **others})


@given(_configs)
@settings(max_examples=30)
def test_written_text_is_read_back(config):
    assert read_config({CONFIG: write_config(config)}) == config


def test_tokens_in_a_config_are_strings_or_objects():
    config = read(
        {"bos_token": "<s>", "eos_token": {"__type": "AddedToken", "content": "</s>"}, "unk_token": None,
         "add_bos_token": True, "extra_special_tokens": {"image_token": "<img>"},
         "added_tokens_decoder": {"7": {"content": "<x>", "special": False, "lstrip": True}}}
    )  # fmt: skip
    assert config.names == {"bos_token": "<s>", "eos_token": "</s>", "image_token": "<img>"}
    assert config.added == (AddedToken("<x>", 7, lstrip=True, special=False),)
    assert config.templates == {}


def test_a_template_of_its_own_file_counts_more_than_the_config_and_others_are_named_by_theirs():
    one = read({"chat_template": "old"}, **{"chat_template (1).jinja": b"new"})
    assert one.templates == {"default": "new"}
    several = read({}, **{"chat_template.jinja": b"a", "rag.jinja": b"b"})
    assert several.templates == {"default": "a", "rag": "b"}
    named = read(
        {"chat_template": [{"name": "default", "template": "a"}, {"name": "tool_use", "template": "b"}]}
    )
    assert named.templates == {"default": "a", "tool_use": "b"}


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ([], "must hold a JSON object, not a list"),
        ({"chat_template": 7}, "chat_template, item 1: 7 is no template"),
        ({"bos_token": 7}, "bos_token: 7 is no token"),
        ({"added_tokens_decoder": [1]}, "added_tokens_decoder must be an object"),
        ({"added_tokens_decoder": {"9999999999": {"content": "a"}}}, "is not an id"),
        ({"added_tokens_decoder": {"1": {"content": ""}}}, "is empty"),
        ({"added_tokens_decoder": {"1": {"content": "a"}, "01": {"content": "b"}}}, "have one id, 1"),
        ({"chat_template": "x" * 200_001}, "characters of chat templates; the limit is 200,000"),
        ({"chat_template": [{"name": str(n), "template": ""} for n in range(21)]}, "21 chat templates"),
    ],
)
def test_an_invalid_config_is_refused_in_one_sentence(document, said):
    with pytest.raises(VocabularyFileError, match=r"tokenizer_config.json") as error:
        read(document)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_is_too_large_or_no_text_is_refused():
    with pytest.raises(VocabularyFileError, match="limit is 8,388,608"):
        read_config({CONFIG: bytes(8_388_609)})
    with pytest.raises(VocabularyFileError, match="not UTF-8"):
        read_config({"chat_template.jinja": b"\xff"})
