"""The text on which trainers are compared: files on every machine with `benchmarks/requirements.txt`.

First the standard library's Python files, code and English comments; then the Universal Declaration of Human
Rights in 39 languages and the packages' sources, documentation and data. No file is used twice.
"""

import hashlib
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from playground.core.text_units import is_utf8

ENDINGS = {".py", ".pyi", ".pyx", ".md", ".rst", ".txt", ".json", ".js", ".css", ".html", ".h"}
MAX_FILE_BYTES = 3_000_000  # larger files are mostly data of one kind
_TEXTS = Path(__file__).resolve().parents[1] / "assets" / "texts"


def corpus(n_bytes: int) -> bytes:
    """Return distinct UTF-8 files of this many bytes in all, or all there are, cut at a line end."""
    parts: list[bytes] = []
    seen: set[bytes] = set()
    size = 0
    for path in _iter_paths():
        raw = path.read_bytes()
        digest = hashlib.sha256(raw).digest()
        if digest in seen or not is_utf8(raw):
            continue
        seen.add(digest)
        parts.append(raw)
        size += len(raw)
        if size >= n_bytes:
            break
    joined = b"".join(parts)[:n_bytes]
    return joined[: joined.rfind(b"\n") + 1]


def _iter_paths() -> Iterator[Path]:
    library = Path(sysconfig.get_paths()["stdlib"])
    yield from sorted(path for path in library.rglob("*.py") if "site-packages" not in path.parts)
    yield from sorted(_TEXTS.rglob("*.*"))
    for folder in sys.path:
        if folder.endswith("site-packages"):
            for path in sorted(Path(folder).rglob("*")):
                if path.suffix in ENDINGS and path.is_file() and path.stat().st_size <= MAX_FILE_BYTES:
                    yield path
