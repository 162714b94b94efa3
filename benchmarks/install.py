"""Benchmark of a base install: its size on disk, and the time from the start of pip to the first count.

Run `python -m benchmarks.install`. It builds the wheel and installs it with pip in an empty environment that
has only pip; packages come from the registry, or from pip's cache on a second run. The size is what `du` says
of `site-packages` without pip and setuptools. Counts are of this checkout's docs.
"""

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from benchmarks.corpora import run_process

ROOT = Path(__file__).resolve().parents[1]
_NOT_OURS = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence.pth")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", name]
        subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
        (wheel,) = folder.glob("*.whl")
        venv.create(folder / "venv", with_pip=True)
        program = folder / "venv" / "bin"
        installed = run_process([str(program / "pip"), "install", "--quiet", str(wheel)])
        counts = [run_process([str(program / "tessera"), "count", str(ROOT / "docs")]) for _ in range(2)]
        print(f"wheel                    {wheel.stat().st_size / 1e6:6.1f} MB")
        (packages,) = folder.glob("venv/lib/python*/site-packages")
        print(f"on disk                  {disk_bytes(packages) / 2**20:6.1f} MiB")
        print(f"pip and the first count  {installed.seconds + counts[0].seconds:6.1f} s")
        for title, run in (("pip", installed), ("first count", counts[0]), ("second count", counts[1])):
            print(f"{title:24} {run.seconds:6.1f} s, {run.processor_seconds:.1f} s of processor")


def disk_bytes(packages: Path) -> int:
    """Return the bytes of the blocks that installed packages take, without pip and setuptools."""
    total = 0
    for place, folders, files in os.walk(packages):
        if Path(place) == packages:
            folders[:] = [one for one in folders if not one.startswith(_NOT_OURS)]
            files = [one for one in files if not one.startswith(_NOT_OURS)]
        total += sum(os.lstat(os.path.join(place, one)).st_blocks * 512 for one in [*folders, *files])
    return total


if __name__ == "__main__":
    main()
