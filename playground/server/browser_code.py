"""The browser code as static files below `/web/<digest>/`.

The digest changes with any file, so browsers may cache files for ever. Modules import each other by relative
paths.
"""

import hashlib
from os import PathLike, stat_result
from pathlib import Path
from typing import Any

from starlette.responses import Response
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles

from playground.server.web_files import WEB

_CACHE_FOR_EVER = "public, max-age=31536000, immutable"


def digest_files(folder: Path) -> str:
    """Return a short digest of the names and contents of all files in a folder and below."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(folder).as_posix()}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


WEB_PATH = f"/web/{digest_files(WEB)}"


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
