"""`encode`: the ids of a text."""

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Callable

from playground.core.tokenizer import Tokenizer
from playground.shell.chosen_tokenizer import chosen_tokenizer
from playground.shell.encoded_blocks import iter_encoded_blocks

#: Characters of JSON that wait in memory; more wait in a temporary file.
_IN_MEMORY = 1 << 24


def run(arguments: argparse.Namespace) -> int:
    """Write ids in one line as they come; a JSON object when it is whole, for half of one is no JSON."""
    tokenizer = chosen_tokenizer(arguments.tokenizer, arguments.pattern)
    if not arguments.json:
        _write_ids(sys.stdout.write, " ", tokenizer, arguments)
        sys.stdout.write("\n")
        return 0
    with tempfile.SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="utf-8", newline="") as answer:
        answer.write(f'{{"tokenizer": {json.dumps(tokenizer.name)}, "ids": [')
        n_tokens = _write_ids(answer.write, ", ", tokenizer, arguments)
        answer.write(f'], "count": {n_tokens}}}\n')
        answer.seek(0)
        shutil.copyfileobj(answer, sys.stdout)
    return 0


def _write_ids(
    write: Callable[[str], object],
    separator: str,
    tokenizer: Tokenizer,
    arguments: argparse.Namespace,
) -> int:
    """Write the ids of a file and return their number."""
    n_tokens = 0
    for _, ids in iter_encoded_blocks(tokenizer, arguments.file, allow_special=arguments.allow_special):
        write((separator if n_tokens else "") + separator.join(map(str, ids)))
        n_tokens += len(ids)
    return n_tokens
