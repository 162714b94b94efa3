"""A press on a button counts, whether or not the run that it begins is ended by a newer one."""

import ast
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.scriptrunner import RerunData, RerunException
from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.runtime.state.common import WidgetMetadata

from playground.ui.presses import hear_each_press

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = [*(ROOT / "playground" / "ui").rglob("*.py"), *(ROOT / "articles").glob("*.py")]
#: What Streamlit forgets with the run in which it came; a callback is called before the run can be ended.
TRIGGERS = {"button", "menu_button", "form_submit_button"}


def test_every_button_has_a_callback():
    calls = [
        (f"{path.relative_to(ROOT)}:{call.lineno}", {keyword.arg for keyword in call.keywords})
        for path in SCRIPTS
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in TRIGGERS
    ]
    assert len(calls) > 10
    assert [place for place, arguments in calls if "on_click" not in arguments] == []


def test_another_run_that_waits_takes_no_press_from_this_one() -> None:
    """Streamlit looks whether one waits before it hears of the press, and at each value it is asked for."""
    hear_each_press()
    ThreadState.initialize()

    def end_for_another() -> None:
        raise RerunException(RerunData())

    page = SafeSessionState(SessionState(), yield_callback=end_for_another)

    def press() -> None:
        page["chosen"] = "before" if "chosen" in page else "now"

    pressed = WidgetStates()
    widget = pressed.widgets.add(id="button", trigger_value=True)
    page._state._new_widget_state.set_widget_metadata(_button(widget.id, press))
    page.on_script_will_rerun(pressed)
    assert page._state["chosen"] == "now"
    with pytest.raises(RerunException):
        page["chosen"]


def _button(name: str, callback: Callable[[], None]) -> WidgetMetadata[bool]:
    return WidgetMetadata(
        id=name,
        deserializer=lambda value, *_: bool(value),
        serializer=bool,
        value_type="trigger_value",
        callback=callback,
    )
