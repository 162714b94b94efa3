"""`convert`: any byte-level BPE as a file for another library, proven by it."""

import argparse
from pathlib import Path

from playground.catalog.convert import convert
from playground.core.errors import CannotHoldError, InvalidInputError
from playground.files.registry import FILE_FORMATS, format_of
from playground.shell.chosen_tokenizer import chosen_tokenizer
from playground.shell.tokenizer_outputs import check_writable, start_of, write_files


def run(arguments: argparse.Namespace) -> int:
    """Write the files whose endings are given, and print the proof of each, or why there is none."""
    outputs = [(Path(out), format_of(Path(out).name)) for out in arguments.out]
    if not outputs:
        endings = ", ".join(ending for entry in FILE_FORMATS.values() for ending in entry.endings)
        raise InvalidInputError(f"no file to write; give --out FILE, whose name ends in {endings}")
    for path, _ in outputs:
        check_writable(path)
    tokenizer = chosen_tokenizer(arguments.tokenizer, arguments.pattern)
    for path, entry in outputs:
        try:
            (name,) = (name for name, each in FILE_FORMATS.items() if each is entry)
            export = convert(tokenizer, name)
        except CannotHoldError as error:
            raise CannotHoldError(f"cannot write {path}: {error}") from None
        beside = write_files(path, entry, export.files, tokenizer.name)
        print(f"{path}: {export.proof.sentence}{beside}", flush=True)
        if arguments.python and export.program:
            print(export.program.replace(f"{tokenizer.name}.", start_of(path, entry)))
    return 0
