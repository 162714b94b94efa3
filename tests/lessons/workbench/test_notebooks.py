"""The notebooks of the workbench are up to date, and their solutions run and pass."""

import hashlib
import json
from pathlib import Path

import pytest

from playground.lessons.workbench.browser_modules import gpt2_files
from playground.lessons.workbench.notebooks import build_notebooks

FOLDER = Path(__file__).resolve().parents[3] / "notebooks" / "build"


def test_the_notebooks_are_those_of_the_steps():
    written = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.ipynb")}
    assert written == dict(build_notebooks()), "run python -m scripts.write_build_notebooks"


def run_cells(name: str) -> None:
    namespace: dict[str, object] = {}
    for cell in json.loads((FOLDER / name).read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), namespace)


@pytest.fixture(scope="module")
def cache_of_tiktoken(tmp_path_factory):
    """A folder with GPT-2's files as tiktoken keeps its downloads."""
    folder = tmp_path_factory.mktemp("tiktoken")
    for name, content in gpt2_files().items():
        url = f"https://openaipublic.blob.core.windows.net/gpt-2/encodings/main/{name}"
        (folder / hashlib.sha1(url.encode()).hexdigest()).write_text(content, encoding="utf-8")
    return folder


SOLUTIONS = [name for name in build_notebooks() if name.endswith("-solution.ipynb")]


@pytest.mark.parametrize("name", SOLUTIONS)
def test_a_solution_runs_through_and_its_blank_fails(name, cache_of_tiktoken, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(cache_of_tiktoken))
    run_cells(name)
    assert "tests pass." in capsys.readouterr().out
    with pytest.raises(Exception):  # noqa: B017, PT011 - whatever the blank raises
        run_cells(name.replace("-solution", ""))
