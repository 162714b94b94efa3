"""`count`: tokens, bytes and characters of files, as a table with a total."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass

from playground.core.errors import PlaygroundError
from playground.core.tokenizer import Tokenizer
from playground.shell.chosen_tokenizer import chosen_tokenizer
from playground.shell.encoded_blocks import iter_encoded_blocks
from playground.shell.messages import print_error
from playground.shell.tables import aligned
from playground.shell.text_files import STANDARD_INPUT

#: Below this many bytes the count is there before a bar could be read.
BAR_FROM_BYTES = 5_000_000
_HEADINGS = ("tokens", "bytes", "characters", "bytes/token", "file")


@dataclass(frozen=True, slots=True)
class FileCount:
    """What one file, or all of them, come to."""

    file: str
    tokens: int
    bytes: int
    characters: int

    @property
    def bytes_per_token(self) -> float:
        """Compression; 0.0 where there is no token."""
        return self.bytes / self.tokens if self.tokens else 0.0


def count_file(
    tokenizer: Tokenizer,
    path: str,
    *,
    allow_special: bool = False,
    on_read: Callable[[int], None] = lambda _n_bytes: None,
) -> FileCount:
    """Count a UTF-8 file exactly, in bounded memory. Raises InvalidInputError."""
    n_tokens = n_bytes = n_characters = 0
    for block, ids in iter_encoded_blocks(tokenizer, path, allow_special=allow_special, on_read=on_read):
        n_tokens += len(ids)
        n_bytes += len(block.encode())
        n_characters += len(block)
    return FileCount(path, n_tokens, n_bytes, n_characters)


def format_counts(counts: Sequence[FileCount]) -> str:
    """A table of counts, numbers to the right and names last.

    >>> print(format_counts([FileCount("a.txt", 1200, 4800, 4700)]))
    tokens  bytes  characters  bytes/token  file
     1,200  4,800       4,700         4.00  a.txt
    """
    rows = [
        (f"{c.tokens:,}", f"{c.bytes:,}", f"{c.characters:,}", f"{c.bytes_per_token:.2f}", c.file)
        for c in counts
    ]
    return aligned([_HEADINGS, *rows], names=[len(_HEADINGS) - 1])


def run(arguments: argparse.Namespace) -> int:
    """Print the table; a file that cannot be read does not keep the others from being counted."""
    tokenizer = chosen_tokenizer(arguments.tokenizer, arguments.pattern)
    files = arguments.files or [STANDARD_INPUT]
    counts: list[FileCount] = []
    errors: list[str] = []
    with _progress(files) as on_read:
        for path in files:
            try:
                counts.append(
                    count_file(tokenizer, path, allow_special=arguments.allow_special, on_read=on_read)
                )
            except PlaygroundError as error:
                errors.append(str(error))
    total = FileCount(
        "total",
        sum(count.tokens for count in counts),
        sum(count.bytes for count in counts),
        sum(count.characters for count in counts),
    )
    if arguments.json:
        answer = {
            "tokenizer": tokenizer.name,
            "files": [_fields(count) for count in counts],
            "total": {name: value for name, value in _fields(total).items() if name != "file"},
            "errors": errors,
        }
        print(json.dumps(answer, indent=2))
    elif counts:
        print(format_counts([*counts, total] if len(files) > 1 else counts))
    sys.stdout.flush()
    for message in errors:
        print_error(message)
    return 1 if errors else 0


def _fields(count: FileCount) -> dict[str, object]:
    return asdict(count) | {"bytes_per_token": round(count.bytes_per_token, 4)}


@contextmanager
def _progress(files: Sequence[str]) -> Iterator[Callable[[int], None]]:
    """A bar on a terminal's standard error when there is much to read; otherwise nothing."""
    n_bytes = sum(os.path.getsize(path) for path in files if os.path.isfile(path))
    if n_bytes < BAR_FROM_BYTES or not sys.stderr.isatty():
        yield lambda _n_read: None
        return
    import click  # only here: a short count need not wait for it

    with click.progressbar(length=n_bytes, label="Counting", file=sys.stderr) as bar:
        yield bar.update
