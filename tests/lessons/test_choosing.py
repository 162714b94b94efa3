"""Lesson 26: the counts of Formats' own example, with tiktoken and the standard library as oracles."""

import json

import pytest
import tiktoken

from playground.catalog.registry import get_tokenizer
from playground.formats.costs import measure
from playground.formats.reading import read_document
from playground.lessons.choosing import CHOOSE, TOKENIZERS, cheapest, recommend, rows_of_tokenizers, show
from playground.training.corpora import novel
from tests.lessons.asked import asked

EXAMPLE = CHOOSE.example()["text"]


def test_yaml_beats_indented_json_and_compact_json_beats_yaml():
    rows = {row["name"]: row for row in show(EXAMPLE).figure["formats"]}
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
    assert "CSV" not in rows, "what cannot hold the data is left out"


def test_json_is_counted_as_the_standard_library_writes_it():
    data = {"a": [1, 2.5, None, "é"], "b": {"c": True}}
    rows = {row["name"]: row for row in show(json.dumps(data)).figure["formats"]}
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


def test_the_question_asks_what_loses_nothing():
    question = asked(show(EXAMPLE))
    assert question.answer == "flow YAML"
    assert question.is_right("YAML flow")
    assert "loses dates" in question.hint("compact json")
    assert "another has fewer" in question.hint("YAML")
    assert "Choose one of JSON, YAML" in question.hint("nothing")


def test_prose_is_compared_in_tokenizers():
    shown = show("It is a truth universally acknowledged, that a single man must want a wife.")
    assert shown.figure["formats"] == []
    assert "paste JSON" in shown.needs
    assert asked(shown).asks.startswith("Which tokenizer")
    assert asked(shown).answer == cheapest(shown.figure["tokenizers"])["name"]
    assert "Paste JSON" in show(" ").needs
    assert "single value" in show("👋").needs
    assert show("[1, 2]").needs == ""


def test_what_a_tokenizer_loses_is_seen():
    rows = {row["name"]: row for row in rows_of_tokenizers("Straße {x}")}
    assert set(rows) == {*TOKENIZERS, "own"}
    assert rows["bert_uncased"]["loses"] == ["text"], "capital letters are gone"
    assert not rows["gpt2"]["loses"]


def test_the_advice_follows_from_the_counts():
    short = rows_of_tokenizers(EXAMPLE)
    assert short[-1]["n_tokens"] > cheapest(short[:-1])["n_tokens"]
    assert "too little" in recommend(short)
    same = rows_of_tokenizers("checkout-service-frobnicate " * 200)
    n_own, n_ready = same[-1]["n_tokens"], cheapest(same[:-1])["n_tokens"]
    assert recommend(same) == f"“own”: {round(100 * (1 - n_own / n_ready))}% fewer tokens."


@pytest.mark.parametrize(
    "text", ["{" * 3_000, "a: &a [x]\nb: [*a, *a]", "[[[]]]", "\ufeff{}", novel().texts[0][:5_000]]
)
def test_odd_data_is_shown_or_told(text):
    shown = show(text)
    assert shown.question
    assert shown.figure["tokenizers"]
