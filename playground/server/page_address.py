"""Streamlit's HTML page with `web/first/first.js` before its own scripts."""

from collections.abc import Collection

from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from playground.server.browser_code import WEB

_SCRIPT = (WEB / "first/first.js").read_text(encoding="utf-8")


def with_first_script(page: str) -> str:
    """Return an HTML page with `web/first/first.js` before all other scripts.

    >>> with_first_script("<head><title>t</title></head>").endswith("</script><title>t</title></head>")
    True
    """
    return page.replace("<head>", f"<head><script>{_SCRIPT}</script>", 1)


class PageAddress:
    """Middleware that answers / and the addresses of pages, such as /train, with such a page.

    `names` are the last parts of these addresses; a proxy may have put a path before them.
    """

    def __init__(self, app: ASGIApp, *, page: str, names: Collection[str]) -> None:
        self.app = app
        self.page = page
        self.names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        is_page = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        if is_page and (scope["path"] == "/" or scope["path"].rpartition("/")[2] in self.names):
            response = HTMLResponse(self.page, headers={"Cache-Control": "no-cache"})
            await response(scope, receive, send)
        else:
            await self.app(scope, receive, send)
