"""Chat and ids on the Tokenize page, its counts, and what one takes away."""

import re
import struct
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from playground.catalog.openai import load_openai
from tests.e2e.conftest import go_to, wait_until_held

CL100K = load_openai("cl100k_base").encoding
START, END, SEPARATOR = 200264, 200265, 200266


@pytest.mark.new_visitor
def test_chat_has_the_templates_ids_its_messages_change_and_a_request_is_pasted(editor):
    page = editor.page
    editor.choose_mode("chat")
    empty = [START, 17360, SEPARATOR, 3575, 553, 261, 10297, 29186, END, START, 1428, SEPARATOR, END]
    assert editor.ids() == [*empty, START, 173781, SEPARATOR]
    expect(page.locator(".share-of-template")).to_contain_text("11 of them the template")
    page.get_by_role("button", name="Remove message 1").click()
    assert editor.ids() == [START, 1428, SEPARATOR, END, START, 173781, SEPARATOR]
    page.get_by_role("button", name="Add message").click()
    page.locator(".message .role").last.fill("critic")
    page.get_by_role("button", name="Move message 2 up").click()
    look = "role => [getComputedStyle(role).fontSize, getComputedStyle(role).fontFamily]"
    role, button = page.locator(".message .role").first, page.get_by_role("button", name="Add message")
    assert role.evaluate(look) == button.evaluate(look)
    critic = load_openai("o200k_base").encoding.encode("critic")
    expect(page.locator(".message .role").first).to_have_value("critic")
    ids = [START, *critic, SEPARATOR, END, START, 1428, SEPARATOR, END, START, 173781, SEPARATOR]
    assert editor.ids() == ids

    page.get_by_label("Chat template").select_option("gpt-3.5-turbo")
    page.get_by_role("button", name="Remove message 1").click()
    page.locator(".message textarea").fill("hi")
    user = [100264, *CL100K.encode("user\nhi"), 100265, *CL100K.encode("\n")]
    assert editor.ids() == [*user, 100264, *CL100K.encode("assistant\n")]
    paste_a_request(editor)


REQUEST = """{"model": "gpt-4o", "messages": [
  {"role": "system", "content": "Be brief."},
  {"role": "user", "content": [{"type": "text", "text": "Weather?"}, {"type": "image_url"}]}],
  "tools": [{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}}]}"""


def paste_a_request(editor):
    """As it is sent; the picker is the chat's."""
    page, o200k = editor.page, load_openai("o200k_base").encoding
    page.get_by_label("Chat template").select_option("gpt-4o")
    picker = page.get_by_role("combobox", name="Tokenizer")
    expect(picker).to_have_value("gpt-4o → o200k_base")
    page.get_by_text("Paste an API’s messages").click()
    field = page.get_by_label("An API’s messages, as JSON")
    field.fill("[1]")
    said = page.locator(".paste-api .note.error")
    expect(said).to_contain_text("messages[0] is no message")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(editor.notes).not_to_contain_text("is no message")
    field.fill("")
    expect(said).to_have_count(0)
    read: list[str] = []
    page.on("request", lambda request: read.append(request.url) if "/read_chat" in request.url else None)
    field.fill(REQUEST)  # a browser tells of each line, and the text is read once
    contents = page.locator(".message textarea")
    expect(contents).to_have_count(2)
    expect(contents.last).to_have_value("Weather?")
    expect(page.locator(".extra")).to_have_count(1)
    assert len(read) == 1
    costs = [
        f"{4 + len(o200k.encode(text))} tokens, 4 of them the template’s"
        for text in ("Be brief.", "Weather?")
    ]
    expect(page.locator(".message .cost")).to_have_text(costs)
    tool = '{"name":"get_weather","parameters":{"type":"object"}}'
    extra = page.locator(".extra")
    expect(extra).to_contain_text("tool get_weather")
    expect(extra).to_contain_text(f"about {len(o200k.encode(tool))} tokens")
    expect(page.locator(".extras")).to_contain_text("Not counted: 1 image_url part.")
    expect(page.locator(".extras")).to_contain_text("OpenAI publishes neither")
    page.get_by_role("button", name="Bring it back").click()
    expect(contents).to_have_count(1)
    expect(contents.first).to_have_value("hi")
    expect(extra).to_have_count(0)
    page.get_by_text("Paste an API’s messages").click()
    field.fill(REQUEST)
    expect(extra).to_have_count(1)
    contents.last.fill("Weather in Pokhara?")
    n = 4 + len(o200k.encode("Weather in Pokhara?"))
    expect(page.locator(".message .cost").last).to_have_text(f"{n} tokens, 4 of them the template’s")
    expect(extra).to_have_count(1)
    page.get_by_role("button", name="Remove tool get_weather").click()
    expect(extra).to_have_count(0)
    page.get_by_label("Chat template").select_option("gpt-4")
    expect(picker).to_have_value("gpt-4 → cl100k_base")
    expect(page.locator(".extras")).to_contain_text("Not counted: 1 image_url part.")
    editor.choose_mode("text")
    expect(picker).to_be_enabled()
    expect(picker).to_have_value(re.compile("^cl100k_base · "))
    editor.set_text(REQUEST)
    page.get_by_role("button", name="Open as a chat").click()
    expect(extra).to_have_count(1)
    expect(contents.last).to_have_value("Weather?")
    expect(picker).to_be_disabled()
    page.get_by_role("button", name="Bring it back").click()
    expect(contents.last).to_have_value("Weather in Pokhara?")
    editor.choose_mode("text")
    expect(editor.area).to_have_value(REQUEST)


def test_a_message_that_was_removed_can_be_brought_back_and_what_was_typed_taken_back(editor):
    page = editor.page
    editor.choose_mode("chat")
    contents = page.locator(".message textarea")
    contents.last.press("Control+A")
    editor.paste("two\nlines")
    page.keyboard.type(" typed")
    expect(contents.last).to_have_value("two\nlines typed")
    contents.last.press("Control+Z")
    expect(contents.last).to_have_value("two\nlines")
    n_messages = contents.count()
    total = page.locator(".count").first
    editor.ids()  # what is counted is what stands there
    before = total.inner_text()
    page.get_by_role("button", name=f"Remove message {n_messages}").click()
    expect(contents).to_have_count(n_messages - 1)
    expect(page.locator(".chat")).to_contain_text(f"Message {n_messages} was removed.")
    page.get_by_role("button", name="Bring it back").click()
    expect(contents).to_have_count(n_messages)
    expect(contents.last).to_have_value("two\nlines")
    expect(total).to_have_text(before)
    page.get_by_role("button", name="Add message").click()
    page.get_by_role("button", name=f"Remove message {n_messages + 1}").click()  # it was empty
    expect(page.locator(".chat")).not_to_contain_text("was removed")
    editor.choose_mode("ids")
    ids = page.locator(".ids-text")
    first = ids.input_value()
    assert first
    ids.press("Control+End")
    page.keyboard.type(" 11")
    expect(ids).to_have_value(f"{first} 11")
    ids.press("Control+Z")
    expect(ids).to_have_value(first)
    ids.press("Control+Z")  # that nobody has written
    expect(ids).to_have_value(first)
    ids.press("Control+A")
    editor.paste("1 2")
    page.keyboard.type("34")
    ids.press("Control+Z")
    expect(ids).to_have_value("1 2")
    editor.choose_mode("text")


def test_a_pasted_chat_that_was_edited_can_be_brought_back_in_turn(editor):
    page = editor.page
    editor.choose_mode("chat")
    contents = page.locator(".message textarea")
    before = contents.first.input_value()
    page.get_by_text("Paste an API’s messages").click()
    page.get_by_label("An API’s messages, as JSON").fill(REQUEST)
    expect(contents.last).to_have_value("Weather?")
    contents.last.fill("Weather in Pokhara?")
    page.get_by_role("button", name="Add message").click()
    back = page.get_by_role("button", name="Bring it back")
    n_messages = contents.count()
    back.click()
    expect(contents.first).to_have_value(before)
    expect(page.locator(".chat")).to_contain_text("the one that stood here is kept")
    back.click()
    expect(contents).to_have_count(n_messages)
    expect(contents.nth(1)).to_have_value("Weather in Pokhara?")
    expect(page.locator(".extra")).to_have_count(1)
    back.click()
    expect(contents.first).to_have_value(before)
    back.click()
    expect(page.locator(".message .cost")).to_contain_text(["token"] * n_messages)
    with editor.held_answers():
        back.click()
        back.click()
    expect(page.locator(".message .cost")).to_contain_text(["token"] * n_messages)  # after the last answer
    expect(page.locator(".extra")).to_have_count(1)
    back.focus()
    for _ in range(3):
        page.keyboard.press("Enter")
    expect(back).to_be_focused()
    expect(contents.first).to_have_value(before)
    editor.choose_mode("text")


def test_ids_become_text_an_unknown_id_is_named_and_both_stay(editor):
    page = editor.page
    editor.set_text("typed")
    editor.choose_mode("ids")
    field = page.get_by_label("Token ids", exact=True)
    for spelling in ("9906, 1917", "[9906, 1917]", "9906 1917"):
        field.fill(spelling)
        expect(page.get_by_label("The text of the ids")).to_have_value("Hello world")
    field.fill(str(CL100K.encode("👋")[0]))
    expect(editor.notes).to_contain_text("no whole character")
    field.fill("9906")
    expect(editor.notes).to_have_text("")
    field.fill("9906, 100999")
    expect(editor.notes).to_contain_text("100999")
    expect(editor.notes).to_contain_text("its ids are 0 to 100,276")
    go_to(page, "Compare")
    go_to(page, "Tokenize")
    expect(field).to_have_value("9906, 100999")
    page.reload()
    expect(field).to_have_value("9906, 100999")
    editor.wait_until_open().choose_mode("text")


def test_a_mode_that_is_chosen_before_a_reload_has_put_the_other_back_is_the_one_shown(editor):
    page = editor.page
    text = editor.page.locator(".modes [data-mode=text]")
    editor.choose_mode("ids")
    page.get_by_label("Token ids", exact=True).fill("9906")
    expect(page.get_by_label("The text of the ids")).to_have_value("Hello")
    held: list[Route] = []
    page.route(re.compile("/settings$"), lambda route: held.append(route), times=1)
    page.reload()
    editor.wait_until_open()
    expect(page.get_by_label("Token ids", exact=True)).to_have_value("9906")
    wait_until_held(page, held)
    text.click()
    with page.expect_response(lambda response: (response.request.post_data_json or {}).get("mode") == "text"):
        held[0].continue_()
    expect(text).to_have_attribute("aria-pressed", "true")
    expect(editor.area).to_be_visible()


def test_special_tokens_have_both_counts_and_a_note_and_tokens_a_price(editor):
    page = editor.page
    text = "end<|endoftext|>start "
    editor.set_text(text)
    plain = len(CL100K.encode(text, disallowed_special=()))
    special = CL100K.encode(text, allowed_special="all")
    expect(editor.notes).to_contain_text(f"{plain} tokens as plain text, {len(special)} with special tokens")
    expect(editor.notes).to_contain_text("The text ends in a space")
    editor.page.locator(".special-switch").click()
    expect(editor.page.locator(".tokens .t.special")).to_have_count(1)
    assert editor.ids() == special
    editor.page.locator(".special-switch").click()

    editor.set_text("one two three four")
    assert len(editor.ids()) == 4  # as the text before had: ids are those of what was typed last
    expect(page.locator(".n-tokens")).to_have_text("4")
    assert list(editor.numbers().values())[:4] == ["18", "18", "4", "1"]
    page.locator(".window-size").select_option("own")
    page.locator(".window-own").fill("8")
    expect(page.locator(".window-share")).to_have_text("50.0 % used, 4 left")
    page.locator(".price-input").fill("250000")
    page.locator(".price-output").fill("500000")
    expect(page.locator(".cost-shown")).to_have_text("$1.00 as input · $2.00 as output")


def test_three_notes_are_read_whole_and_of_more_a_shadow_says_that_they_follow(editor):
    notes, is_cut = editor.notes, "notes => notes.scrollHeight > notes.clientHeight"
    editor.set_text("<|endoftext|> zero\u200bwidth \u202eltr")
    expect(notes.locator(".note")).to_have_count(3)
    assert not notes.evaluate(is_cut)
    editor.set_text("<|endoftext|> zero\u200bwidth \u202eltr cafe\u0301 ")
    expect(notes.locator(".note")).to_have_count(5)
    assert notes.evaluate(is_cut)
    assert "linear-gradient" in notes.evaluate("notes => getComputedStyle(notes).backgroundImage")
    assert editor.area.bounding_box()["height"] >= 3 * 28, "three lines of the text"


def test_pictures_and_python_are_valid(editor):
    page = editor.page
    editor.set_text("Take & <away> नमस्ते")
    editor.ids()
    pictures = page.get_by_role("group", name="Save tokens as")
    expect(pictures.get_by_text("Save tokens as")).to_be_visible()
    with page.expect_download() as download:
        pictures.get_by_role("button", name="SVG").click()
    svg = ElementTree.parse(download.value.path()).getroot()
    assert svg.tag == "{http://www.w3.org/2000/svg}svg"
    assert "Take" in "".join(svg.itertext())
    with page.expect_download() as download:
        pictures.get_by_role("button", name="PNG").click()
    png = Path(download.value.path()).read_bytes()
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    assert (width, height) == (2 * int(svg.attrib["width"]), 2 * int(svg.attrib["height"]))
    compile(editor.copied("Python"), "copied.py", "exec")


def test_a_picture_has_the_letters_in_the_boxes_that_the_page_has(editor):
    """Where tabs stand before them, and where a token has two boxes, for it is written in two directions."""
    page = editor.page
    editor.set_text("<|endoftext|>\t\ttabs\nrtl مرحبا end")
    page.locator(".special-switch").click()
    special = page.locator(".tokens .t.special")
    expect(special).to_have_count(1)
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG").first.click()
    page.locator(".special-switch").click()
    svg = ElementTree.parse(download.value.path()).getroot()
    written = [text for text in svg.iter("{http://www.w3.org/2000/svg}text") if "textLength" in text.attrib]
    assert "".join("".join(text.itertext()) for text in written) == "<|endoftext|>tabsrtlمرحبا end"
    for text in written:
        width = float(text.attrib["textLength"]) / len(text.text or "")
        assert 3 < width < 11, "a letter of this size is at most 10 pixels wide"
    [joined] = [text for text in written if "مرحبا" in (text.text or "")]  # three tokens, whose letters join
    assert joined.attrib["direction"] == "rtl"
    right = float(joined.attrib["x"])
    behind = [float(part.attrib["x"]) for part in [*svg][[*svg].index(joined) + 1 :]]
    assert not any(right - 50 <= x < right for x in behind), "no box covers it"
    edges = [edge for edge in svg.iter("{http://www.w3.org/2000/svg}rect") if "stroke" in edge.attrib]
    weights = {text.text: text.attrib["font-weight"] for text in written}
    assert len(edges) == 1
    assert weights["<|endoftext|>"] == "650" != weights["rtl"]


def test_brackets_of_a_picture_turn_as_those_of_the_page(editor):
    page = editor.page
    editor.set_text("نص (مثل GPT-4)\nin (مثل) all (abc)\n  (مثل)")
    editor.ids()
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG").first.click()
    svg = ElementTree.parse(download.value.path()).getroot()
    written = svg.iter("{http://www.w3.org/2000/svg}text")
    brackets = [part for part in written if (part.text or "").strip() in ("(", ")")]
    is_turned = [part.attrib["direction"] == "rtl" for part in brackets]
    # Chromium takes the brackets of (مثل) in an English line for Arabic ones.
    assert is_turned == [True] * 4 + [False] * 2 + [True] * 2


def test_no_sideways_scrolling_on_a_telephone(editor):
    page = editor.page
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function("() => document.documentElement.scrollWidth <= 390")
    assert editor.root.evaluate("(editor) => editor.getBoundingClientRect().right") <= 390
    page.set_viewport_size({"width": 1280, "height": 800})


def test_a_count_that_is_on_its_way_is_told(editor):
    """The first use of a template loads its tokenizer, which takes seconds on a slow machine."""
    page = editor.page
    held: list[Route] = []
    editor.choose_mode("chat")
    unit = page.locator(".count .unit")
    said = "(unit) => getComputedStyle(unit, '::after').content"
    assert "counting" not in unit.evaluate(said)
    template = page.get_by_label("Chat template")
    before = template.input_value()
    page.route("**/session/*/chat", lambda route: held.append(route))
    template.select_option("gpt-4" if before != "gpt-4" else "gpt-4o")
    expect(editor.root).to_have_class(re.compile(r"\bcounting\b"))
    assert "counting anew" in unit.evaluate(said)
    wait_until_held(page, held)
    held[0].continue_()
    page.unroute("**/session/*/chat")
    expect(editor.root).not_to_have_class(re.compile(r"\bcounting\b"))
    with page.expect_response("**/session/*/chat"):
        template.select_option(before)
    editor.choose_mode("text")


def test_a_mode_that_is_pressed_before_the_code_has_come_is_taken(
    new_page: Callable[[], Page], app_url: str
) -> None:
    page, held = new_page(), list[Route]()
    page.route("**/editor.js", lambda route: held.append(route))
    page.goto(app_url)
    chat = page.locator("[data-mode=chat]").and_(page.locator("button"))
    expect(chat).to_be_visible()
    wait_until_held(page, held)
    box = chat.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    held[0].continue_()
    expect(page.locator(".message").first).to_be_visible()
