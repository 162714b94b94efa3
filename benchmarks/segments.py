"""Time of finding segments, compared with tiktoken's `encode` and `decode_with_offsets`.

Run as `python -m benchmarks.segments`. The text is 1 MB of the Universal Declaration of Human Rights, its 39
languages mixed article by article. "found" is `segment(text).segments`, which builds each segment on access;
"walked" also accesses every segment.
"""

import json
import time
from collections.abc import Callable
from pathlib import Path

from playground.catalog.openai import encoding_names, load_openai
from playground.catalog.ranked import RankedTokenizer
from playground.core.tokenizer import segment

UDHR = Path(__file__).resolve().parents[1] / "assets" / "texts" / "udhr.json"
N_RUNS = 5


def main() -> None:
    text = mixed_text(1_000_000)
    print(f"{len(text.encode()):,} bytes, {len(text):,} characters; best of {N_RUNS} runs")
    print("encoding         tokens  tiktoken ms  found ms  ratio  walked ms  ratio  1 MB : 100 KB")
    for name in encoding_names():
        print(row(load_openai(name), text))


def row(tokenizer: RankedTokenizer, text: str) -> str:
    small = text.encode()[: len(text.encode()) // 10].decode(errors="ignore")
    theirs = best_ms(lambda: tiktoken_offsets(tokenizer, text))
    found = best_ms(lambda: segment(tokenizer, text).segments)
    walked = best_ms(lambda: walk(tokenizer, text))
    growth = walked / best_ms(lambda: walk(tokenizer, small))
    n_tokens = len(segment(tokenizer, text).tokens)
    return (
        f"{tokenizer.name:14} {n_tokens:8,} {theirs:12.0f} {found:9.0f} {found / theirs:6.2f}"
        f" {walked:10.0f} {walked / theirs:6.2f} {growth:10.1f}"
    )


def tiktoken_offsets(tokenizer: RankedTokenizer, text: str) -> None:
    encoding = tokenizer.encoding
    encoding.decode_with_offsets(encoding.encode(text, disallowed_special=()))


def walk(tokenizer: RankedTokenizer, text: str) -> None:
    for _segment in segment(tokenizer, text).segments:
        pass


def mixed_text(n_bytes: int) -> str:
    languages = json.loads(UDHR.read_text())
    articles = [
        language["articles"][number]
        for number in range(30)
        for language in languages
        if number < len(language["articles"])
    ]
    whole = "\n".join(articles).encode() + b"\n"
    return (whole * (n_bytes // len(whole) + 1))[:n_bytes].decode(errors="ignore")


def best_ms(action: Callable[[], object]) -> float:
    durations = []
    for _ in range(N_RUNS):
        start = time.perf_counter()
        action()
        durations.append(time.perf_counter() - start)
    return min(durations) * 1000


if __name__ == "__main__":
    main()
