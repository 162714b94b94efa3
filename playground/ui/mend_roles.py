"""What makes Streamlit's own parts say what they are and follow the theme, where a style sheet cannot."""

from typing import Literal, TypedDict, get_args

from playground.render.palette import Theme
from playground.ui import component

#: The browser shows another theme than the one that the page was drawn for.
MendRolesEvent = Literal["themed"]
_component = component.define(
    "mend_roles",
    html="mend_roles/mend_roles.html",
    module="mend_roles/mend_roles.js",
    styles=(),
    events=get_args(MendRolesEvent),
)


class MendRolesData(TypedDict):
    """The theme that the page was drawn for: charts have its colours."""

    theme: Theme


def mend_roles(theme: Theme) -> None:
    """Mount it; it shows nothing."""
    data: MendRolesData = {"theme": theme}
    _component(key="mend-roles", data=data)
