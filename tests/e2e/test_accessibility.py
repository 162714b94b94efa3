"""No page breaks a rule of accessibility, as it opens, in light or dark."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from tests.e2e.conftest import READY

PAGES = ("", "train", "compare", "merge_tree", "formats")
#: Streamlit's own code block scrolls without taking the keyboard's focus.
LEFT_TO_STREAMLIT = {"exclude": [".stCode"]}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
def test_no_rule_is_broken(path, scheme, browser: Browser, app_url):
    context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme=scheme)
    try:
        page = context.new_page()
        page.goto(f"{app_url}/{path}")
        page.wait_for_selector(READY)
        page.wait_for_selector("h1.claim")
        results = Axe().run(page, context=LEFT_TO_STREAMLIT)
    finally:
        context.close()
    assert results.violations_count == 0, results.generate_report()
