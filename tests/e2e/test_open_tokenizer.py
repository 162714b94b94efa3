"""A tokenizer file is dropped on a page, and the page uses it."""

import base64
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.catalog.sentencepiece_models import model_bytes
from tests.e2e.conftest import wait_until_rest

#: Drops a file somewhere, as a browser tells a page of it.
DROP = """([place, name, data]) => {
  const held = new DataTransfer();
  held.items.add(new File([Uint8Array.from(atob(data), (one) => one.charCodeAt(0))], name));
  for (const kind of ["dragover", "drop"]) {
    document.querySelector(place).dispatchEvent(
      new DragEvent(kind, { bubbles: true, cancelable: true, composed: true, dataTransfer: held }));
  }
}"""


def drop(page: Page, name: str, data: bytes, place: str = ".stMain") -> None:
    page.evaluate(DROP, [place, name, base64.b64encode(data).decode()])


def test_files_that_are_dropped_before_the_code_has_come_are_opened_as_what_they_are(
    new_page: Callable[[], Page], app_url: str
) -> None:
    page = new_page()
    page.add_init_script(
        """addEventListener("DOMContentLoaded", () => {
          const held = new DataTransfer();
          const data = Uint8Array.from(atob("DATA"), (one) => one.charCodeAt(0));
          held.items.add(new File([data], "early.model"));
          held.items.add(new File(["an early text"], "early.txt"));
          document.body.dispatchEvent(
            new DragEvent("drop", { bubbles: true, cancelable: true, composed: true, dataTransfer: held }));
        })""".replace("DATA", base64.b64encode(model_bytes("bpe, bytes")).decode())
    )
    page.goto(f"{app_url}/merge_tree")
    expect(page.locator("textarea.text")).to_have_value("an early text")
    picker = page.get_by_role("combobox", name="Tokenizer", exact=True)
    expect(picker).to_have_value(re.compile("^early · SentencePiece BPE"))


@pytest.mark.new_visitor
def test_a_dropped_file_is_opened_and_chosen_and_the_next_takes_its_place(
    a_page: Callable[[str], Page],
) -> None:
    page = a_page("merge_tree")
    picker = page.get_by_role("combobox", name="Tokenizer", exact=True)
    expect(page.locator(".open-tokenizer[data-listens]")).to_be_attached()
    drop(page, "one.model", model_bytes("unigram, nmt_nfkc, symbols"))
    expect(picker).to_have_value(re.compile("^one · SentencePiece Unigram"))
    expect(page.locator("svg.lattice").first).to_be_visible()
    drop(page, "two.model", model_bytes("bpe, bytes"))
    expect(picker).to_have_value(re.compile("^two · SentencePiece BPE"))
    expect(page.locator(".open-tokenizer")).to_have_text("two is open, and in every picker.")
    expect(page.get_by_test_id("stPopoverBody")).to_have_count(0)  # it covers the page no longer
    drop(page, "three.model", b"no model at all")
    expect(page.get_by_test_id("stAlertContentError")).to_contain_text("three.model")
    expect(picker).to_have_value(re.compile("^two · "))
    wait_until_rest(page)  # the opener, too, has heard that it stays open
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Open a tokenizer").click()  # by hand, as before
    expect(page.get_by_test_id("stFileUploaderDropzone")).to_be_visible()
