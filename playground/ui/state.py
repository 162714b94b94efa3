"""The only user of `st.session_state` and `st.query_params`.

A `Field` is a choice that a widget shows: Streamlit owns its value, keeps it for the session, and mirrors it
in the page's address, so that a reload and a copied address restore it. `keep`, `put`, `kept` and `take` hold
anything else that lasts for the session.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import streamlit as st

from playground.catalog.opened import OpenedTokenizer
from playground.server.picker_session import PickerSession
from playground.ui.middleware import offered_places

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Field(Generic[T]):
    """A choice that a widget shows, by the widget's key.

    `st.number_input("Merges", **MERGES.shown())` draws it and `MERGES.value` reads it, also where the widget
    is not drawn and in callbacks. The name is the widget's key and, with `in_address`, its parameter in the
    page's address. Long texts stay out of the address.
    """

    name: str
    default: T
    in_address: bool = True

    @property
    def value(self) -> T:
        """The widget's value; the default until the widget has been drawn."""
        value: T = st.session_state.get(self.name, self.default)
        return value

    def put(self, value: T) -> None:
        """Replace the value. Allowed in a callback, or before the widget is drawn in this run."""
        st.session_state[self.name] = value

    def shown(self) -> dict[str, Any]:
        """Return the arguments of a widget to type in or to switch."""
        return self._arguments(value=self.default)

    def one_of(self, options: Sequence[T]) -> dict[str, Any]:
        """Return the arguments of a select box or of radio buttons, with the default or first option."""
        return self._arguments(index=options.index(self.default) if self.default in options else 0)

    def some_of(self, options: Sequence[object]) -> dict[str, Any]:
        """Return the arguments of a multiselect or a segmented control, with only options as the default."""
        if isinstance(self.default, list):
            return self._arguments(default=[each for each in self.default if each in options])
        return self._arguments(default=self.default if self.default in options else options[0])

    def _arguments(self, **opening: object) -> dict[str, Any]:
        place = {"bind": "query-params"} if self.in_address else {}
        return {"key": self.name, "persist_state": "session", **place, **opening}


def get_or_make(name: str, default: Callable[[], T]) -> T:
    """Return the session's value of this name, made by `default` at first use."""
    key = f"keep.{name}"
    if key not in st.session_state:
        st.session_state[key] = default()
    value: T = st.session_state[key]
    return value


def put(name: str, value: object) -> None:
    """Replace the session's value of this name."""
    st.session_state[f"keep.{name}"] = value


def get(name: str, default: T) -> T:
    """Return the session's value of this name, or `default` without storing it."""
    value: T = st.session_state.get(f"keep.{name}", default)
    return value


def pop(name: str, default: T) -> T:
    """Remove and return the session's value of this name, or return `default`."""
    value: T = st.session_state.pop(f"keep.{name}", default)
    return value


def trained_tokenizers() -> dict[str, OpenedTokenizer]:
    """Return the tokenizers that this visitor has trained or opened, by name."""
    return picker_session().visitor_tokenizers


def picker_session() -> PickerSession:
    """Return what holds the visitor's own tokenizers."""
    return get_or_make(
        "picker",
        lambda: PickerSession(
            visitor_tokenizers=get_or_make("trained_tokenizers", dict), places=offered_places()
        ),
    )


def query_parameter(name: str) -> str | None:
    """Return a parameter of the page's address, or None."""
    value: str | None = st.query_params.get(name)
    return value


def query_parameters() -> dict[str, list[str]]:
    """Return all parameters of the page's address with their values."""
    return {name: st.query_params.get_all(name) for name in st.query_params}


def component_value(key: str, name: str) -> Any:
    """Return what a component last sent under a name, or None; known before the component is drawn again."""
    sent = st.session_state.get(key)
    return sent.get(name) if sent else None


class UploadedFile(Protocol):
    """A file that Streamlit's uploader holds: its name, its number of bytes, and an id that is its own."""

    name: str
    size: int
    file_id: str

    def getvalue(self) -> bytes:
        """Return the file's bytes."""


def uploaded_files(key: str) -> list[UploadedFile]:
    """Return the files that a file uploader of this key holds; known before the uploader is drawn again."""
    held = st.session_state.get(key) or []
    return held if isinstance(held, list) else [held]


def chosen(key: str) -> str:
    """Return what was chosen from the menu button of this key, for its callback."""
    return str(st.session_state[key])
