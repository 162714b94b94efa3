"""Formats: what data costs in each format, what each loses, and the converted text."""

import csv
import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from playground.catalog.registry import get_tokenizer
from playground.formats.advice import advise, describe_price
from playground.formats.costs import measure
from tests.e2e.conftest import (
    add_tokenizer,
    choose,
    choose_file,
    download,
    fill,
    go_to,
    key,
    press,
    remove_tokenizer,
    text_field,
    type_text,
)

OWN = {"page": 1, "items": [{"zip": f"{10_000 + n}", "city": "Oslo", "n": None} for n in range(6)]}


@pytest.fixture
def formats(page: Page) -> Page:
    page.goto("/formats")
    expect(page.get_by_text("fewer than this JSON").first).to_be_visible()
    return page


def advice(name: str = "o200k_base") -> str:
    return advise(measure(OWN, [get_tokenizer(name)]), name).sentence


def test_the_advice_follows_what_is_typed_also_before_the_code_of_the_field_is_loaded(page: Page) -> None:
    text = json.dumps(OWN)
    with page.expect_event("request", lambda request: "shared/text_field.js" in request.url):
        held: list[Route] = []
        page.route("**/shared/text_field.js*", lambda route: held.append(route))
        page.goto("/formats")
    text_field(page).press("Control+A")
    page.keyboard.type(text[:20])  # at once, as the page is not ready yet
    for route in held:
        route.continue_()
    page.keyboard.type(text[20:])
    expect(page.get_by_text(advice())).to_be_visible()
    price = page.get_by_label("Price of a million input tokens")
    fill(price, "7.25")
    key(page, "Enter")
    expect(
        page.get_by_text(describe_price(measure(OWN, [get_tokenizer("o200k_base")]), "o200k_base", 7.25))
    ).to_be_visible()


def test_each_view_is_opened_and_saved_and_the_data_is_there_when_one_comes_back(formats: Page) -> None:
    type_text(formats, json.dumps(OWN))
    expect(formats.get_by_text(advice())).to_be_visible()
    for view in ("Where the tokens go", "Side by side", "How it scales", "Cost"):
        press(formats.get_by_role("radio", name=view))
        expect(formats.get_by_role("radio", name=view)).to_be_checked()
    table = download(formats, formats.get_by_role("button", name="Table as CSV"))
    with open(table, newline="", encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == len(measure(OWN, [get_tokenizer("gpt2")]).conversions)
    chart = download(
        formats, formats.get_by_role("group", name="Save chart as").get_by_role("button", name="SVG")
    )
    assert "JSON, compact" in chart.read_text(encoding="utf-8")
    add_tokenizer(formats, "cl100k_base")
    remove_tokenizer(formats, "GPT-5")
    expect(formats.get_by_text(advice("deepseek_v3"))).to_be_visible()
    go_to(formats, "Tokenize")
    go_to(formats, "Formats")
    expect(text_field(formats)).to_have_value(json.dumps(OWN))
    formats.reload()
    expect(text_field(formats)).to_have_value(json.dumps(OWN))
    expect(formats.get_by_text(advice("deepseek_v3"))).to_be_visible()


def test_bad_data_says_where_is_read_as_yaml_and_exchanged_for_an_example_and_a_file(
    formats: Page, tmp_path: Path
) -> None:
    bad = '{"a": 1,\n "b" 2}'
    type_text(formats, bad)
    expect(formats.get_by_role("alert").filter(has_text="line 2")).to_be_visible()
    expect(text_field(formats)).to_have_value(bad)
    type_text(formats, "Dear all, see you at noon.")
    press(formats.get_by_role("button", name="Read it as YAML"))
    expect(formats.get_by_role("alert")).to_have_count(0)
    expect(formats.get_by_role("combobox", name="Read as")).to_have_value("YAML")
    choose(formats.get_by_label("Start from an example"), "Table of rows")
    expect(text_field(formats)).not_to_have_value("Dear all, see you at noon.")
    press(formats.get_by_role("button", name="Bring it back"))
    expect(text_field(formats)).to_have_value("Dear all, see you at noon.")
    own = tmp_path / "own.json"
    own.write_text(json.dumps(OWN))
    choose_file(formats, formats.get_by_role("button", name="Open file", exact=True), own)
    expect(formats.get_by_text(advice())).to_be_visible()
