"""On the Tokenize page text and tokens go together: what is chosen, the caret, and what is in view."""

from playwright.sync_api import expect

TEXT = "Tokenization splits unbelievable words.\r\nIn 2024, 127 + 677 = 804."


def chosen(editor, side="tokens"):
    return editor.page.locator(f".{side} .chosen").all_inner_texts()


def counted(editor, text):
    expect(editor.page.locator(".count")).to_have_text(text)


def select(editor, part):
    """Select a part of the text in its field, as the keyboard does."""
    start = TEXT.replace("\r\n", "\n").index(part)
    editor.area.focus()
    editor.area.evaluate("(area, [from, to]) => area.setSelectionRange(from, to)", [start, start + len(part)])


def test_a_part_of_the_text_is_counted_and_lit_among_the_tokens(editor):
    editor.set_text(TEXT)
    ids = editor.ids()
    select(editor, "plits unbel")
    counted(editor, f"2 of {len(ids)} tokens")
    assert chosen(editor) == [" splits", " unbelievable"]
    assert chosen(editor, "ids") == [str(ids[2]), str(ids[3])]
    select(editor, "2024")  # behind a line end of two bytes
    counted(editor, f"2 of {len(ids)} tokens")
    expect(editor.page.locator(".tokens .chosen")).to_have_text(["202", "4"])
    mark = editor.page.locator(".text-light mark")
    expect(mark).to_be_hidden()  # the field lights what is selected itself
    editor.page.locator(".view-menu summary").focus()
    expect(mark).to_have_text("2024")
    editor.page.mouse.move(640, 790)
    editor.page.mouse.wheel(0, 120)  # the bar of the page now lies over the first line
    editor.area.evaluate("(area) => area.focus({ preventScroll: true })")
    expect(mark).to_be_hidden()
    editor.page.locator(".view-menu summary").evaluate("(select) => select.focus({ preventScroll: true })")
    expect(mark).to_have_text("2024")
    editor.page.mouse.wheel(0, -500)
    editor.area.focus()
    editor.page.keyboard.press("ArrowRight")
    counted(editor, f"{len(ids)} tokens")
    assert chosen(editor) == []


def test_the_caret_shows_its_token(editor):
    editor.set_text(TEXT)
    ids = editor.ids()
    at = editor.page.locator(".at")
    for position, token in ((0, 0), (5, 0), (6, 1), (13, 2), (30, 3)):
        editor.set_caret(position)
        expect(at.last).to_have_text(str(ids[token]))
        expect(at).to_have_count(2)
    editor.page.locator(".view-menu summary").focus()
    expect(at).to_have_count(0)


def test_tokens_that_are_chosen_are_lit_in_the_text_and_copied_as_text(editor):
    editor.set_text(TEXT)
    ids = editor.ids()
    page, mark = editor.page, editor.page.locator(".text-light mark")
    first, last = (page.locator(".tokens .t").nth(k).bounding_box() for k in (2, 6))
    page.mouse.move(first["x"] + 4, first["y"] + 8)
    page.mouse.down()
    page.mouse.move(last["x"] + last["width"] - 2, last["y"] + 8, steps=4)
    page.mouse.up()
    counted(editor, f"5 of {len(ids)} tokens")
    expect(mark).to_have_text(" splits unbelievable words.\nIn")
    expect(page.locator(".card")).to_be_hidden()
    page.keyboard.press("Control+C")
    assert page.evaluate("navigator.clipboard.readText()") in (
        " splits unbelievable words.\r\nIn",
        " splits unbelievable words.\nIn",  # where the clipboard has its own line ends
    )
    page.locator(".tokens .t").first.click()
    counted(editor, f"{len(ids)} tokens")
    expect(page.locator(".card")).to_be_visible()  # it comes with what the server knows of the token
    page.keyboard.press("Escape")
    expect(page.locator(".card")).to_be_hidden()

    page.locator(".view-menu summary").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Home")
    for _ in range(2):
        page.keyboard.press("Shift+ArrowRight")
    counted(editor, f"3 of {len(ids)} tokens")
    expect(mark).to_have_text("Tokenization splits")
    page.keyboard.press("Shift+ArrowLeft")
    counted(editor, f"2 of {len(ids)} tokens")
    page.keyboard.press("ArrowRight")
    counted(editor, f"{len(ids)} tokens")
    expect(mark).to_be_hidden()


#: The line at the top of the text, and of the tokens.
TOPS = """(root) => {
  const pane = root.querySelector(".tokens"), edge = pane.getBoundingClientRect().top + 4;
  const seen = [...pane.querySelectorAll(".t")].filter((token) => token.getClientRects()[0].bottom > edge);
  const area = root.querySelector(".text"), style = getComputedStyle(area);
  const top = (area.scrollTop - parseFloat(style.paddingTop)) / parseFloat(style.lineHeight);
  const text = seen.map((token) => token.textContent).join("");
  return [Math.max(top, 0), Number(text.match(/line (\\d+)/)?.[1])];
}"""


def test_the_panes_scroll_together(editor):
    page = editor.page
    editor.set_text("\n".join(f"line {n} of a text with words" for n in range(3_000)))
    editor.ids()
    text, tokens, ids = editor.area, page.locator(".tokens"), page.locator(".ids")
    for pane in (text, tokens, ids):  # a test before may have left them at the end
        pane.evaluate("(pane) => { pane.scrollTop = 0; }")
    page.wait_for_function("(pane) => pane.scrollTop <= 1", arg=ids.element_handle())
    for pane, distance in ((text, 9_000), (tokens, 22_000), (ids, 3_000), (text, 20_000)):
        before = ids.evaluate("(pane) => pane.scrollTop")
        if pane is text and not before:
            box = pane.bounding_box()
            page.mouse.move(box["x"] + 60, box["y"] + 60)
            page.mouse.wheel(0, distance)
        else:  # what a wheel does: of turns that follow each other soon the first one's pane gets all
            pane.evaluate(
                "(pane, y) => { pane.dispatchEvent(new WheelEvent('wheel')); pane.scrollBy(0, y); }", distance
            )
        page.wait_for_function(
            f"""([root, before]) => {{
              const [text, tokens] = ({TOPS})(root);
              const isNear = text > 50 && Math.abs(text - tokens) <= 1.5;
              return isNear && root.querySelector(".ids").scrollTop > before;
            }}""",
            arg=[editor.root.element_handle(), before],
        )
    text.evaluate("(area) => { area.scrollTop = 0; }")
    page.wait_for_function("(pane) => pane.scrollTop <= 1", arg=tokens.element_handle())
    text.evaluate("(area) => { area.scrollTop = area.scrollHeight; }")
    page.wait_for_function(
        "(pane) => pane.scrollTop + pane.clientHeight >= pane.scrollHeight - 1", arg=tokens.element_handle()
    )
