"""What makes fields of Streamlit live: they are sent while one types, not only when they are left."""

from playground.ui import component

_component = component.define(
    "live_field",
    html="live_field/live_field.html",
    module="live_field/live_field.js",
    styles=("live_field/live_field.css",),
)


def send_while_typing(container: str) -> None:
    """Send the fields inside the container of this key a moment after typing stops; it shows nothing."""
    _component(key=f"live-{container}", data={"container": container})
