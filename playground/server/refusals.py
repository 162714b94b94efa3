"""Errors as HTTP responses: `{"error": "<message>"}` with a status."""

import json
from collections.abc import Mapping

from starlette.responses import Response

from playground.core.errors import LimitExceededError, PlaygroundError, TextTooLongError


class RefusedRequestError(PlaygroundError):
    """A request is refused with this HTTP status and message."""

    def __init__(self, status: int, message: str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = dict(headers or {})


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
