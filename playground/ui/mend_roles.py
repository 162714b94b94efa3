"""What makes Streamlit's own parts say what they are, where a style sheet cannot."""

from playground.ui import component

_component = component.define(
    "mend_roles", html="mend_roles/mend_roles.html", module="mend_roles/mend_roles.js", styles=()
)


def mend_roles() -> None:
    """Mount it; it shows nothing."""
    _component(key="mend-roles", data=None)
