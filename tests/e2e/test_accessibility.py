"""Each page opens in the frame by its own address, and breaks no rule of accessibility in light or dark.

Nor does what one opens on it: menus, views, a token's card, the code that made it.
"""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.e2e.conftest import wait_until_run

PAGES = {
    "": "Tokenize",
    "train": "Train",
    "compare": "Compare",
    "merge_tree": "Merge tree",
    "formats": "Formats",
}
#: What is opened on a page, one after the other: a role, and the beginning of its name.
OPENED = {
    "": [("button", "Chat")],
    "train": [("button", "Ties")],
    "compare": [("radio", "Side by side"), ("button", "Open")],
    "merge_tree": [("radio", "Vocabulary")],
    "formats": [("radio", "How it scales"), ("button", "Upload")],
}


#: What a dark page may break and a light one does not.
COLORS = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}


@pytest.mark.parametrize("path", PAGES)
def test_a_link_opens_the_page_and_no_rule_is_broken(path, page, app_url):
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    page.goto(f"{app_url}/{path}")
    wait_until_run(page)
    expect(page).to_have_title(f"{PAGES[path]} · Tessera")
    expect(page.locator("h1.claim")).to_contain_text(PAGES[path])
    links = page.get_by_test_id("stTopNavLink").all_inner_texts()
    assert [link.split("\n")[-1] for link in links] == list(PAGES.values())
    assert broken_rules(page) == []
    if path == "":
        page.locator(".tokens .t").nth(1).click()
        expect(page.locator(".card")).to_be_visible()
        assert broken_rules(page) == []
    for role, name in OPENED[path]:
        page.get_by_role(role, name=name).first.click()
        wait_until_run(page)
        page.wait_for_timeout(400)  # what fades in is there
        assert broken_rules(page) == [], name
        page.keyboard.press("Escape")
    page.get_by_text("The code that made this page").click()
    expect(page.locator(".stCode pre").first).to_have_attribute("tabindex", "0")
    assert broken_rules(page) == []
    page.emulate_media(color_scheme="dark")
    expect(page.get_by_test_id("stApp")).to_have_css("color-scheme", "dark")
    wait_until_run(page)
    assert broken_rules(page, COLORS) == []


def broken_rules(page, options=None):
    """What the page breaks once it is at rest: Streamlit fades what a run has not yet drawn anew."""
    for _ in range(5):
        if not (broken := broken_rules_now(page, options)):
            break
        page.wait_for_timeout(1_500)
    return broken


def broken_rules_now(page, options):
    """Names of the rules that the page breaks, and where."""
    expect(page.locator('.stMain [data-stale="true"]')).to_have_count(0)  # what is drawn anew is pale
    results = Axe().run(page, options=options)
    return [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in results.response["violations"]]
