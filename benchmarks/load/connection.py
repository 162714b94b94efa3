"""A connection that is kept: posts of JSON, one after the other, at a tenth of what a full client costs.

Hundreds of visitors share a core with what they measure.
"""

import asyncio
import json

#: What `web/shared/reconnect.js` asks again after.
BUSY, ASK_AGAIN_SECONDS = ("429", "503"), 1.0


class Connection:
    """One visitor's connection to the server, opened at the first post."""

    def __init__(self, host: str) -> None:
        self.host = host
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def post(self, path: str, body: object) -> bytes:
        """The body of an answer, packed where the server packs; a busy server is asked again, as a page does.

        Raises RuntimeError for any other refusal.
        """
        content = json.dumps(body).encode()
        while (answer := await self._post_again_if_closed(path, content)) is None:
            await asyncio.sleep(ASK_AGAIN_SECONDS)
        return answer

    async def _post_again_if_closed(self, path: str, content: bytes) -> bytes | None:
        is_kept = self._reader is not None
        try:
            return await self._post(path, content)
        except (asyncio.IncompleteReadError, ConnectionError):
            if not is_kept:
                raise
            self.close()  # the server closes what is idle for some seconds; a browser opens another
            return await self._post(path, content)

    def close(self) -> None:
        """Leave."""
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None

    async def _post(self, path: str, content: bytes) -> bytes | None:
        if self._reader is None or self._writer is None:
            name, _, port = self.host.partition(":")
            self._reader, self._writer = await asyncio.open_connection(name, int(port))
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {self.host}\r\nOrigin: http://{self.host}\r\n"
            "Content-Type: application/json\r\nAccept-Encoding: gzip\r\n"
            f"Content-Length: {len(content)}\r\n\r\n"
        )
        self._writer.write(head.encode() + content)
        lines = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        fields = (line.partition(":") for line in lines[1:])
        headers = {name.lower(): value.strip() for name, _, value in fields}
        answer = await self._reader.readexactly(int(headers["content-length"]))
        if (status := lines[0].split()[1]) in BUSY:
            return None
        if status != "200":
            raise RuntimeError(f"POST {path} was answered {status}: {answer[:300].decode(errors='replace')}")
        return answer
