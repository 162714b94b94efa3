"""Write `assets/python/`: CPython for browsers, from the npm package `pyodide`.

Run `python -m scripts.write_browser_python` with npm on the PATH, then update the hashes in NOTICE.
"""

import io
import lzma
import subprocess
import tarfile
import tempfile
import zipfile
from pathlib import Path

from playground.core.assets import ASSETS
from playground.server.build_files import FILES, PYODIDE


def main() -> None:
    """Download the package, which npm checks, and write its files compressed, without a date."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["npm", "pack", "--silent", f"pyodide@{PYODIDE}"], cwd=folder, check=True)
        with tarfile.open(Path(folder, f"pyodide-{PYODIDE}.tgz")) as package:
            for name in FILES:
                packed = package.extractfile(f"package/{name}")
                assert packed is not None
                content = packed.read()
                if name.endswith(".zip"):
                    content = stored(content)
                path = ASSETS / "python" / f"{name}.xz"
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(lzma.compress(content, preset=9 | lzma.PRESET_EXTREME))
                print(f"{path.name}: {path.stat().st_size:,} bytes")


def stored(archive: bytes) -> bytes:
    """Return an archive whose files are not compressed one by one, so that all together pack better."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as source, zipfile.ZipFile(written, "w") as target:
        for entry in source.infolist():
            target.writestr(zipfile.ZipInfo(entry.filename, entry.date_time), source.read(entry))
    return written.getvalue()


if __name__ == "__main__":
    main()
