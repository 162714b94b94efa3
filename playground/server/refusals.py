"""RefusedRequestError: an error with an HTTP status; `wire.refusal_response` sends it."""

from collections.abc import Mapping

from playground.core.errors import PlaygroundError


class RefusedRequestError(PlaygroundError):
    """A request is refused with this HTTP status and message."""

    def __init__(self, status: int, message: str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = dict(headers or {})
