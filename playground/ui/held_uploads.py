"""What visitors have uploaded, as Streamlit holds it."""

from collections.abc import Mapping

from streamlit.runtime import Runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager


def uploaded_bytes() -> Mapping[str, int]:
    """How many bytes are held for each session."""
    manager = Runtime.instance().uploaded_file_mgr
    assert isinstance(manager, MemoryUploadedFileManager)
    return {
        session_id: sum(len(file.data) for file in list(files.values()))
        for session_id, files in list(manager.file_storage.items())
    }
