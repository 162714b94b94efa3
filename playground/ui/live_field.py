"""What makes fields of Streamlit live: they are sent while one types, not only when they are left."""

from playground.ui import component

_component = component.define(
    "live_field",
    html="live_field/live_field.html",
    module="live_field/live_field.js",
    styles=("live_field/live_field.css",),
)


def send_while_typing(container: str, *, kept_as: str) -> None:
    """Send the fields inside the container of this key a moment after typing stops; it shows nothing.

    Its text is what browsers keep as `kept_as`: a reload gives it back as it stood, sent or not.
    """
    _component(key=f"live-{container}", data={"container": container, "kept_as": kept_as})
