"""The only user of `st.session_state` and `st.query_params`.

A keyed widget's value vanishes when its page is left; what is kept here stays for the session.
"""

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

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


def take_query_parameter(name: str) -> str | None:
    """A parameter of the address, such as a share link's; it is taken out once it has been read."""
    value: str | None = st.query_params.pop(name, None)
    return value


def query_parameter(name: str) -> str | None:
    """A parameter of the address, or None."""
    value: str | None = st.query_params.get(name)
    return value


def set_query_parameter(name: str, value: str | None) -> None:
    """Set a parameter of the address, or take it out."""
    if value is None:
        st.query_params.pop(name, None)
    elif st.query_params.get(name) != value:
        st.query_params[name] = value
