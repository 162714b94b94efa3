"""`count`: print tokens, bytes and characters of files as a table with a total, or as JSON."""

import argparse
import json
import sys
from collections.abc import Sequence

from playground.corpora.token_counts import FileCount, count_tokens
from playground.shell.corpus_arguments import engine_of, named_sources, note_left_out
from playground.shell.terminal import aligned, print_error, print_note, read_bar
from playground.shell.tokenizer_arguments import chosen_tokenizers, lacks_pattern
from playground.shell.usage import DEFAULT_PATTERN, DEFAULT_TOKENIZER


def format_counts(counts: Sequence[FileCount], tokenizers: Sequence[str]) -> str:
    """Return a table of counts: numbers right-aligned, file names last, a column for each tokenizer.

    >>> print(format_counts([FileCount("a.txt", (1200,), 4800, 4700, 1)], ["gpt2"]))
    tokens  bytes  characters  bytes/token  file
     1,200  4,800       4,700         4.00  a.txt
    """
    if len(tokenizers) == 1:
        headings: tuple[str, ...] = ("tokens", "bytes", "characters", "bytes/token", "file")
        rows: list[tuple[str, ...]] = [
            (f"{c.tokens[0]:,}", f"{c.bytes:,}", f"{c.characters:,}", f"{c.bytes_per_token[0]:.2f}", c.file)
            for c in counts
        ]
    else:
        headings = (*tokenizers, "bytes", "characters", "file")
        rows = [(*(f"{n:,}" for n in c.tokens), f"{c.bytes:,}", f"{c.characters:,}", c.file) for c in counts]
    return aligned([headings, *rows], names=[len(headings) - 1])


def run(arguments: argparse.Namespace) -> int:
    """Print the counts; files that can't be read are reported, and the others are counted."""
    tokenizers = chosen_tokenizers(
        arguments.tokenizer or [DEFAULT_TOKENIZER], arguments.pattern, arguments.models
    )
    sources = named_sources(arguments.files, arguments)
    allows = arguments.allow_special
    with engine_of(arguments) as client, read_bar(sources, "Counting") as on_read:
        if client is None:
            counted = count_tokens(
                sources, tokenizers, allow_special=allows, n_threads=arguments.threads, on_read=on_read
            )
        else:
            from playground.corpora import dask_engine  # imported late: threads don't need it

            counted = dask_engine.count_tokens(
                client, sources, tokenizers, allow_special=allows, on_read=on_read
            )
    total = counted.total(len(tokenizers))
    names = [tokenizer.name for tokenizer in tokenizers]
    if arguments.json:
        answer = {
            **({"tokenizer": names[0]} if len(names) == 1 else {"tokenizers": names}),
            "files": [{"file": count.file, **_figures(count, names)} for count in counted.files],
            "total": _figures(total, names),
            "by_library": counted.by_library,
            "errors": counted.errors,
        }
        print(json.dumps(answer, indent=2))
    elif counted.files:
        print(format_counts([*counted.files, total] if len(sources) > 1 else counted.files, names))
    sys.stdout.flush()
    note_left_out(total.left_out_rows)
    for name in counted.by_library:
        print_note(f"{name} is counted by its own library: the compiled encoder doesn't support it")
    for tokenizer in tokenizers:
        if lacks_pattern(tokenizer) and not arguments.pattern:
            used = f"{DEFAULT_PATTERN} was used; choose another with --pattern"
            print_note(f"{tokenizer.name} has no split pattern: {used}")
    for message in counted.errors:
        print_error(message)
    return 1 if counted.errors else 0


def _figures(count: FileCount, tokenizers: Sequence[str]) -> dict[str, object]:
    """Return a file's counts as JSON; with several tokenizers, tokens are given by name."""
    ratios = [round(ratio, 4) for ratio in count.bytes_per_token]
    is_one = len(tokenizers) == 1
    return {
        "tokens": count.tokens[0] if is_one else dict(zip(tokenizers, count.tokens, strict=True)),
        "bytes": count.bytes,
        "characters": count.characters,
        "documents": count.documents,
        "left_out_rows": count.left_out_rows,
        "bytes_per_token": ratios[0] if is_one else dict(zip(tokenizers, ratios, strict=True)),
    }
