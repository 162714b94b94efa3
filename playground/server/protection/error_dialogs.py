"""No dialog of Streamlit's over a page whose server is away: it would take the focus and the keys.

Our pages say themselves that the server does not answer, and keep what is typed.
"""

import json

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: What Streamlit's browser code asks before it opens its socket.
HOST_CONFIG_PATH = "/_stcore/host-config"


class NoErrorDialogs:
    """Middleware that adds `blockErrorDialogs` to what Streamlit tells its browser code."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or not scope["path"].endswith(HOST_CONFIG_PATH):
            await self.app(scope, receive, send)
            return
        start: Message = {}
        body = b""

        async def send_changed(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start":
                start = message
                return
            body += message.get("body", b"")
            if message.get("more_body"):
                return
            changed = without_dialogs(body) if start["status"] == 200 and body else body
            MutableHeaders(scope=start)["Content-Length"] = str(len(changed))
            await send(start)
            await send({"type": "http.response.body", "body": changed})

        await self.app(scope, receive, send_changed)


def without_dialogs(config: bytes) -> bytes:
    """Streamlit's answer with its dialogs off.

    >>> without_dialogs(b'{"metricsUrl": "", "blockErrorDialogs": false}')
    b'{"metricsUrl": "", "blockErrorDialogs": true}'
    """
    return json.dumps({**json.loads(config), "blockErrorDialogs": True}).encode()
