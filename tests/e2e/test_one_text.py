"""One text for the pages with a live one: it follows from page to page until one changes it there."""

from playwright.sync_api import Page, expect


def go_to(page: Page, title: str) -> None:
    """Follow the link of a page, at once."""
    page.locator('[data-testid="stTopNavLink"]', has_text=title).click()


def shows(page: Page, text: str) -> None:
    expect(page.locator("textarea.text:visible")).to_have_value(text)


def test_a_text_follows_also_when_it_was_typed_at_the_last_moment(page, app_url):
    page.goto(app_url)
    area = page.locator("textarea.text:visible")
    page.locator(".tokens .t").first.wait_for()
    area.fill("an unhurried tokenizer")
    page.keyboard.type("s")  # and nothing waits for the server to have it
    go_to(page, "Merge tree")
    expect(page.locator(".forest-page .counts").first).to_have_text("6 tokens, 17 merges")
    shows(page, "an unhurried tokenizers")
    expect(page.get_by_text("This is the text of Tokenize.")).to_be_visible()
    go_to(page, "Compare")
    shows(page, "an unhurried tokenizers")

    area.fill("its own")
    go_to(page, "Merge tree")
    shows(page, "its own")
    go_to(page, "Tokenize")
    shows(page, "an unhurried tokenizers")
    page.get_by_role("button", name="Use it here").click()
    shows(page, "its own")
    expect(page.locator(".count")).to_contain_text("2 tokens")
    page.reload()
    shows(page, "its own")
    expect(page.get_by_text("This is the text of Compare.")).to_be_visible()
