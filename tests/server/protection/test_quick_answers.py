"""A short edit is answered without a thread; whatever may take longer, or would wait, is handed over."""

import asyncio
import json
import threading
from collections.abc import Callable

import pytest

from playground.analysis.live_document import LiveDocument
from playground.catalog.recut import recut
from playground.catalog.registry import get_tokenizer
from playground.server.editor.actions import MAX_CHARACTERS_NOW
from playground.server.editor.session import EditorSession
from playground.server.protection.guard import TINY_BODY_BYTES
from playground.server.routes import SESSION_ROUTE
from tests.server.protection.test_fair_shares import Call

PROSE = "Some words in a line.\n" * 500
OPEN: tuple[str, object] = ("open", {})


def edit(session: EditorSession, inserted: str = "x") -> tuple[str, dict[str, object]]:
    """An edit in the middle of the text."""
    start = len(session.document.text) // 2
    return "edit", {
        "version": session.document.version, "start": start, "n_deleted": 0, "inserted": inserted
    }  # fmt: skip


def call(session: EditorSession, action: str, body: object) -> Call:
    path = {"session_id": session.id, "action": action}
    endpoint = SESSION_ROUTE.endpoint  # type: ignore[attr-defined]
    return Call(endpoint, [json.dumps(body).encode()], address="10.0.0.8", path=path)


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> EditorSession:
    """An editor that a browser has opened, with prose in it."""
    session = EditorSession(get_tokenizer("gpt2"))
    session.document.replace(PROSE)
    assert asyncio.run(call(session, *OPEN).run()) == 200
    return session


@pytest.fixture
def splicing(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The threads in which texts were edited."""
    threads: list[int] = []
    splice: Callable[..., object] = LiveDocument.edit

    def recorded(*edit: object) -> object:
        threads.append(threading.get_ident())
        return splice(*edit)

    monkeypatch.setattr(LiveDocument, "edit", recorded)
    return threads


def test_a_key_in_prose_takes_no_thread(session: EditorSession, splicing: list[int]):
    asked = call(session, *edit(session))
    assert asyncio.run(asked.run()) == 200
    assert splicing == [threading.get_ident()]
    assert session.document.ids == get_tokenizer("gpt2").encode(session.document.text)


@pytest.mark.parametrize(
    "why", ["a long word", "a long paste", "another tokenizer", "not looked at yet", "an empty text"]
)
def test_what_may_take_longer_has_a_thread(session: EditorSession, splicing: list[int], why: str):
    inserted = "x"
    if why == "a long word":
        session.document.replace("a" * (MAX_CHARACTERS_NOW + 1))
        session.document.totals()
    elif why == "an empty text":
        session.document.replace("")
        session.document.totals()
    elif why == "a long paste":
        inserted = "y" * TINY_BODY_BYTES
    elif why == "another tokenizer":
        session.use_tokenizer(recut(get_tokenizer("gpt2"), "", (0,)), ())
        session.document.totals()
    else:
        session.use_tokenizer(get_tokenizer("cl100k_base"), ())
    assert asyncio.run(call(session, *edit(session, inserted)).run()) == 200
    assert len(splicing) == 1
    assert splicing[0] != threading.get_ident()


@pytest.mark.parametrize("name", ["session", "document"])
def test_a_key_waits_in_a_thread_for_who_has_the_text(session: EditorSession, splicing: list[int], name: str):
    held, go_on = threading.Event(), threading.Event()
    asked = call(session, *edit(session))

    def hold() -> None:
        with session.lock if name == "session" else session.document.lock:
            held.set()
            assert go_on.wait(30)

    async def play() -> int:
        task = asyncio.create_task(asked.run())
        await asyncio.sleep(0.05)
        assert not task.done(), "and this thread goes on"
        go_on.set()
        return await task

    holder = threading.Thread(target=hold)
    holder.start()
    try:
        assert held.wait(30)
        assert asyncio.run(play()) == 200
    finally:
        go_on.set()
        holder.join()
    assert splicing != [threading.get_ident()]
