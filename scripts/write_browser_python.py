"""Write `assets/python/`: CPython for browsers, from the npm package `pyodide`.

Run `python -m scripts.write_browser_python` with npm on the PATH, then update the hashes in NOTICE.
"""

import gzip
import subprocess
import tarfile
import tempfile
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
                path = ASSETS / "python" / f"{name}.gz"
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(gzip.compress(packed.read(), 9, mtime=0))
                print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
