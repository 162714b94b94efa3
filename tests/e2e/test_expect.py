"""Expect: a model that is opened from a file reads what one types."""

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.e2e.conftest import Server, choose_file, press, shared_link, still, text_field, type_text
from tests.expect.models import write_tiny_model


def test_a_model_is_opened_and_reads_a_text_a_second_one_and_another_cut(
    own_server: Callable[..., Server], new_visitor: Callable[..., Page], tmp_path: Path
) -> None:
    page = new_visitor(base_url=own_server().url)
    page.goto("/expect")
    opener = page.get_by_role("button", name="Open a GGUF file")
    choose_file(page, opener, write_tiny_model(tmp_path / "tiny.gguf"))
    panel = page.get_by_role("complementary", name="What the model expected")
    first, second = (page.get_by_role("region", name=f"{which} text") for which in ("First", "Second"))
    type_text(page, "the tin")
    expect(first.get_by_role("status").filter(has_text="tokens")).to_have_text(
        re.compile(r"^5 tokens · [\d.]+ bits · 0 all but certain tiny$")
    )
    first.get_by_text("th", exact=True).hover()
    expect(panel).to_contain_text(re.compile("Nothing comes before the first token"))
    first.get_by_text("in", exact=True).hover()
    expect(panel).to_contain_text(re.compile(r"[\d.]+ bits.*1 in.*choice of 263 tokens.*tiny"))

    # What comes next is typed with a click; arrow keys choose a token.
    press(first.get_by_text("?", exact=True))
    expect(text_field(page)).to_have_value(re.compile("^the tin.+"))
    expect(first.get_by_text("?", exact=True)).to_be_visible()
    still(first.get_by_role("group", name="Tokens of the text")).press("ArrowLeft")
    expect(panel).to_contain_text("choice of 263 tokens")

    press(page.get_by_role("button", name="A space at the end"))
    expect(second.get_by_role("textbox")).to_have_value("The capital of France is ")
    expect(second.get_by_role("status").filter(has_text="tokens")).to_be_visible()
    expect(page.get_by_text("The experiment replaced your text.")).to_be_visible()

    type_text(page, " then")
    press(page.get_by_role("radio", name="Another cut"))
    expect(second.get_by_role("status").filter(has_text="tokens")).to_contain_text("2 tokens")
    press(second.get_by_text("h", exact=True), position={"x": 1, "y": 8})
    expect(second.get_by_role("status").filter(has_text="tokens")).to_have_text(
        re.compile(r"^5 tokens · .* bits (more|fewer) than the tokenizer’s own cut$")
    )
    expect(first.get_by_role("status").filter(has_text="tokens")).to_contain_text("2 tokens")

    link = shared_link(page)
    page.reload()
    expect(second.get_by_role("status").filter(has_text="tokens")).to_contain_text("5 tokens")
    other = new_visitor()
    other.goto(link)
    expect(text_field(other)).to_have_value(" then")
    expect(other.get_by_role("radio", name="Another cut")).to_be_checked()
    expect(other.get_by_role("region", name="Second text")).to_contain_text("5 tokens")
