"""The only user of `st.session_state` and `st.query_params`.

A keyed widget's value vanishes when its page is left; what is kept here stays for the session.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import streamlit as st

from playground.catalog.trained import TrainedTokenizer

T = TypeVar("T")


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


def take(name: str, default: T) -> T:
    """A kept value, taken out; `default` where there is none."""
    value: T = st.session_state.pop(f"keep.{name}", default)
    return value


def trained_tokenizers() -> dict[str, TrainedTokenizer]:
    """What this session has trained or read from files, by name; every picker lists them first."""
    return keep("trained_tokenizers", dict)


def show_kept(name: str) -> tuple[str, Callable[[], None]]:
    """Key and `on_change` of a widget that shows a kept value and changes it.

    The widget stays the same one however its value changes, so an open list is not closed by a rerun.
    """
    key = f"widget.{name}"
    st.session_state[key] = st.session_state[f"keep.{name}"]
    return key, lambda: put(name, st.session_state[key])


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


def component_value(key: str, name: str) -> Any:
    """What a mounted component last sent under a name, or None; known before it is mounted again."""
    sent = st.session_state.get(key)
    return sent.get(name) if sent else None


def kept(name: str, default: Callable[[], object], argument: str = "value") -> dict[str, Any]:
    """Arguments of a widget whose value outlives its page: its key, and what it opens with.

    The value is an argument and not set in the session's state: a browser that gets two runs at once draws
    only the second, in which Streamlit does not tell a state again, and the widget would open empty.
    """
    key = f"widget.{name}"
    if key in st.session_state:
        put(name, st.session_state[key])
    value = keep(name, default)
    return {"key": key} if take(f"put.{name}", False) else {"key": key, argument: value}


def kept_choice(name: str, options: Sequence[object], default: object) -> dict[str, Any]:
    """The same for a widget that opens with one of its options."""
    arguments = kept(name, lambda: default, "index")
    if "index" in arguments:
        value = arguments["index"]
        arguments["index"] = options.index(value) if value in options else 0
    return arguments


def put_widget(name: str, value: object) -> None:
    """Replace the value of a kept widget, before it is drawn or in a callback."""
    put(name, value)
    st.session_state[f"widget.{name}"] = value
    put(f"put.{name}", True)  # Streamlit takes either a state or an argument


def widget_value(name: str) -> object:
    """The present value of a keyed widget, for a callback."""
    return st.session_state.get(f"widget.{name}")
