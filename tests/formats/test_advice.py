"""The advice agrees with what can be computed from the texts alone."""

import json
import re
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from playground.catalog.registry import get_tokenizer
from playground.formats.advice import (
    advise,
    describe_losses,
    describe_price,
    headline,
    recommended,
)
from playground.formats.costs import CostTable, measure
from playground.formats.example_data import EXAMPLE_DATA
from playground.formats.reading import read_document
from playground.formats.values import Conversion, Loss
from tests.formats.equality import comes_back
from tests.formats.strategies import JSON_DATA, OTHER_DATA, RECORDS

LABELS = {
    "pretty JSON": "json_pretty",
    "JSON indented by 4": "json_pretty_4",
    "compact JSON": "json_compact",
    "json.dumps()": "json_dumps",
    "JSON Lines": "json_lines",
    "JSON5 with bare keys": "json5",
    "YAML": "yaml",
    "flow YAML": "yaml_flow",
    "TOML": "toml",
    "XML of elements": "xml_elements",
    "XML with attributes": "xml_attributes",
    "CSV": "csv",
    "TSV": "tsv",
    "a Markdown table": "markdown",
    "an HTML table": "html",
    "a properties file": "properties",
    "a Python literal": "python",
    "TOON": "toon",
}
NAMES = "|".join(map(re.escape, sorted(LABELS, key=len, reverse=True)))
PERCENT = r"(?:under 1 %|\d+ %)"
UNUSUAL = {"json5", "yaml_flow", "toon", "python", "properties"}
WORDS = re.compile(
    rf"In gpt2, (?P<best>{NAMES})(?P<tied>(?:, (?:{NAMES}))*(?: and (?:{NAMES}|\d+ more))?)"
    rf" (?P<how>is the cheapest format that loses nothing|is the format to send"
    rf"|tie as the cheapest formats that lose nothing)"
    rf"(?:: (?P<first>.+?))?\."
    rf"(?: It is (?P<second>.+?)\.)?"
    rf"(?: (?i:(?P<unusual>{NAMES})) is the cheapest that loses nothing, but only (?P<saved>{PERCENT}) below"
    rf" (?P<than>{NAMES}), and fewer programs read it\.)?"
    rf"(?: (?i:(?P<lossy>{NAMES})) is (?P<cheaper>{PERCENT}) cheaper still, but (?P<losses>.+)\.)?",
    re.DOTALL,
)
LABEL = rf"(?:{NAMES})(?: \(lossy\))?"
COMPARED = re.compile(rf"(level with|{PERCENT} (?:below|above)) ({LABEL}(?: and {LABEL})?)")


def percent(part: int, whole: int) -> str:
    exact = 100 * part / whole
    return "under 1 %" if 0 < exact < 0.5 else f"{exact:.0f} %"


def check(data: Any, table: CostTable) -> None:
    advice = advise(table, "gpt2")
    assert len(advice.sentence.split()) <= 25
    encode = get_tokenizer("gpt2").encode
    texts = {c.format_name: c.text for c in table.conversions if c.text is not None}
    n_tokens = {name: len(encode(text)) for name, text in texts.items()}
    holds_all = {name for name, text in texts.items() if comes_back(data, name, text)}
    is_empty = re.match(f"In gpt2, ({NAMES}) writes this data as an empty text", advice.sentence)
    if is_empty:
        name = LABELS[is_empty[1]]
        assert name in holds_all
        assert texts[name] == ""
        return
    match = WORDS.fullmatch(" ".join(filter(None, advice)))
    assert match, advice
    best = LABELS[match["best"]]
    assert best in holds_all
    cheapest = min(n_tokens[name] for name in holds_all)
    usual = min((n_tokens[name] for name in holds_all - UNUSUAL), default=10**9)
    assert n_tokens[best] == (usual if usual * 0.9 <= cheapest else cheapest)
    assert ("to send" in match["how"]) == (match["unusual"] is not None) == (n_tokens[best] > cheapest)
    if match["unusual"]:
        unusual = next(name for label, name in LABELS.items() if label.lower() == match["unusual"].lower())
        assert unusual in holds_all
        assert n_tokens[unusual] == cheapest
        assert match["saved"] == percent(n_tokens[best] - cheapest, n_tokens[best])
        assert match["than"] == match["best"]
    tied = {name for name in holds_all if n_tokens[name] == n_tokens[best]}
    named: list[str] = []
    if match["tied"]:
        others = [label for label in re.split(", | and ", match["tied"]) if label]
        more = [label for label in others if label.endswith(" more")]
        assert {LABELS[label] for label in others if label not in more} <= tied
        n_more = int(more[0].split()[0]) if more else 0
        assert 1 + len(others) - len(more) + n_more == len(tied)
        assert match["first"] == f"{n_tokens[best]:,} token{'s'[: n_tokens[best] != 1]} each"
    else:
        assert len(tied) == 1 or match["unusual"]
    compared = [] if match["tied"] else COMPARED.findall(f"{match['first'] or ''} {match['second'] or ''}")
    for how_much, labels in compared:
        for label in labels.split(" and "):
            name = LABELS[label.removesuffix(" (lossy)")]
            named.append(name)
            assert label.endswith(" (lossy)") == (name not in holds_all and n_tokens[name] < n_tokens[best])
            difference = n_tokens[name] - n_tokens[best]
            assert how_much == (
                "level with"
                if difference == 0
                else f"{percent(abs(difference), n_tokens[name])} {'below' if difference > 0 else 'above'}"
            )
    lossy = next(
        (name for label, name in LABELS.items() if label.lower() == (match["lossy"] or "").lower()), ""
    )
    expected = {"json_pretty", "json_compact"} | (
        {"yaml"} if best in ("json_pretty", "json_compact") else set()
    )
    expected = set() if match["tied"] else {name for name in expected if name in texts} - {best, lossy}
    assert set(named) == expected, "each is compared once"
    if match["lossy"]:
        assert lossy not in holds_all
        assert match["cheaper"] == percent(n_tokens[best] - n_tokens[lossy], n_tokens[best])
    else:  # whatever is cheaper leaves out much of the data
        cheaper = [name for name in texts if n_tokens[name] < n_tokens[best] and name not in holds_all]
        assert all(table.conversion(name).part_left_out > 0.25 for name in cheaper)


@pytest.mark.parametrize("example", EXAMPLE_DATA)
def test_the_advice_for_an_example_is_what_its_texts_say(example):
    data = read_document(EXAMPLE_DATA[example]()).data
    check(data, measure(data, [get_tokenizer("gpt2")]))


@settings(max_examples=30, deadline=None)
@given(data=st.one_of(JSON_DATA, RECORDS, OTHER_DATA))
def test_the_advice_is_what_the_texts_say(data):
    table = measure(data, [get_tokenizer("gpt2")])
    if table.cheapest("gpt2") is None:
        sentence = advise(table, "gpt2").sentence
        assert len(sentence.split()) <= 25
        assert "no format brings everything back" in sentence or "no format can hold all of it" in sentence
    else:
        check(data, table)


def test_a_format_that_leaves_out_most_of_the_data_is_no_advice():
    data = {"main": {"temperature": 21.5, "pressure": 1012}, "wind": {"speed": 3}, "weather": [{"id": 800}]}
    table = measure(data, [get_tokenizer("gpt2")])
    csv = table.conversion("csv")
    assert (csv.fidelity, csv.part_left_out) == ("lossy", 0.75)
    assert table.n_tokens["gpt2"]["csv"] == min(table.n_tokens["gpt2"].values())
    assert "CSV" not in " ".join(advise(table, "gpt2"))


def test_without_a_format_that_holds_all_the_cheapest_says_what_it_loses():
    table = measure({"a": [None]}, [get_tokenizer("gpt2")], formats=["csv", "xml_elements"])
    advice = advise(table, "gpt2")
    assert advice.sentence == "In gpt2, no format brings everything back; XML of elements is the cheapest."
    assert advice.rest.startswith("It ")
    table = measure([1], [get_tokenizer("gpt2")], formats=["csv"])
    assert advise(table, "gpt2") == ("In gpt2, no format can hold all of it.", "")


def test_the_price_is_that_of_the_counts():
    data = read_document(EXAMPLE_DATA["API response"]()).data
    table = measure(data, [get_tokenizer("o200k_base")])
    words = describe_price(table, "o200k_base", 2.5)
    counts = table.n_tokens["o200k_base"]
    best = recommended(table, "o200k_base")
    assert best is not None
    pretty, own = (counts[n] * 1_000 * 2.5 / 1e6 for n in ("json_pretty", best.format_name))
    assert words.startswith(
        f"1,000 calls cost ${own:.2f}: ${pretty - own:.2f} less than as pretty JSON (${pretty:.2f}). "
    )
    assert f"With its losses, CSV would cost ${counts['csv'] * 2.5 / 1_000:.2f}." in words
    assert describe_price(table, "o200k_base", 0) == "1,000 calls cost nothing: the price is 0."
    assert describe_price(table, "o200k_base", -0.5).endswith("a price is 0, which is free, or more.")
    assert describe_price(measure([], [get_tokenizer("gpt2")], formats=["yaml"]), "gpt2", 1) == (
        "1,000 calls cost $0.0010."
    )


@pytest.mark.parametrize(
    ("data", "sentence", "rest", "price"),
    [
        (
            [],
            "JSON Lines writes this data as an empty text, which has no tokens.",
            "As pretty JSON it has 1 token.",
            "1,000 calls cost nothing: the text is empty.",
        ),
        (
            None,
            "pretty JSON, compact JSON, YAML and 6 more tie as the cheapest formats that lose nothing: "
            "1 token each.",
            "",
            "1,000 calls cost $0.0010: the same as compact JSON ($0.0010).",
        ),
    ],
)
def test_the_headline_reads_well_for_an_empty_list_and_a_single_value(data, sentence, rest, price):
    table = measure(data, [get_tokenizer("gpt2")])
    assert advise(table, "gpt2") == (f"In gpt2, {sentence}", rest)
    assert describe_price(table, "gpt2", 1) == price


NAMES_AND_PRICES = read_document("name,price\nMüller,3.50\nDvořák,10\n").data


@given(st.floats(0.01, 9_999))
@example(2.5)
def test_written_amounts_add_up(price):
    table = measure(NAMES_AND_PRICES, [get_tokenizer("o200k_base")])
    words = describe_price(table, "o200k_base", price).replace(",", "")
    own, *said = map(Decimal, re.findall(r"\d+\.\d+", words.partition(". With")[0]))
    assert len(said) == 4
    assert price != 2.5 or min(said) < Decimal("0.01"), "two decimals would not do"
    assert [own + said[0], own + said[2]] == [said[1], said[3]]


def test_the_headline_compares_with_the_text_as_it_was_given():
    table = measure({"a": [1, None], "b": "x"}, [get_tokenizer("gpt2")])
    assert headline(table, "gpt2", "YAML", 22) == "Compact JSON: 11 tokens, 50 % fewer than this YAML (22)"
    assert headline(table, "gpt2", "JSON", 9).startswith("This JSON, 9 tokens, is the best format: compact")
    yaml = measure("مرحبا", [get_tokenizer("o200k_base")], formats=["yaml"])
    n_tokens = yaml.n_tokens["o200k_base"]["yaml"]
    assert (
        headline(yaml, "o200k_base", "YAML", n_tokens) == f"This YAML is the best format: {n_tokens} tokens"
    )
    none = measure({"a": None}, [get_tokenizer("gpt2")], formats=["csv"])
    assert headline(none, "gpt2", "JSON", 9) == advise(none, "gpt2").sentence


def test_formats_that_were_not_finished_qualify_the_headline():
    table = measure({"a": [1, None], "b": "x"}, [get_tokenizer("gpt2")], formats=["json_pretty", "yaml"])
    undone = Conversion("csv", None, "cannot", reason="it took too long; try fewer rows", is_over_limit=True)
    advice = advise(CostTable((*table.conversions, undone), table.n_tokens), "gpt2")
    assert advice.sentence.startswith("In gpt2, of the 2 formats that were finished, YAML is the cheapest")
    assert advice.rest == "Not compared, because it took too long: CSV."


def test_the_readers_that_change_a_value_are_named():
    table = measure([{"zip": "00001", "at": "2026-03-14"}], [get_tokenizer("gpt2")], formats=["csv"])
    words = describe_losses(table.conversion("csv").losses)
    assert words == "rewrites “zip” for pandas and Arrow and drops the types of “at” for Arrow"


def test_losses_read_well():
    types = Loss("types", ("[].zip",), 1, 3)
    nulls = Loss("nulls", ("a[]",), 1, 1)
    parts = Loss("parts", ("page", "total", "next"), 3, 3)
    assert describe_losses([types]) == "drops the types of “zip”"
    assert (
        describe_losses([nulls, types]) == "drops the types of “zip” and cannot tell null from empty in “a”"
    )
    expected = "leaves out 3 fields (page, total, …), drops the types of “zip”, and more"
    assert describe_losses([nulls, types, parts]) == expected
    assert describe_losses([nulls, types, parts], n_kinds=8).endswith(
        "“zip” and cannot tell null from empty in “a”"
    )
    assert json.dumps(describe_losses([])) == '""'


@pytest.mark.parametrize(
    ("text", "format_name"), [("zip,n\n01234,1\n,2\n", "csv"), ("zip\tn\n01234\t1\n\t2\n", "tsv")]
)
def test_a_column_is_judged_alike_from_every_source_and_a_table_of_text_loses_no_types(text, format_name):
    document = read_document(text)
    gpt2 = [get_tokenizer("gpt2")]
    table = measure(document.data, gpt2, read_as=document.input_format)
    (loss,) = table.conversion(format_name).losses
    assert (loss.kind, loss.readers) == ("rewritten", ("pandas", "Arrow"))
    from_json = measure([{"zip": "01234"}, {"zip": "00001"}], gpt2).conversion(format_name)
    assert [loss.kind for loss in from_json.losses] == ["rewritten"], "the same from JSON"
    dates = read_document("id,at\n1,2026-03-14\n2,\n")
    as_data = measure(dates.data, gpt2).conversion("csv")
    assert {loss.kind for loss in as_data.losses} == {"types"}
    assert measure(dates.data, gpt2, read_as="CSV").conversion("csv").fidelity == "equal"
