"""The frame around the pages: what the first visitor of a fresh server sees."""

import pytest
from playwright.sync_api import expect

PAGES = ["Tokenize", "Train", "Compare", "Merge tree", "Formats"]


@pytest.mark.parametrize("path", ["train", "compare", "merge_tree", "formats", ""])
def test_a_link_to_a_page_opens_it_in_the_frame(page, app_url, path):
    page.goto(f"{app_url}/{path}")
    navigation = page.get_by_test_id("stTopNavLink")
    expect(navigation.first).to_be_visible()
    assert [link.inner_text().split("\n")[-1] for link in navigation.all()] == PAGES
    expect(page.locator("h1.claim")).to_be_visible()
