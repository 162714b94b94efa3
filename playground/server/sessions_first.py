"""Sessions first: what a page's browser asks goes past what only Streamlit's own answers need.

A key press takes less of the thread that answers all, and so does a long answer. The guard of our routes
stands where it stood, as does what is outside of this.
"""

from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Receive, Scope, Send

#: What follows a key has about 5 KB; that is sent as it is.
MIN_PRESSED_BYTES = 16_000
#: 365 KB of ids and lengths take 6 ms and become 95 KB; at 9, which Streamlit has, 220 ms and 87 KB.
_LEVEL = 4


class SessionsFirst:
    """Middleware that answers what one route of ours serves, and leaves the rest to the app."""

    def __init__(self, app: ASGIApp, *, route: BaseRoute) -> None:
        self.app = app
        self.route = route
        self.pressed = GZipMiddleware(route.handle, minimum_size=MIN_PRESSED_BYTES, compresslevel=_LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        match, found = self.route.matches(scope)
        if match is Match.FULL:
            scope.update(found)
            await self.pressed(scope, receive, send)
        else:
            await self.app(scope, receive, send)
