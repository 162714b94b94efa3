"""Visitors: what one of each kind does for as long as it is there, and what it waits for.

Each opens its page as a browser does, and then posts and presses what a browser would.
"""

import asyncio
import csv
import io
import random
from functools import cache
from itertools import count
from time import perf_counter

import httpx

from benchmarks.keystroke import sample_text
from benchmarks.load.crowd import Visitor
from benchmarks.load.page import PATIENCE, Page, PageError

#: A visitor opens pages, reads each for so long, and opens the next.
READING_SECONDS = 5.0
PAGES = ("", "compare", "train", "merge_tree", "formats")
#: The Formats page reads at most 5 MB.
TRAINING_MB, DATA_MB = 50, 4.9


async def open_pages(visitor: Visitor) -> None:
    """Open one page after the other: the document, then the socket until the page has run."""
    draw = random.Random(visitor.number)
    visitor.arrive()
    while True:
        name = draw.choice(PAGES)
        with visitor.latencies.of("open a page"):
            # A client kept over the reading would at times send as the server closes its idle connection.
            async with httpx.AsyncClient(base_url=f"http://{visitor.host}", timeout=PATIENCE) as client:
                (await client.get(f"/{name}")).raise_for_status()
            page = await Page.open(visitor.host, name)
        await asyncio.sleep(draw.uniform(0.5, 1.5) * READING_SECONDS)
        await page.close()


async def train(visitor: Visitor) -> None:
    """Upload a corpus, train on it, look on, and begin anew when it is done."""
    page = await Page.open(visitor.host, "train")
    await page.choose("Corpus", "Upload text files")
    await page.upload("UTF-8 text files", f"corpus-{visitor.number}.txt", corpus(TRAINING_MB))
    visitor.arrive()
    while True:
        with visitor.latencies.of("start a training"):
            await page.press("Start")
        while page.is_refreshing:
            with visitor.latencies.of("a refresh of a training"):
                await page.refresh()
            await asyncio.sleep(0.25)
        await asyncio.sleep(READING_SECONDS)


async def convert(visitor: Visitor) -> None:
    """Upload a table and have it converted into all formats, again and again."""
    page = await Page.open(visitor.host, "formats")
    own = table(DATA_MB)  # made once, in seconds in which no other visitor is heard
    visitor.arrive()
    for number in count():
        content = own + f"{visitor.number},{number},last\n".encode()
        started = perf_counter()
        try:
            await page.upload("Open a file of data", "data.csv", content, is_only=True)
        except PageError:  # on a busy machine it may take longer than the limit, which the page then tells
            visitor.latencies.add("convert 5 MB: over the limit of time", started)
        else:
            visitor.latencies.add("convert 5 MB", started)
        await asyncio.sleep(READING_SECONDS)


@cache
def corpus(n_mb: int) -> bytes:
    """Prose, with a number in each line so that the lines differ."""
    lines = sample_text(1_000_000).splitlines()
    numbered = (f"{line} {number}\n" for number in count() for line in lines)
    parts, n_bytes = [], 0
    while n_bytes < 1_000_000 * n_mb:
        parts.append(next(numbered).encode())
        n_bytes += len(parts[-1])
    return b"".join(parts)


@cache
def table(n_mb: float) -> bytes:
    """A CSV of three columns."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["name", "price", "remark"])
    draw = random.Random(0)
    while text.tell() < 1_000_000 * n_mb:
        writer.writerow([f"item {draw.randrange(10**6)}", draw.randrange(10**4) / 100, "in stock"])
    return text.getvalue().encode()
