"""Streamlit's HTML at a page's own address, which says where the app is.

Without it Streamlit asks below the page's address first, and the console fills with two errors a visit.
"""

from collections.abc import Collection

from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_SCRIPT = '<script>window.__streamlit = { BACKEND_BASE_URL: new URL(".", location.href).href };</script>'


def with_address(page: str) -> str:
    """An HTML page whose first script tells Streamlit that the app is where the page is.

    >>> with_address("<head><title>t</title></head>").removesuffix("<title>t</title></head>")
    '<head><script>window.__streamlit = { BACKEND_BASE_URL: new URL(".", location.href).href };</script>'
    """
    return page.replace("<head>", f"<head>{_SCRIPT}", 1)


class PageAddress:
    """Middleware that answers for the addresses of pages, such as /train, with such a page.

    `names` are the last parts of these addresses: what stands before, a proxy may have put there.
    """

    def __init__(self, app: ASGIApp, *, page: str, names: Collection[str]) -> None:
        self.app = app
        self.page = page
        self.names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        is_page = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        if is_page and scope["path"].rpartition("/")[2] in self.names:
            response = HTMLResponse(self.page, headers={"Cache-Control": "no-cache"})
            await response(scope, receive, send)
        else:
            await self.app(scope, receive, send)
