"""`convert`: write a byte-level BPE tokenizer as a file for another library, and verify it there."""

import sys
from pathlib import Path

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.convert import convert
from playground.catalog.registry import is_shipped
from playground.core.errors import CannotHoldError, InvalidInputError
from playground.core.tokenizer import Tokenizer
from playground.files.registry import FILE_FORMATS, format_of
from playground.shell.commands import Arguments, command, flag, out_option
from playground.shell.tokenizer_arguments import chosen_tokenizer, tokenizer_options
from playground.shell.tokenizer_outputs import check_writable, note_lost, start_of, write_files


@command(
    "convert",
    "tessera convert -t gpt2 --out gpt2.json",
    "tessera convert -t my.json --out my.tiktoken --python > load_my.py",
)
@tokenizer_options()
@out_option(
    "File to write, in the format of its ending: .tiktoken, .json, .model or vocab.bpe; repeatable.",
    multiple=True,
)
@flag("--python", "Print a program that loads a file that has no split pattern.")
def run(arguments: Arguments) -> int:
    """Write the files, and print for each how it was verified, or why it couldn't be.

    With --python, standard output has only the program, and the rest goes to standard error.
    """
    outputs = [(Path(out), format_of(Path(out).name)) for out in arguments.out]
    if not outputs:
        endings = ", ".join(ending for entry in FILE_FORMATS.values() for ending in entry.endings)
        raise InvalidInputError(f"no file to write; give --out FILE with a name that ends in {endings}")
    for path, _ in outputs:
        check_writable(path)
    tokenizer = chosen_tokenizer(arguments.tokenizer, arguments.pattern, arguments.models)
    for path, entry in outputs:
        try:
            (name,) = (name for name, each in FILE_FORMATS.items() if each is entry)
            export = convert(tokenizer, name)
        except CannotHoldError as error:
            raise CannotHoldError(f"cannot write {path}: {error}") from None
        beside = write_files(path, start_of(path, entry), export.files, tokenizer.name)
        proof = f"{path}: {export.proof.sentence}{beside}"
        print(proof, file=sys.stderr if arguments.python else sys.stdout, flush=True)
        if arguments.python and export.program:
            print(export.program.replace(f"{tokenizer.name}.", start_of(path, entry)))
        sys.stdout.flush()
        note_lost(path, entry, tokenizer.special_tokens, _pattern_of(tokenizer))
    return 0


def _pattern_of(tokenizer: Tokenizer) -> str:
    """Return the value for `--pattern` that gives a tokenizer's pattern, or "" if only `--python` can.

    >>> from playground.catalog.registry import get_tokenizer
    >>> _pattern_of(get_tokenizer("r50k_base")), _pattern_of(get_tokenizer("deepseek_v3"))
    ('gpt2', '')
    """
    pattern = SplitPattern.of(tokenizer.split_pattern or "")
    if pattern.is_known:
        return pattern.name
    return "" if is_shipped(tokenizer) else pattern.expression
