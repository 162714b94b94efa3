"""Compare: one text in several tokenizers, its figures, languages and a corpus."""

import csv
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from playground.analysis.language_counts import article_text
from playground.catalog.registry import get_tokenizer
from playground.drift.search import find_difference
from tests.e2e.conftest import (
    add_tokenizer,
    download,
    press,
    remove_tokenizer,
    still,
    text_field,
    type_text,
    upload,
)

NAMES = ["gpt2", "cl100k_base", "python_docs_4k"]


@pytest.fixture
def compare(page: Page) -> Page:
    page.goto(f"/compare?tokenizers={','.join(NAMES)}")
    expect(text_field(page)).not_to_have_value("")
    expect_counts(page, NAMES, text_field(page).input_value())
    return page


def expect_counts(page: Page, names: list[str], text: str) -> None:
    """Expect a row of figures for each tokenizer, with the number of tokens of a text."""
    rows = page.get_by_role("region", name="Counts for each tokenizer").get_by_role("row")
    expect(rows).to_have_count(1 + len(names))
    for at, name in enumerate(names, start=1):
        expect(rows.nth(at).get_by_role("cell").nth(0)).to_have_text(name)
        expect(rows.nth(at).get_by_role("cell").nth(1)).to_have_text(
            f"{len(get_tokenizer(name).encode(text)):,}"
        )


def test_tokenizers_are_added_removed_read_side_by_side_saved_and_outlive_a_reload(compare: Page) -> None:
    text = ".DefaultCellStyle\n\n\nend 안녕"
    type_text(compare, text)
    expect_counts(compare, NAMES, text)
    aligned = compare.get_by_role("region", name="The text in each tokenizer")
    expect(aligned.get_by_text("gpt2")).to_have_count(2)  # empty lines have no rows
    still(aligned.get_by_text(".", exact=True).first).hover()
    tip = compare.get_by_text("cl100k_base: “.DefaultCellStyle” id 98518")
    expect(tip).to_be_in_viewport(ratio=1)
    add_tokenizer(compare, "o200k_base")
    expect_counts(compare, [*NAMES, "o200k_base"], text)
    remove_tokenizer(compare, "cl100k_base")
    names = ["gpt2", "python_docs_4k", "o200k_base"]
    expect_counts(compare, names, text)
    file = download(compare, compare.get_by_role("button", name="Download CSV"))
    with open(file, newline="", encoding="utf-8") as opened:
        rows = list(csv.DictReader(opened))
    assert [(row["tokenizer_name"], int(row["n_tokens"])) for row in rows] == [
        (name, len(get_tokenizer(name).encode(text))) for name in names
    ]
    press(compare.get_by_role("radio", name="Side by side"))
    for name in names:
        expect(compare.get_by_role("main")).to_contain_text(name)
    expect(compare.get_by_text(".Default", exact=True)).to_be_visible()
    compare.reload()
    expect_counts(compare, names, text)


def test_languages_are_charted_a_corpus_is_counted_or_refused_and_the_shortest_difference_is_found(
    compare: Page, tmp_path: Path
) -> None:
    press(compare.get_by_role("radio", name="Languages"))
    expect(compare.get_by_text("Click a dot or a row")).to_be_visible()
    chart = download(
        compare, compare.get_by_role("group", name="Save chart as").get_by_role("button", name="SVG")
    )
    assert "Burmese" in chart.read_text(encoding="utf-8")
    # The table is drawn on a canvas: its first row is the language that costs most in gpt2.
    press(compare.get_by_test_id("stDataFrame"), position={"x": 16, "y": 52})
    expect(text_field(compare)).to_have_value(article_text("mya", 1))
    expect_counts(compare, NAMES, article_text("mya", 1))
    corpus, bad = tmp_path / "corpus.txt", tmp_path / "bad.txt"
    corpus.write_text("the cat sat on the mat. " * 500)
    bad.write_bytes(b"caf\xe9 au lait")
    press(compare.get_by_role("radio", name="My corpus"))
    upload(compare, corpus)
    expect(compare.get_by_text("12,000 bytes and 12,000 characters of text in 1 document")).to_be_visible()
    upload(compare, bad)
    expect(compare.get_by_role("alert")).to_contain_text("bad.txt")
    press(compare.get_by_role("radio", name="Difference"))
    found = find_difference(get_tokenizer("gpt2"), get_tokenizer("cl100k_base"))
    assert found.difference is not None
    expect(compare.get_by_text(found.sentence)).to_be_visible()
    press(compare.get_by_role("button", name="Put this text into the text field"))
    expect_counts(compare, NAMES, found.difference.text)
