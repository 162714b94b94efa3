"""Presses: each is heard, also one that the next follows at once.

Streamlit (1.67) begins a run with what was pressed, and ends it at its next look at the session's state
where another run was asked for meanwhile: also before it has called what a press is to do, and in the midst
of that. Then the press was lost, most often on a busy machine.
"""

from typing import Any

from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.state import SafeSessionState

from playground.ui.state import hear_what_is_chosen, hear_what_is_drawn

_begin_run = SafeSessionState.on_script_will_rerun


def hear_each_press() -> None:
    """Let no other run end one before all that it began with is heard; it is ended right after."""
    SafeSessionState.on_script_will_rerun = _begin_run_whole  # type: ignore[assignment, method-assign]


def _begin_run_whole(state: SafeSessionState, sent: WidgetStates | None, **options: Any) -> None:
    end_for_another = state._yield_callback
    object.__setattr__(state, "_yield_callback", _go_on)
    try:
        if sent is not None:
            hear_what_is_drawn(state, sent)
        _begin_run(state, sent, **options)
        hear_what_is_chosen(state)
    finally:
        object.__setattr__(state, "_yield_callback", end_for_another)


def _go_on() -> None:
    """Another run that waits begins later."""
