"""A short edit is answered without a thread; whatever may take longer, or would wait, is handed over."""

import asyncio
import json
import threading
from collections.abc import Callable

import pytest

from playground.analysis.live_comparison import LiveComparison
from playground.analysis.live_document import LiveDocument
from playground.catalog.recut import recut
from playground.catalog.registry import get_tokenizer
from playground.core.tokenizer import Tokenizer
from playground.server import compare_session
from playground.server.compare_session import CompareSession
from playground.server.editor.actions import MAX_CHARACTERS_NOW
from playground.server.editor.session import EditorSession
from playground.server.protection.guard import TINY_BODY_BYTES
from playground.server.routes import SESSION_ROUTE
from tests.server.protection.test_fair_shares import Call

PROSE = "Some words in a line.\n" * 500
OPEN: tuple[str, object] = ("open", {})


def edit(session: EditorSession | CompareSession, inserted: str = "x") -> tuple[str, dict[str, object]]:
    """An edit in the middle of the text."""
    edited = session.comparison if isinstance(session, CompareSession) else session.document
    start = len(edited.text) // 2
    return "edit", {"version": edited.version, "start": start, "n_deleted": 0, "inserted": inserted}


def call(session: EditorSession | CompareSession, action: str, body: object) -> Call:
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


def comparison_of(text: str, *more: Tokenizer) -> CompareSession:
    """What a browser has opened: two tokenizers of our own, and more."""
    return CompareSession(LiveComparison(text, [*map(get_tokenizer, ("gpt2", "cl100k_base")), *more]))


def test_a_key_in_compare_takes_no_thread_either(splicing: list[int]):
    session = comparison_of(PROSE)
    assert asyncio.run(call(session, *edit(session)).run()) == 200
    assert splicing == [threading.get_ident()] * 2
    for document in session.comparison.documents:
        assert document.ids == document.tokenizer.encode(session.text)


@pytest.mark.parametrize("why", ["a long word in one of two", "another tokenizer", "an empty text"])
def test_what_may_take_longer_has_a_thread_in_compare(splicing: list[int], why: str):
    session = comparison_of(PROSE)
    if why == "a long word in one of two":
        session.set_text("a" * (compare_session.MAX_CHARACTERS_NOW // 2 + 1))
    elif why == "another tokenizer":
        session = comparison_of(PROSE, recut(get_tokenizer("gpt2"), "", (0,)))
    elif why == "an empty text":
        session.set_text("")
    assert asyncio.run(call(session, *edit(session)).run()) == 200
    assert splicing
    assert threading.get_ident() not in splicing


@pytest.mark.parametrize("whose", ["session", "document", "comparison"])
def test_a_key_waits_in_a_thread_for_who_has_the_text(
    session: EditorSession, splicing: list[int], whose: str
):
    held, go_on = threading.Event(), threading.Event()
    typed_in = comparison_of(PROSE) if whose == "comparison" else session
    asked = call(typed_in, *edit(typed_in))

    def hold() -> None:
        with session.document.lock if whose == "document" else typed_in.lock:
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
    assert splicing
    assert threading.get_ident() not in splicing
