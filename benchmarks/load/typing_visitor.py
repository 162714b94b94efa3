"""Visitors who type: on Tokenize and on Compare, in a text of 100 KB, a key at a time, with pauses.

Keys come when a person presses them, whether the last one is answered or not; those that come while an edit
is on its way go together in the next, as in `web/shared/text_sync.js`.
"""

import asyncio
import random
import zlib
from dataclasses import dataclass
from time import perf_counter

import regex

from benchmarks.keystroke import sample_text
from benchmarks.load.connection import Connection
from benchmarks.load.crowd import Visitor
from benchmarks.load.page import Page

TEXT_BYTES = 100_000
#: 40 words a minute, which is what adults reach, are 200 keys.
SECONDS_A_KEY = 0.3
#: A sentence, and a thought before the next.
KEYS_IN_A_ROW, PAUSE_SECONDS = 40, 3.0
KEY_IN_TOKENIZE, KEY_IN_COMPARE = "a key in Tokenize", "a key in Compare"
SIX = "gpt2,p50k_base,cl100k_base,o200k_base,utf8_bytes,characters"
_VERSION = regex.compile(rb'"version":(\d+)')


@dataclass(frozen=True, slots=True)
class Manner:
    """How a page is typed in: its component, and how long after the last key it tells the script."""

    kind: str
    path: str
    component: str
    query: str
    settle_seconds: float
    inspects: bool


_TOKENIZE = Manner(KEY_IN_TOKENIZE, "", "token_editor", "", 0.35, inspects=True)
_COMPARE = Manner(KEY_IN_COMPARE, "compare", "compare", f"tokenizers={SIX}&text=x", 0.6, inspects=False)


async def tokenize(visitor: Visitor) -> None:
    """Type on the Tokenize page."""
    await _type(visitor, _TOKENIZE)


async def compare(visitor: Visitor) -> None:
    """Type on the Compare page, with six tokenizers."""
    await _type(visitor, _COMPARE)


async def _type(visitor: Visitor, manner: Manner) -> None:
    draw = random.Random(visitor.number)
    page = await Page.open(visitor.host, manner.path, query=manner.query)
    url = page.components[manner.component]["url"]
    connection = Connection(visitor.host)
    version = version_in(await connection.post(f"{url}/open", {}))
    start, text = TEXT_BYTES // 2, sample_text(TEXT_BYTES)
    edit = {"version": version, "start": 0, "n_deleted": 0, "inserted": text}
    version = version_in(await connection.post(f"{url}/edit", edit))
    visitor.arrive()
    await asyncio.sleep(draw.uniform(0, KEYS_IN_A_ROW * SECONDS_A_KEY))  # nobody types in step
    while True:
        times = _key_times(draw)
        while times:
            await asyncio.sleep(max(0.0, times[0] - perf_counter()))
            n_keys = sum(time <= perf_counter() for time in times)
            keys = "".join(draw.choices("etaoinshrdlu ", k=n_keys))
            edit = {"version": version, "start": start, "n_deleted": 0, "inserted": keys}
            version = version_in(await connection.post(f"{url}/edit", edit))
            for time in times[:n_keys]:
                visitor.latencies.add(manner.kind, time)
            start += n_keys
            del times[:n_keys]
        await asyncio.sleep(manner.settle_seconds)
        if manner.inspects:
            await connection.post(f"{url}/inspect", {"n_lone_surrogates": 0})
        with visitor.latencies.of("the page after a pause"):
            await page.tell(manner.component, "settled")
        await asyncio.sleep(max(0.0, PAUSE_SECONDS - manner.settle_seconds))


def _key_times(draw: random.Random) -> list[float]:
    time, times = perf_counter(), []
    for _ in range(KEYS_IN_A_ROW):
        time += SECONDS_A_KEY * draw.uniform(0.5, 1.5)
        times.append(time)
    return times


def version_in(answer: bytes) -> int:
    """The version of the text that an answer of a page's session names."""
    found = _VERSION.search(answer if answer[:2] != b"\x1f\x8b" else zlib.decompress(answer, 31))
    if found is None:
        raise RuntimeError("an answer without a version")
    return int(found[1])
