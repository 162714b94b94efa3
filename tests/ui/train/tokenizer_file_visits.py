"""Tokenizer files through the door that a visitor uses."""

import time
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

from streamlit.testing.v1 import AppTest

from playground.ui import tokenizer_files
from playground.ui.work import Tell, Work


def read_files(page: AppTest, *files: tuple[str, bytes], seconds: float = 60) -> AppTest:
    """Choose files on a page and run it again once they are read, as its fragment does."""
    chosen = [(name, content, "text/plain") for name, content in files]
    works: list[Work[Any]] = []

    def noted(do: Callable[[Tell], Any]) -> Work[Any]:
        works.append(Work(do))
        return works[-1]

    deadline = time.monotonic() + seconds
    with patch.object(tokenizer_files, "Work", noted):
        page.file_uploader(key="train-import").set_value(chosen).run()
        while is_reading(page):
            assert works[-1].wait(deadline - time.monotonic())
            page.run()
    assert list(page.exception) == []
    return page


def is_reading(page: AppTest) -> bool:
    """Whether the page says that it reads a file."""
    return any(bar.proto.text.startswith("Reading") for bar in page.get("progress"))
