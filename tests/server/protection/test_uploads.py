"""One visitor's uploads, and those of all, stay within bounds, also while several come at once."""

import asyncio
import errno

import pytest
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse

from playground.server.protection import uploads
from playground.server.protection.uploads import MAX_BYTES_OF_VISITOR, UploadLimit, max_bytes_of_all

MEGA = 1_000_000


class Manager:
    """What holds the files: an app that takes them, when it is told to."""

    def __init__(self):
        self.files: dict[str, int] = {}
        self.may_end = asyncio.Event()

    async def __call__(self, scope, receive, send):
        await self.may_end.wait()
        session = scope["path"].split("/")[-2]
        self.files[session] = self.files.get(session, 0) + int(dict(scope["headers"])[b"content-length"])
        await PlainTextResponse("", 204)(scope, receive, send)


async def put(limit, session, n_bytes, *, length=None, method="PUT", file="file", receive=None):
    sent = []

    async def receive_nothing():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    headers = [(b"content-length", str(n_bytes).encode() if length is None else length)]
    path = f"/base/_stcore/upload_file/{session}/{file}"
    await limit(
        {"type": "http", "method": method, "path": path, "headers": headers}, receive or receive_nothing, send
    )
    return (sent[0]["status"], sent[1].get("body", b"").decode()) if sent else None


def test_files_of_one_visitor_are_counted_together():
    async def play():
        manager = Manager()
        manager.may_end.set()
        limit = UploadLimit(manager, held=lambda: manager.files)
        assert await put(limit, "a", 200 * MEGA) == (204, "")
        status, sentence = await put(limit, "a", 101 * MEGA)
        assert status == 413
        assert "300,000,000" in sentence
        assert "301,000,000" in sentence
        assert await put(limit, "a", 100 * MEGA) == (204, "")
        assert await put(limit, "b", 250 * MEGA) == (204, "")
        manager.files["a"] = 0
        assert await put(limit, "a", 250 * MEGA) == (204, "")

    asyncio.run(play())


def test_files_that_come_at_once_are_counted_too():
    async def play():
        manager = Manager()
        limit = UploadLimit(manager, held=lambda: manager.files)
        tasks = [asyncio.create_task(put(limit, "a", 90 * MEGA)) for _ in range(12)]
        await asyncio.sleep(0)
        manager.may_end.set()
        statuses = [status for status, _ in await asyncio.gather(*tasks)]
        assert sorted(statuses) == [204] * 3 + [413] * 9
        assert not limit._coming

    asyncio.run(play())


def test_all_together_have_a_bound():
    async def play():
        manager = Manager()
        manager.may_end.set()
        limit = UploadLimit(manager, held=lambda: manager.files)
        limit.max_of_all = 2 * MAX_BYTES_OF_VISITOR
        statuses = [(await put(limit, f"visitor {n}", 250 * MEGA))[0] for n in range(4)]
        assert statuses == [204, 204, 503, 503]
        assert (await put(limit, "visitor 5", 100 * MEGA))[0] == 204, "there is room for so much"
        assert (await put(limit, "visitor 6", 1))[0] == 503

    asyncio.run(play())
    assert max_bytes_of_all() >= 2 * MAX_BYTES_OF_VISITOR


@pytest.mark.parametrize("length", [b"", b"-1", b"1e9", b"9" * 5_000, "٣".encode()])
def test_a_length_must_be_said(length):
    async def play():
        return await put(UploadLimit(Manager(), held=dict), "a", 1, length=length)

    assert asyncio.run(play())[0] == 411


def test_other_requests_pass():
    async def play():
        manager = Manager()
        manager.may_end.set()
        limit = UploadLimit(manager, held=lambda: {"a": 10**12})
        return await put(limit, "a", 5, method="DELETE")

    assert asyncio.run(play())[0] == 204


def failing(error):
    async def app(_scope, _receive, _send):
        raise error

    return UploadLimit(app, held=dict)


def test_a_page_is_told_once_why_a_file_was_not_taken(monkeypatch):
    monkeypatch.setattr(uploads, "MAX_REMEMBERED", 2)

    async def play():
        limit = UploadLimit(Manager(), held=lambda: {"a": MAX_BYTES_OF_VISITOR})
        told = (await put(limit, "a", 1, file="1"))[1]
        assert "Remove another file first" in told
        assert await put(limit, "a", 0, method="GET", file="other") == (404, "")
        assert await put(limit, "a", 0, method="GET", file="1") == (200, told)
        assert await put(limit, "a", 0, method="GET", file="1") == (404, "")
        for number in range(4):
            await put(limit, "a", 1, file=str(number))
        statuses = [(await put(limit, "a", 0, method="GET", file=str(number)))[0] for number in range(4)]
        assert statuses == [404, 404, 200, 200], "only so many are remembered"

    asyncio.run(play())


def test_a_full_disk_is_told(caplog):
    limit = failing(OSError(errno.ENOSPC, "No space left on device"))
    status, sentence = asyncio.run(put(limit, "a", 5))
    assert (status, "cannot keep the file: No space left on device" in sentence) == (507, True)
    assert asyncio.run(put(limit, "a", 0, method="GET")) == (200, sentence)
    assert "No space left" in caplog.text
    assert not limit._coming


def test_a_tab_that_is_closed_while_its_file_comes_is_no_fault():
    limit = failing(ClientDisconnect())
    assert asyncio.run(put(limit, "a", 5)) is None
    assert not limit._coming


def test_a_file_that_stops_coming_is_given_up_and_frees_its_room(monkeypatch):
    monkeypatch.setattr(uploads, "MAX_PAUSE_SECONDS", 0.02)
    parts = [{"type": "http.request", "body": b"x", "more_body": True}]

    async def receive():
        return parts.pop() if parts else await asyncio.Event().wait()

    async def read_body(_scope, receive, _send):
        while (await receive())["more_body"]:
            pass

    limit = UploadLimit(read_body, held=dict)
    status, sentence = asyncio.run(put(limit, "a", 250 * MEGA, receive=receive))
    assert (status, "No byte of the file came" in sentence) == (408, True)
    assert not limit._coming


def test_who_has_sent_a_whole_file_may_wait_for_the_answer(monkeypatch):
    monkeypatch.setattr(uploads, "MAX_PAUSE_SECONDS", 0.02)
    parts = [{"type": "http.request", "body": b"x", "more_body": False}]

    async def receive():
        if parts:
            return parts.pop()
        await asyncio.sleep(0.1)
        return {"type": "http.disconnect"}

    async def read_all(scope, receive, send):
        while (await receive())["type"] != "http.disconnect":
            pass
        await PlainTextResponse("", 204)(scope, receive, send)

    assert asyncio.run(put(UploadLimit(read_all, held=dict), "a", 1, receive=receive))[0] == 204
