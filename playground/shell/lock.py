"""`lock`: write texts and their ids that pin tokenizers."""

from pathlib import Path

import click

from playground.core.wording import counted
from playground.drift.lock import DEFAULT_NAME, lock, written
from playground.shell.commands import FILE, Arguments, command, options
from playground.shell.tokenizer_arguments import (
    MODELS_OPTION,
    NAMES,
    PATTERN_OPTION,
    TOKENIZER,
    chosen_tokenizers,
)
from playground.shell.tokenizer_outputs import check_writable, write_file


@command(
    "lock",
    "tessera lock model/tokenizer.json",
    f"tessera lock gpt-4o ours.json -o ci/{DEFAULT_NAME}",
    notes="`tessera check` compares the tokenizers with the file. Paths in it are relative to the file.",
)
@click.argument(
    "tokenizers",
    nargs=-1,
    required=True,
    metavar="TOKENIZER",
    type=TOKENIZER,
    help=NAMES,
)
@click.option("--out", "-o", type=FILE, default=DEFAULT_NAME, show_default=True, help="The file to write.")
@options(MODELS_OPTION, PATTERN_OPTION)
def run(arguments: Arguments) -> int:
    """Write the lock file, and print a line for each tokenizer."""
    path = Path(arguments.out)
    check_writable(path)
    tokenizers = chosen_tokenizers(arguments.tokenizers, arguments.pattern, arguments.models)
    locked = [
        lock(tokenizer, source, pattern=arguments.pattern, folder=path.parent)
        for tokenizer, source in zip(tokenizers, arguments.tokenizers, strict=True)
    ]
    write_file(path, written(locked))
    for each in locked:
        print(f"{each.name}: {counted(len(each.texts), 'text')}, {counted(each.n_tokens, 'token')}")
    print(f"Written: {path}")
    return 0
