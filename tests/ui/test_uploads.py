"""An uploaded file is not copied: each reader has its own place, and all have the same bytes."""

from copy import deepcopy

from streamlit.proto.Common_pb2 import FileURLs
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec

from playground.ui.uploads import share_uploads


def test_a_copy_reads_the_same_bytes_from_its_own_place():
    share_uploads()
    content = b"to be or not to be" * 1_000
    urls = FileURLs(file_id="1", upload_url="/up")
    file = UploadedFile(UploadedFileRec("1", "be.txt", "text/plain", content), urls)
    file.read(5)
    (copied,) = deepcopy([file])
    assert copied is not file
    assert copied.read() is content
    assert file.read() == content[5:], "the place in the first is its own"
    assert (copied.name, copied.type, copied.size, copied.file_id) == ("be.txt", "text/plain", 18_000, "1")
    assert copied == file
