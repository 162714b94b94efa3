"""`formats`: what the same data costs in every format, for one tokenizer or several.

The work and its libraries are imported only when it runs: other commands start without pandas.
"""

import argparse
import json
import sys

from playground.catalog.registry import TOKENIZERS, get_tokenizer
from playground.core.errors import InvalidInputError, TextTooLongError
from playground.shell.command import DEFAULT_TOKENIZER, Command, add_json_argument
from playground.shell.text_files import STANDARD_INPUT, open_binary


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", default=STANDARD_INPUT, help="data; - or nothing: standard input")
    parser.add_argument(
        "--tokenizer",
        action="append",
        metavar="NAME",
        help=f"{', '.join(TOKENIZERS)}, or an OpenAI model; may be repeated (default: {DEFAULT_TOKENIZER})",
    )
    parser.add_argument(
        "--from", dest="input_format", metavar="FORMAT", help="JSON, YAML, TOML, … (default: detected)"
    )
    parser.add_argument("--sort-keys", action="store_true", help="sort the keys of every object")
    parser.add_argument("--ascii", action="store_true", help="escape other characters where a format can")
    parser.add_argument("--minify", action="store_true", help="drop every space that a format lets go")
    parser.add_argument("--indent", type=int, choices=(2, 4), default=2, help="of YAML, XML, … (default: 2)")
    add_json_argument(parser)


def _run(arguments: argparse.Namespace) -> int:
    from playground.formats.advice import advise
    from playground.formats.costs import cost_rows, measure
    from playground.formats.limits import MAX_INPUT_BYTES
    from playground.formats.reading import read_document
    from playground.formats.values import WriteOptions
    from playground.shell.format_table import format_table

    tokenizers = {t.name: t for t in map(get_tokenizer, arguments.tokenizer or [DEFAULT_TOKENIZER])}
    options = WriteOptions(
        is_sorted=arguments.sort_keys,
        is_ascii=arguments.ascii,
        is_minified=arguments.minify,
        indent=arguments.indent,
    )
    document = read_document(_read(arguments.file, MAX_INPUT_BYTES), arguments.input_format)
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


def _read(path: str, max_bytes: int) -> bytes:
    """The bytes of a file, which is not read to its end where it has too many."""
    with open_binary(path) as file:
        try:
            raw = file.read(max_bytes + 1)
        except OSError as error:
            raise InvalidInputError(f"{path}: {error.strerror}") from error
    if len(raw) > max_bytes:
        raise TextTooLongError(f"{path} has more than {max_bytes:,} bytes, the most that is read")
    return raw


COMMAND = Command("formats", "what data costs in JSON, YAML, CSV and other formats", _add_arguments, _run)
