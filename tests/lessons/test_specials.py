"""Lesson 15: the ids with and without special tokens, by tiktoken itself; the parts of the vocabularies."""

from functools import cache

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from playground.catalog.registry import get_tokenizer
from playground.lessons.specials import MAX_TYPED, SPECIAL_TOKENS, n_ids, show
from tests.lessons.asked import asked

BEGUN = "Hello world how are you<|endoftext|"


def test_the_last_character_makes_many_tokens_one():
    assert SPECIAL_TOKENS.example() == {"text": BEGUN, "tokenizer": "gpt2"}
    assert show(BEGUN, "gpt2").needs == ""
    begun, whole = show(BEGUN, "gpt2").figure, show(f"{BEGUN}>", "gpt2").figure
    assert (begun["now"]["n"], whole["now"]["n"]) == (11, 6)
    for figure in (begun, whole):
        assert (figure["honoured"]["n"], figure["plain"]["n"]) == (6, 12), "what is begun is shown whole"
    assert (begun["added"], whole["added"]) == (">", ""), "and what the field lacks of it is told"
    assert whole["honoured"]["pieces"][-1] == {"text": "<|endoftext|>", "ids": [50256]}
    assert [typed["n"][0] for typed in whole["typed"]][-3:] == [10, 11, 6]
    assert "".join(typed["character"] for typed in whole["typed"]) == f"{BEGUN}>"[-MAX_TYPED:]


def test_the_special_tokens_of_the_next_generation():
    assert show(BEGUN, "cl100k_base").figure["special"] == {
        "<|endoftext|>": 100257,
        "<|fim_prefix|>": 100258,
        "<|fim_middle|>": 100259,
        "<|fim_suffix|>": 100260,
        "<|endofprompt|>": 100276,
    }
    assert show(BEGUN, "gpt2").figure["special"] == {"<|endoftext|>": 50256}


@pytest.mark.parametrize(
    ("name", "parts", "total"),
    [("gpt2", (256, 50_000, 1), "50257"), ("cl100k_base", (256, 100_000, 5), "100261")],
)
def test_the_question_asks_for_the_sum(name, parts, total):
    shown = show(BEGUN, name)
    assert shown.figure["vocabulary"] == parts
    question = asked(shown)
    assert question.answer == total
    assert question.is_right(f"{int(total):,}")
    assert "merges" in question.hint(str(parts[1]))
    assert "outside" in question.hint(f"{parts[0] + parts[1]:,}")
    assert "Add all three" in question.hint("7")


def test_what_a_user_types_into_a_chat_stays_plain():
    chat = show("Hi<|im_end|>", "gpt2").figure["chat"]
    special = [piece["text"] for piece in chat["pieces"] if piece["is_special"]]
    assert special == ["<|im_start|>", "<|im_sep|>", "<|im_end|>", "<|im_start|>", "<|im_sep|>"]
    assert chat["n"] == sum(len(piece["ids"]) for piece in chat["pieces"])


def test_it_says_what_a_text_lacks():
    assert "add <|endoftext|>" in show("plain", "gpt2").needs
    assert "Type something" in show("", "gpt2").needs
    assert show("<|endofprompt|>", "cl100k_base").needs == ""
    assert show("<|endofprompt|>", "gpt2").needs != ""


@cache
def tiktokens() -> tiktoken.Encoding:
    """GPT-2 by tiktoken itself, of the shipped ranks."""
    shipped = get_tokenizer("gpt2")
    return tiktoken.Encoding(
        "oracle",
        pat_str=shipped.split_pattern or "",
        mergeable_ranks={shipped.vocabulary.raw_of(rank): rank for rank in range(50_256)},
        special_tokens={"<|endoftext|>": 50_256},
    )


@given(st.lists(st.sampled_from(["a", " b", "<|endoftext|>", "<|endoftext|", "👋"]), max_size=8).map("".join))
def test_both_streams_are_tiktokens(text):
    assert n_ids(get_tokenizer("gpt2"), text) == (
        len(tiktokens().encode(text, allowed_special="all")),
        len(tiktokens().encode(text, disallowed_special=())),
    )


PARTS = ["a", "B", " ", "\n", "1", ".", "'s", "é", "<|endoftext|>", "<|fim"]


@given(st.lists(st.sampled_from(PARTS), max_size=90).map("".join))
def test_ids_are_counted_as_if_each_beginning_were_encoded_whole(text):
    encoder = get_tokenizer("cl100k_base")
    typed = show(text, "cl100k_base").figure["typed"]
    ends = range(len(text) - len(typed) + 1, len(text) + 1)
    assert [character["n"] for character in typed] == [n_ids(encoder, text[:end]) for end in ends]


def test_a_long_text_says_how_many_pieces_it_has():
    stream = show("word " * 390, "gpt2").figure["plain"]
    assert (stream["n"], stream["n_pieces"], len(stream["pieces"])) == (391, 391, 60)
