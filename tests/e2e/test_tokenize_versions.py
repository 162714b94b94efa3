"""Two versions of a prompt on the Tokenize page: the tokens that went, came and stayed, and the price."""

from xml.etree import ElementTree

from playwright.sync_api import expect

from playground.catalog.openai import load_openai

CL100K = load_openai("cl100k_base").encoding
LONG = "You are a very helpful assistant. Please answer politely.\nDo not invent facts.\n"
SHORT = "You are a helpful assistant. Answer politely.\nDo not invent facts.\n"


def test_a_prompt_is_shortened_and_the_difference_shown_while_one_types(editor):
    page = editor.page
    difference = page.locator(".difference")
    editor.set_text(LONG)
    page.locator(".price-input").fill("1000000")
    expect(difference).to_be_hidden()
    switch = page.get_by_role("button", name="Versions", exact=True)
    switch.click()
    expect(page.get_by_label("Earlier version")).to_have_value(LONG)
    n_tokens = len(CL100K.encode(LONG))
    expect(difference.locator(".change")).to_contain_text(f"As many tokens as before: {n_tokens}")
    editor.set_text(SHORT)
    before, now = len(CL100K.encode(LONG)), len(CL100K.encode(SHORT))
    expect(difference.locator(".change")).to_contain_text(f"−{before - now} tokens")
    expect(difference.locator(".change")).to_contain_text(f"{before} → {now}")
    expect(difference.locator(".change")).to_contain_text(f"saves ${before - now}.00 as input")
    page.locator(".price-input").fill("2000000")
    expect(difference.locator(".change")).to_contain_text(f"saves ${2 * (before - now)}.00 as input")
    expect(difference.locator(".t.removed")).to_have_text(["·very", "·Please", "·answer"])
    expect(difference.locator(".t.added")).to_have_text(["·Answer"])
    expect(difference.locator(".t.removed").first).to_have_css("text-decoration-line", "line-through")
    expect(difference.locator(".part.removed")).to_have_css("text-decoration-line", "none")  # it is read
    expect(difference.locator(".parts")).to_contain_text(f"{now - 1} tokens kept")
    page.get_by_label("Earlier version").fill(f"Hi. {SHORT}")  # the other one may be typed into as well
    expect(difference.locator(".t.removed")).to_have_text(["Hi", ".", "·You"])
    expect(difference.locator(".t.added")).to_have_text(["You"])
    editor.choose_tokenizer("gpt2")
    gpt2 = load_openai("gpt2").encoding
    n = [len(gpt2.encode(text)) for text in (f"Hi. {SHORT}", SHORT)]
    expect(difference.locator(".change")).to_contain_text(f"{n[0]} → {n[1]}")
    switch.click()
    expect(difference).to_be_hidden()
    expect(page.locator(".tokens")).to_be_visible()
    editor.choose_tokenizer("cl100k_base")
    earlier = page.get_by_label("Earlier version")
    switch.click()  # what was typed there is still there, and what took its place can be taken back
    expect(earlier).to_have_value(f"Hi. {SHORT}")
    page.locator(".take-present").click()
    expect(earlier).to_have_value(SHORT)
    earlier.press("Control+Z")
    expect(earlier).to_have_value(f"Hi. {SHORT}")
    expect(difference.locator(".t.removed")).to_have_text(["Hi", ".", "·You"])
    page.locator(".take-present").click()
    switch.click()
    editor.set_text("another")
    switch.click()  # nothing was typed there
    expect(earlier).to_have_value("another")
    switch.click()


def test_a_picture_of_two_versions_has_what_is_in_view(editor):
    page = editor.page
    difference = page.locator(".difference")
    editor.set_text(LONG)
    switch = page.get_by_role("button", name="Versions", exact=True)
    switch.click()
    editor.set_text(SHORT)
    expect(difference.locator(".t.added")).to_have_text(["·Answer"])
    with page.expect_download() as download:
        page.get_by_role("group", name="Save tokens as").get_by_role("button", name="SVG").click()
    switch.click()
    svg = ElementTree.parse(download.value.path()).getroot()
    said = "".join(svg.itertext())
    assert "1 token added" in said
    assert "·very·helpful" not in said
    assert "·very helpful assistant." in said
    assert int(svg.attrib["width"]) > 300
    page.get_by_role("button", name="PNG").first.click()
    expect(page.locator(".take-away .said")).to_have_text("Saved the tokens in view.")


def test_a_long_text_beside_a_short_earlier_one_keeps_keys_quick(editor):
    """Each token had an element of its own, so a key beside 139,000 added tokens cost 2 s and gigabytes."""
    page = editor.page
    difference = page.locator(".difference")
    editor.set_text("Hello.")
    switch = page.get_by_role("button", name="Versions", exact=True)
    switch.click()
    long = "".join(f"{i:x} " for i in range(20_000))
    editor.set_text(long)
    page.locator(".text").press_sequentially("ab")
    n_added = len(CL100K.encode(f"{long}ab"))
    expect(difference.locator(".parts")).to_contain_text(f"{n_added:,} tokens added")
    expect(difference.locator(".gap")).to_have_text(f"… {n_added - 1000:,} more tokens added …")
    assert difference.locator(".strip *").count() < 2 * 3000
    editor.set_text("Hello.")
    switch.click()
