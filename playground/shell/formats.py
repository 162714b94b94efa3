"""`formats`: count the tokens of the same data in every format, for one or several tokenizers."""

import json
import sys
from pathlib import Path

import click

from playground.core.errors import InvalidInputError, LooksLikeProseError, TextTooLongError
from playground.corpora.text_files import open_binary
from playground.formats.advice import advise, describe_losses
from playground.formats.conversion import Job
from playground.formats.costs import CostTable, baselines, cost_rows, measure, percent_change, saving
from playground.formats.detection import detect_format
from playground.formats.limits import MAX_SHELL_BYTES
from playground.formats.offloading import open_document
from playground.formats.reading import Document, decode_text
from playground.formats.registry import FORMATS
from playground.formats.tasks import Packed
from playground.formats.values import Conversion, Data, WriteOptions
from playground.shell.commands import JSON, Arguments, command, flag, out_option
from playground.shell.corpus_arguments import file_argument
from playground.shell.terminal import aligned, part_bar, print_note
from playground.shell.tokenizer_arguments import (
    DEFAULT_TOKENIZER,
    NAMES,
    chosen_tokenizers,
    tokenizer_options,
)
from playground.shell.tokenizer_outputs import write_file

_DASH = "–"
#: Limit for converting; longer than on the page, because nobody else waits and Ctrl-C works.
_SECONDS = 600.0
#: Formats by a file's ending, the likeliest first.
_ENDINGS = {
    ".json": ("JSON", "JSON Lines"),
    ".jsonl": ("JSON Lines",),
    ".ndjson": ("JSON Lines",),
    ".yaml": ("YAML",),
    ".yml": ("YAML",),
    ".toml": ("TOML",),
    ".xml": ("XML",),
    ".csv": ("CSV", "TSV"),
    ".tsv": ("TSV",),
    ".md": ("Markdown table",),
    ".html": ("HTML table",),
    ".json5": ("JSON5",),
    ".toon": ("TOON",),
    ".properties": ("Properties",),
}


def format_costs(table: CostTable) -> str:
    """Return the table: lossless formats first, then by the first tokenizer's count.

    >>> from playground.catalog.registry import get_tokenizer
    >>> print(format_costs(measure({"a": 1}, [get_tokenizer("gpt2")], formats=["json_compact", "csv"])))
    format        bytes  gpt2  vs pretty  vs compact  fidelity
    JSON, compact     7     5          –         0 %  equal
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
        changes = [
            _DASH if n_tokens is None else percent_change(saving(n_tokens, n)) for n in baselines(first)
        ]
        counts = [table.n_tokens[name].get(conversion.format_name) for name in names]
        numbers = [_DASH if n is None else f"{n:,}" for n in (conversion.n_bytes, *counts)]
        rows.append([FORMATS[conversion.format_name].label, *numbers, *changes, _fidelity(conversion)])
    return aligned(rows, names=[0, len(rows[0]) - 1])


@command("formats", "tessera formats data.json", "tessera formats table.csv -t gpt-4o --minify --json")
@file_argument("Data")
@tokenizer_options(f"{NAMES} Repeat it to count with several.", default=[DEFAULT_TOKENIZER], multiple=True)
@click.option(
    "--from",
    "input_format",
    metavar="FORMAT",
    help="Format of the data: JSON, YAML, TOML, …. Default: by the file's ending, or detected.",
)
@click.option(
    "--to",
    type=click.Choice([*FORMATS]),
    metavar="FORMAT",
    help=f"Convert into this format instead of counting: {', '.join(FORMATS)}.",
)
@out_option("File to write with --to, not the output.")
@flag("--sort-keys", "Sort the keys of every object.")
@flag("--ascii", "Escape non-ASCII characters in formats that can.")
@flag("--minify", "Leave out all optional white space.")
@click.option("--indent", type=click.Choice([2, 4]), default=2, show_default=True, help="Width of an indent.")
@JSON
def run(arguments: Arguments) -> int:
    """Print the table and the advice, or the rows as JSON; or convert into one format."""
    if arguments.out and not arguments.to:
        raise InvalidInputError("--out requires --to FORMAT, the format to write")
    tokenizers = {
        t.name: t for t in chosen_tokenizers(arguments.tokenizer, arguments.pattern, arguments.models)
    }
    options = WriteOptions(
        is_sorted=arguments.sort_keys,
        is_ascii=arguments.ascii,
        is_minified=arguments.minify,
        indent=arguments.indent,
    )
    _text, document = open_data(arguments.file, arguments.input_format)
    if arguments.to:
        data = document.data.unpack() if isinstance(document.data, Packed) else document.data
        _convert(data, options, arguments)
        return 0
    with part_bar("Converting") as on_progress:
        table = measure(
            document.data,
            list(tokenizers.values()),
            options,
            read_as=document.input_format,
            on_progress=on_progress,
            seconds=_SECONDS,
        )
    if arguments.json:
        print(json.dumps(cost_rows(table), indent=2))
    else:
        print(format_costs(table))
        print()
        for name in tokenizers:
            print(" ".join(filter(None, advise(table, name))))
    for note in document.notes:
        print_note(note)
    return 0


def open_data(path: str, input_format: str | None = None) -> tuple[str, Document]:
    """Return a file's text and data. Raises InvalidInputError, DataSyntaxError, TextTooLongError."""
    try:
        raw = _read(path)
        document = open_document(raw, input_format or _format_of(path, raw), max_bytes=MAX_SHELL_BYTES)
        return decode_text(raw), document
    except LooksLikeProseError as error:
        raise LooksLikeProseError(f"{error}; use --from FORMAT to read it anyway") from None


def _convert(data: Data, options: WriteOptions, arguments: Arguments) -> None:
    """Write the data in the format `--to`, and note what is lost. Raises InvalidInputError."""
    conversion = Job(data, options).convert(arguments.to)
    if conversion.text is None:
        label = FORMATS[arguments.to].label
        raise InvalidInputError(f"{arguments.file} cannot be converted to {label}: {conversion.reason}")
    text = conversion.text if conversion.text.endswith("\n") else conversion.text + "\n"
    if arguments.out:
        write_file(Path(arguments.out), text)
    else:
        sys.stdout.write(text)
    if conversion.losses:
        print_note(f"read back, the data differs: {describe_losses(conversion.losses)}")


def _format_of(path: str, raw: bytes) -> str | None:
    """Return the format of a file's ending; if there are several, the one detected in the content.

    >>> _format_of("a.csv", b"Dear Ann, hello"), _format_of("a.json", b"[1]\\n[2]"), _format_of("a.txt", b"")
    ('CSV', 'JSON Lines', None)
    """
    named = _ENDINGS.get(Path(path).suffix.lower())
    if named is None or len(named) == 1:
        return named and named[0]
    found = detect_format(raw.decode(errors="replace"))
    return found if found in named else named[0]


def _read(path: str, max_bytes: int = MAX_SHELL_BYTES) -> bytes:
    """Read a file of at most `max_bytes`. Raises InvalidInputError, TextTooLongError."""
    with open_binary(path) as file:
        try:
            raw = file.read(max_bytes + 1)
        except OSError as error:
            raise InvalidInputError(f"{path}: {error.strerror}") from error
    if len(raw) > max_bytes:
        raise TextTooLongError(f"{path} has more than {max_bytes:,} bytes, which is the limit")
    return raw


def _fidelity(conversion: Conversion) -> str:
    detail = conversion.reason or describe_losses(conversion.losses)
    return f"{conversion.fidelity}: {detail}" if detail else conversion.fidelity
