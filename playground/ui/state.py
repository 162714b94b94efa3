"""The only user of `st.session_state` and `st.query_params`.

A `Field` is a value that a widget shows; what is kept by name is anything else that lasts for the session.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import RerunException
from streamlit.runtime.state import get_session_state
from streamlit.runtime.uploaded_file_manager import UploadedFile

from playground.catalog.opened import OpenedTokenizer

T = TypeVar("T")
#: The fields whose put values the present run has told the browser; none outside `whole_run`.
_TOLD = "keep.told"
#: So long after a put value was first told it is told again in each run, and a browser may have asked for
#: that run before it heard of it.
_TOLD_AGAIN_SECONDS = 1.0
#: After so long whoever is here may have chosen what the browser showed before, though no run has told it.
_UNTOLD_SECONDS = 3.0


@dataclass(slots=True)
class _Put(Generic[T]):
    """A value that was put, what the browser may show instead, when, and when a run first told it."""

    value: T
    before: list[T]
    since: float
    first_told: float | None = None

    @property
    def stands(self) -> bool:
        """Whether the browser may not know of it: then what it showed before is nobody's choice."""
        since, seconds = self.since, _UNTOLD_SECONDS
        if self.first_told is not None:
            since, seconds = self.first_told, _TOLD_AGAIN_SECONDS
        return time.monotonic() - since < seconds


@dataclass(frozen=True, slots=True)
class Field(Generic[T]):
    """A value of the session that a widget shows; every widget whose value is to last is drawn with one.

    `st.number_input("Merges", **MERGES.shown())` draws it, `MERGES.value` reads it, also where it is not
    drawn and in a callback, and `MERGES.put(3)` replaces it.

    Streamlit forgets a widget's value with its page unless told to persist it. What a widget opens with is an
    argument, not a value set in the state: that is told in one run only, and a browser that gets two runs at
    once may draw the second alone. A value put is set in the state, for arguments do not change a widget that
    is there; in that run the argument is left out, since Streamlit warns of two. The key never changes, for
    the old widget would stand beside the new one until the run ends.
    """

    name: str
    default: T

    @property
    def value(self) -> T:
        """What the widget shows, or will show.

        A run that is ended before it has drawn the widget has not told the browser what was put, and one that
        was asked for before the browser heard of it says what was shown then: what was put stands, unless
        someone chose something else.
        """
        value: T = st.session_state.get(self.name, self.default)
        last: _Put[T] | None = kept(f"{self.name}.put", None)
        return last.value if last is not None and last.stands and value in last.before else value

    def put(self, value: T) -> None:
        """Replace the value, before the widget is drawn or in a callback."""
        before: list[T] = [st.session_state.get(self.name, self.default)]
        last: _Put[T] | None = kept(f"{self.name}.put", None)
        if last is not None and last.stands:
            before += [last.value, *last.before]
        st.session_state[self.name] = value
        put(f"{self.name}.put", _Put(value, before, time.monotonic()))

    def following(self) -> "Field[T]":
        """The same field; as long as nobody changes what it shows, it follows its default."""
        name = f"{self.name}.default"
        if self.value == keep(name, lambda: self.default) != self.default:
            self.put(self.default)
        put(name, self.default)
        return self

    def shown(self) -> dict[str, Any]:
        """Arguments of a widget to type in or to switch."""
        return self._arguments(self.value, "value")

    def one_of(self, options: Sequence[T]) -> dict[str, Any]:
        """Arguments of a select box or of radio buttons; a value that is no option is the first."""
        index = options.index(self.value) if self.value in options else 0
        return self._arguments(options[index] if options else None, "index", index)

    def some_of(self, options: Sequence[object]) -> dict[str, Any]:
        """Arguments of a widget to choose several, or of a segmented control; only options are shown."""
        value = self.value
        shown: object = value if value in options else options[0]
        if isinstance(value, list):
            shown = [chosen for chosen in value if chosen in options]
        return self._arguments(shown, "default")

    def _arguments(self, shown: object, opening: str, *argument: object) -> dict[str, Any]:
        arguments = {"key": self.name, "persist_state": "session"}
        last: _Put[Any] | None = kept(f"{self.name}.put", None)
        first_told = last.first_told if last else -math.inf
        is_told = first_told is not None and time.monotonic() - first_told > _TOLD_AGAIN_SECONDS
        # A run that `st.rerun` has asked for finds what the run before it has set in the state still as set.
        if is_told and not get_session_state().is_new_state_value(self.name):
            return {**arguments, opening: argument[0] if argument else shown}
        told: list[str] | None = st.session_state.get(_TOLD)
        if told is None:
            put(f"{self.name}.put", None)
        else:
            told.append(self.name)
        st.session_state[self.name] = shown
        return arguments


@contextmanager
def whole_run() -> Iterator[None]:
    """A run of a page: a newer one may end it before the browser draws it, and tells again what was put.

    So do the runs of the next second: of two that come within one frame a browser draws the later.
    """
    told: list[str] = []
    st.session_state[_TOLD] = told
    try:
        yield
    except RerunException:
        told.clear()
        raise
    finally:
        st.session_state.pop(_TOLD, None)
        for name in told:
            last: _Put[Any] | None = kept(f"{name}.put", None)
            if last is not None and last.first_told is None:
                last.first_told = time.monotonic()


def keep(name: str, default: Callable[[], T]) -> T:
    """The session's value of this name, made by `default` when it is first asked for."""
    key = f"keep.{name}"
    if key not in st.session_state:
        st.session_state[key] = default()
    value: T = st.session_state[key]
    return value


def put(name: str, value: object) -> None:
    """Replace a kept value."""
    st.session_state[f"keep.{name}"] = value


def kept(name: str, default: T) -> T:
    """A kept value as it stands; `default` where there is none, which is not kept for it."""
    value: T = st.session_state.get(f"keep.{name}", default)
    return value


def take(name: str, default: T) -> T:
    """A kept value, taken out; `default` where there is none."""
    value: T = st.session_state.pop(f"keep.{name}", default)
    return value


def trained_tokenizers() -> dict[str, OpenedTokenizer]:
    """What this session has trained or read from files, by name; every picker lists them first."""
    return keep("trained_tokenizers", dict)


def take_query_parameter(name: str) -> str | None:
    """A parameter of the address, such as a share link's; it is taken out once it has been read."""
    value: str | None = st.query_params.pop(name, None)
    return value


def query_parameter(name: str) -> str | None:
    """A parameter of the address, or None; it stays there."""
    value: str | None = st.query_params.get(name)
    return value


def set_query_parameter(name: str, value: str | None) -> None:
    """Set a parameter of the address, or take it out."""
    if value is None:
        st.query_params.pop(name, None)
    elif st.query_params.get(name) != value:
        st.query_params[name] = value


def chosen(key: str) -> str:
    """What was chosen from a menu button of this key, for its callback."""
    return str(st.session_state[key])


def uploaded_files(key: str) -> list[UploadedFile]:
    """The files that a file uploader of this key holds now; known before it is drawn again."""
    held = st.session_state.get(key) or []
    return held if isinstance(held, list) else [held]


def component_value(key: str, name: str) -> Any:
    """What a mounted component last sent under a name, or None; known before it is mounted again."""
    sent = st.session_state.get(key)
    return sent.get(name) if sent else None
