"""Security headers: pages load only from this server, and other sites cannot show them in a frame."""

import base64
import hashlib
from collections.abc import Sequence

import regex
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Streamlit and Tessera's components use inline styles and `data:` fonts and images, and a component's script
#: is a `blob:`.
_POLICY = (
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
    """Return the hashes of a page's inline scripts, as a Content-Security-Policy lists them.

    >>> inline_script_hashes("<script>a()</script>")
    ["'sha256-qVpDBgj7bpq5hMAcGp3AOc79J3Y1Z4HvySTwKrWDoy4='"]
    """
    digests = (hashlib.sha256(script.encode()).digest() for script in _INLINE_SCRIPT.findall(page))
    return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]


class SafeHeaders:
    """Middleware that adds the headers to every response that does not set them itself.

    `allowed_frames` are origins, such as https://school.example, whose pages may show Tessera in a frame;
    `page` is Streamlit's HTML page, whose inline scripts may run.
    """

    def __init__(self, app: ASGIApp, *, allowed_frames: Sequence[str] = (), page: str = "") -> None:
        self.app = app
        scripts = " ".join([_SCRIPTS, *inline_script_hashes(page)])
        ancestors = " ".join(["frame-ancestors 'self'", *allowed_frames])
        headers = {
            "X-Content-Type-Options": "nosniff",
            # A link can hold a whole text, which other sites must not see.
            "Referrer-Policy": "same-origin",
            "Content-Security-Policy": "; ".join([*_POLICY, scripts, ancestors]),
        }
        if not allowed_frames:
            headers["X-Frame-Options"] = "SAMEORIGIN"  # for browsers without frame-ancestors
        self.headers = [(name.lower().encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message.setdefault("headers", [])
                given = {name.lower() for name, _value in headers}
                message["headers"] = [
                    *headers,
                    *(header for header in self.headers if header[0] not in given),
                ]
            await send(message)

        await self.app(scope, receive, send_with_headers)
