"""Pages that come at once go in one after another; who is there, and other requests, wait for nobody."""

import asyncio
from contextlib import suppress

import pytest

from playground.server.protection import door
from playground.server.protection.door import Door


class Server:
    """Pages that went in, in order; each run waits for its turn until `n_waiting` is set to 0."""

    def __init__(self):
        self.went_in = []
        self.n_waiting = 0
        self.door = Door(self.open, n_waiting=lambda: self.n_waiting)

    async def open(self, scope, _receive, _send):
        self.went_in.append(scope["name"])
        self.n_waiting += 1

    def come(self, name, *, address="one", path="/_stcore/stream", kind="websocket"):
        scope = {"type": kind, "path": path, "client": (address, 1), "name": name, "headers": []}
        return asyncio.create_task(self.door(scope, nothing, nothing))


async def nothing(*_message):
    return {}


async def until(condition):
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.01)


def test_no_more_go_in_than_wait_for_their_turns():
    async def visit():
        server = Server()
        pages = [server.come(number) for number in range(20)]
        await until(lambda: len(server.went_in) == door.MAX_WAITING)
        await asyncio.sleep(0.3)
        assert server.went_in == [*range(door.MAX_WAITING)]
        server.n_waiting = door.MAX_WAITING - 1  # one had its turn
        await until(lambda: len(server.went_in) == door.MAX_WAITING + 1)
        server.n_waiting = -20
        await asyncio.gather(*pages)
        assert server.went_in == [*range(20)]

    asyncio.run(visit())


def test_pages_that_come_at_once_do_not_begin_at_once(monkeypatch):
    monkeypatch.setattr(door, "STEP_SECONDS", 5)

    async def visit():
        server = Server()
        pages = [server.come(number) for number in range(3)]
        other = server.come("other", address="two")
        await until(lambda: len(server.went_in) == 2)
        await asyncio.sleep(0.2)
        assert server.went_in == [0, "other"]
        for page in [*pages, other]:
            page.cancel()

    asyncio.run(visit())


def test_keys_and_documents_do_not_wait_at_the_door():
    async def visit():
        server = Server()
        server.n_waiting = 100
        page = server.come("page")
        await server.come("key", path="/session/x/edit", kind="http")
        assert server.went_in == ["key"]
        page.cancel()

    asyncio.run(visit())


@pytest.mark.parametrize("n_pages", [1, 3])
def test_nobody_waits_at_the_door_for_ever(monkeypatch, n_pages):
    monkeypatch.setattr(door, "MAX_SECONDS", 0.1)

    async def visit():
        server = Server()
        server.n_waiting = 100
        await asyncio.gather(*(server.come(number) for number in range(n_pages)))
        assert sorted(server.went_in) == [*range(n_pages)]

    asyncio.run(visit())


def test_who_leaves_while_it_waits_leaves_the_door_to_the_next():
    async def visit():
        server = Server()
        server.n_waiting = door.MAX_WAITING
        first, second = server.come("first"), server.come("second")
        await asyncio.sleep(0.05)
        first.cancel()
        with suppress(asyncio.CancelledError):
            await first
        server.n_waiting = 0
        await second
        assert server.went_in == ["second"]

    asyncio.run(visit())
