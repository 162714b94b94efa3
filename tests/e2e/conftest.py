"""The real app in a real browser: one server for each test process, and a new visitor for each test.

Journeys find things as people do, by role, label and visible text, and wait for what people wait for. They
press, type and choose with functions of this module, which wait until the page is still. A page whose script
fails, or which logs an error, fails its test. A failing journey leaves screenshots, a trace (`playwright
show-trace`) and its server's log in a folder of `test-results/`, which its report names.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Locator,
    Page,
    WebError,
    expect,
    sync_playwright,
)

from tests.browser import ARGUMENTS, find_chromium
from tests.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "test-results"
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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Save what a failing journey leaves, and name the place in its report."""
    report = yield
    left = getattr(item, "funcargs", {}).get("left")
    if report.failed and report.when != "teardown" and isinstance(left, Left):
        folder = RESULTS / re.sub(r"\W+", "-", item.name)
        left.save(folder)
        report.sections.append(("What the journey left", str(folder.relative_to(ROOT))))
    return report


@dataclass
class Server:
    """The app as `make run` starts it, with a home folder of its own."""

    home: Path
    base_path: str = ""
    port: int = field(default_factory=lambda: free_port())

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}{self.base_path}"

    @property
    def log(self) -> Path:
        return self.home / "server.log"

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
        with self.log.open("ab") as output:
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
        pytest.fail(f"the app did not start:\n{self.log.read_text(errors='replace')}")

    def stop(self) -> None:
        """Stop the server as Ctrl+C does; it fails the test if the server does not end."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                pytest.fail("the server did not end at Ctrl+C")


@dataclass
class Left:
    """The browsers and servers of a journey, for what a failing one leaves."""

    contexts: list[BrowserContext] = field(default_factory=list)
    servers: list[Server] = field(default_factory=list)
    is_saved: bool = False

    def save(self, folder: Path) -> None:
        """Write screenshots, what the pages said, traces and the servers' logs into a folder.

        The traces are without snapshots of the pages, which would take longer than the journeys.
        """
        folder.mkdir(parents=True, exist_ok=True)
        for n, context in enumerate(self.contexts, start=1):
            for at, page in enumerate(context.pages, start=1):
                with suppress(Error):  # a page that has crashed
                    page.screenshot(path=folder / f"browser-{n}-page-{at}.png")
                    seen = page.locator("body").aria_snapshot()
                    (folder / f"browser-{n}-page-{at}.txt").write_text(seen, encoding="utf-8")
            context.tracing.stop_chunk(path=folder / f"browser-{n}-trace.zip")
        for n, server in enumerate(self.servers, start=1):
            shutil.copy(server.log, folder / f"server-{n}.log")
        self.is_saved = True


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


@pytest.fixture(autouse=True)
def left(server: Server) -> Left:
    """Return what a failing journey leaves; before other fixtures, which may fail."""
    return Left(servers=[server])


@pytest.fixture
def own_server(tmp_path: Path, left: Left) -> Iterator[Callable[..., Server]]:
    """`own_server(base_path="/tessera")` starts a server that this test alone uses."""
    servers: list[Server] = []

    def start(**options: Any) -> Server:
        servers.append(Server(tmp_path, **options))
        left.servers.append(servers[-1])
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
    context.tracing.start()
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext, server: Server, faults: list[str], left: Left) -> Iterator[Page]:
    """Open a tab of a new visitor: everything that the app has stored in the browser is removed."""
    page = context.new_page()
    devtools = context.new_cdp_session(page)
    stored = "cookies,local_storage,indexeddb,service_workers,cache_storage"
    devtools.send("Storage.clearDataForOrigin", {"origin": server.url, "storageTypes": stored})
    with watched(context, faults, left):
        yield page
        for tab in context.pages:
            tab.close()
    assert faults == []


@pytest.fixture
def new_visitor(
    browser: Browser, server: Server, faults: list[str], left: Left
) -> Iterator[Callable[..., Page]]:
    """`new_visitor()` opens a tab in a browser of its own; options are those of Playwright."""
    with ExitStack() as ends:

        def open_tab(**options: Any) -> Page:
            context = browser.new_context(**({"base_url": server.url} | OPTIONS | options))
            ends.callback(context.close)
            context.tracing.start()
            ends.enter_context(watched(context, faults, left))
            return context.new_page()

        yield open_tab
    assert faults == []


@contextmanager
def watched(context: BrowserContext, faults: list[str], left: Left) -> Iterator[None]:
    """Add errors of the pages' scripts and consoles to a list, and record a trace."""

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
    context.tracing.start_chunk()
    left.contexts.append(context)
    yield
    if not left.is_saved:
        context.tracing.stop_chunk()
    context.remove_listener("weberror", note_error)
    context.remove_listener("console", note_console)


# Acting on a page. Whatever a journey presses, types or chooses goes through these.

#: Brings an element into view and waits until no run of the page is under way, no animation that ends is
#: running, and the element has stood still for four frames; returns whether that is so, or false once the
#: element was replaced. Streamlit animates the height of an expander, and a press that ends beside the button
#: is lost. Its lists close when the page scrolls, and a scroll is announced with the next frame, which on a
#: slow machine comes after the press.
_STAND_STILL = """async (element, patience) => {
  const end = performance.now() + patience;
  const isMoving = ({ playState, effect }) =>
    playState === "running" && effect.getComputedTiming().endTime !== Infinity;
  for (let n = 0, before = ""; element.isConnected && performance.now() < end; ) {
    element.scrollIntoViewIfNeeded();
    await new Promise(requestAnimationFrame);
    const isRunning = document.querySelector(
      "[data-testid=stApp]:not([data-test-script-state=notRunning])");
    const { x, y, width, height } = element.getBoundingClientRect();
    const now = isRunning || document.getAnimations().some(isMoving) ? "" : [x, y, width, height].join();
    n = now && now === before ? n + 1 : 0;
    before = now;
    if (n === 4) return element.isConnected;
  }
  return false;
}"""


def still(target: Locator) -> Locator:
    """Return an element once it is in view and its page is still."""
    wait_until(lambda: target.evaluate(_STAND_STILL, PATIENCE), PATIENCE / 1_000)
    return target


def press(target: Locator, **how: Any) -> None:
    """Press a button, a link, a switch or anything else."""
    still(target).click(**how)


def fill(target: Locator, text: str) -> None:
    """Replace the text of a field."""
    still(target).fill(text)


def choose(target: Locator, option: str) -> None:
    """Choose an option of a list."""
    still(target).select_option(option)


def key(page: Page, *keys: str) -> None:
    """Press keys one after another, where the focus is."""
    for each in keys:
        still(page.locator("body"))
        page.keyboard.press(each)


def type_keys(page: Page, text: str) -> None:
    """Type a text where the focus is."""
    still(page.locator("body"))
    page.keyboard.type(text)


def choose_file(page: Page, button: Locator, path: Path) -> None:
    """Press a button that asks for a file, and choose one."""
    with page.expect_file_chooser() as chooser:
        press(button)
    chooser.value.set_files(path)


def download(page: Page, button: Locator) -> Path:
    """Press a button and return the file that is saved."""
    with page.expect_download() as saving:
        press(button)
    return Path(saving.value.path())


# What people do on every page. Only these know how a tokenizer is picked and where a text is typed.


def text_field(page: Page) -> Locator:
    """Return the live text field of a page."""
    return page.get_by_role("textbox", name=TEXT_FIELD).first


def type_text(page: Page, text: str) -> None:
    """Replace the text of a page; a long one is pasted, for a browser types it slowly."""
    if len(text) < 2_000:
        fill(text_field(page), text)
    else:
        press(text_field(page))
        key(page, "Control+A")
        paste(page, text)


def paste(page: Page, text: str) -> None:
    """Paste a text where the focus is."""
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    key(page, "Control+V")


def choose_tokenizer(page: Page, name: str) -> None:
    """Choose the tokenizer of Tokenize or Merge tree by typing its name."""
    fill(page.get_by_role("combobox", name="Tokenizer", exact=True), name)
    press(page.get_by_role("option", name=re.compile(f"^{re.escape(name)} ")))
    expect_tokenizer(page, name)


def expect_tokenizer(page: Page, name: str) -> None:
    """Expect a tokenizer to be the chosen one."""
    expect(page.get_by_role("combobox", name="Tokenizer", exact=True)).to_have_value(name)


def add_tokenizer(page: Page, name: str) -> None:
    """Add a tokenizer to those of Compare and Formats."""
    fill(page.get_by_role("combobox", name="Tokenizers", exact=True), name)
    press(page.get_by_role("option", name=re.compile(f"^{re.escape(name)} ")))
    key(page, "Escape")
    expect(remove_button(page, name)).to_be_visible()


def remove_tokenizer(page: Page, name: str) -> None:
    """Remove a tokenizer from those of Compare and Formats."""
    press(remove_button(page, name))
    expect(remove_button(page, name)).to_have_count(0)


def remove_button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=re.compile(rf"^Remove {re.escape(name)}\b"))


def open_picker(page: Page, view: str) -> None:
    """Open the picker and one of its parts, for example "Open a tokenizer file"."""
    press(page.get_by_role("combobox", name=re.compile("^Tokenizers?$")))
    press(page.get_by_role("button", name=view))


def open_tokenizer_file(page: Page, path: Path) -> None:
    """Open a tokenizer file on any page that has a picker."""
    open_picker(page, "Open a tokenizer file")
    choose_file(page, page.get_by_role("button", name="Choose files"), path)


def choose_option(page: Page, label: str, option: str) -> None:
    """Choose an option of one of Streamlit's lists."""
    field = page.get_by_role("combobox", name=label, exact=True)
    press(field)
    press(page.get_by_role("option", name=option).first)
    expect(field).to_have_value(re.compile(f"^{re.escape(option)}"))


def upload(page: Page, path: Path) -> None:
    """Give a file to the upload field of a page."""
    choose_file(page, page.get_by_role("button", name=re.compile("^(Upload|Add files)")).first, path)


def go_to(page: Page, title: str) -> None:
    """Go to a page of the app by its link."""
    press(page.get_by_role("navigation").get_by_role("link", name=title, exact=True))
    expect_page(page, title)


def expect_page(page: Page, title: str) -> None:
    """Expect a page of the app by its heading."""
    expect(page.get_by_role("heading", level=1)).to_contain_text(title)


def shared_link(page: Page) -> str:
    """Press Share and return the link that is on the clipboard."""
    return copied(page, page.get_by_role("button", name="Share"))


def copied(page: Page, button: Locator) -> str:
    """Press a button and return the text that it puts on the clipboard."""
    page.evaluate("navigator.clipboard.writeText('')")
    press(button)
    wait_until(lambda: page.evaluate("navigator.clipboard.readText()"), PATIENCE / 1_000)
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text
