"""Lessons 21 to 26: spelling, languages, numbers, spaces and formats."""

import json
from collections import Counter

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from playground.analysis.token_details import split_unstable
from playground.catalog.openai import load_openai
from playground.catalog.registry import get_tokenizer
from playground.formats.costs import measure
from playground.formats.example_data import EXAMPLE_DATA
from playground.formats.reading import read_document
from playground.lessons import choosing, languages, numbers_of_digits, spaces, spelling
from playground.training.parallel_texts import load_parallel_texts
from tests.lessons.asked import asked


@pytest.mark.parametrize(
    ("addition", "digits"),
    [("0 + 5", ["0", "5", "5"]), ("007 + 3", ["7", "3", "10"]), ("1+2+3", ["1", "2", "3", "6"]), ("1", [])],
)
def test_an_addition_has_its_sum_also_of_zeros(addition, digits):
    rows = numbers_of_digits.show(addition, "cl100k_base", space=False).figure["rows"]
    assert [row["digits"] for row in rows] == digits
    assert all(sum(row["tokens"]) == len(row["digits"]) for row in rows)


# Lesson 21: the lecture's word forwards, backwards and spaced out, in three tokenizers.

WORD = ".DefaultCellStyle"


def ids_of(way):
    return [token_id for piece in way["pieces"] for token_id in piece["ids"]]


@pytest.mark.parametrize(
    ("name", "counts", "shared"),
    [("cl100k_base", [1, 9, 17], []), ("gpt2", [4, 10, 17], [13]), ("o200k_base", [3, 9, 17], [])],
)
def test_the_word_has_other_tokens_backwards_and_spaced_out(name, counts, shared):
    figure = spelling.show(WORD, name).figure
    assert [way["n_tokens"] for way in figure["ways"]] == counts
    assert [len(ids_of(way)) for way in figure["ways"]] == counts
    assert figure["shared"] == shared


def test_the_example_is_one_block_of_seventeen_letters():
    assert spelling.SPELLING.example() == {"text": WORD, "tokenizer": "cl100k_base"}
    assert spelling.show(**spelling.SPELLING.example()).figure["ways"][0]["pieces"] == [
        {"text": WORD, "ids": [98518], "n_letters": 17}
    ]


def test_the_question_counts_the_commonest_letter():
    question = asked(spelling.show(WORD, "gpt2"))
    assert (question.asks, question.answer) == (f"How many times does l occur in “{WORD}”?", "4")
    assert asked(spelling.show("Ananas", "gpt2")).answer == "3", "capitals count"
    assert asked(spelling.show("x" * 100, "gpt2")).asks == "How many times does x occur in the whole text?"


def test_a_consonant_with_its_vowel_sign_is_a_letter():
    assert (
        asked(spelling.show("नेपाल नेपाली ने", "gpt2")).asks == "How many times does ने occur in “नेपाल नेपाली ने”?"
    )


@given(st.text(st.sampled_from("ab é👍🏽e\u0301"), max_size=20))
def test_letters_join_to_the_text_and_reversing_twice_restores_it(text):
    assert "".join(spelling.letters_of(text)) == text
    assert sorted(spelling.backwards(text)) == sorted(text)
    assert len(spelling.spaced_out(text)) == len(text) + max(0, len(spelling.letters_of(text)) - 1)


@given(st.text("abcXYZ. ", max_size=30))
def test_plain_letters_are_reversed_like_pythons_slice(text):
    assert spelling.backwards(text) == text[::-1]


# Lesson 22: the lecture's pair, and the declaration counted again.

HELLO, KOREAN = languages.LANGUAGES.example()["english"], languages.LANGUAGES.example()["other"]


def test_the_lectures_greeting_has_its_counts_in_english_and_korean():
    assert (languages.n_tokens(HELLO), languages.n_tokens(KOREAN)) == ([5, 5, 5], [36, 15, 7])
    question = asked(languages.show(HELLO, KOREAN))
    assert question.answer == "3.0"
    assert all(map(question.is_right, ("3", "3.0", "3,0", "3 ×", "3x", "3 times")))


@pytest.mark.parametrize("at", range(3))
def test_counts_of_all_languages_equal_those_of_tiktoken(at):
    encoding = load_openai(languages.TOKENIZERS[at]).encoding
    counts = {text.name: len(encoding.encode_ordinary(text.articles[0])) for text in load_parallel_texts()}
    assert len(languages.times_english()) == len(counts) == 39
    for language in languages.times_english():
        assert language["times"][at] == round(counts[language["name"]] / counts["English"], 2)


# Lesson 23: the counts of GPT-2's splits, and tiktoken as the oracle.


def test_gpt2_cuts_numbers_as_counted_by_tiktoken():
    cuts = numbers_of_digits.cuts_of_all("gpt2", False)
    assert len(cuts) == 10_000
    assert cuts.count("0") == 907
    assert Counter(cuts[1_000:]) == {"0": 88, "4": 538, "2": 5_807, "1": 2_538, "5": 29}
    assert asked(numbers_of_digits.show("127 + 677", "gpt2", False)).answer == "521"


def test_a_leading_space_changes_how_numbers_are_cut():
    cuts = numbers_of_digits.cuts_of_all("gpt2", True)
    assert cuts.count("0") == 681
    question = asked(numbers_of_digits.show("127 + 677", "gpt2", True))
    assert (question.asks, question.answer) == (
        "What is the smallest number that GPT-2 splits after a space?",
        "362",
    )


def test_later_tokenizers_cut_after_three_digits():
    for has_space in (False, True):
        assert numbers_of_digits.cuts_of_all("cl100k_base", has_space) == "0" * 1_000 + "4" * 9_000


def test_qwen_has_one_token_for_each_digit():
    assert numbers_of_digits.cuts_of_all("qwen3", False) == "0" * 10 + "1" * 90 + "3" * 900 + "7" * 9_000


@given(st.integers(0, 999_999_999), st.booleans())
def test_digits_of_tokens_equal_those_in_their_bytes(number, has_space):
    for name in ("gpt2", "cl100k_base", "qwen3"):
        tokenizer = get_tokenizer(name)
        text = " " * has_space + str(number)
        raws = [tokenizer.vocabulary.raw_of(one) for one in tokenizer.encode(text)]
        expected = [length for raw in raws if (length := len(raw.strip()))]
        assert numbers_of_digits.digits_of_tokens(tokenizer, str(number), has_space=has_space) == expected


def test_an_addition_is_shown_by_tokens_or_refused():
    rows = numbers_of_digits.show(**numbers_of_digits.NUMBERS.example()).figure["rows"]
    assert [row["digits"] for row in rows] == ["3456", "2675", "6131"]
    assert [row["tokens"] for row in rows] == [[3, 1], [2, 2], [1, 3]], "no column has the same cut"
    assert [row["digits"] for row in numbers_of_digits.show("007+1=9", "gpt2", False).figure["rows"]] == [
        "7",
        "1",
        "8",
    ]
    for other in ("none 12", "12", "-5 + 3", "1.5 + 2", "5 + ٣", "99999999999999999999 + 1", "1 + 1 + 1 + 1"):
        shown = numbers_of_digits.show(other, "gpt2", False)
        assert (shown.figure["rows"], "such as 127 + 677" in shown.needs) == ([], True), other
    assert "one token" in numbers_of_digits.show("1 + 2", "gpt2", False).needs
    assert numbers_of_digits.show("1275 + 1", "gpt2", False).needs == ""


# Lesson 24: the counts of tokens with a space, and completions looked for by hand.

SPACES_EXAMPLE = spaces.SPACES.example()["text"]
NAMES = ("gpt2", "cl100k_base", "o200k_base")


def test_tokens_that_begin_with_a_space_are_counted():
    counted = [(share["n"], share["of"]) for share in spaces.show(SPACES_EXAMPLE, "gpt2").figure["shares"]]
    assert counted == [(33_135, 50_256), (44_610, 100_256), (106_529, 199_998)]
    tokens = load_openai("gpt2").mergeable_ranks
    assert spaces.count_space_starts(load_openai("gpt2"))[0] == sum(raw[:1] == b" " for raw in tokens)
    question = asked(spaces.show(SPACES_EXAMPLE, "gpt2"))
    assert question.answer == "33135"
    assert question.is_right("33,135")
    assert asked(spaces.show(SPACES_EXAMPLE, "cl100k_base")).answer == "44610"


@pytest.mark.parametrize(("name", "n"), [*zip(NAMES, (1_334, 2_112, 3_599), strict=True)])
def test_a_partial_token_has_the_counted_completions(name, n):
    shown = spaces.show(".DefaultCellSta", name)
    assert shown.figure["n_completions"] == n
    assert shown.needs == ""
    assert all("Sta" in text for text in shown.figure["completions"])


@given(st.sampled_from(NAMES), st.text(st.sampled_from("ab .,!\né안"), max_size=30))
def test_completions_equal_those_of_the_whole_text(name, text):
    figure = spaces.show(text, name).figure
    if figure["n_completions"]:
        n_stable, completions = split_unstable(load_openai(name), text)
        assert len(completions) == figure["n_completions"]
        if not figure["is_cut"]:
            n_open = sum(len(piece["ids"]) for piece in figure["pieces"][figure["n_stable"] :])
            assert n_open >= len(load_openai(name).encode(text)) - n_stable


# Lesson 26: the counts of Formats' own example, with tiktoken and the standard library as oracles.

EXAMPLE = EXAMPLE_DATA["Configuration"]()


def test_yaml_beats_indented_json_and_compact_json_beats_yaml():
    rows = {row["name"]: row for row in choosing.show(EXAMPLE).figure["formats"]}
    counts = {name: row["n_tokens"] for name, row in rows.items()}
    assert (counts["JSON"], counts["YAML"], counts["compact JSON"]) == (221, 166, 130)
    (yaml,) = measure(
        read_document(EXAMPLE).data, [get_tokenizer("cl100k_base")], formats=["yaml"]
    ).conversions
    n_tokens = [len(get_tokenizer("cl100k_base").encode(f"{yaml.text}{end}")) for end in ("", "\n")]
    assert n_tokens == [166, 167], (
        "no format is counted with a line end behind it, which YAML's library writes"
    )
    assert rows["compact JSON"]["loses"] == ["dates"], "JSON has no dates"
    assert "CSV" not in rows, "formats that cannot represent the data are left out"


def test_json_is_counted_as_the_standard_library_writes_it():
    data = {"a": [1, 2.5, None, "é"], "b": {"c": True}}
    rows = {row["name"]: row for row in choosing.show(json.dumps(data)).figure["formats"]}
    encode = tiktoken.Encoding(
        "cl100k",
        pat_str=str(get_tokenizer("cl100k_base").split_pattern),
        mergeable_ranks=dict(get_tokenizer("cl100k_base").mergeable_ranks),  # type: ignore[attr-defined]
        special_tokens={},
    ).encode
    pretty = json.dumps(data, indent=2, ensure_ascii=False)
    compact = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    assert rows["JSON"]["n_tokens"] == len(encode(pretty))
    assert rows["compact JSON"]["n_tokens"] == len(encode(compact))


def test_the_question_asks_for_the_cheapest_lossless_format():
    question = asked(choosing.show(EXAMPLE))
    assert question.answer == "flow YAML"
    assert question.is_right("YAML flow")


def test_prose_is_compared_by_tokenizers():
    shown = choosing.show("It is a truth universally acknowledged, that a single man must want a wife.")
    assert shown.figure["formats"] == []
    assert "paste JSON" in shown.needs
    assert asked(shown).asks.startswith("Which tokenizer")
    assert asked(shown).answer == choosing.cheapest(shown.figure["tokenizers"])["name"]
    assert "Paste JSON" in choosing.show(" ").needs
    assert "single value" in choosing.show("👋").needs
    assert choosing.show("[1, 2]").needs == ""


def test_information_lost_by_a_tokenizer_is_shown():
    rows = {row["name"]: row for row in choosing.rows_of_tokenizers("Straße {x}")}
    assert set(rows) == {*choosing.TOKENIZERS, "own"}
    assert rows["bert_uncased"]["loses"] == ["text"], "capital letters are gone"
    assert not rows["gpt2"]["loses"]


def test_the_advice_follows_from_the_counts():
    short = choosing.rows_of_tokenizers(EXAMPLE)
    assert short[-1]["n_tokens"] > choosing.cheapest(short[:-1])["n_tokens"]
    assert "too little" in choosing.recommend(short)
    same = choosing.rows_of_tokenizers("checkout-service-frobnicate " * 200)
    n_own, n_ready = same[-1]["n_tokens"], choosing.cheapest(same[:-1])["n_tokens"]
    assert choosing.recommend(same) == f"“own”: {round(100 * (1 - n_own / n_ready))}% fewer tokens."
