"""`formats`: what the same data costs in every format, for one tokenizer or several."""

import argparse
import json
import sys

from playground.analysis.formats.advice import advise, describe_losses
from playground.analysis.formats.costs import CostTable, baselines, cost_rows, measure, saving
from playground.analysis.formats.limits import MAX_INPUT_BYTES
from playground.analysis.formats.reading import INPUT_FORMATS, read_document
from playground.analysis.formats.registry import FORMATS
from playground.analysis.formats.values import Conversion, WriteOptions
from playground.catalog.registry import TOKENIZERS, get_tokenizer
from playground.core.errors import InvalidInputError
from playground.shell.command import DEFAULT_TOKENIZER, Command, add_json_argument
from playground.shell.text_files import STANDARD_INPUT, open_binary

_DASH = "–"


def format_table(table: CostTable) -> str:
    """The table for a reader: cheapest first by the first tokenizer, what loses something below.

    >>> print(format_table(measure({"a": 1}, [get_tokenizer("gpt2")], formats=["json_compact", "csv"])))
    format        bytes  gpt2  vs pretty  vs compact  fidelity
    JSON, compact     7     5          –        +0 %  equal
    CSV               –     –          –           –  cannot: a table needs a list of objects ...
    """
    names = list(table.n_tokens)
    first = table.n_tokens[names[0]]
    order = {"equal": 0, "lossy": 1, "cannot": 2}
    found = sorted(
        table.conversions, key=lambda c: (order[c.fidelity], first.get(c.format_name, 0), c.format_name)
    )
    rows = [["format", "bytes", *names, "vs pretty", "vs compact", "fidelity"]]
    for conversion in found:
        n_tokens = first.get(conversion.format_name)
        changes = [_DASH if n_tokens is None else _change(saving(n_tokens, n)) for n in baselines(first)]
        counts = [table.n_tokens[name].get(conversion.format_name) for name in names]
        numbers = [_DASH if n is None else f"{n:,}" for n in (conversion.n_bytes, *counts)]
        rows.append([FORMATS[conversion.format_name].label, *numbers, *changes, _fidelity(conversion)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            [
                row[0].ljust(widths[0]),
                *(cell.rjust(w) for cell, w in zip(row[1:-1], widths[1:-1], strict=True)),
            ]
        )
        + f"  {row[-1]}"
        for row in rows
    )


def _change(saved: float | None) -> str:
    return _DASH if saved is None else f"{-100 * saved:+.0f} %".replace("-0 %", "+0 %").replace("-", "−")


def _fidelity(conversion: Conversion) -> str:
    detail = conversion.reason or describe_losses(conversion.losses)
    return f"{conversion.fidelity}: {detail}" if detail else conversion.fidelity


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", default=STANDARD_INPUT, help="data; - or nothing: standard input")
    parser.add_argument(
        "--tokenizer",
        action="append",
        metavar="NAME",
        help=f"{', '.join(TOKENIZERS)}, or an OpenAI model; may be repeated (default: {DEFAULT_TOKENIZER})",
    )
    parser.add_argument(
        "--from", dest="input_format", choices=INPUT_FORMATS, help="read it as (default: detected)"
    )
    parser.add_argument("--sort-keys", action="store_true", help="sort the keys of every object")
    parser.add_argument("--ascii", action="store_true", help="escape other characters where a format can")
    parser.add_argument("--minify", action="store_true", help="drop every space that a format lets go")
    parser.add_argument("--indent", type=int, choices=(2, 4), default=2, help="of YAML, XML, … (default: 2)")
    add_json_argument(parser)


def _run(arguments: argparse.Namespace) -> int:
    tokenizers = {t.name: t for t in map(get_tokenizer, arguments.tokenizer or [DEFAULT_TOKENIZER])}
    options = WriteOptions(
        is_sorted=arguments.sort_keys,
        is_ascii=arguments.ascii,
        is_minified=arguments.minify,
        indent=arguments.indent,
    )
    document = read_document(_read(arguments.file), arguments.input_format)
    table = measure(document.data, list(tokenizers.values()), options)
    if arguments.json:
        print(json.dumps(cost_rows(table), indent=2))
        return 0
    print(format_table(table))
    print()
    for name in tokenizers:
        print(advise(table, name))
    for note in document.notes:
        print(f"note: {note}", file=sys.stderr)
    return 0


def _read(path: str) -> bytes:
    with open_binary(path) as file:
        try:
            return file.read(MAX_INPUT_BYTES + 1)  # one more than is read: too much is refused by its size
        except OSError as error:
            raise InvalidInputError(f"{path}: {error.strerror}") from error


COMMAND = Command("formats", "what data costs in JSON, YAML, CSV and other formats", _add_arguments, _run)
