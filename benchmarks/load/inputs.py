"""The inputs of the load benchmark: a corpus to train on and a table to convert."""

import csv
import io
import random
from itertools import count

from benchmarks.keystroke import sample_text

#: The Formats page reads at most 1 MB.
TRAINING_MB, TABLE_MB = 50, 0.9


def corpus_lines(n_mb: int) -> str:
    """Return prose with a number in each line, so that no two lines are equal."""
    lines = sample_text(1_000_000).splitlines()
    numbered = (f"{line} {number}\n" for number in count() for line in lines)
    parts, n_bytes = [], 0
    while n_bytes < 1_000_000 * n_mb:
        parts.append(next(numbered))
        n_bytes += len(parts[-1])
    return "".join(parts)


def data_table() -> str:
    """Return a CSV table with three columns."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["name", "price", "remark"])
    draw = random.Random(0)
    while text.tell() < 1_000_000 * TABLE_MB:
        writer.writerow([f"item {draw.randrange(10**6)}", draw.randrange(10**4) / 100, "in stock"])
    return text.getvalue()
