"""Files that the server does not take: the page says why, and takes the next one."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.e2e.apps import MAX_BYTES_OF_VISITOR


def upload(page: Page, path: Path, n_bytes: int) -> None:
    path.write_bytes(b"word " * (n_bytes // 5))
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Open file", exact=True).click()
    chooser.value.set_files(path)


def test_a_page_says_why_a_file_was_not_taken(used_page: Callable[[str], Page], tmp_path: Path) -> None:
    page = used_page("formats")
    told = page.locator(".refused-uploads").first
    limit = f"All files of one visitor may have {MAX_BYTES_OF_VISITOR:,} bytes; with this one they have "
    upload(page, tmp_path / "large.txt", MAX_BYTES_OF_VISITOR + 5)
    expect(told).to_contain_text(limit)
    said = told.inner_text()
    upload(page, tmp_path / "larger.txt", MAX_BYTES_OF_VISITOR + 500_000)
    expect(told).not_to_have_text(said)
    expect(told).to_contain_text(limit)
    expect(told).not_to_contain_text(said)
    upload(page, tmp_path / "small.txt", 10_000)
    expect(page.get_by_text("The file small.txt is read")).to_be_visible()
    expect(told).to_be_hidden()
    page.get_by_role("button", name="Remove the file").click()
    expect(page.get_by_text("The file small.txt is read")).to_have_count(0)
