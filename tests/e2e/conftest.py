"""The real app and a real browser: one server and one Chromium for all browser tests.

A page fails its test when a script of it fails or when it asks another machine for anything.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect, sync_playwright

from tests.browser import ARGUMENTS, find_chromium
from tests.e2e.apps import App, running_app
from tests.e2e.editor import Editor

#: How long a page may take, in ms: a busy machine is slow, and only a test that fails waits so long.
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE)
READY = '[data-testid="stApp"][data-test-script-state="notRunning"]'


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what stands here, so that `-m "not e2e"` leaves it out."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.e2e)


@pytest.fixture(scope="session")
def app_url(app: App) -> str:
    """The address of the real app."""
    return app.url


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The real app, started as `make run` starts it, with a HOME of its own."""
    with running_app(tmp_path_factory.mktemp("home")) as app:
        yield app


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
