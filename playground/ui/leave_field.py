"""What makes a button act on the fields as they stand, also where a press does not move the focus."""

from playground.ui import component

_component = component.define(
    "leave_field", html="leave_field/leave_field.html", module="leave_field/leave_field.js", styles=()
)


def leave_field_on_press() -> None:
    """Mount it; it shows nothing."""
    _component(key="leave-field", data=None)
