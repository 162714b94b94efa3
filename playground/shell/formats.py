"""`formats`: what the same data costs in every format, for one tokenizer or several."""

import argparse
import json
import sys

from playground.catalog.registry import get_tokenizer
from playground.core.errors import InvalidInputError, TextTooLongError
from playground.formats.advice import advise
from playground.formats.costs import cost_rows, measure
from playground.formats.limits import MAX_INPUT_BYTES
from playground.formats.offloading import open_document
from playground.formats.values import WriteOptions
from playground.shell.format_table import format_table
from playground.shell.text_files import open_binary
from playground.shell.usage import DEFAULT_TOKENIZER


def run(arguments: argparse.Namespace) -> int:
    """Print the table and the advice."""
    tokenizers = {t.name: t for t in map(get_tokenizer, arguments.tokenizer or [DEFAULT_TOKENIZER])}
    options = WriteOptions(
        is_sorted=arguments.sort_keys,
        is_ascii=arguments.ascii,
        is_minified=arguments.minify,
        indent=arguments.indent,
    )
    document = open_document(_read(arguments.file), arguments.input_format)
    table = measure(document.data, list(tokenizers.values()), options)
    if arguments.json:
        print(json.dumps(cost_rows(table), indent=2))
    else:
        print(format_table(table))
        print()
        for name in tokenizers:
            print(advise(table, name))
    for note in document.notes:
        print(f"note: {note}", file=sys.stderr)
    return 0


def _read(path: str, max_bytes: int = MAX_INPUT_BYTES) -> bytes:
    """The bytes of a file, which is not read to its end where it has too many."""
    with open_binary(path) as file:
        try:
            raw = file.read(max_bytes + 1)
        except OSError as error:
            raise InvalidInputError(f"{path}: {error.strerror}") from error
    if len(raw) > max_bytes:
        raise TextTooLongError(f"{path} has more than {max_bytes:,} bytes, the most that is read")
    return raw
