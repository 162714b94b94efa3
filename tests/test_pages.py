"""Each page runs without an exception, reached as a visitor reaches it: through the table of contents."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("articles/*.py"))


@pytest.mark.parametrize("path", PAGES)
def test_page_runs(path):
    app = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=60)
    app.switch_page(path)
    app.run()
    assert list(app.exception) == []
    assert list(app.error) == []
    assert app.main.children, "the page is empty"
