"""Waits of tests for threads, processes and pages; a wait that reaches its limit raises an error."""

import time
from collections.abc import Callable

from streamlit.testing.v1 import AppTest


def wait_until(is_so: Callable[[], object], seconds: float = 60) -> None:
    """Wait until a condition holds. Raises TimeoutError."""
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            raise TimeoutError(f"the test waited for {seconds} s")
        time.sleep(0.01)


def run_until(page: AppTest, is_so: Callable[[], object]) -> AppTest:
    """Run a page until a condition holds, and return it. Raises TimeoutError, or what the page shows."""

    def is_so_or_fails() -> bool:
        assert list(page.exception) == []
        if is_so():
            return True
        page.run()
        return False

    wait_until(is_so_or_fails)
    return page
