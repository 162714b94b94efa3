"""One visitor who tries, through the doors of a visitor, what once hung, filled or killed a server.

A process of its own, `python -m benchmarks.siege.attacker HOST --seconds N`: what it makes must not keep the
clocks of the others waiting. For each thing it tries it prints a line: its name, when it began and ended,
and how.
"""

import argparse
import asyncio
import json
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from time import monotonic, perf_counter
from typing import Any

import httpx
import websockets

from benchmarks.load.page import Page, PageError
from benchmarks.load.typing_visitor import SIX, version_in
from benchmarks.siege.inputs import (
    DATA,
    ENDLESS_PATTERN,
    PATTERNS,
    SPACES,
    TOKENIZER_FILES,
    link_of,
    tokenizer_of,
)

Attack = Callable[[str], Awaitable[object]]
#: What takes longer is given up, and told as "no answer".
PATIENCE = 120.0
#: How the labels of uploaders begin.
DATA_FILE, TEXT_FILES, MODEL_FILES = "Open a file of data", "UTF-8 text files", ".model, .tiktoken"
ATTACKS: dict[str, Attack] = {}


def attack(name: str) -> Callable[[Attack], Attack]:
    """Put a function into ATTACKS."""

    def put(function: Attack) -> Attack:
        ATTACKS[name] = function
        return function

    return put


@asynccontextmanager
async def opened(host: str, name: str, query: str = "") -> AsyncIterator[Page]:
    """A page, until the end of the block."""
    page = await Page.open(host, name, query=query)
    try:
        yield page
    finally:
        with suppress(Exception):
            await page.close()


class RefusedError(Exception):
    """An answer other than 200: its number, and what it says."""


async def post(host: str, path: str, body: object) -> bytes:
    """A post on a connection of its own; bytes go as they are. Raises RefusedError."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    async with httpx.AsyncClient(base_url=f"http://{host}", timeout=PATIENCE) as client:
        answer = await client.post(path, content=content, headers={"Content-Type": "application/json"})
    if answer.status_code != 200:
        raise RefusedError(f"{answer.status_code} {answer.text[:200]}")
    return answer.content


def encode(text: str, **fields: object) -> dict[str, object]:
    """The body of a request to the API."""
    return {"text": text, "encoding": "gpt2", **fields}


@attack("API: 250,000 spaces between letters, in each tokenizer")
async def _(host: str) -> None:
    for name in ("gpt2", "p50k_base", "cl100k_base", "o200k_base"):
        await post(host, "/api/v1/encode", encode(SPACES, encoding=name))


@attack("API: 30 texts of 1 MB with spans at once")
async def _(host: str) -> None:
    text = "".join(random.choices("etaoin shrdlu\n", k=990_000))
    await asyncio.gather(*(post(host, "/api/v1/encode", encode(text, spans=True)) for _ in range(30)))


@attack("API: a million ids")
async def _(host: str) -> None:
    await post(host, "/api/v1/decode", {"ids": [50_256] * 1_000_000, "encoding": "gpt2"})


@attack("API: bodies that are no request")
async def _(host: str) -> None:
    bodies = [
        b"[" * 1_000_000,
        b"1" * 100_000,
        b'{"ids": [' + b"9" * 5_000 + b"]}",
        b"\xff",
        b'{"text": "\\ud800"}',
    ]
    for body in bodies:
        with suppress(RefusedError):
            await post(host, "/api/v1/encode", body)
        with suppress(RefusedError):
            await post(host, "/api/v1/decode", body)


@attack("100 bodies held open")
async def _(host: str) -> str:
    name, _, port = host.partition(":")
    head = (
        f"POST /api/v1/encode HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        "Content-Length: 9000000\r\n\r\n"
    )
    held = [await asyncio.open_connection(name, int(port)) for _ in range(100)]
    for _, writer in held:
        writer.write(head.encode() + b" " * 1_000_000)
    first, _ = held[0]
    answer = await first.read(300)
    for _, writer in held:
        writer.close()
    return answer.partition(b"\r\n")[0].decode()


@attack("a foreign name, and a foreign page")
async def _(host: str) -> str:
    async with httpx.AsyncClient(base_url=f"http://{host}") as client:
        said = {"Host": "evil.example", "Origin": "http://evil.example"}
        named = await client.get("/", headers=said)
        posted = await client.post(
            "/api/v1/encode", json=encode("x"), headers={"Origin": "http://evil.example"}
        )
    return f"{named.status_code} and {posted.status_code}"


@attack("noise on Streamlit's socket")
async def _(host: str) -> None:
    url = f"ws://{host}/_stcore/stream"
    async with websockets.connect(url, subprotocols=[websockets.Subprotocol("streamlit")]) as socket:
        for _ in range(20):
            await socket.send(random.randbytes(1_000))
        await asyncio.sleep(1)


@attack("60 pages at once, closed without a word")
async def _(host: str) -> None:
    pages = await asyncio.gather(
        *(Page.open(host, random.choice(["", "compare", "formats"])) for _ in range(60))
    )
    for page in pages:
        page.socket.transport.abort()
        await page.close()


async def edit(host: str, page: Page, component: str, text: str, n_at_once: int = 1) -> None:
    """Put a text into a page's field, and then keys into it, so many at once."""
    url = page.components[component]["url"]
    version = version_in(await post(host, f"{url}/open", {}))
    body: dict[str, Any] = {"version": version, "start": 0, "n_deleted": 0, "inserted": text}
    await post(host, f"{url}/edit", body)
    keys = [{**body, "version": version + 1 + n, "inserted": "a"} for n in range(n_at_once)]
    ends = await asyncio.gather(*(post(host, f"{url}/edit", key) for key in keys), return_exceptions=True)
    for end in ends:
        if isinstance(end, BaseException) and not isinstance(end, RefusedError):
            raise end


@attack("Tokenize: 250,000 spaces between letters")
async def _(host: str) -> None:
    async with opened(host, "") as page:
        await edit(host, page, "token_editor", SPACES)


@attack("Compare: six tokenizers, 1 MB without a space, 40 keys at once")
async def _(host: str) -> None:
    async with opened(host, "compare", f"tokenizers={SIX}&text=x") as page:
        await edit(host, page, "compare", "x" * 990_000, n_at_once=40)


@attack("Merge tree: 40 texts at once")
async def _(host: str) -> None:
    async with opened(host, "merge_tree") as page:
        url = page.components["merge_forest"]["url"]
        texts = [
            {"text": "a" * n, "height_by": "order", "step": 10**6, "epoch": ""} for n in range(1_960, 2_000)
        ]
        texts.append({**texts[0], "text": "b" * 990_000})
        await asyncio.gather(*(post(host, f"{url}/draw", text) for text in texts))


@attack("actions with wrong values")
async def _(host: str) -> None:
    wrong: list[object] = [
        {"index": 1.5}, {"index": 10**30}, {"index": -1}, {"start": "0"}, {"version": None}, [], b"1" * 5_000,
        {"messages": [{"role": "x" * 10_000, "content": "<|im_start|>" * 10_000}], "template_name": "none"},
    ]  # fmt: skip
    for name, component in (("", "token_editor"), ("compare", "compare"), ("merge_tree", "merge_forest")):
        async with opened(host, name) as page:
            url = page.components[component]["url"]
            for action in (
                "edit",
                "token",
                "chat",
                "ids",
                "settings",
                "share",
                "csv",
                "open?held=" + "1" * 5_000,
            ):
                for body in wrong:
                    with suppress(RefusedError):
                        await post(host, f"{url}/{action}", body)


@attack("links that unpack to much")
async def _(host: str) -> None:
    states: list[dict[str, object] | bytes] = [
        {"tokenizer": "gpt2", "text": SPACES, "mode": "text"},
        {"tokenizer": "gpt2", "ids_text": "1 " * 400_000},
        b" " * 5_900_000,
        b"[" * 1_000_000,
        b"{" + b'"a":{' * 100_000,
        {"tokenizers": ["gpt2"] * 100_000, "text": "x"},
    ]
    for name in ("", "compare", "merge_tree", "formats"):
        for state in states:
            with suppress(PageError):
                async with opened(host, name, link_of(state)):
                    pass


@attack("Formats: a text of data that grows")
async def _(host: str) -> str:
    name = random.choice(list(DATA))
    async with opened(host, "formats") as page:
        try:
            await page.upload(DATA_FILE, "data.txt", DATA[name]().encode())
        except PageError as error:
            return f"{name}: {error}"
    return f"{name}: shown"


async def read_tokenizer(page: Page, name: str, content: bytes) -> None:
    """Bring a tokenizer file to the Train page, where a run is kept; back when it is read."""
    while "Look at" not in page.widgets:
        await (page.refresh() if page.is_refreshing else page.run())
        await asyncio.sleep(0.25)
    await page.pick("Look at", "Keep and export")
    await page.upload(MODEL_FILES, name, content)
    while page.is_refreshing:
        await page.refresh()
        await asyncio.sleep(0.25)


@attack("a tokenizer file that grows")
async def _(host: str) -> str:
    name = random.choice(list(TOKENIZER_FILES))
    async with opened(host, "train") as page:
        try:
            await read_tokenizer(page, name, TOKENIZER_FILES[name]().encode())
        except PageError as error:
            return f"{name}: {error}"
        await page.go("")
        await page.choose("Tokenizer", name.rpartition(".")[0])
        await edit(host, page, "token_editor", "ab" * 400_000)
    return f"{name}: used"


@attack("a tokenizer file with an endless pattern, and 40 keys at once")
async def _(host: str) -> None:
    async with opened(host, "train") as page:
        await read_tokenizer(page, "endless.model", tokenizer_of(ENDLESS_PATTERN).encode())
        await page.go("")
        await page.choose("Tokenizer", "endless")
        await edit(host, page, "token_editor", "a" * 50_000, n_at_once=40)


@attack("Train: patterns that a person types")
async def _(host: str) -> None:
    async with opened(host, "train") as page:
        await page.choose("Corpus", "Paste a text")
        await page.choose("Text to learn from", "a" * 100_000)
        await page.choose("Split pattern", "my own expression")
        for pattern in PATTERNS:
            with suppress(PageError):
                await page.choose("Regular expression", pattern)
                await page.press("Start")


@attack("Train: a run and a tokenizer named with __")
async def _(host: str) -> None:
    async with opened(host, "train") as page:
        await read_tokenizer(page, "a__b__.model", tokenizer_of("").encode())
        await page.choose("Corpus", "Upload text files")
        await page.upload(TEXT_FILES, "a__b.txt", b"a b " * 1_000)
        await page.press("Start")


@attack("Train: 20 MB of one letter, and 20 MB of noise")
async def _(host: str) -> None:
    async with opened(host, "train") as page:
        await page.choose("Corpus", "Upload text files")
        noise = "".join(map(chr, random.Random(0).choices(range(0x4E00, 0x9FFF), k=7_000_000)))
        for content in (b"a" * 20_000_000, noise.encode()):
            await page.upload(TEXT_FILES, f"{content[:1].hex()}.txt", content)
            await page.press("Start")
            for _ in range(20):
                await page.refresh()
                await asyncio.sleep(0.25)


@attack("three files of 240 MB")
async def _(host: str) -> str:
    n_taken = 0
    async with opened(host, "train") as page:
        await page.choose("Corpus", "Upload text files")
        for number in range(3):
            try:
                await page.upload(TEXT_FILES, f"{number}.txt", b"\n" * 240_000_000)
            except httpx.HTTPStatusError as error:
                return f"after {n_taken}: {error.response.status_code} {error.response.text}"
            n_taken += 1
    return f"{n_taken} were taken"


async def attempt(name: str, host: str) -> None:
    """Try one thing, and print how it ended."""
    started = perf_counter()  # the clock of the visitors' process, too: it is the machine's
    try:
        async with asyncio.timeout(PATIENCE):
            end = str(await ATTACKS[name](host) or "answered")
    except TimeoutError:
        end = "no answer"
    except Exception as error:
        end = f"{type(error).__name__}: {error}"
    line = {"name": name, "started": started, "ended": perf_counter(), "end": end[:300]}
    print(json.dumps(line), flush=True)


async def attack_for(host: str, seconds: float, names: list[str]) -> None:
    """All in turn, each time in another order, until the time is over."""
    ends_at = monotonic() + seconds
    while monotonic() < ends_at:
        for name in random.sample(names, len(names)):
            if monotonic() < ends_at:
                await attempt(name, host)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.siege.attacker", description=__doc__)
    parser.add_argument("host", help="the server's name and port")
    parser.add_argument("--seconds", type=float, default=1, help="nothing is begun after them")
    parser.add_argument("--only", nargs="*", default=list(ATTACKS), metavar="NAME")
    given = parser.parse_args()
    asyncio.run(attack_for(given.host, given.seconds, given.only))


if __name__ == "__main__":
    main()
