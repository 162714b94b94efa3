"""Each page opens in the frame by its own address, and breaks no rule of accessibility in light or dark."""

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
#: Streamlit's own code block scrolls without taking the keyboard's focus.
LEFT_TO_STREAMLIT = {"exclude": [".stCode"]}


#: What a dark page may break and a light one does not.
COLORS = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}


@pytest.mark.parametrize("path", PAGES)
def test_a_link_opens_the_page_and_no_rule_is_broken(path, page, app_url):
    page.emulate_media(color_scheme="light")
    page.goto(f"{app_url}/{path}")
    wait_until_run(page)
    expect(page).to_have_title(f"{PAGES[path]} · Tessera")
    expect(page.locator("h1.claim")).to_contain_text(PAGES[path])
    links = page.get_by_test_id("stTopNavLink").all_inner_texts()
    assert [link.split("\n")[-1] for link in links] == list(PAGES.values())
    assert broken_rules(page) == []
    page.emulate_media(color_scheme="dark")
    expect(page.get_by_test_id("stApp")).to_have_css("color-scheme", "dark")
    wait_until_run(page)
    assert broken_rules(page, COLORS) == []


def broken_rules(page, options=None):
    """Names of the rules that the page breaks, and where."""
    results = Axe().run(page, context=LEFT_TO_STREAMLIT, options=options)
    return [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in results.response["violations"]]
