"""Answers to the browser, which `web/shared/wire.js` reads.

A `TypedDict` declares each answer, and `scripts/write_wire_types.py` turns it into TypeScript.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from starlette.responses import Response

from playground.core.errors import LimitExceededError, PlaygroundError, TextTooLongError
from playground.core.text_units import Column
from playground.server.packed import pack_columns, to_json
from playground.server.refusals import RefusedRequestError

_NO_STORE = {"Cache-Control": "no-store"}


def json_response(answer: Mapping[str, Any]) -> Response:
    """Return an answer without columns."""
    return Response(to_json(answer), media_type="application/json", headers=_NO_STORE)


def columns_response(header: Mapping[str, Any], columns: Iterable[Column]) -> Response:
    """Return an answer with columns."""
    return Response(pack_columns(header, columns), media_type="application/octet-stream", headers=_NO_STORE)


def refusal_response(error: PlaygroundError) -> Response:
    """Return an error as JSON `{"error": "<message>"}`: its own status, one for a limit, or 400.

    >>> refusal_response(TextTooLongError("the text has 7 bytes; the limit is 5")).status_code
    413
    """
    status, headers = 400, {}
    if isinstance(error, RefusedRequestError):
        status, headers = error.status, error.headers
    elif isinstance(error, TextTooLongError):
        status = 413
    elif isinstance(error, LimitExceededError):
        status = 429 if error.limit == "waiting" else 422
    return Response(json.dumps({"error": str(error)}), status, headers, media_type="application/json")
