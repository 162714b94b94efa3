"""A tokenizer file is dropped on a page, and the page uses it."""

import base64

from playwright.sync_api import Page, expect

from tests.catalog.sentencepiece_models import model_bytes

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


def test_a_dropped_file_is_opened_chosen_renamed_and_comes_back_with_a_reload(
    page: Page, app_url: str
) -> None:
    page.goto(f"{app_url}/merge_tree")
    picker = page.get_by_role("combobox", name="Tokenizer", exact=True)
    expect(picker).to_have_value("gpt2")
    drop(page, "one.model", model_bytes("unigram, nmt_nfkc, symbols"))
    expect(picker).to_have_value("one")
    expect(page.locator("svg.lattice").first).to_be_visible()
    drop(page, "two.model", model_bytes("bpe, bytes"))
    expect(picker).to_have_value("two")
    expect(page.get_by_role("listbox")).to_be_hidden()  # it covers the page no longer
    drop(page, "three.model", b"no model at all")
    expect(page.get_by_text("three.model").last).to_be_visible()
    page.get_by_role("button", name="Your tokenizers (2)").click()
    page.get_by_role("listitem").filter(has_text="two").get_by_role("button", name="Rename").click()
    page.get_by_label("New name").fill("deux")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(picker).to_have_value("deux")
    page.wait_for_url("**tokenizer=deux")
    page.reload()
    expect(picker).to_have_value("deux")
