"""A closed tab's session goes, with its descriptors and what its pages made."""

import asyncio
import gc
import os
import sys
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from weakref import WeakValueDictionary

import pytest
import streamlit as st
from streamlit.runtime import Runtime
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.script_data import ScriptData
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from playground.analysis.vocabulary_index import vocabulary_index
from playground.catalog.trained import TrainedTokenizer
from playground.server.editor.session import EditorSession
from playground.ui import housekeeping, kept_tokenizers
from playground.ui.housekeeping import KEEP_SECONDS, close_left_sessions
from playground.ui.kept_tokenizers import keep_tokenizer
from tests.ui.visits import learned


class Made:
    """What a page keeps in its session."""


@pytest.fixture
def runtime():
    """The part of Streamlit's runtime that sessions live in."""
    uploads = MemoryUploadedFileManager("/upload")
    manager = WebsocketSessionManager(MemorySessionStorage(), uploads, ScriptCache(), lambda: None)
    return SimpleNamespace(_session_mgr=manager, close_session=manager.close_session, uploads=uploads)


def connect(runtime, existing=None):
    data = ScriptData(str(Path(__file__)), is_hello=False)
    return runtime._session_mgr.connect_session(SimpleNamespace(), data, {}, existing)


def n_open():
    return len(os.listdir("/proc/self/fd"))


def test_a_session_without_a_tab_goes_after_a_while(runtime):
    async def play():
        runtime.close_session(connect(runtime))  # the first one starts what stays for the process
        before = n_open()
        session_id = connect(runtime)
        session = runtime._session_mgr.get_active_session_info(session_id).session
        made = Made()
        session.session_state["made"] = made
        gone = weakref.ref(made)
        runtime.uploads.add_file(session_id, UploadedFileRec("f", "name", "type", b"data"))
        del made  # the session itself stays: parts of Streamlit refer to each other in a ring
        assert n_open() == before + 3
        left_at: dict[str, float] = {}
        assert close_left_sessions(runtime, left_at, 0) == 0
        runtime._session_mgr.disconnect_session(session_id)
        assert close_left_sessions(runtime, left_at, 100) == 0
        assert close_left_sessions(runtime, left_at, 100 + KEEP_SECONDS - 1) == 0
        assert gone() is not None
        assert close_left_sessions(runtime, left_at, 100 + KEEP_SECONDS) == 1
        assert (n_open(), gone(), left_at) == (before, None, {})
        assert runtime.uploads.get_files(session_id, ["f"]) == []

    asyncio.run(play())


def test_what_a_closed_tab_kept_of_tokenizers_is_gone(runtime, monkeypatch):
    """A tokenizer that was read from a file, used on the pages, and kept; its room is another's then."""
    kept: dict[str, TrainedTokenizer] = {}
    monkeypatch.setattr("playground.ui.state.trained_tokenizers", lambda: kept)
    for_others: WeakValueDictionary[int, TrainedTokenizer] = WeakValueDictionary()
    monkeypatch.setattr(kept_tokenizers, "_kept_by_all", for_others)

    async def play():
        session_id = connect(runtime)
        session = runtime._session_mgr.get_active_session_info(session_id).session
        keep_tokenizer(learned("mine", "aaab", vocab_size=257))
        editor = EditorSession(kept["mine"])
        vocabulary_index(kept["mine"])
        session.session_state["keep.trained_tokenizers"] = dict(kept)
        session.session_state["keep.editor"] = editor
        assert [*for_others.values()] == [kept["mine"]]
        gone: list[Callable[[], object]] = [weakref.ref(kept["mine"]), weakref.ref(kept["mine"].vocabulary)]
        kept.clear()
        del editor
        runtime._session_mgr.disconnect_session(session_id)
        left_at: dict[str, float] = {}
        close_left_sessions(runtime, left_at, 0)
        gc.collect()
        assert None not in [found() for found in gone], "the tab may come back"
        close_left_sessions(runtime, left_at, KEEP_SECONDS)
        gc.collect()
        assert [found() for found in gone] == [None, None]
        assert not for_others

    asyncio.run(play())


def test_the_last_page_that_ran_is_let_go_with_its_session(runtime, monkeypatch):
    monkeypatch.setattr(housekeeping, "SWEEP_SECONDS", 0.01)
    monkeypatch.setattr(housekeeping, "KEEP_SECONDS", 0.0)
    monkeypatch.setattr(Runtime, "instance", lambda: runtime)

    def run_page():
        """As Streamlit does: names that hold what was made, and functions that hold the names."""
        page = ModuleType("__main__")
        exec("def show():\n    return chosen", page.__dict__)
        page.__dict__["chosen"] = made = Made()
        sys.modules["__main__"] = page
        return weakref.ref(made)

    async def play():
        async with housekeeping.keep_house(st.App(__file__)):
            await asyncio.sleep(0)  # it begins
            gone = run_page()
            runtime._session_mgr.disconnect_session(connect(runtime))
            for _ in range(500):
                if gone() is None:
                    return True
                await asyncio.sleep(0.01)
        return False

    server = sys.modules["__main__"]
    try:
        assert asyncio.run(play())
    finally:
        sys.modules["__main__"] = server


def test_a_tab_that_comes_back_in_time_keeps_its_session(runtime, monkeypatch):
    monkeypatch.setattr(Runtime, "instance", lambda: runtime)

    async def play():
        session_id = connect(runtime)
        left_at: dict[str, float] = {}
        for now in (0.0, 100.0, 200.0):
            runtime._session_mgr.disconnect_session(session_id)
            assert close_left_sessions(runtime, left_at, now) == 0
            assert housekeeping.is_held(session_id)
            assert connect(runtime, session_id) == session_id
            assert close_left_sessions(runtime, left_at, now + 90) == 0
        assert left_at == {}
        assert housekeeping.is_held(session_id)
        runtime.close_session(session_id)
        assert not housekeeping.is_held(session_id)

    asyncio.run(play())


def test_memory_is_lent_briefly_from_the_beginning(monkeypatch):
    asked = []
    monkeypatch.setattr(housekeeping, "lend_memory_briefly", lambda: asked.append(True))
    monkeypatch.setattr(housekeeping, "send_at_once", lambda: 0)
    monkeypatch.setattr(housekeeping, "end_in_time", lambda: None)

    async def serve():
        async with housekeeping.keep_house(st.App(__file__)):
            return list(asked)

    assert asyncio.run(serve()) == [True]


def test_a_collection_does_not_look_through_what_the_server_began_with(monkeypatch):
    monkeypatch.setattr(housekeeping, "send_at_once", lambda: 0)
    monkeypatch.setattr(housekeeping, "end_in_time", lambda: None)

    async def serve():
        async with housekeeping.keep_house(st.App(__file__)):
            return len(gc.get_objects())

    before = len(gc.get_objects())
    assert asyncio.run(serve()) < before / 10
    assert len(gc.get_objects()) > before / 2, "what the server began with ends with it"


def test_full_collections_are_ours_alone_and_rest_for_as_long_as_they_hold_others(runtime, monkeypatch):
    """Python began one at a fixed number of objects, every few seconds where there are many visitors."""
    monkeypatch.setattr(housekeeping, "send_at_once", lambda: 0)
    monkeypatch.setattr(housekeeping, "end_in_time", lambda: None)
    monkeypatch.setattr(housekeeping, "SWEEP_SECONDS", 0.001)
    monkeypatch.setattr(housekeeping, "COLLECT_SECONDS", 0.0)
    monkeypatch.setattr(housekeeping, "give_memory_back", lambda: True)
    monkeypatch.setattr(Runtime, "instance", lambda: runtime)
    collected: list[float] = []

    def collect(*, is_empty: bool) -> None:
        collected.append(time.monotonic())
        time.sleep(0.02)

    monkeypatch.setattr(housekeeping, "_collect", collect)

    async def serve(n_young: int, rest: int, at_least: int) -> int:
        """How often it was collected, by the time of so many, and some more."""
        collected.clear()
        monkeypatch.setattr(housekeeping, "COLLECT_REST", rest)
        monkeypatch.setattr(gc, "get_count", lambda: (0, 0, n_young))
        async with housekeeping.keep_house(st.App(__file__)):
            assert gc.get_threshold()[:2] == before[:2]
            assert gc.get_threshold()[2] >= 1_000_000
            async with asyncio.timeout(60):
                while len(collected) < at_least:
                    await asyncio.sleep(0.01)
            await asyncio.sleep(0.2)
        return len(collected)

    before = gc.get_threshold()
    assert asyncio.run(serve(before[2], 0, at_least=4)) >= 4
    assert asyncio.run(serve(before[2], 250, at_least=1)) == 1, "0.02 s are followed by 5 s without"
    assert asyncio.run(serve(before[2] - 1, 0, at_least=0)) == 0, "nobody left, and too little was made"
    assert gc.get_threshold() == before


@pytest.mark.parametrize("is_empty", [True, False])
def test_what_stays_when_nobody_is_there_is_not_looked_through_again(is_empty):
    stays, goes = Made(), Made()
    for made in (stays, goes):
        vars(made)["itself"] = made
    gone = weakref.ref(goes)
    gc.freeze()
    try:
        del goes, made
        housekeeping._collect(is_empty=is_empty)
        assert (gone() is None) is is_empty, "what was frozen before is looked through too"
        assert any(held is stays for held in gc.get_objects()) is False
    finally:
        gc.unfreeze()
