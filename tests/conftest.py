"""Settings that all tests share."""

import gc
import json
import sys
from pathlib import Path
from pydoc_data import topics

import pytest
from hypothesis import settings

UDHR = Path(__file__).resolve().parents[1] / "assets" / "texts" / "udhr.json"

# Each run draws the same cases, so that a run fails only because of a change. `make fuzz` draws new ones, and
# prints the line that repeats a failing case. There is no deadline: the first case may load a vocabulary.
settings.register_profile("same", deadline=None, max_examples=25, derandomize=True)
settings.register_profile("new", parent=settings.get_profile("same"), derandomize=False, print_blob=True)
settings.load_profile("same")

# Vocabularies are millions of objects that stay: Python's own pace of collecting costs a tenth of the time.
gc.set_threshold(50_000, 20, 20)


@pytest.fixture(autouse=True)
def _main_module():
    """Remove the main module that a page leaves when it runs in a test, because processes would run it."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture(scope="session")
def corpora():
    """Return real texts of several kinds, small enough to be quick."""
    return {
        "english": "\n".join(topics.topics.values())[:300_000],
        "python": Path(json.__file__).with_name("decoder.py").read_text() * 3,
        "languages": json.dumps(json.loads(UDHR.read_text()), ensure_ascii=False)[:300_000],
    }
