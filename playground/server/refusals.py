"""Refusals: a request that is not served, and errors of the playground as HTTP answers."""

import json
from collections.abc import Mapping

from starlette.responses import Response

from playground.core.errors import PlaygroundError, TextTooLongError


class RefusedRequestError(PlaygroundError):
    """A request that is not served; `status` is the HTTP status that says why."""

    def __init__(self, status: int, message: str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = dict(headers or {})


def refusal_response(error: PlaygroundError) -> Response:
    """An error as JSON `{"error": message}` with a fitting status.

    >>> refusal_response(TextTooLongError("the text has 7 bytes; the limit is 5")).status_code
    413
    """
    status, headers = 400, {}
    if isinstance(error, RefusedRequestError):
        status, headers = error.status, error.headers
    elif isinstance(error, TextTooLongError):
        status = 413
    return Response(json.dumps({"error": str(error)}), status, headers, media_type="application/json")
