"""A full server refuses new visitors with a sentence, and those who are here work on."""

import asyncio
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
import websockets
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.e2e.apps import App, running_app

LIMIT = 120
#: An address may have three pages, while a file in HOME says so.
FEW_PAGES = (
    "from pathlib import Path; from playground.server.protection.visitors import PageLimit; "
    "few = Path.home() / 'few'; "
    "PageLimit.max_pages = property(lambda self: 3 if few.exists() else 1000, lambda self, n: None); "
)
#: No file of the server's may have more than half a megabyte, as on a full disk.
FULL_DISK = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000)); "


def run(play: Coroutine[None, None, None]) -> None:
    """In a thread: the browser of other tests has a loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, play).result()


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """A server of few descriptors, whose disk is full."""
    home = tmp_path_factory.mktemp("home")
    with running_app(home, max_descriptors=LIMIT, also=FEW_PAGES + FULL_DISK) as app:
        yield app
        said = app.log.read_text()
    assert "Too many open files" not in said
    assert "Traceback" not in said


def test_an_address_with_many_pages_gets_no_new_one_until_one_is_closed_and_a_full_disk_is_told(
    app: App,
) -> None:
    async def play() -> None:
        opened = [await app.open_page() for _ in range(3)]
        status, sentence = await asyncio.to_thread(app.ask, "/", Accept="text/html")
        assert (status, "Your address has 3 pages open" in sentence) == (503, True)
        with pytest.raises(websockets.InvalidStatus):
            await app.open_page()
        for _, session in opened:
            assert (await asyncio.to_thread(app.ask, f"{session}/open", {}))[0] == 200
        await opened[0][0].close()
        async with asyncio.timeout(30):
            while (await asyncio.to_thread(app.ask, "/", Accept="text/html"))[0] == 503:
                await asyncio.sleep(0.05)
        last, messages = await app.read_page()
        (begun,) = (message.new_session for message in map(ForwardMsg.FromString, messages)
                    if message.HasField("new_session"))  # fmt: skip
        await asyncio.to_thread(upload, app, begun.initialize.session_id)
        for visitor in (last, *(opener for opener, _ in opened[1:])):
            await visitor.close()

    few = app.log.with_name("few")
    few.touch()
    run(play())
    few.unlink()


def test_a_full_server_tells_new_visitors_and_serves_the_others(app: App) -> None:
    async def play() -> None:
        first, session = await app.open_page()
        visitors = [first]
        for _ in range(LIMIT):
            try:
                visitors.append((await app.open_page())[0])
            except websockets.InvalidStatus:
                break
        assert 5 < len(visitors) < LIMIT // 3
        status, sentence = await asyncio.to_thread(app.ask, "/", Accept="text/html")
        assert (status, "This server is full" in sentence) == (503, True)
        assert (await asyncio.to_thread(app.ask, f"{session}/open", {}))[0] == 200
        for visitor in visitors:
            await visitor.close()

    run(play())


def upload(app: App, session_id: str) -> None:
    """What no disk has room for is told at its address, once, and what there is room for is taken."""
    with httpx.Client(base_url=app.url, timeout=60) as browser:
        browser.get("/_stcore/health")
        token = {"X-Xsrftoken": browser.cookies["_streamlit_xsrf"]}
        address = f"/_stcore/upload_file/{session_id}/"

        def put(name: str, n_bytes: int) -> httpx.Response:
            return browser.put(address + name, files={name: (name, b"word " * (n_bytes // 5))}, headers=token)

        refused = put("large", 2_000_000)
        assert refused.status_code == 507
        assert "This server cannot keep the file: File too large" in refused.text
        told = [browser.get(f"{address}large?why") for _ in range(2)]
        assert [answer.status_code for answer in told] == [200, 404]
        assert told[0].text == refused.text
        assert put("small", 10_000).is_success
