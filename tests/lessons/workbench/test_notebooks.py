"""The notebooks of the workbench are up to date, and all of them run without the internet."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from playground.lessons.workbench.notebooks import build_notebooks, notebooks_zip

FOLDER = Path(__file__).resolve().parents[3] / "notebooks" / "build"


def test_the_notebooks_are_those_of_the_steps():
    written = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.ipynb")}
    assert written == dict(build_notebooks()), "run python -m scripts.write_build_notebooks"


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("notebooks")
    zipfile.ZipFile(io.BytesIO(notebooks_zip())).extractall(folder)
    return folder / "build"


@pytest.mark.parametrize("name", [name for name in build_notebooks() if name.endswith("-solution.ipynb")])
def test_a_solution_runs_with_what_the_zip_has_and_its_blank_fails(name, unpacked, monkeypatch, capsys):
    monkeypatch.chdir(unpacked)
    monkeypatch.setattr(
        "socket.socket.connect", lambda *_: pytest.fail("a notebook reached for the internet")
    )
    run_cells(unpacked / name)
    assert "tests pass.\nAll examples are right." in capsys.readouterr().out
    with pytest.raises(Exception):  # noqa: B017, PT011 - whatever the blank raises
        run_cells(unpacked / name.replace("-solution", ""))


def run_cells(path: Path) -> None:
    namespace: dict[str, object] = {}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), namespace)
