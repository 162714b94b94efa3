"""Bad input on the Tokenize page: too long a text, a file that is not UTF-8; and its share link."""

import json
import re

from playwright.sync_api import expect

from playground.analysis.examples import TOKENIZE_EXAMPLES
from playground.catalog.openai import load_openai
from tests.e2e.conftest import shared_link
from tests.e2e.editor import OVER_A_MEGABYTE, Editor

CL100K = load_openai("cl100k_base").encoding


def test_over_a_megabyte_is_refused_and_the_text_stays(editor):
    page = editor.page
    editor.set_text("kept")
    assert editor.ids() == CL100K.encode("kept")
    example = TOKENIZE_EXAMPLES[1]
    page.get_by_label("Start from an example").select_option(example.title)
    expect(editor.notes).to_contain_text(example.notice)
    editor.put_by_script(OVER_A_MEGABYTE)
    expect(editor.notes).not_to_contain_text(example.notice)  # it is of the text before
    expect(editor.notes).to_contain_text("1,001,000 bytes")
    expect(editor.notes).to_contain_text("1,000,000")
    assert editor.area.evaluate("(area) => area.value.length") == 1_001_000
    unit = page.locator(".count .unit")
    assert "of the text before" in unit.evaluate("(unit) => getComputedStyle(unit, '::after').content")
    pale = page.locator(".numbers dt").first.evaluate("(one) => getComputedStyle(one).color")
    for of_before in (".count", ".window-share"):
        expect(page.locator(of_before)).to_have_css("color", pale)
    expect(page.locator("h1.claim")).not_to_have_css("color", pale)
    editor.put_by_script(json.dumps(example.text))  # shown last: the same text must clear the message too
    expect(page.locator(".note.error")).to_have_count(0)
    expect(editor.root).not_to_contain_class("stale")
    assert unit.evaluate("(unit) => getComputedStyle(unit, '::after').content") == "none"
    editor.put_by_script("'kept here'")
    assert editor.ids() == CL100K.encode("kept here")


def test_a_file_is_opened_or_refused_with_the_place(editor, tmp_path):
    good, latin, large = tmp_path / "good.txt", tmp_path / "latin.txt", tmp_path / "large.txt"
    good.write_bytes("नेपाल\r\nfile".encode())
    latin.write_bytes("one\ncaf\xe9 au lait".encode("latin-1"))
    large.write_bytes(b"a" * 1_000_001)
    editor.open_file(good)
    expect(editor.area).to_have_value("नेपाल\nfile")
    assert editor.ids() == CL100K.encode("नेपाल\r\nfile")
    editor.open_file(latin)
    expect(editor.notes).to_contain_text("byte ⟨E9⟩ at position 7 (line 2)")
    editor.open_file(large)
    expect(editor.notes).to_contain_text("large.txt has 1,000,001 bytes")
    expect(editor.area).to_have_value("नेपाल\nfile")
    assert editor.ids() == CL100K.encode("नेपाल\r\nfile")
    expect(editor.root).not_to_have_class(
        re.compile("stale")
    )  # the tokens are the text's, whatever was opened


def test_a_share_link_restores(editor, new_page):
    page = editor.page
    text = "Shared नमस्ते <script>alert(1)</script>\r\nend"
    editor.set_text(text)
    page.locator(".dear summary").click()
    link = shared_link(page)
    page.locator(".dear summary").click()
    guest = new_page()
    guest.goto(link)
    guest_editor = Editor(guest).wait_until_shown()
    expect(guest_editor.area).to_have_value(text.replace("\r\n", "\n"))
    assert guest_editor.ids() == CL100K.encode(text)
    expect(guest.locator(".dear-list tbody tr").first).to_be_visible()
