"""The browser code as static files below `/web/<digest>/`.

The digest changes with any file, so browsers may cache files for ever. Modules import each other by relative
paths.
"""

import hashlib
from os import PathLike, stat_result
from pathlib import Path
from typing import Any

import regex
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles

WEB = Path(__file__).resolve().parents[1] / "web"
_CACHE_FOR_EVER = "public, max-age=31536000, immutable"
_IMPORT = regex.compile(r'(?m)^(?:import|export) (?:[^;"]* from )?"(\.{1,2}/[^"]+)";')


def digest_files(folder: Path) -> str:
    """Return a short digest of the names and contents of all files in a folder and below."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(folder).as_posix()}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


WEB_PATH = f"/web/{digest_files(WEB)}"


def imported_modules(module: str, folder: Path = WEB) -> list[str]:
    """Return a module and all modules that it imports, directly or not, as paths below the folder.

    >>> imported_modules("save/save_chart.js")
    ['save/save_chart.js', 'shared/element.js', 'shared/mount.js', 'shared/save.js']
    """
    found = [module]
    for path in found:
        for target in _IMPORT.findall((folder / path).read_text(encoding="utf-8")):
            name = (folder / path).parent.joinpath(target).resolve().relative_to(folder).as_posix()
            if name not in found:
                found.append(name)
    return found


class _ImmutableFiles(StaticFiles):
    """Static files that never change at their address."""

    def file_response(
        self,
        full_path: "str | PathLike[str]",
        stat_result: stat_result,
        scope: Any,
        status_code: int = 200,
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        response.headers["Cache-Control"] = _CACHE_FOR_EVER
        return response


#: The outer mount answers 404 for other digests; Streamlit would answer with its page.
WEB_ROUTES: list[BaseRoute] = [
    Mount("/web", routes=[Mount(WEB_PATH.removeprefix("/web"), app=_ImmutableFiles(directory=WEB))])
]
