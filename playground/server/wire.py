"""Answers to the browser, which `web/shared/wire.js` reads.

A `TypedDict` declares each answer, and `scripts/write_wire_types.py` turns it into TypeScript.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from starlette.responses import Response

from playground.core.text_units import Column
from playground.server.packed import pack_columns, to_json

_NO_STORE = {"Cache-Control": "no-store"}


def json_response(answer: Mapping[str, Any]) -> Response:
    """Return an answer without columns."""
    return Response(to_json(answer), media_type="application/json", headers=_NO_STORE)


def columns_response(header: Mapping[str, Any], columns: Iterable[Column]) -> Response:
    """Return an answer with columns."""
    return Response(pack_columns(header, columns), media_type="application/octet-stream", headers=_NO_STORE)
