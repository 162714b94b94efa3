"""What visitors leave behind is let go: sessions without a tab, their files, and memory that is free again.

Streamlit keeps the session of a closed tab for two minutes, and then until some other tab closes; each holds
three descriptors, its uploads and all that its pages made.
"""

import asyncio
import gc
import logging
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import ModuleType

import streamlit as st
from streamlit.runtime import Runtime

from playground.server.ending import end_in_time
from playground.server.sockets import log_noise_briefly, send_at_once
from playground.workers.free_memory import give_memory_back, lend_memory_briefly

SWEEP_SECONDS = 5.0
#: A tab whose network is gone for longer than this gets a new session; its text is in the browser.
KEEP_SECONDS = 30.0
#: A page's names and functions hold each other, so only a full collection frees them. It holds the
#: interpreter while it looks through what was made since nobody was there: 0.1 s with 200 visitors.
COLLECT_SECONDS = 20.0
#: And not before so many times as long as the last one took.
COLLECT_REST = 250
#: Python itself begins no full collection: with 200 visitors it did every six seconds.
_NEVER = 1_000_000_000
_LOGGER = logging.getLogger(__name__)


@asynccontextmanager
async def keep_house(_app: st.App) -> AsyncIterator[None]:
    """Sweep for as long as the server runs; a lifespan of `st.App`, which begins when the server listens."""
    lend_memory_briefly()
    send_at_once()
    log_noise_briefly()
    end_in_time()
    gc.freeze()  # modules stay: a collection that looked through them too held everyone for 0.2 s
    thresholds = gc.get_threshold()
    gc.set_threshold(*thresholds[:2], _NEVER)
    sweeping = asyncio.create_task(_sweep_for_good(sys.modules["__main__"], n_young=thresholds[2]))
    try:
        yield
    finally:
        sweeping.cancel()
        gc.set_threshold(*thresholds)
        gc.unfreeze()


async def _sweep_for_good(main: ModuleType, n_young: int) -> None:
    """Sweep; collect where a session was closed, or after `n_young` collections of what is young."""
    left_at: dict[str, float] = {}
    clock = asyncio.get_running_loop().time
    n_closed, collect_at = 0, clock()
    while True:
        await asyncio.sleep(SWEEP_SECONDS)
        now = clock()
        try:
            n_closed += close_left_sessions(Runtime.instance(), left_at, now)
        except Exception:  # a version of Streamlit that works otherwise: the server goes on without
            _LOGGER.exception("sessions of closed tabs are not let go")
            return
        is_full_due = n_closed or gc.get_count()[2] >= n_young
        if is_full_due and now >= collect_at:
            n_closed = 0
            sys.modules["__main__"] = main  # it was the last page that ran, with all that its names hold
            _collect(is_empty=not Runtime.instance()._session_mgr.list_sessions())
            collect_at = now + max(COLLECT_SECONDS, COLLECT_REST * (clock() - now))
            await asyncio.to_thread(give_memory_back)


def _collect(*, is_empty: bool) -> None:
    """Free what holds each other; what stays when nobody is there is never looked through again."""
    if is_empty:
        gc.unfreeze()
    gc.collect()
    if is_empty:
        gc.freeze()


def is_held(session_id: str) -> bool:
    """Whether there is a session of this id, with a tab or without."""
    return Runtime.instance()._session_mgr.get_session_info(session_id) is not None


def close_left_sessions(runtime: Runtime, left_at: dict[str, float], now: float) -> int:
    """Close the sessions whose tab has been gone for `KEEP_SECONDS`; how many.

    `left_at` has when each was first found without a tab, and is brought up to date.
    """
    manager = runtime._session_mgr
    left = {
        info.session.id: info.session
        for info in manager.list_sessions()
        if not manager.is_active_session(info.session.id)
    }
    for session_id in left_at.keys() - left.keys():
        del left_at[session_id]  # it has a tab again, or is gone
    n_closed = 0
    for session_id, session in left.items():
        if now - left_at.setdefault(session_id, now) >= KEEP_SECONDS:
            runtime.close_session(session_id)
            session.session_state.clear()
            del left_at[session_id]
            n_closed += 1
    return n_closed
