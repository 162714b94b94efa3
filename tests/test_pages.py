"""Each page runs without an exception when it is reached through the navigation."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(ROOT.glob("pages/*.py"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_page_runs(path):
    app = AppTest.from_file(str(ROOT / "playground/ui/contents.py"), default_timeout=60)
    app.switch_page(str(path))
    app.run()
    assert list(app.exception) == []
    assert list(app.error) == []
    assert app.main.children, "the page is empty"
