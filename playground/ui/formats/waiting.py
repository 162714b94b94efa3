"""What the formats page shows while its work goes on: how far it is, and a button that ends it."""

import time
from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import StopException

from playground.core.errors import LooksLikeProseError, PlaygroundError
from playground.render.visible_text import markdown_escape
from playground.ui import state
from playground.ui.formats.session import FormatSession, StoppedError
from playground.ui.work import Work

T = TypeVar("T")
#: Seconds of work before anything is shown of it.
_PATIENCE_SECONDS = 0.8


def format_session() -> FormatSession:
    """This visitor's data; what is being made of it ends with the tab."""
    session = state.keep("formats.session", FormatSession)
    _end_with_the_tab(session.visitor, session)
    return session


def wait_for(
    name: str,
    session: FormatSession,
    ask: Callable[[Callable[[Work[Any]], object]], T],
    place: DeltaGenerator | None = None,
    *,
    read_as_yaml: Callable[[], None] = lambda: None,
) -> T | None:
    """What is asked of the session, by a call that gets its `on_wait`; None where a sentence says why not.

    `name` tells the buttons of one wait from another's in the same run. It is shown here, or in an `st.empty`
    that is given. Prose is asked about; `read_as_yaml` is then the answer.

    The run of the page waits here, and Streamlit ends it for a newer one whenever something is drawn. The
    work goes on in its thread: the newer run waits for the same work, or ends it if the data is other data.
    """
    place = place or st.empty()
    try:
        found = ask(_Wait(name, session, place).draw)
    except StoppedError as stopped:
        with place.container():
            how_far = f" at: {stopped}" if str(stopped) else ""
            st.info(markdown_escape(f"Stopped{how_far}."), icon=":material/stop_circle:")
            st.button("Go on", key=f"formats.go_on.{name}", on_click=session.go_on)
        return None
    except StopException:  # the tab is closed, or Streamlit's own Stop was pressed
        session.end_work()
        raise
    except LooksLikeProseError as error:
        with place.container():
            way_on = "choose a format under Read as to read it all the same"
            _tell(st.info, f"{error}; {way_on}", icon=":material/help:")
            st.button("Read it as YAML", key=f"formats.as_yaml.{name}", on_click=read_as_yaml)
        return None
    except PlaygroundError as error:
        _tell(place.error, str(error), icon=":material/error:")
        return None
    place.empty()
    return found


def _tell(show: Callable[..., object], message: str, *, icon: str) -> None:
    show(markdown_escape(f"{message[:1].upper()}{message[1:]}."), icon=icon)


class _Wait:
    """One run of the page that waits."""

    def __init__(self, name: str, session: FormatSession, place: DeltaGenerator) -> None:
        self._name, self._session, self._place = name, session, place
        self._since = time.monotonic()
        self._bar: Any = None

    def draw(self, work: Work[Any]) -> None:
        """Show how far the work is; Streamlit may raise here to end this run."""
        if time.monotonic() - self._since < _PATIENCE_SECONDS:
            self._place.empty()
            return
        what = markdown_escape(work.what)
        if self._bar is None:
            with self._place.container():
                self._bar = st.progress(work.part, what)
                st.button(
                    "Stop",
                    key=f"formats.stop.{self._name}",
                    icon=":material/stop_circle:",
                    help="End this work; the data stays",
                    on_click=self._session.stop,
                )
        self._bar.progress(work.part, what)


@st.cache_resource(scope="session", on_release=lambda session: session.end_work(), show_spinner=False)
def _end_with_the_tab(visitor: str, _session: FormatSession) -> FormatSession:  # noqa: ARG001
    return _session
