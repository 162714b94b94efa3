"""Python for the browser: the files of Pyodide (CPython in WebAssembly) and the worker that runs them.

The worker's own Content-Security-Policy allows what Pyodide needs, WebAssembly and the evaluation of its own
glue code, in the worker only. There, connections to anything but these files are refused, so the code that a
visitor writes reaches neither the server's sessions nor other hosts.
"""

import hashlib
from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from playground.core.assets import ASSETS, damaged
from playground.server.browser_code import WEB

#: The version of the npm package; its first number is Python's version without the point.
PYODIDE: Final = "314.0.7"
#: The files of the package that run Python, with their media types. Each is in `assets/python` as `.gz`.
FILES: Final = {
    "pyodide.mjs": "text/javascript",
    "pyodide.asm.mjs": "text/javascript",
    "pyodide.asm.wasm": "application/wasm",
    "python_stdlib.zip": "application/zip",
}
WORKER: Final = "worker.js"
_WORKER_SOURCE = (WEB / "build" / WORKER).read_bytes()
#: The addresses change with the version and the worker, so browsers may cache the files for ever.
PYTHON_PATH = f"/python/{PYODIDE}-{hashlib.sha256(_WORKER_SOURCE).hexdigest()[:8]}"
_FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable"}


def _policy(request: Request) -> str:
    """Return the worker's policy; without a scheme, a source has the scheme of the page."""
    files = f"{request.url.netloc}{request.scope.get('root_path', '')}{PYTHON_PATH}/"
    return f"default-src 'none'; script-src {files} 'unsafe-eval' 'wasm-unsafe-eval'; connect-src {files}"


def _file(request: Request) -> Response:
    name = request.path_params["name"]
    if name == WORKER:
        headers = {**_FOR_EVER, "Content-Security-Policy": _policy(request), "Vary": "Host"}
        return Response(_WORKER_SOURCE, media_type="text/javascript", headers=headers)
    if name not in FILES:
        return PlainTextResponse("Not found", status_code=404)
    try:
        packed = (ASSETS / "python" / f"{name}.gz").read_bytes()
    except OSError as error:
        return PlainTextResponse(str(damaged(f"python/{name}.gz", error)), status_code=404)
    return Response(packed, media_type=FILES[name], headers={**_FOR_EVER, "Content-Encoding": "gzip"})


PYTHON_ROUTES: list[BaseRoute] = [Route(f"{PYTHON_PATH}/{{name}}", _file)]
