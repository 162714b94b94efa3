"""The real app in a real browser: one server for each test process, and a new visitor for each test.

Journeys find things as people do, by role, label and visible text, and wait for what people wait for. A page
whose script fails, or which logs an error, fails its test.
"""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Download,
    Locator,
    Page,
    WebError,
    expect,
    sync_playwright,
)

from tests.browser import ARGUMENTS, find_chromium

ROOT = Path(__file__).resolve().parents[2]
#: How long a page may take in milliseconds; only a failing test waits so long.
PATIENCE = 90_000
expect.set_options(timeout=PATIENCE)
#: The live text field of each page that has one.
TEXT_FIELD = re.compile("^(Text to tokenize|Text|Data: .*)$")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests of this folder, so that `-m "not e2e"` leaves them out, and put them first.

    So one process begins with all of them, and the others help when their own tests are done.
    """
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.e2e)
    items.sort(key=lambda item: not item.get_closest_marker("e2e"))


@dataclass
class Server:
    """The app as `make run` starts it, with a home folder of its own."""

    home: Path
    base_path: str = ""
    port: int = field(default_factory=lambda: free_port())

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}{self.base_path}"

    def start(self) -> None:
        """Start the server and wait until it answers."""
        options = {
            "port": self.port,
            "headless": "true",
            "fileWatcherType": "none",
            "baseUrlPath": self.base_path,
        }
        command = [sys.executable, "-m", "streamlit", "run", "streamlit_app.py"]
        command += [f"--server.{name}={value}" for name, value in options.items()]
        log = self.home / "server.log"
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=os.environ | {"HOME": str(self.home)}, stdout=output, stderr=output
            )
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=5):
                    return
            except OSError:
                time.sleep(0.1)
        pytest.fail(f"the app did not start:\n{log.read_text(errors='replace')}")

    def stop(self) -> None:
        """Stop the server as Ctrl+C does; it fails the test if the server does not end."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                pytest.fail("the server did not end at Ctrl+C")


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("localhost", 0))
        return int(free.getsockname()[1])


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Return the server of all tests of this process."""
    server = Server(tmp_path_factory.mktemp("home"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """`own_server(base_path="/tessera")` starts a server that this test alone uses."""
    servers: list[Server] = []

    def start(**options: Any) -> Server:
        servers.append(Server(tmp_path, **options))
        servers[-1].start()
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Return one Chromium for all tests of this process. Fails without one."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def faults() -> list[str]:
    """Return the errors of the pages' scripts and consoles; a test that causes one on purpose removes it."""
    return []


OPTIONS: dict[str, Any] = {
    "viewport": {"width": 1280, "height": 800},
    "reduced_motion": "reduce",
    "permissions": ["clipboard-read", "clipboard-write"],
}


@pytest.fixture(scope="session")
def context(browser: Browser, server: Server) -> Iterator[BrowserContext]:
    """Return the browser profile of all tests of this process, which caches the app's files."""
    context = browser.new_context(base_url=server.url, **OPTIONS)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext, server: Server, faults: list[str]) -> Iterator[Page]:
    """Open a tab of a new visitor: everything that the app has stored in the browser is removed."""
    page = context.new_page()
    devtools = context.new_cdp_session(page)
    stored = "cookies,local_storage,indexeddb,service_workers,cache_storage"
    devtools.send("Storage.clearDataForOrigin", {"origin": server.url, "storageTypes": stored})
    with watched(context, faults):
        yield page
        for tab in context.pages:
            tab.close()
    assert faults == []


@pytest.fixture
def new_visitor(browser: Browser, server: Server, faults: list[str]) -> Iterator[Callable[..., Page]]:
    """`new_visitor()` opens a tab in a browser of its own; options are those of Playwright."""
    with ExitStack() as ends:

        def open_tab(**options: Any) -> Page:
            context = browser.new_context(**({"base_url": server.url} | OPTIONS | options))
            ends.callback(context.close)
            ends.enter_context(watched(context, faults))
            return context.new_page()

        yield open_tab
    assert faults == []


@contextmanager
def watched(context: BrowserContext, faults: list[str]) -> Iterator[None]:
    """Add errors of the pages' scripts and consoles to a list."""

    def note_error(error: WebError) -> None:
        faults.append(str(error.error))

    def note_console(said: ConsoleMessage) -> None:
        # Streamlit looks for its server below the address of a page first. An edit that meets another choice
        # of tokenizers is answered by 409, and the page sends it anew.
        expected = "/_stcore/(health|host-config)$|/session/.*/edit$"
        if said.type == "error" and not re.search(expected, said.location["url"]):
            faults.append(f"{said.text} {said.location['url']}")

    context.set_default_timeout(PATIENCE)
    context.on("weberror", note_error)
    context.on("console", note_console)
    yield
    context.remove_listener("weberror", note_error)
    context.remove_listener("console", note_console)


# What people do on every page. Only these know how a tokenizer is picked and where a text is typed.


def text_field(page: Page) -> Locator:
    """Return the live text field of a page."""
    return page.get_by_role("textbox", name=TEXT_FIELD).first


def type_text(page: Page, text: str) -> None:
    """Replace the text of a page; a long one is pasted, for a browser types it slowly."""
    if len(text) < 2_000:
        text_field(page).fill(text)
    else:
        text_field(page).press("Control+A")
        paste(page, text)


def paste(page: Page, text: str) -> None:
    """Paste a text where the focus is."""
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.keyboard.press("Control+V")


def choose_tokenizer(page: Page, name: str) -> None:
    """Choose the tokenizer of Tokenize or Merge tree by typing its name."""
    page.get_by_role("combobox", name="Tokenizer", exact=True).fill(name)
    page.get_by_role("option", name=re.compile(f"^{re.escape(name)} ")).click()
    expect_tokenizer(page, name)


def expect_tokenizer(page: Page, name: str) -> None:
    """Expect a tokenizer to be the chosen one."""
    expect(page.get_by_role("combobox", name="Tokenizer", exact=True)).to_have_value(name)


def add_tokenizer(page: Page, name: str) -> None:
    """Add a tokenizer to those of Compare and Formats."""
    page.get_by_role("combobox", name="Tokenizers", exact=True).fill(name)
    page.get_by_role("option", name=re.compile(f"^{re.escape(name)} ")).click()
    page.keyboard.press("Escape")
    expect(remove_button(page, name)).to_be_visible()


def remove_tokenizer(page: Page, name: str) -> None:
    """Remove a tokenizer from those of Compare and Formats."""
    remove_button(page, name).click()
    expect(remove_button(page, name)).to_have_count(0)


def remove_button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=re.compile(rf"^Remove {re.escape(name)}\b"))


def open_picker(page: Page, view: str) -> None:
    """Open the picker and one of its parts, for example "Open a tokenizer file"."""
    page.get_by_role("combobox", name=re.compile("^Tokenizers?$")).click()
    page.get_by_role("button", name=view).click()


def open_tokenizer_file(page: Page, path: Path) -> None:
    """Open a tokenizer file on any page that has a picker."""
    open_picker(page, "Open a tokenizer file")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose files").click()
    chooser.value.set_files(path)


def choose_option(page: Page, label: str, option: str) -> None:
    """Choose an option of one of Streamlit's lists."""
    page.get_by_role("combobox", name=label, exact=True).click()
    page.get_by_role("option", name=option).first.click()


def upload(page: Page, path: Path) -> None:
    """Give a file to the upload field of a page."""
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name=re.compile("^(Upload|Add files)")).first.click()
    chooser.value.set_files(path)


def go_to(page: Page, title: str) -> None:
    """Go to a page of the app by its link."""
    page.get_by_role("navigation").get_by_role("link", name=title, exact=True).click()
    expect_page(page, title)


def expect_page(page: Page, title: str) -> None:
    """Expect a page of the app by its heading."""
    expect(page.get_by_role("heading", level=1)).to_contain_text(title)


def shared_link(page: Page) -> str:
    """Press Share and return the link that is on the clipboard."""
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_text(re.compile("^Copied"))).to_be_visible()
    link: str = page.evaluate("navigator.clipboard.readText()")
    return link


def download(page: Page, button: Locator) -> Download:
    """Press a button and return the file that is saved."""
    with page.expect_download() as saving:
        button.click()
    return saving.value
