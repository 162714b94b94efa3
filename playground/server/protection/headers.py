"""Headers that tell a browser what our pages may do: no sniffing, no framing by others, no other machine."""

import base64
import hashlib
from collections.abc import Sequence

import regex
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Streamlit's pages and our components set styles in place, some fonts and pictures are `data:`, and the
#: script of a component is a `blob:`. Nothing comes from another machine, and nothing is sent to one.
POLICY = (
    "default-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "media-src 'self' data: blob:",
    "worker-src 'self' blob:",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
)
_SCRIPTS = "script-src 'self' blob:"
_INLINE_SCRIPT = regex.compile(r"<script>(.*?)</script>", regex.DOTALL)


def inline_script_hashes(page: str) -> list[str]:
    """The scripts that stand in a page, as a policy names them.

    >>> inline_script_hashes("<script>a()</script>")
    ["'sha256-qVpDBgj7bpq5hMAcGp3AOc79J3Y1Z4HvySTwKrWDoy4='"]
    """
    digests = (hashlib.sha256(script.encode()).digest() for script in _INLINE_SCRIPT.findall(page))
    return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]


class SafeHeaders:
    """Middleware that adds the headers to every answer, Streamlit's too; what an answer has itself stays.

    `allowed_frames` are origins, such as https://school.example, whose pages may show ours in a frame;
    `page` is the HTML page of Streamlit, whose own scripts may run in place.
    """

    def __init__(self, app: ASGIApp, *, allowed_frames: Sequence[str] = (), page: str = "") -> None:
        self.app = app
        scripts = " ".join([_SCRIPTS, *inline_script_hashes(page)])
        ancestors = " ".join(["frame-ancestors 'self'", *allowed_frames])
        self.headers = {
            "X-Content-Type-Options": "nosniff",
            # A share link is a whole text: other sites do not learn the address that one comes from.
            "Referrer-Policy": "same-origin",
            "Content-Security-Policy": "; ".join([*POLICY, scripts, ancestors]),
        }
        if not allowed_frames:
            self.headers["X-Frame-Options"] = "SAMEORIGIN"  # for browsers that do not know frame-ancestors
        self.raw = [(name.lower().encode(), value.encode()) for name, value in self.headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message.setdefault("headers", [])
                given = {name.lower() for name, _value in headers}
                message["headers"] = [*headers, *(header for header in self.raw if header[0] not in given)]
            await send(message)

        await self.app(scope, receive, send_with_headers)
