"""A server with few descriptors refuses new visitors with a sentence, and those who are here work on."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import websockets

from tests.e2e.apps import running_app

LIMIT = 120


def test_a_full_server_tells_new_visitors_and_serves_the_others(tmp_path):
    with running_app(tmp_path, max_descriptors=LIMIT) as app:

        async def play() -> None:
            first, session = await app.open_page()
            visitors = [first]
            for _ in range(LIMIT):
                try:
                    visitors.append((await app.open_page())[0])
                except websockets.InvalidStatus:
                    break
            assert 5 < len(visitors) < LIMIT // 3
            status, sentence = await asyncio.to_thread(app.ask, "/", Accept="text/html")
            assert (status, "This server is full" in sentence) == (503, True)
            assert (await asyncio.to_thread(app.ask, f"{session}/open", {}))[0] == 200
            for visitor in visitors:
                await visitor.close()

        with ThreadPoolExecutor(1) as thread:  # the browser of other tests has a loop in this one
            thread.submit(asyncio.run, play()).result()
        said = app.log.read_text()
    assert "Too many open files" not in said
    assert "Traceback" not in said
