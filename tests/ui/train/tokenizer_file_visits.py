"""Tokenizer files through the door that a visitor uses."""

import time

from streamlit.testing.v1 import AppTest


def read_files(page: AppTest, *files: tuple[str, bytes], seconds: float = 60) -> AppTest:
    """Choose files on the Train page and run it again until they are read, as its fragment does."""
    chosen = [(name, content, "text/plain") for name, content in files]
    page.file_uploader(key="train-import").set_value(chosen).run()
    deadline = time.monotonic() + seconds
    while is_reading(page):
        assert time.monotonic() < deadline
        time.sleep(0.1)
        page.run()
    assert list(page.exception) == []
    return page


def is_reading(page: AppTest) -> bool:
    """Whether the page says that it reads a file."""
    return any(bar.proto.text.startswith("Reading") for bar in page.get("progress"))
