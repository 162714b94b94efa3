"""The real app and a real browser: one server and one Chromium for all browser tests.

A page fails its test when a script of it fails or when it asks another machine for anything. What a test has
a page wait for is a function: an expression is evaluated anew at each look, which the app's policy forbids.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import AbstractContextManager, contextmanager
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    Request,
    TimeoutError,
    WebSocketRoute,
    expect,
    sync_playwright,
)
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser import ARGUMENTS, find_chromium
from tests.e2e.apps import App, running_app
from tests.e2e.editor import Editor

#: How long a page may take, in ms: a busy machine is slow, and only a test that fails waits so long.
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE)
#: Keeps the shadow roots of a page's window: to look for them goes through all elements.
ROOTS = """(() => {
  const attach = Element.prototype.attachShadow, kept = [];
  Element.prototype.attachShadow = function (how) {
    const root = attach.call(this, how);
    kept.push(new WeakRef(root));
    return root;
  };
  window.shadowRoots = () => kept.map((one) => one.deref()).filter((root) => root?.isConnected);
})()"""
#: The number of the last message that asked for a run; what a page that opens asks for is the first.
SAID = "() => Math.max(1, window.tesseraSaid?.() ?? 0)"
#: The run of such a message is drawn, and the browser has the code to draw what it says: until then there are
#: skeletons, and components of the app that take no press.
RUN = """(nSaid) => [...document.querySelectorAll('[class*=st-key-drawn] input')]
    .some(({ value }) => Number(value.split(' ')[1]) >= nSaid)
  && !document.querySelector('[data-testid="stSkeleton"]')
  && !window.shadowRoots?.().some((root) => root.querySelector('[inert]'))"""
#: All that was asked for is drawn, and nothing moves or fades, when asked a few times.
REST = """(nSaid) => {
  const isMoving = (root) => root.getAnimations().some(
    (one) => one.playState === 'running' && one.effect.getComputedTiming().endTime < Infinity,
  );
  const isQuiet = (RUN)(nSaid) && !document.querySelector('.stMain [data-stale="true"]')
    && ![document, ...window.shadowRoots()].some(isMoving);
  window.nQuiet = isQuiet ? (window.nQuiet ?? 0) + 1 : 0;
  if (window.nQuiet < 4) return false;
  window.nQuiet = 0;
  return true;
}""".replace("RUN", RUN)
#: What keeps a page from its rest, for who reads of a test that failed.
UNREST = """() => ({
  said: window.tesseraSaid?.(),
  drawn: [...document.querySelectorAll('[class*=st-key-drawn] input')].map(({ value }) => value),
  stands: [...document.querySelectorAll('[data-testid="stSkeleton"], .stMain [data-stale="true"]'),
    ...(window.shadowRoots?.() ?? []).flatMap((root) => [...root.querySelectorAll('[inert]')])]
    .map((one) => one.outerHTML.slice(0, 200)),
  moves: [document, ...(window.shadowRoots?.() ?? [])].flatMap((root) => root.getAnimations())
    .map((one) => `${one.playState} ${one.effect.target?.outerHTML.slice(0, 200)}`),
})"""


#: See `held_runs`.
HeldRuns = Callable[[], AbstractContextManager[Callable[[], None]]]

#: The list takes the place of Playwright's own: what tests meet of that stands here again. A script that is
#: compiled already would be compiled again while it streams in: an eighth of what it costs to open a page.
FEATURES_OFF = ("ScriptStreaming", "PaintHolding", "HttpsUpgrades", "AvoidUnnecessaryBeforeUnloadCheckSync")
#: For each page that opens V8 compiles anew what runs often there. A page of a test is too short-lived to win
#: that back: only what runs thousands of times is compiled once more, and not a third time.
FAST_CODE_LATE = "--js-flags=--no-turbofan --invocation-count-for-maglev=8000"
#: Files of the tests that take longest: they begin first, so that none is left alone at the end; and first
#: of all the one before which no page may be open.
LONGEST = (
    "test_restart",
    "test_train",
    "test_learn",
    "test_tokenize_templates",
    "test_frame",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what stands here, so that `-m "not e2e"` leaves it out, and put it first.

    One process gets all of it and opens each page once; the others come to help when theirs is done.
    """
    for item in items:
        if item.nodeid.startswith("tests/e2e/"):
            item.add_marker(pytest.mark.e2e)
    places = {f"tests/e2e/{stem}.py": place for place, stem in enumerate(LONGEST)}
    items.sort(
        key=lambda item: (
            not item.get_closest_marker("e2e"),
            places.get(item.nodeid.partition("::")[0], len(places)),
        )
    )


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
        arguments = [*ARGUMENTS, FAST_CODE_LATE, f"--disable-features={','.join(FEATURES_OFF)}"]
        chromium = playwright.chromium.launch(executable_path=executable_path, args=arguments)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def faults() -> list[str]:
    """Scripts of pages that failed, and what pages asked of other machines, since the test began."""
    return []


@pytest.fixture(scope="session")
def context(browser: Browser, app_url: str, faults: list[str]) -> Iterator[BrowserContext]:
    """One browser context for all tests of a worker: what it has loaded of the app is not loaded again.

    Each test gets pages as `new_page` makes them, and never the context's.
    """
    context = browser.new_context(
        viewport={"width": 1280, "height": 800},
        reduced_motion="reduce",  # a page that fades is drawn sixty times a second
        permissions=["clipboard-read", "clipboard-write"],
    )
    host = urlsplit(app_url).netloc

    def note(request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme in ("http", "https") and address.netloc != host:
            faults.append(f"asked another machine: {request.url}")

    context.add_init_script(ROOTS)
    context.on("weberror", lambda error: faults.append(str(error.error)))
    # The browser finds no other machine. To be told of each request takes a tenth of a second for a page that
    # opens, and a route would turn the browser's cache off.
    context.on("requestfailed", note)
    context.set_default_timeout(PATIENCE)
    first = context.new_page()  # stays, and keeps the process of the app's pages, and its code
    first.goto(app_url)
    wait_until_run(first)  # what it stores it has stored before a test forgets all
    yield context
    context.close()


@pytest.fixture
def new_page(
    context: BrowserContext, app_url: str, faults: list[str], used_pages: dict[str, Page]
) -> Iterator[Callable[[], Page]]:
    """`new_page()` is a tab of someone who was never here: nothing is stored.

    An error in a script of the app fails the test, and so does asking another machine for anything.
    """
    pages: list[Page] = []
    faults.clear()

    def make() -> Page:
        page = context.new_page()
        forget_all(page, app_url)
        pages.append(page)
        return page

    yield make
    for page in pages:
        if page not in used_pages.values():
            page.close()
    assert faults == []


@pytest.fixture(scope="session")
def used_pages() -> dict[str, Page]:
    """The pages that stay open, by path."""
    return {}


@pytest.fixture
def used_page(
    request: pytest.FixtureRequest,
    context: BrowserContext,
    app_url: str,
    faults: list[str],
    used_pages: dict[str, Page],
) -> Iterator[Callable[[str], Page]]:
    """`used_page("compare")` is a page that is open already, for to open one takes seconds of a processor.

    Earlier tests have used it: a test sets what it looks at, and leaves tokenizers and views as they were.
    What a failed test has left is thrown away.
    """
    n_failed = request.session.testsfailed
    faults.clear()

    def open_path(path: str) -> Page:
        if path not in used_pages:
            used_pages[path] = context.new_page()
            forget_all(used_pages[path], app_url)
            used_pages[path].goto(f"{app_url}/{path}")
        wait_until_run(used_pages[path])
        return used_pages[path]

    yield open_path
    if faults or request.session.testsfailed > n_failed:
        for page in used_pages.values():
            page.close()
        used_pages.clear()
    assert faults == []


@pytest.fixture
def page(new_page: Callable[[], Page]) -> Page:
    """A browser page of a new visitor."""
    return new_page()


def forget_all(page: Page, origin: str) -> None:
    """Empty all that a browser keeps of a site, but what it has loaded of it."""
    devtools = page.context.new_cdp_session(page)
    kept = "cookies,local_storage,indexeddb,service_workers,cache_storage,websql,file_systems"
    devtools.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": kept})
    devtools.detach()


@pytest.fixture
def open_page(page: Page, app_url: str) -> Callable[..., Page]:
    """`open_page("compare")` opens a page of the app by its path and waits until it has run."""

    def open_path(path: str = "") -> Page:
        page.goto(f"{app_url}/{path}")
        wait_until_run(page)
        return page

    return open_path


def _have_a_run(messages: Iterable[str | bytes]) -> bool:
    """Whether a run begins and ends in what a server has sent; one that began before is none."""
    kinds = [ForwardMsg.FromString(sent).WhichOneof("type") for sent in messages if isinstance(sent, bytes)]
    return "new_session" in kinds and "script_finished" in kinds[kinds.index("new_session") :]


@pytest.fixture
def held_runs(page: Page) -> HeldRuns:
    """`with held_runs() as wait_for_run:` what the server tells of its runs in the meantime comes at the end.

    `wait_for_run()` waits until a run has ended, of which the page does not know, and what it asked for. Ask
    for this before the page is opened.
    """
    held: list[str | bytes] | None = None
    sockets: list[WebSocketRoute] = []

    def route(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        server.on_message(lambda sent: socket.send(sent) if held is None else held.append(sent))
        sockets.append(socket)

    page.route_web_socket(re.compile("_stcore/stream"), route)

    def wait_for_run() -> None:
        deadline = time.monotonic() + PATIENCE / 1000
        n_heard = -1
        while not _have_a_run(held or ()) or n_heard != len(held or ()):
            assert time.monotonic() < deadline, "no run has ended"
            n_heard = len(held or ())
            page.wait_for_timeout(500)

    @contextmanager
    def hold() -> Iterator[Callable[[], None]]:
        nonlocal held
        held = []
        yield wait_for_run
        for sent in held:
            sockets[-1].send(sent)
        held = None

    return hold


@pytest.fixture
def a_page(request: pytest.FixtureRequest, used_pages: dict[str, Page]) -> Iterator[Callable[[str], Page]]:
    """`a_page("compare")` is a used page, or for a test marked `new_visitor` one that was just opened.

    The page of `new_visitor(stays=True)` is the used page of the tests after it, unless the test failed.
    """
    marker = request.node.get_closest_marker("new_visitor")
    opened: Callable[[str], Page] = request.getfixturevalue("open_page" if marker else "used_page")
    new: dict[str, Page] = {}
    n_failed = request.session.testsfailed

    def open_path(path: str) -> Page:
        page = opened(path)
        if marker and marker.kwargs.get("stays"):
            new[path] = page
        return page

    yield open_path
    if request.session.testsfailed == n_failed:
        for path, page in new.items():
            if path in used_pages:
                used_pages[path].close()
            used_pages[path] = page


@pytest.fixture
def editor(a_page: Callable[[str], Page]) -> Editor:
    """The live editor of the Tokenize page, in cl100k_base, not in chat or ids."""
    return Editor(a_page("")).wait_until_open()


def wait_until_run(page: Page) -> None:
    """Wait until the script of the page has run, also the run that was asked for last."""
    wait_until(page, RUN)


def wait_until_rest(page: Page) -> None:
    """Wait until the script of the page has run, what it says is drawn, and nothing moves."""
    wait_until(page, REST)


def wait_until(page: Page, condition: str) -> None:
    """Wait until a condition of a page's window holds, or tell what keeps it from its rest."""
    try:
        page.wait_for_function(condition, arg=page.evaluate(SAID), timeout=PATIENCE, polling=50)
    except TimeoutError as error:
        error.add_note(f"at {page.url}: {page.evaluate(UNREST)}")
        raise


def wait_until_held(page: Page, held: Sized) -> None:
    """Wait until a request has come to a route that holds it back: a busy page asks a little later."""
    deadline = time.monotonic() + PATIENCE / 1000
    while not held:
        assert time.monotonic() < deadline, "nothing was asked for"
        page.wait_for_timeout(20)


def at_size(page: Page, width: int, height: int) -> None:
    """Give a page another size, and wait until it is at rest. No test leaves it as it was."""
    page.set_viewport_size({"width": width, "height": height})
    wait_until_rest(page)


@contextmanager
def touched(page: Page) -> Iterator[None]:
    """The page under a finger."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    assert page.evaluate("matchMedia('(pointer: coarse)').matches")
    yield
    devtools.send("Emulation.setTouchEmulationEnabled", {"enabled": False})
    devtools.detach()


def go_to(page: Page, title: str) -> None:
    """Go to a page of the app by its link, and wait until its script has run."""
    page.get_by_role("navigation").get_by_role("link", name=title, exact=True).click()
    expect(page.locator("h1.claim")).to_contain_text(title)
    wait_until_run(page)


def shared_link(page: Page) -> str:
    """The link that the bar's Share puts on the clipboard, once the page has said so."""
    page.get_by_role("button", name="Share").click()
    expect(page.locator(".share-said")).to_contain_text("Copied a link of")
    link: str = page.evaluate("navigator.clipboard.readText()")
    return link
