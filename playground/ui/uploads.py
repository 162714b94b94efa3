"""Uploads that are not copied: Streamlit copies a widget's value in each run, and a file is 256 MB at most.

To copy 50 MB holds the interpreter, and so every visitor, for 0.1 s.
"""

from copy import deepcopy
from typing import Any

from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec


def share_uploads() -> None:
    """Let a copy of an uploaded file be a new reader of the same bytes."""
    UploadedFile.__deepcopy__ = _reader_of_the_same  # type: ignore[attr-defined]


def _reader_of_the_same(file: UploadedFile, memo: dict[int, Any]) -> UploadedFile:
    record = UploadedFileRec(
        file.file_id, file.name, file.type, file.getvalue()
    )  # `BytesIO` hands its own out
    return UploadedFile(record, deepcopy(file._file_urls, memo))
