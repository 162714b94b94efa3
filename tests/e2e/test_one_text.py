"""One text for the pages with a live one: it follows from page to page until one changes it there."""

from playwright.sync_api import Page, Route, expect

from playground.analysis.examples import MERGE_TREE_EXAMPLES
from tests.e2e.conftest import go_to, wait_until_held, wait_until_rest


def shows(page: Page, text: str) -> None:
    expect(page.locator("textarea.text:visible").first).to_have_value(text)


#: Keeps the page's socket as `socket`.
SOCKET = """(() => {
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (data) { window.socket = this; return send.call(this, data); };
})()"""


def test_a_text_follows_also_when_it_was_typed_at_the_last_moment_and_outlives_a_dead_page(page, app_url):
    page.add_init_script(SOCKET)
    page.goto(app_url)
    area = page.locator("textarea.text:visible").first
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
    with page.expect_navigation():  # by itself: Streamlit gives a page up that hears what it cannot read
        page.evaluate("socket.dispatchEvent(new MessageEvent('message', { data: 'no bytes' }))")
    shows(page, "its own")
    expect(page.get_by_text("This is the text of Compare.")).to_be_visible()


def test_a_typed_text_stands_in_its_tokenizer_on_the_next_page_also_after_a_reload(page, app_url):
    page.goto(app_url)
    page.locator(".tokens .t").first.wait_for()
    page.locator("textarea.text:visible").first.fill("hello tokenization")
    expect(page.locator(".tokens .t")).to_have_count(3)
    go_to(page, "Merge tree")
    picker = page.get_by_role("combobox", name="Tokenizer", exact=True)
    expect(picker).to_have_value("cl100k_base")
    page.reload()
    shows(page, "hello tokenization")
    wait_until_rest(page)
    expect(picker).to_have_value("cl100k_base")


def test_a_token_opens_on_other_pages_in_its_tokenizer(page, app_url):
    page.goto(app_url)
    held: list[Route] = []
    area = page.locator("textarea.text:visible").first
    expect(page.locator(".tokens .t", has_text="ization").first).to_be_visible()
    page.route("**/edit", lambda route: held.append(route))
    area.fill("hello tokenization")
    wait_until_held(page, held)
    token = page.locator(".tokens .t", has_text="ization")
    with page.expect_response("**/token"):
        token.click()  # of the text before, where it is the second token
        held[0].continue_()
    expect(page.locator(".tokens .t")).to_have_count(3)
    page.unroute("**/edit")
    expect(page.locator(".card")).to_be_hidden()
    token.click()
    page.get_by_role("button", name="Open in Merge tree").click()
    page.wait_for_url("**/merge_tree")
    shows(page, "ization")
    picker = page.get_by_role("combobox", name="Tokenizer", exact=True)
    expect(picker).to_have_value("cl100k_base")
    expect(page.locator(".forest-page .counts").first).to_have_text("1 token, 6 merges")
    expect(page.get_by_text("Tokenize has another text.")).to_be_visible()  # and no newer one
    page.go_back()
    shows(page, "hello tokenization")
    token.click()
    page.locator(".card").get_by_role("button", name="Compare").click()
    page.wait_for_url("**/compare")
    shows(page, "ization")
    go_to(page, "Tokenize")
    shows(page, "hello tokenization")


def test_a_link_and_back_do_not_overtake_what_the_page_has_said(page, app_url):
    """Streamlit sends what is said a task later, in the name of the page that is left.

    And Streamlit's browser code forgets messages of the page that was left some runs ago, while its server,
    asked just before, takes them for kept: then the page was dead.
    """
    is_large = "parseFloat(getComputedStyle(document.documentElement).fontSize) > 20"
    press = "[...document.querySelectorAll('button')].find((one) => one.innerText.includes('%s')).click()"
    page.add_init_script("addEventListener('popstate', (go) => go.isTrusted && window.beforeBack?.(), true)")
    page.goto(app_url)
    wait_until_rest(page)
    for n_runs, (name, is_now) in enumerate(
        [("Large type", is_large), ("Normal type", f"!({is_large})"), ("Large type", is_large)]
    ):
        go_to(page, "Compare")
        for view in ("Aligned", "Tokens")[:n_runs]:
            page.get_by_role("radio", name=view).first.click()
            wait_until_rest(page)
        wait_until_rest(page)
        page.evaluate(f"() => {{ window.beforeBack = () => {press % name}; history.back(); }}")
        expect(page.locator("h1.claim")).to_contain_text("Tokenize")
        page.wait_for_function(f"() => {is_now}")
        wait_until_rest(page)
        expect(page.locator("h1.claim")).to_contain_text("Tokenize")
    page.evaluate(
        f"""() => {{
          {press % "Normal type"};
          document.querySelector('[data-testid=stTopNavLink][href$=compare]').click();
        }}"""
    )
    expect(page.locator("h1.claim")).to_contain_text("Compare")
    page.wait_for_function(f"() => !({is_large})")
    wait_until_rest(page)
    expect(page.locator("h1.claim")).to_contain_text("Compare")


def test_the_race_takes_its_word_from_the_text_that_its_page_follows(page, app_url):
    page.goto(f"{app_url}/merge_tree")
    shows(page, MERGE_TREE_EXAMPLES[0].text)
    page.get_by_role("radio", name="Merge race").click()
    word = page.get_by_role("textbox", name="Word")
    expect(word).to_have_value(" tokenization")
    for text, first in (("unbelievable 👋", "unbelievable"), ("<b>مرحبا</b> you", "<b>مرحبا</b>")):
        go_to(page, "Tokenize")
        area = page.locator("textarea.text:visible").first
        area.fill(text)
        go_to(page, "Merge tree")
        expect(word).to_have_value(first)
    word.fill(" low")
    word.press("Enter")
    wait_until_rest(page)
    go_to(page, "Tokenize")
    area.fill("another")
    go_to(page, "Merge tree")
    expect(word).to_have_value(" low")
    page.get_by_role("radio", name="Trees").click()
    shows(page, "another")
    expect(page.get_by_text("This is the text of Tokenize.")).to_be_visible()
