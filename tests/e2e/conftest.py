"""The real app and a real browser: one server and one Chromium for all browser tests.

A page fails its test when a script of it fails or when it asks another machine for anything.
"""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect, sync_playwright

from tests.browser import ARGUMENTS, find_chromium
from tests.e2e.editor import Editor

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 60
#: How long a page may take, in ms: a busy machine is slow, and only a test that fails waits so long.
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE)
READY = '[data-testid="stApp"][data-test-script-state="notRunning"]'


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what stands here, so that `-m "not e2e"` leaves it out."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.e2e)


#: Starts Streamlit as `python -m streamlit` does; at a signal it writes what each of its threads is doing.
_LAUNCHER = (
    "import faulthandler, signal, sys; faulthandler.register(signal.SIGUSR1); "
    "from streamlit.web.cli import main; sys.exit(main())"
)


@dataclass(frozen=True)
class App:
    """The server under test."""

    url: str
    process: "subprocess.Popen[bytes]"
    log: Path

    def stacks(self) -> str:
        """What each thread of the server is doing, innermost call first."""
        n_before = self.log.stat().st_size
        self.process.send_signal(signal.SIGUSR1)
        deadline = time.monotonic() + 5
        while "Current thread" not in (text := self.log.read_text(errors="replace")[n_before:]):
            assert time.monotonic() < deadline, "the server does not answer a signal"
            time.sleep(0.05)
        time.sleep(0.1)  # the dump is written line by line
        return text


@pytest.fixture(scope="session")
def app_url(app: App) -> str:
    """The address of the real app."""
    return app.url


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The real app, started as `make run` starts it, with a HOME of its own."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    home = tmp_path_factory.mktemp("home")
    command = [sys.executable, "-c", _LAUNCHER, "run", "streamlit_app.py"]
    command += ["--server.port", str(port), "--server.headless", "true", "--server.fileWatcherType", "none"]
    log = home / "server.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            command, cwd=ROOT, env=os.environ | {"HOME": str(home)}, stdout=output, stderr=output
        )
    try:
        _wait_for_health(f"http://localhost:{port}/_stcore/health", server, log)
        yield App(f"http://localhost:{port}", server, log)
    finally:
        server.terminate()
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests; without one they fail."""
    executable_path = find_chromium()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable_path, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def context_options() -> dict[str, object]:
    """Options of the browser context; a test module overrides this for another viewport or theme."""
    return {
        "viewport": {"width": 1280, "height": 800},
        "permissions": ["clipboard-read", "clipboard-write"],
    }


@pytest.fixture
def context(browser: Browser, app_url: str, context_options: dict[str, object]) -> Iterator[BrowserContext]:
    """A fresh browser context in which other machines do not exist; asking for one fails the test."""
    asked_for: list[str] = []
    context = browser.new_context(**context_options)  # type: ignore[arg-type]

    def only_the_app(route: Route) -> None:
        asked_for.append(route.request.url)
        route.abort()

    host = urlsplit(app_url).netloc
    context.route(
        lambda url: urlsplit(url).scheme in ("http", "https") and urlsplit(url).netloc != host, only_the_app
    )
    yield context
    context.close()
    assert asked_for == [], "the app asked other machines"


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A browser page; an error in a script, or what the content policy forbids, fails the test."""
    errors: list[str] = []
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if "Content Security" in said.text else None)
    yield page
    assert errors == [], "scripts of the page failed"


@pytest.fixture
def open_page(page: Page, app_url: str) -> Callable[..., Page]:
    """`open_page("compare")` opens a page of the app by its path and waits until it has run."""

    def open_path(path: str = "") -> Page:
        page.goto(f"{app_url}/{path}")
        wait_until_run(page)
        return page

    return open_path


@pytest.fixture
def editor(open_page: Callable[..., Page]) -> Editor:
    """The live editor of the Tokenize page, with its opening example shown."""
    return Editor(open_page()).wait_until_shown()


def wait_until_run(page: Page) -> None:
    """Wait until the script of the page has run."""
    page.wait_for_selector(READY, timeout=PATIENCE)


def _wait_for_health(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"the app did not start:\n{log.read_text(errors='replace')}")
