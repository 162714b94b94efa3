"""The only user of `st.session_state` and `st.query_params`.

A `Field` is a value that a widget shows; what is kept by name is anything else that lasts for the session.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import streamlit as st
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.state import SafeSessionState, get_session_state
from streamlit.runtime.state.common import user_key_from_element_id
from streamlit.runtime.uploaded_file_manager import UploadedFile

from playground.catalog.opened import OpenedTokenizer
from playground.server.picker_session import PickerSession

T = TypeVar("T")
#: The number of the present run of a page, or of a part of it. It stands beside the session's state: a run
#: that is ended ends at its next look at that, and could not take its number back there.
_number: ContextVar[str | None] = ContextVar("number", default=None)
#: What was put and the browser may not show yet, by field.
_PUT = "keep.put"
#: A field that nobody sees. Each run of a page sets it, last of all, to its number and that of the last
#: message that it has heard. So a message of the browser says which run it had drawn, and the browser knows
#: what was heard (`web/shared/hearing.js`). A part of a page that runs alone has its own, whose name follows
#: this one. The style sheet hides them all.
_DRAWN = "drawn"
#: What the last message said of each widget, as digests by key.
_SENT = "keep.sent"
#: The id under which a message says its number; see `web/first/first.js`.
_SAID = "said"


@dataclass(slots=True)
class _Put(Generic[T]):
    """A value that was put, what the browser may show instead, and the runs that have told it."""

    value: T
    #: Nobody's choice where the browser says it; empty once it has drawn the value.
    before: list[T]
    told: list[str]


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
        last = _puts().get(self.name)
        return last.value if last is not None and value in last.before else value

    def put(self, value: T) -> None:
        """Replace the value, before the widget is drawn or in a callback."""
        before: list[T] = [st.session_state.get(self.name, self.default)]
        last = _puts().get(self.name)
        if last is not None:
            before += [last.value, *last.before]
        st.session_state[self.name] = value
        _puts()[self.name] = _Put(value, before, [])

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
        last = _puts().get(self.name)
        # A run that `st.rerun` has asked for finds what the run before it has set in the state still as set.
        if last is None and not get_session_state().is_new_state_value(self.name):
            return {**arguments, opening: argument[0] if argument else shown}
        number = _number.get()
        if last is not None and number is not None:
            last.told.append(number)
        elif last is not None and not last.told:
            del _puts()[self.name]  # of a page that runs without its frame nobody says what is drawn
        st.session_state[self.name] = shown
        return arguments


@contextmanager
def run_drawn(part: str = "") -> Iterator[None]:
    """A run of a page, or of a part: what it tells is told again until a message says that it was drawn.

    A newer run may end it before, of two that come within one frame a browser draws the later alone, and a
    busy browser says for seconds what it showed before.
    """
    n_run = kept("n_run", 0) + 1
    put("n_run", n_run)
    is_whole = _number.get() is None
    said = kept(_SAID, "0") if is_whole else "0"  # of a part that runs with its page more is to come
    number = f"{n_run} {said}"
    key = f"{_DRAWN}{part}"
    before = _number.set(number)
    try:
        yield
    except Exception:  # a page that fails is drawn as far as it came, and nobody waits for more of it
        _tell_drawn(key, number)
        raise
    else:
        _tell_drawn(key, number)
    finally:
        _number.reset(before)


def _tell_drawn(key: str, number: str) -> None:
    st.session_state[key] = number
    st.text_input("Drawn", key=key, label_visibility="collapsed", autocomplete="off")


def draw_again(part: str, draw: Callable[[], object], every: float | None) -> None:
    """Draw a part of a page that runs alone: after so many seconds again, and for what is pressed in it."""

    def draw_part() -> None:
        with run_drawn(part):
            draw()

    st.fragment(draw_part, run_every=every, key=part)()


def hear_what_is_drawn(session: SafeSessionState, sent: WidgetStates) -> None:
    """What was told up to the runs that the browser had drawn when it sent this is known to it.

    Of a field whose put value it has not drawn at all, nothing is heard that it has said before: where the
    options have changed since, Streamlit would take that for a choice.
    """
    said: dict[str, WidgetState] = {
        user_key_from_element_id(widget.id) or widget.id: widget for widget in sent.widgets
    }
    if _SAID in said:
        session[f"keep.{_SAID}"] = said[_SAID].string_value
        sent.widgets.remove(said[_SAID])  # Streamlit reads the values of all, and knows no such widget
    drawn = {widget.string_value for key, widget in said.items() if key.startswith(_DRAWN)}
    digests = {key: hash(widget.SerializeToString()) for key, widget in said.items()}
    before: dict[str, int] = session[_SENT] if _SENT in session else {}  # noqa: SIM401  # it has no `get`
    session[_SENT] = digests
    puts = _puts(session)
    for name, last in [*puts.items()]:
        if drawn.intersection(last.told):
            last.before.clear()
        elif name in said and digests[name] == before.get(name):
            sent.widgets.remove(said[name])
        if last.told and last.told[-1] in drawn:
            del puts[name]


def hear_what_is_chosen(session: SafeSessionState) -> None:
    """What someone chooses while a put value is still told is told in its place.

    A run on its way to the browser may show there once more what was put, and the next message say that.
    """
    puts = _puts(session)
    for name, last in puts.items():
        known = [last.value, *last.before]
        if name in session and session[name] not in known:
            puts[name] = _Put(session[name], known, [])


def _puts(session: SafeSessionState | None = None) -> dict[str, _Put[Any]]:
    """What was put, of the present session where none is given."""
    held = st.session_state if session is None else session
    if _PUT not in held:
        held[_PUT] = {}
    puts: dict[str, _Put[Any]] = held[_PUT]
    return puts


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
    """Return the tokenizers that this visitor has trained or opened, by name."""
    return picker_session().own


def picker_session() -> PickerSession:
    """Return what holds the visitor's own tokenizers."""
    return keep("picker", lambda: PickerSession(own=keep("trained_tokenizers", dict)))


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
