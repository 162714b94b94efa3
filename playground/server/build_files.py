"""Files of the page Build: Pyodide (CPython in WebAssembly), its worker, the notebooks; and fresh cases.

The worker's own Content-Security-Policy allows what Pyodide needs, WebAssembly and the evaluation of its own
glue code, in the worker only. There, connections to anything but these files are refused, so the code that a
visitor writes reaches neither the server's sessions nor other hosts.
"""

import hashlib
import json
import secrets
from dataclasses import asdict
from typing import Final, TypedDict

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from playground.core.assets import ASSETS, damaged
from playground.lessons.workbench.browser_modules import browser_modules, gpt2_files
from playground.lessons.workbench.cases import SETUP, Case, draw
from playground.lessons.workbench.notebooks import build_notebooks, notebooks_zip
from playground.lessons.workbench.steps import ORDER
from playground.server.protection.guard import GuardedEndpoint, Job, Turns
from playground.server.shapes import Shape, one_of, string
from playground.server.web_files import WEB
from playground.server.wire import json_response

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
NOTEBOOKS_PATH = "/notebooks/build"
ALL_NOTEBOOKS: Final = "build-notebooks.zip"
#: Where fresh cases are drawn; `FRESH` is the action.
WORKBENCH_PATH, FRESH = "/workbench", "fresh"
MAX_TEXT_CHARS = 2_000
_TURNS = Turns(n_at_once=2, max_waiting=200, max_seconds=60, whose="your address")
_ASKED = Shape({"step": one_of(*ORDER), "text": string(max_chars=MAX_TEXT_CHARS)})


def _digest() -> str:
    sources = [_WORKER_SOURCE, *(source.encode() for source in browser_modules().values())]
    return hashlib.sha256(b"\0".join(sources)).hexdigest()[:8]


#: Changes with the version, the worker and our modules, so browsers may cache the files for ever.
PYTHON_PATH = f"/python/{PYODIDE}-{_digest()}"
_FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable"}


def n_megabytes() -> float:
    """Return the size of the files that a browser loads once, compressed.

    >>> n_megabytes() < 8
    True
    """
    paths = (ASSETS / "python" / f"{name}.gz" for name in FILES)
    return round(sum(path.stat().st_size for path in paths if path.exists()) / 1_000_000, 1)


def _policy(request: Request) -> str:
    """Return the worker's policy; without a scheme, a source has the scheme of the page."""
    files = f"{request.url.netloc}{request.scope.get('root_path', '')}{PYTHON_PATH}/"
    return f"default-src 'none'; script-src {files} 'unsafe-eval' 'wasm-unsafe-eval'; connect-src {files}"


def _file(request: Request) -> Response:
    name = request.path_params["name"]
    if name == WORKER:
        headers = {**_FOR_EVER, "Content-Security-Policy": _policy(request), "Vary": "Host"}
        return Response(_WORKER_SOURCE, media_type="text/javascript", headers=headers)
    if name == "modules.json":  # our modules, written into Python's file system before the first run
        return Response(json.dumps(browser_modules()), media_type="application/json", headers=_FOR_EVER)
    if name == "gpt2.json":
        return Response(json.dumps(gpt2_files()), media_type="application/json", headers=_FOR_EVER)
    if name not in FILES:
        return PlainTextResponse("There is no file of this name.", status_code=404)
    try:
        packed = (ASSETS / "python" / f"{name}.gz").read_bytes()
    except OSError as error:
        return PlainTextResponse(str(damaged(f"python/{name}.gz", error)), status_code=404)
    return Response(packed, media_type=FILES[name], headers={**_FOR_EVER, "Content-Encoding": "gzip"})


def _notebook(request: Request) -> Response:
    name = request.path_params["name"]
    if name == ALL_NOTEBOOKS:
        content, kind = notebooks_zip(), "application/zip"
    elif text := build_notebooks().get(name):
        content, kind = text.encode(), "application/x-ipynb+json"
    else:
        return PlainTextResponse("There is no notebook of this name.", status_code=404)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=kind, headers=headers)


class FreshCases(TypedDict):
    """Fresh cases of a step, the shortest first, and the statements that run before them."""

    setup: str
    cases: list[Case]


def _fresh(body: bytes) -> Response:
    asked = _ASKED.read(body)
    cases = draw(asked["step"], secrets.randbits(64), asked["text"])
    return json_response({"setup": SETUP.get(asked["step"], ""), "cases": [asdict(case) for case in cases]})


BUILD_ROUTES: list[BaseRoute] = [
    Route(f"{PYTHON_PATH}/{{name}}", _file),
    Route(f"{NOTEBOOKS_PATH}/{{name}}", _notebook),
    Route(f"{WORKBENCH_PATH}/{FRESH}", GuardedEndpoint(lambda _path: Job(_fresh, _TURNS))),
]
