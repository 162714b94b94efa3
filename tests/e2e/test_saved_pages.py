"""*Save as page*: a saved file shows what the app shows, in a browser without the app and the network."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import choose, key, press, type_text

TEXT = "strawberry </script> 안녕"


@pytest.fixture
def open_saved(page: Page, new_visitor: Callable[..., Page], tmp_path: Path) -> Callable[[Locator], Page]:
    """`open_saved(button)` saves a page and opens the file in a browser that is offline."""
    reader, asked = new_visitor(offline=True), []
    reader.on("request", lambda request: asked.append(request.url))

    def open_it(button: Locator) -> Page:
        with page.expect_download() as saving:
            press(button)
        path = tmp_path / saving.value.suggested_filename
        saving.value.save_as(path)
        reader.goto(path.as_uri())
        assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
        return reader

    return open_it


def save_button(page: Page) -> Locator:
    return page.get_by_role("button", name="Save as page")


def tokens_of(pane: Locator) -> list[str]:
    """Return the texts of the tokens in a pane."""
    expect(pane.locator(".t").first).to_be_visible()
    return pane.locator(".t").all_text_contents()


def test_each_figure_is_the_same_in_a_browser_that_is_offline(
    page: Page, open_saved: Callable[[Locator], Page]
) -> None:
    page.goto("/?tokenizer=gpt2")
    type_text(page, TEXT)
    app = page.get_by_role("group", name="Tokens: arrow keys move, Enter opens")
    expect(app).to_contain_text("script")
    press(page.get_by_role("button", name="More", exact=True))
    saved = open_saved(save_button(page))
    expect(page.get_by_text(re.compile(r"^Saved tokens-gpt2\.html \(\d+ KB\)"))).to_be_visible()
    pane = saved.get_by_role("group", name="Tokens: arrow keys move")
    assert tokens_of(pane) == tokens_of(app)
    expect(saved.get_by_text(f"“{TEXT}” (23 characters")).to_be_visible()
    pane.focus()
    key(saved, "ArrowRight")
    expect(saved.get_by_text('1831  "raw"  72 61 77').first).to_be_visible()

    page.goto("/merge_tree?tokenizer=gpt2")
    type_text(page, "strawberry")
    expect(page.get_by_text("3 tokens, 7 merges")).to_be_visible()
    drawn = page.get_by_role("application", name="Merge trees").text_content()
    saved = open_saved(save_button(page))
    assert saved.get_by_role("application", name="Merge trees").text_content() == drawn
    player = saved.get_by_role("region", name="Step through the encoding")
    expect(player).to_contain_text("0 of 7 merges done")
    press(player.get_by_role("button", name="Play"))
    expect(player).to_contain_text("2 of 7 merges done")
    press(player.get_by_role("button", name="Pause"))
    player.get_by_role("slider").fill("7")
    expect(player).to_contain_text("7 of 7 merges done")

    page.goto("/compare?tokenizers=gpt2,cl100k_base")
    type_text(page, TEXT)
    app = page.get_by_role("region", name="The text in each tokenizer")
    expect(app).to_contain_text("berry")
    saved = open_saved(save_button(page))
    rows = saved.get_by_role("region", name="The text in each tokenizer")
    assert rows.inner_text() == app.inner_text()
    counts = "Counts for each tokenizer"
    assert (
        saved.get_by_role("region", name=counts).inner_text()
        == page.get_by_role("region", name=counts).inner_text()
    )
    rows.focus()
    key(saved, "ArrowRight")
    expect(saved.get_by_role("status")).to_contain_text("gpt2: “st” id 301")

    page.goto("/train")
    expect(page.get_by_role("status").filter(has_text=re.compile("Finished"))).to_be_visible()
    page.get_by_role("slider", name="Steps done").fill("200")
    saved = open_saved(save_button(page))
    text = "Text as tokens"
    assert tokens_of(saved.get_by_role("region", name=text)) == tokens_of(
        page.get_by_role("region", name=text)
    )
    expect(saved.get_by_text("200 of 1,000", exact=True)).to_be_visible()
    choose(saved.get_by_label("Speed"), "400 a second")
    press(saved.get_by_role("button", name="Play"))
    expect(saved.get_by_text("1,000 of 1,000", exact=True)).to_be_visible()
    press(saved.get_by_role("button", name="Reset"))
    press(saved.get_by_role("button", name="+100", exact=True))
    expect(saved.get_by_text("100 of 1,000", exact=True)).to_be_visible()

    page.goto("/formats")
    said = page.get_by_text("fewer than this JSON").first
    headline = said.inner_text()
    saved = open_saved(save_button(page))
    expect(saved.get_by_role("heading", name=headline)).to_be_visible()
    row = saved.get_by_role("row").filter(has_text="JSON, compact")
    expect(row.get_by_role("cell").nth(1)).to_have_text(re.findall(r"[\d,]+", headline)[0])
