"""`encode`: the ids of a text."""

import argparse
import json
import sys

from playground.catalog.registry import get_tokenizer
from playground.shell.command import (
    Command,
    add_json_argument,
    add_special_argument,
    add_tokenizer_argument,
)
from playground.shell.encoding import iter_encoded_blocks
from playground.shell.text_files import STANDARD_INPUT


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", nargs="?", default=STANDARD_INPUT, metavar="FILE", help="UTF-8 text; -: standard input"
    )
    add_tokenizer_argument(parser)
    add_special_argument(parser)
    add_json_argument(parser)


def _run(arguments: argparse.Namespace) -> int:
    """Write ids as they come: one line, apart by spaces, or a JSON object."""
    tokenizer = get_tokenizer(arguments.tokenizer)
    opening = f'{{"tokenizer": {json.dumps(tokenizer.name)}, "ids": [' if arguments.json else ""
    separator = ", " if arguments.json else " "
    sys.stdout.write(opening)
    n_tokens = 0
    blocks = iter_encoded_blocks(tokenizer, arguments.file, allow_special=arguments.allow_special)
    for _, ids in blocks:
        sys.stdout.write((separator if n_tokens else "") + separator.join(map(str, ids)))
        n_tokens += len(ids)
    sys.stdout.write(f'], "count": {n_tokens}}}\n' if arguments.json else "\n")
    sys.stdout.flush()
    return 0


COMMAND = Command("encode", "print the ids of a text", _add_arguments, _run)
