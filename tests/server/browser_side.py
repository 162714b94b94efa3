"""The browser's side of a session: posts to its actions, and reads columns as `wire.js` does."""

import json
from typing import Any

import numpy as np
from starlette.applications import Starlette
from starlette.testclient import TestClient

from playground.server.routes import ROUTES

CLIENT = TestClient(Starlette(routes=ROUTES))


def post(session, action, body, **options):
    """Post any JSON, including lone surrogates."""
    return post_raw(session, action, json.dumps(body), **options)


def post_raw(session, action, content, **headers):
    """Post a body of any bytes."""
    headers = {"Content-Type": "application/json"} | headers
    return CLIENT.post(f"{session.url}/{action}", content=content, headers=headers)


def read_columns(content: bytes) -> tuple[dict[str, Any], list[Any]]:
    """Return the header and the columns of an answer."""
    offset = 4 + int.from_bytes(content[:4], "little")
    assert offset % 4 == 0, "columns must be aligned"
    header = json.loads(content[4:offset])
    columns = []
    for length in header.pop("columns"):
        columns.append(np.frombuffer(content, "<u4", length, offset))
        offset += 4 * length
    assert offset == len(content)
    return header, columns
