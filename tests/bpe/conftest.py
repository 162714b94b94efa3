"""Real texts of several kinds, small enough to be quick."""

import json
from pathlib import Path
from pydoc_data import topics

import pytest

UDHR = Path(__file__).resolve().parents[2] / "assets" / "texts" / "udhr.json"


@pytest.fixture(scope="session")
def corpora():
    return {
        "english": "\n".join(topics.topics.values())[:300_000],
        "python": Path(json.__file__).with_name("decoder.py").read_text() * 3,
        "languages": json.dumps(json.loads(UDHR.read_text()), ensure_ascii=False)[:300_000],
    }
