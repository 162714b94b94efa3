"""One text through several tokenizers, live; presets, languages and vocabularies."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect


@pytest.fixture
def compare_page(open_page: Callable[..., Page]) -> Page:
    open_page()  # the table of contents decides on pages
    page = open_page("compare")
    expect(page.locator(".aligned .col").first).to_be_visible()
    return page


def counts(page: Page) -> list[str]:
    return page.locator(".figures td.count").all_text_contents()


def test_typing_shows_tiktokens_counts_and_marks_what_covers_a_character(compare_page: Page) -> None:
    page = compare_page
    page.locator("textarea.text").fill(".DefaultCellStyle")
    expect(page.locator(".figures td.count")).to_have_text(["4", "1", "8"])
    expect(page.locator(".legend")).to_contain_text("0 in all")
    columns = page.locator(".aligned .col:not(.names)")
    columns.last.hover()
    # the last column is "Style" in gpt2, and the one token of cl100k covers every column
    assert page.locator(".lit").count() >= 3
    expect(page.locator(".about")).to_contain_text("cl100k_base: “.DefaultCellStyle”")
    page.locator("textarea.text").fill("<b>x</b>")
    expect(page.locator(".aligned .cell").filter(has_text="<").first).to_be_visible()
    assert page.locator(".rows b").count() == 0
    page.locator("textarea.text").fill("")
    expect(page.locator(".figures td.count")).to_have_text(["0", "0", "0"])


def test_rows_spell_the_text_in_both_views(compare_page: Page) -> None:
    page = compare_page
    text = "Egg egg 안녕하세요 tokenization"
    page.locator("textarea.text").fill(text)
    expect(page.locator(".compare")).to_have_attribute("data-shown", str(len(text)))
    for row in range(3):
        cells = page.locator(f'.aligned .cell[data-g^="{row}."]').all_text_contents()
        assert "".join(cells) == text.replace(" ", "·")
    page.get_by_role("radio", name="Side by side").click()
    bodies = page.locator(".card .body").all_text_contents()
    assert bodies == [text.replace(" ", "·")] * 3


def test_a_preset_brings_its_text_and_why(compare_page: Page) -> None:
    page = compare_page
    page.get_by_role("radio", name="Arithmetic").or_(
        page.get_by_role("button", name="Arithmetic")
    ).first.click()
    expect(page.locator("textarea.text")).to_have_value(
        "127 + 677 = 804\n1275 + 6773 = 8041\n12753 - 6773 = 5980\n"
    )
    expect(page.get_by_text("cut it in threes")).to_be_visible()


def test_languages_are_counted_and_vocabularies_compared(compare_page: Page) -> None:
    page = compare_page
    page.get_by_role("radio", name="Languages").click()
    expect(page.get_by_text("Click a dot or a row")).to_be_visible()
    page.get_by_role("radio", name="Vocabularies").click()
    expect(page.get_by_text("They share")).to_contain_text("43,066")


def test_a_share_link_restores_text_and_tokenizers(open_page: Callable[..., Page]) -> None:
    open_page()
    page = open_page("compare?tokenizers=p50k_base,utf8_bytes&text=h%C3%A9llo")
    expect(page.locator("textarea.text")).to_have_value("héllo")
    expect(page.locator(".figures td:first-child")).to_have_text(["p50k_base", "utf8_bytes"])
    assert counts(page)[1] == "6"


def test_a_word_of_100000_letters_leaves_the_page_alive(compare_page: Page) -> None:
    page = compare_page
    page.locator("textarea.text").evaluate(
        """(area) => {
          area.value = "a".repeat(100000);
          area.dispatchEvent(new Event("input", { bubbles: true }));
        }"""
    )
    expect(page.locator(".compare")).to_have_attribute("data-shown", "100000", timeout=20_000)
    page.locator("textarea.text").fill("alive")
    expect(page.locator(".figures td.count").first).to_have_text("2")
