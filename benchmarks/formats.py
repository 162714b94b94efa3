"""1 MB of JSON into every format, read back and counted with three tokenizers; then another tokenizer.

Run with `python -m benchmarks.formats`, on a machine that does nothing else: it measures two processes on two
cores. The first run starts them. The data are customer records of eight fields, nested, in JSON as
tools print it (indented by 2 spaces) and compact.
"""

import json
import random
import time

from playground.catalog.registry import get_tokenizer
from playground.formats.conversion import Job
from playground.formats.costs import count_tokens, measure
from playground.formats.offloading import open_document
from playground.formats.registry import FORMATS
from playground.formats.values import WriteOptions

N_BYTES = 1_000_000
N_RUNS = 5
TOKENIZERS = ("gpt2", "cl100k_base", "o200k_base")


def main() -> None:
    tokenizers = [get_tokenizer(name) for name in TOKENIZERS]
    for tokenizer in [*tokenizers, get_tokenizer("p50k_base")]:
        tokenizer.encode("warm")
    for label, indent in (("indented", 2), ("compact", None)):
        text = json_text(N_BYTES, indent)
        runs = [timed(text, tokenizers) for _ in range(N_RUNS)]
        read, measured = min(runs, key=sum)
        print(f"{len(text.encode()):,} bytes of {label} JSON: read {read:.2f} s, {len(FORMATS)} formats")
        print(f"  written, read back and counted by {len(tokenizers)} tokenizers: {measured:.2f} s", end="")
        print(f" (first run {runs[0][1]:.2f} s)")
    data = json.loads(json_text(N_BYTES, 2))
    table = measure(data, tokenizers[:1])
    start = time.perf_counter()
    count_tokens(table.conversions, get_tokenizer("p50k_base"))
    print(f"another tokenizer, converting nothing: {time.perf_counter() - start:.2f} s")
    print("one process, a format each:")
    for name in FORMATS:
        start = time.perf_counter()
        Job(data, WriteOptions()).convert(name)
        print(f"  {name:16} {time.perf_counter() - start:6.3f} s")


def timed(text: str, tokenizers: list) -> tuple[float, float]:  # type: ignore[type-arg]
    start = time.perf_counter()
    data = open_document(text).data
    middle = time.perf_counter()
    measure(data, tokenizers)
    return middle - start, time.perf_counter() - middle


def json_text(n_bytes: int, indent: int | None) -> str:
    """Return as many customer records as fit."""
    draw = random.Random(7)
    rows = [
        {
            "id": number,
            "name": f"{draw.choice(['Ada', 'Grace', 'Alan'])} {draw.choice(['Hopper', 'Turing', 'Liskov'])}",
            "email": f"user{number}@example.org",
            "active": draw.random() < 0.5,
            "score": round(draw.random() * 100, 2),
            "tags": draw.sample(["trial", "beta", "gamma", "delta"], 2),
            "address": {"city": draw.choice(["Zürich", "Oslo", "Lagos"]), "zip": str(10_000 + number)},
            "note": None if number % 3 else 'It is fine: really, "ok"',
        }
        for number in range(6_000)
    ]
    separators = (",", ": ") if indent else (",", ":")
    size = len(json.dumps({"users": rows}, ensure_ascii=False, indent=indent, separators=separators).encode())
    rows = rows[: len(rows) * n_bytes // size]
    return json.dumps({"users": rows}, ensure_ascii=False, indent=indent, separators=separators)


if __name__ == "__main__":
    main()
