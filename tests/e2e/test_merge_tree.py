"""A teacher asks where " tokenization" differs, which merge came first, and looks a token up."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect


@pytest.fixture
def forest_page(open_page: Callable[..., Page]) -> Page:
    page = open_page("merge_tree")
    expect(page.locator(".forest").first.locator("svg.tree").first).to_be_visible()
    return page


def joints(page: Page) -> list[str]:
    return page.locator(".forest").first.locator(".rank").all_text_contents()


def test_the_page_opens_with_a_forest_and_draws_what_is_typed(forest_page: Page) -> None:
    expect(forest_page.locator(".counts").first).to_have_text("2 tokens, 11 merges")
    assert {"11241", "1634", "256"} <= set(joints(forest_page))
    forest_page.locator("textarea.text").first.fill("<b>안녕</b> & more")
    expect(forest_page.locator(".counts").first).to_contain_text("tokens")
    expect(forest_page.locator(".forest").first.locator(".pretoken")).to_have_count(9)
    assert forest_page.locator(".forest b").count() == 0
    forest_page.locator("textarea.text").first.fill("")
    expect(forest_page.locator(".counts").first).to_have_text("0 tokens, 0 merges")


def test_arrow_keys_walk_the_tree_and_hover_marks_a_subtree(forest_page: Page) -> None:
    forest = forest_page.locator(".forest").first
    about = forest_page.locator(".about").first
    forest.focus()
    for key, expected in [
        ("ArrowRight", "“·token”  rank 11,241"),
        ("ArrowDown", "“·to”  rank 284"),
        ("ArrowRight", "“ken”  rank 3,464"),
        ("ArrowUp", "“·token”  rank 11,241"),
        ("ArrowRight", "“ization”  rank 1,634"),
    ]:
        forest_page.keyboard.press(key)
        expect(about).to_contain_text(expected)
    forest.locator(".rank", has_text=re.compile("^284$")).hover()
    expect(forest.locator(".lit")).to_have_count(5)  # " to" is two joints and three bytes


def test_the_player_ends_in_the_tokens(forest_page: Page) -> None:
    player = forest_page.locator(".player").first
    expect(player.locator(".why")).to_contain_text("256 is the lowest rank")
    player.locator("[data-go=on]").click()
    expect(player.locator(".part").first).to_have_text("·t")
    forest_page.keyboard.press("End")
    expect(player.locator(".where")).to_have_text("11 of 11 merges done")
    expect(player.locator(".part")).to_have_text(["·tokenid 11241", "izationid 1634"])
    forest_page.keyboard.press("Home")
    expect(player.locator(".part")).to_have_count(13)
    player.locator(".play").click()
    expect(player.locator(".part")).to_have_count(12)
    player.locator(".play").click()
    expect(player.locator(".play")).to_have_text("Play")


def test_a_share_link_restores_text_tokenizer_and_step(open_page: Callable[..., Page]) -> None:
    open_page()
    page = open_page("merge_tree?tokenizer=cl100k_base&text=Hello+world%21&step=2&height=order")
    expect(page.locator("textarea.text").first).to_have_value("Hello world!")
    expect(page.locator(".counts").first).to_have_text("3 tokens, 9 merges")
    expect(page.locator(".where").first).to_have_text("2 of 9 merges done")
    expect(page.locator("[data-height=order]").first).to_have_attribute("aria-checked", "true")


def test_pictures_are_whole_svg_and_png_files(forest_page: Page) -> None:
    for kind, start in (("svg", b"<svg"), ("png", b"\x89PNG")):
        with forest_page.expect_download() as download:
            forest_page.locator(f"[data-picture={kind}]").first.click()
        with open(download.value.path(), "rb") as file:
            assert file.read(4) == start


def test_the_vocabulary_finds_a_token_and_opens_it(forest_page: Page) -> None:
    forest_page.get_by_role("radio", name="Vocabulary").click()
    panel = forest_page
    panel.get_by_label("Regular expression").wait_for()
    panel.get_by_test_id("stTextInput").get_by_label("Text").fill("SolidGold")
    forest_page.keyboard.press("Enter")
    expect(panel.get_by_text("1 of 50,256 tokens")).to_be_visible()
    expect(panel.get_by_role("heading", name="Token 43,453 ·SolidGoldMagikarp")).to_be_visible()
    panel.get_by_label("Regular expression").fill("(")
    forest_page.keyboard.press("Enter")
    expect(panel.get_by_text("is not a regular expression")).to_be_visible()
