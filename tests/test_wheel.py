"""The wheel has all that the app and the shell need; its ranges contain the versions that are tested."""

import os
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with the unpacked wheel."""
    made, folder = tmp_path_factory.mktemp("made"), tmp_path_factory.mktemp("installed")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(made)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = made.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def run_installed(installed, program, *words):
    """Run a program in an empty folder with the wheel and the requirements, and without the checkout."""
    empty = installed / "empty"
    empty.mkdir(exist_ok=True)
    path = os.pathsep.join([str(installed), sysconfig.get_path("purelib")])
    return subprocess.run(
        [sys.executable, "-S", "-c", program, *words],
        cwd=empty, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip


START = "import sys; from playground.shell.main import main; sys.exit(main(sys.argv[1:]))"


def test_the_wheel_counts_in_an_empty_folder_without_the_checkout(installed):
    (installed / "a.txt").write_text("Hello world")
    out = run_installed(installed, START, "count", "../a.txt", "--tokenizer", "gpt2", "--json")
    assert '"tokens": 2' in out
    assert str(installed) in run_installed(installed, START, "doctor")


def test_the_wheel_has_every_file_of_the_app_and_of_its_browser_code(installed):
    home = installed / "playground/home"
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in tracked.stdout.splitlines():
        if name.startswith("playground/") and not name.endswith(".test.js"):
            assert (installed / name).is_file(), name
        elif name.startswith(("assets/", "pages/")) and not name.startswith("assets/screenshots"):
            assert (home / name).is_file(), name
    assert (home / "streamlit_app.py").is_file()
    assert (home / ".streamlit/config.toml").is_file()
    assert {path.name for path in installed.iterdir()} >= {"playground"}
    assert not (installed / "pages").exists()


def test_the_installed_app_draws_a_page(installed):
    program = (
        "from streamlit.testing.v1 import AppTest\n"
        "import playground.ui.page as page\n"
        "app = AppTest.from_file(str(page.HOME / 'pages/learn.py')).run(timeout=60)\n"
        "print(page.PAGES, [one.value for one in app.exception])"
    )
    assert run_installed(installed, program).strip() == f"{installed}/playground/home/pages []"


def test_each_range_of_the_package_contains_the_version_that_is_tested():
    extras = PROJECT["optional-dependencies"]
    named = [*PROJECT["dependencies"], *chain.from_iterable(extras.values())]
    ranges = [line for line in named if not line.startswith(PROJECT["name"])]  # an extra with another one
    by_name = {Requirement(line).name.lower(): Requirement(line) for line in ranges}
    assert not any("==" in line for line in ranges)
    pins: dict[str, Requirement] = {}
    for file in ("requirements-dev.txt", "requirements-scale.txt", "requirements.txt"):
        lines = (line for line in (ROOT / file).read_text().splitlines() if line[:1] not in "#-")
        own = {Requirement(line).name.lower(): Requirement(line) for line in lines if line}
        assert "dev" in file or set(own) <= set(by_name)
        pins |= own
        locked = (
            ROOT / ("requirements.lock" if file == "requirements.txt" else "requirements-dev.lock")
        ).read_text()
        for name, pin in own.items():
            assert f"\n{canonicalize_name(name)}{pin.specifier} " in locked, f"{name}: run `make lock`"
    assert set(by_name) - set(pins) == {"ipykernel"}  # Jupyter has its own; nothing here imports it
    for name, allowed in by_name.items():
        if name in pins:
            (version,) = pins[name].specifier
            assert allowed.specifier.contains(version.version), name
