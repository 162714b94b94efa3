"""Why a file was not taken: Streamlit's uploader shows a bare status, and this the server's sentence."""

from playground.ui import component

_component = component.define(
    "refused_uploads",
    html="refused_uploads/refused_uploads.html",
    module="refused_uploads/refused_uploads.js",
    styles=("shared/notes.css", "refused_uploads/refused_uploads.css"),
)


def tell_refused_uploads(*, key: str) -> None:
    """Mount it below an uploader; it shows nothing until a file is refused."""
    _component(key=f"refused-{key}", data=None)
