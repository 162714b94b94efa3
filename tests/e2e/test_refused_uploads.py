"""Files that the server does not take: the page says why, and takes the next one."""

from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.e2e.apps import running_app
from tests.e2e.conftest import wait_until_run

MB = 1_000_000
#: No file of the server's may have more than half a megabyte, as on a full disk; visitors have little room.
POOR = (
    "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000)); "
    "from playground.server.protection import uploads; uploads.MAX_BYTES_OF_VISITOR = 4_000_000; "
)


def upload(page: Page, name: str, n_bytes: int) -> None:
    file = {"name": name, "mimeType": "text/plain", "buffer": b"word " * (n_bytes // 5)}
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Open file", exact=True).click()
    chooser.value.set_files(file)  # type: ignore[arg-type]


def test_a_page_says_why_a_file_was_not_taken(browser: Browser, tmp_path: Path) -> None:
    with running_app(tmp_path, also=POOR) as app, browser.new_context(reduced_motion="reduce") as context:
        page = context.new_page()
        page.goto(f"{app.url}/formats")
        wait_until_run(page)
        told = page.locator(".refused-uploads").first
        upload(page, "large.txt", 5 * MB)
        expect(told).to_contain_text("All files of one visitor may have 4,000,000 bytes")
        upload(page, "kept.txt", 2 * MB)
        expect(told).to_contain_text("This server cannot keep the file: File too large")
        expect(told).not_to_contain_text("All files of one visitor")
        upload(page, "small.txt", MB // 100)
        expect(page.get_by_text("The file small.txt is read")).to_be_visible()
        expect(told).to_be_hidden()
        assert "Traceback" not in app.log.read_text()
