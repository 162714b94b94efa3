"""A health check that fails when requests would, for monitors and container managers: `GET /health`."""

import asyncio
import threading

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from playground.catalog.registry import get_tokenizer
from playground.server.protection.guard import SMALL_THREADS
from playground.server.refusals import RefusedRequestError
from playground.server.wire import json_response, refusal_response

#: What a page needs while it opens.
NEEDED_BYTES = 32_000_000
MAX_SECONDS = 10.0


async def answer_health(_request: Request) -> Response:
    """Answer 200 if a text is counted in time, with room for a page; otherwise 503."""
    try:
        async with asyncio.timeout(MAX_SECONDS):
            await to_thread.run_sync(check, limiter=SMALL_THREADS, abandon_on_cancel=True)
    except TimeoutError:
        return _failed(f"no thread was free for {MAX_SECONDS:g} s")
    except MemoryError:
        return _failed(f"fewer than {NEEDED_BYTES / 1e6:g} MB of memory are free")
    except RuntimeError as error:  # no thread could be started
        return _failed(str(error))
    return json_response({"status": "ok"})


def check() -> None:
    """Count a text, allocate memory and start a thread. Raises MemoryError and RuntimeError."""
    get_tokenizer("gpt2").encode("Is it well?")
    bytearray(NEEDED_BYTES)
    threading.Thread(target=bool).start()


def _failed(why: str) -> Response:
    return refusal_response(RefusedRequestError(503, why))


async def answer_closed(_request: Request) -> Response:
    """Answer 404."""
    return refusal_response(RefusedRequestError(404, "this server publishes no metrics"))


#: Streamlit would tell everybody how many sessions there are and what they hold.
HEALTH_ROUTES: list[BaseRoute] = [
    Route("/health", answer_health),
    Route("/_stcore/metrics", answer_closed),
]
