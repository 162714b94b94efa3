"""Why a file was not taken: Streamlit's uploader shows a bare status, and this the server's sentence."""

from typing import TypedDict

from playground.ui import component

_component = component.define(
    "refused_uploads",
    html="refused_uploads/refused_uploads.html",
    module="refused_uploads/refused_uploads.js",
    styles=("shared/notes.css", "refused_uploads/refused_uploads.css"),
)


class RefusedUploadsData(TypedDict):
    """The key of the uploader, and how many bytes a file of it may have."""

    uploader: str
    max_bytes: int


def tell_refused_uploads(*, key: str, uploader: str = "", max_bytes: int = 0) -> None:
    """Mount it below an uploader; it shows nothing until a file is refused.

    What is over the uploader's own limit Streamlit does not send: it is told where `uploader` and its limit
    are given.
    """
    data: RefusedUploadsData | None = {"uploader": uploader, "max_bytes": max_bytes} if uploader else None
    _component(key=f"refused-{key}", data=data)
