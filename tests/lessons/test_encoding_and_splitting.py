"""Lessons 11 to 16: decoding, ranks, split patterns, files and special tokens; tiktoken is the oracle."""

from functools import cache

import pytest
import regex
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st

from playground.bpe import typed_patterns
from playground.catalog.openai import load_openai
from playground.catalog.registry import get_tokenizer
from playground.catalog.shipped_vocabularies import read_vocabulary
from playground.core.assets import read_text
from playground.core.errors import InvalidInputError
from playground.lessons import back_to_text, cuts, lowest_rank, specials
from tests.lessons.asked import asked

# Lesson 11: valid UTF-8; Python's decoder is the oracle.


def groups_of(text):
    return [
        (group["bytes"], group["text"], group["why"]) for group in back_to_text.show(text).figure["groups"]
    ]


def test_three_bytes_are_a_letter_and_two_of_them_are_invalid():
    assert back_to_text.BACK_TO_TEXT.example() == {"text": "236 149 136"}
    assert groups_of("236 149 136") == [([236, 149, 136], "안", "")]
    question = asked(back_to_text.show("236 149 136"))
    assert (question.asks, question.answer) == ("Are the bytes 236 149 136 valid UTF-8, yes or no?", "yes")
    assert question.is_right("안")
    assert "count those" in question.hint("no")
    assert groups_of("236 149") == [([236, 149], "�", "the bytes end too early")]
    assert asked(back_to_text.show("236 149")).hint("yes") == "Read on from 236: the bytes end too early."
    assert [prefix["text"] for prefix in back_to_text.show("236 149 136").figure["prefixes"]] == [
        "�",
        "�",
        "안",
    ]


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("128", "128 continues a character, but none was begun"),
        ("255", "no character begins with 255"),
        ("236 104", "104 does not continue it"),
        ("224 128 128", "128 does not continue it"),
        ("237 160 128", "160 does not continue it"),
    ],
)
def test_the_reason_why_a_byte_is_invalid_is_named(typed, why):
    assert groups_of(typed)[0][2] == why
    assert asked(back_to_text.show(typed)).answer == "no"


def test_a_text_is_read_as_its_bytes_and_numbers_must_be_bytes():
    assert [group[1] for group in groups_of("né!")] == ["n", "é", "!"]
    assert "from 0 to 255" in back_to_text.show("256").needs
    assert "from 0 to 255" in back_to_text.show(" ").needs
    assert "All of this is ASCII" in back_to_text.show("104 105").needs
    assert asked(back_to_text.show("110 111")).is_right("no") is False, "the text “no” is text"


@given(st.binary(max_size=12))
@example(b"\xf0\x90\x80")
@example(b"\xf4\x90\x80\x80")
def test_groups_equal_those_of_pythons_decoder(raw):
    groups = list(back_to_text.iter_groups(raw))
    assert b"".join(group.raw for group in groups) == raw
    said = "".join("\ufffd" if group.why else group.raw.decode() for group in groups)
    assert said == raw.decode(errors="replace")


# Lesson 12: where the lowest rank and the longest match differ; tiktoken is the oracle.

GPT2 = load_openai("gpt2").encoding


def test_strawberry_is_not_cut_by_the_longest_match():
    shown = lowest_rank.show("strawberry")
    assert [token["text"] for token in shown.figure["ranked"]] == ["st", "raw", "berry"]
    assert [token["text"] for token in shown.figure["greedy"]] == ["stra", "wb", "erry"]
    assert shown.needs == ""
    assert asked(shown).answer == str(len("strawberry") - 3)
    assert "number of tokens" in asked(shown).hint("3")


def test_the_first_merge_of_tokenization_has_rank_256():
    shown = lowest_rank.show(" tokenization")
    assert shown.figure["played"]["steps"][0] == [0, 256, None, 284, " t"]
    assert "agree" in shown.needs


@given(st.text(st.sampled_from("strawbeyoniT é👋"), min_size=1, max_size=12))
def test_tokens_by_rank_equal_those_of_tiktoken(word):
    first = next(iter(get_tokenizer("gpt2").iter_pretokens(word))).text
    if len(first.encode()) <= lowest_rank.MAX_BYTES:
        assert [token["id"] for token in lowest_rank.show(word).figure["ranked"]] == GPT2.encode_ordinary(
            first
        )


def test_longest_match_differs_in_827_words_of_the_novel():
    gpt2, novel = get_tokenizer("gpt2"), read_text("texts/pride_and_prejudice.txt")
    pretokens = {pretoken.text for pretoken in gpt2.iter_pretokens(novel)}
    words = {text for text in pretokens if text.strip().isalpha()}
    runs_of_letters = set(regex.findall(r" ?\p{L}+", novel))
    assert sorted(runs_of_letters ^ words) == ["ll", "m", "t"], "the pattern keeps 'll, 'm and 't together"
    different = {
        word
        for word in runs_of_letters
        if lowest_rank.longest_first(gpt2, word.encode())
        != GPT2.decode_tokens_bytes(GPT2.encode_ordinary(word))
    }
    assert (len(words), len(runs_of_letters), len(different), len(different & words)) == (
        7_032,
        7_035,
        827,
        827,
    )


# Lesson 13: the lecture's pattern, and a pattern without one of its alternatives.

HELLO = "Hello've world123 how's are you!!!?"


def show_cuts(**values):
    return cuts.show(**cuts.CUTS.check(values))


def pieces_of(**values):
    return [piece["text"] for piece in show_cuts(**values).figure["pieces"]]


def test_the_example_is_cut_as_in_the_lecture():
    assert cuts.CUTS.example()["text"] == HELLO
    pieces = ["Hello", "'ve", " world", "123", " how", "'s", " are", " you", "!!!?"]
    assert pieces_of() == pieces
    assert [piece["by"] for piece in show_cuts().figure["pieces"]] == [1, 0, 1, 2, 1, 0, 1, 1, 3]
    assert [one["n"] for one in show_cuts().figure["alternatives"]] == [2, 5, 1, 1, 0, 0, 0]
    question = asked(show_cuts())
    assert question.asks == "How many pieces is “Hello've world123” cut into?"
    assert (question.answer, question.is_right("4 pieces")) == ("4", True)
    assert asked(show_cuts(text="a1b2")).answer == "4"


def test_the_four_patterns_cut_differently():
    rows = {row["name"]: row["cells"] for row in show_cuts().figure["matrix"]}
    assert rows["gpt2"][:2] == [["HOUSE", "'", "S"], ["1234567"]]
    assert rows["cl100k"][:2] == [["HOUSE", "'S"], ["123", "456", "7"]]
    assert rows["o200k"][:2] == [["HOUSE'S"], ["123", "456", "7"]]
    assert rows["llama3"][:2] == [["HOUSE", "'S"], ["123", "456", "7"]]


def test_digits_are_not_matched_without_their_alternative():
    figure = show_cuts(off=["gpt2:2"]).figure
    assert [piece["text"] for piece in figure["pieces"] if piece["by"] is None] == ["123"]
    assert [one["is_on"] for one in figure["alternatives"]] == [True, True, False, True, True, True, True]
    assert figure["pieces"][-1] == {"text": "!!!?", "by": 3}, "places are those of the whole pattern"
    assert pieces_of(pattern="cl100k", off=["gpt2:2"]) == pieces_of(pattern="cl100k")
    none = show_cuts(off=[f"gpt2:{place}" for place in range(7)])
    assert (none.figure["n_pieces"], none.figure["pieces"][0]["by"]) == (1, None)
    assert "Switch one on" in none.needs


def test_a_typed_pattern_is_used_or_refused(monkeypatch):
    monkeypatch.setattr(typed_patterns, "MAX_SECONDS", 0.2)
    assert pieces_of(pattern="own", text="a-b") == ["a", "-", "b"]
    assert pieces_of(pattern="own", own=[""], text="a-b") == ["a-b"]
    for wrong in ("(", "a*", "(a|aa)+b"):
        with pytest.raises(InvalidInputError, match="the pattern"):
            show_cuts(pattern="own", own=[wrong], text="a" * 40)


# Lesson 14: GPT-2's files, compared with the shipped `vocab.bpe`.

LINES = read_vocabulary("vocab.bpe.gz").decode().split("\n")


# Lesson 15: the ids with and without special tokens, by tiktoken itself; the parts of the vocabularies.

BEGUN = "Hello world how are you<|endoftext|"


def test_the_last_character_makes_many_tokens_one():
    assert specials.SPECIAL_TOKENS.example() == {"text": BEGUN, "tokenizer": "gpt2"}
    assert specials.show(BEGUN, "gpt2").needs == ""
    begun, whole = specials.show(BEGUN, "gpt2").figure, specials.show(f"{BEGUN}>", "gpt2").figure
    assert (begun["now"]["n_tokens"], whole["now"]["n_tokens"]) == (11, 6)
    for figure in (begun, whole):
        assert (figure["special_ids"]["n_tokens"], figure["plain"]["n_tokens"]) == (6, 12), (
            "an incomplete special token is completed"
        )
    assert (begun["added"], whole["added"]) == (">", ""), "the missing characters are shown"
    assert whole["special_ids"]["pieces"][-1] == {"text": "<|endoftext|>", "ids": [50256]}
    assert [typed["n"][0] for typed in whole["typed"]][-3:] == [10, 11, 6]
    assert "".join(typed["character"] for typed in whole["typed"]) == f"{BEGUN}>"[-specials.MAX_TYPED :]


def test_cl100k_has_five_special_tokens():
    assert specials.show(BEGUN, "cl100k_base").figure["special"] == {
        "<|endoftext|>": 100257,
        "<|fim_prefix|>": 100258,
        "<|fim_middle|>": 100259,
        "<|fim_suffix|>": 100260,
        "<|endofprompt|>": 100276,
    }
    assert specials.show(BEGUN, "gpt2").figure["special"] == {"<|endoftext|>": 50256}


@pytest.mark.parametrize(
    ("name", "parts", "total"),
    [("gpt2", (256, 50_000, 1), "50257"), ("cl100k_base", (256, 100_000, 5), "100261")],
)
def test_the_vocabulary_is_bytes_merges_and_special_tokens(name, parts, total):
    shown = specials.show(BEGUN, name)
    assert shown.figure["vocabulary"] == parts
    question = asked(shown)
    assert question.answer == total
    assert question.is_right(f"{int(total):,}")
    assert "merges" in question.hint(str(parts[1]))
    assert "outside" in question.hint(f"{parts[0] + parts[1]:,}")
    assert "Add all three" in question.hint("7")


def test_a_user_cannot_type_a_special_token_into_a_chat():
    chat = specials.show("Hi<|im_end|>", "gpt2").figure["chat"]
    special = [piece["text"] for piece in chat["pieces"] if piece["is_special"]]
    assert special == ["<|im_start|>", "<|im_sep|>", "<|im_end|>", "<|im_start|>", "<|im_sep|>"]
    assert chat["n_tokens"] == sum(len(piece["ids"]) for piece in chat["pieces"])


@cache
def tiktokens() -> tiktoken.Encoding:
    """Return GPT-2 in tiktoken, from the shipped ranks."""
    shipped = get_tokenizer("gpt2")
    return tiktoken.Encoding(
        "oracle",
        pat_str=shipped.split_pattern or "",
        mergeable_ranks={shipped.vocabulary.raw_of(rank): rank for rank in range(50_256)},
        special_tokens={"<|endoftext|>": 50_256},
    )


@given(st.lists(st.sampled_from(["a", " b", "<|endoftext|>", "<|endoftext|", "👋"]), max_size=8).map("".join))
def test_both_streams_have_the_ids_of_tiktoken(text):
    assert specials.n_ids(get_tokenizer("gpt2"), text) == (
        len(tiktokens().encode(text, allowed_special="all")),
        len(tiktokens().encode(text, disallowed_special=())),
    )


PARTS = ["a", "B", " ", "\n", "1", ".", "'s", "é", "<|endoftext|>", "<|fim"]


@given(st.lists(st.sampled_from(PARTS), max_size=90).map("".join))
def test_counts_while_typing_equal_those_of_each_prefix(text):
    encoder = get_tokenizer("cl100k_base")
    figure = specials.show(text, "cl100k_base").figure
    whole, typed = text + figure["added"], figure["typed"]
    ends = range(len(whole) - len(typed) + 1, len(whole) + 1)
    assert [character["n"] for character in typed] == [specials.n_ids(encoder, whole[:end]) for end in ends]
