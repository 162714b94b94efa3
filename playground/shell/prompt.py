"""`prompt`: join files to one prompt within a token budget, counted as the joined text."""

import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import quoteattr

import click

from playground.core.errors import InvalidInputError
from playground.core.tokenizer import NO_SPECIAL, Tokenizer
from playground.core.wording import counted
from playground.corpora.encoders import Encoder
from playground.corpora.object_stores import is_address
from playground.corpora.text_files import STANDARD_INPUT, as_utf8
from playground.shell.commands import POSITIVE, Arguments, command, out_option
from playground.shell.corpus_arguments import GITIGNORE_OPTION, files_argument
from playground.shell.count import TOO_MANY, named_model
from playground.shell.count_tree import Tree
from playground.shell.terminal import print_error, print_note
from playground.shell.tokenizer_arguments import (
    DEFAULT_TOKENIZER,
    MODEL,
    SPECIAL_OPTION,
    chosen_tokenizer,
    tokenizer_options,
)
from playground.shell.tokenizer_outputs import check_writable, write_file

#: Between two files.
_GAP = b"\n"
#: Files left out that are named; the others are summed.
_MAX_NAMED = 20
#: A join of two texts changes their sum by fewer tokens than this; only what is nearer is counted together.
_NEAR = 8


@dataclass(frozen=True)
class Part:
    """A file's text with its header, and its tokens by itself."""

    path: str
    text: bytes
    n_tokens: int


@command(
    "prompt",
    "tessera prompt src README.md --max-tokens 50000 --out prompt.md",
    "tessera prompt . --model gpt-5 --style xml --order size --max-tokens 100000",
    notes="The texts of files are not changed, also with --style xml. Tokens are those of the joined text.",
)
@files_argument("Files and folders of UTF-8 text, also .gz and .zst; - is standard input.", required=True)
@click.option(
    "--max-tokens",
    type=POSITIVE,
    help="The most tokens of the whole prompt; a file that does not fit is left out, with a note.",
)
@click.option(
    "--order",
    type=click.Choice(["given", "size", "path"]),
    default="given",
    show_default=True,
    help="Which files come first: as named, the smallest, or by path.",
)
@click.option(
    "--style",
    type=click.Choice(["markdown", "xml"]),
    default="markdown",
    show_default=True,
    help="What is around each file: a heading and a fence, or <file path=…>.",
)
@out_option("Write the prompt to this file.")
@click.option("--model", default="", type=MODEL, help="Count for this model (see `tessera models`).")
@tokenizer_options()
@SPECIAL_OPTION
@GITIGNORE_OPTION
def run(arguments: Arguments) -> int:
    """Print or write the joined text; say what it has, and what was left out."""
    if arguments.out:
        check_writable(Path(arguments.out))
    tokenizer = _tokenizer(arguments)
    allowed = frozenset(tokenizer.special_tokens) if arguments.allow_special else NO_SPECIAL
    found, errors = _texts(arguments)
    encoder = Encoder(tokenizer, allowed_special=allowed)
    blocks = [
        as_xml(path, text) if arguments.style == "xml" else as_markdown(path, text) for path, text in found
    ]
    counts = encoder.lengths(blocks)
    parts = [Part(path, block, n) for (path, _), block, n in zip(found, blocks, counts, strict=True)]
    taken, left_out = choose(parts, arguments.max_tokens, lambda text: encoder.lengths([text])[0])
    for part in left_out[:_MAX_NAMED]:
        print_note(f"left out: {part.path}, {counted(part.n_tokens, 'token')}")
    if more := left_out[_MAX_NAMED:]:
        n_more = sum(part.n_tokens for part in more)
        print_note(f"left out: {counted(len(more), 'more file')}, {counted(n_more, 'token')}")
    for message in errors:
        print_error(message)
    if not taken:
        if errors:
            return 1
        if not left_out:
            raise InvalidInputError("there is no text to join")
        print_error(f"no file fits in --max-tokens {arguments.max_tokens:,}")
        return TOO_MANY
    joined = _GAP.join(part.text for part in taken)
    if arguments.out:
        write_file(Path(arguments.out), joined)
    else:
        sys.stdout.write(joined.decode())
        sys.stdout.flush()
    n_tokens = encoder.lengths([joined])[0]
    print_note(f"{counted(len(taken), 'file')}, {counted(n_tokens, 'token')} in {tokenizer.name}")
    return 1 if errors else 0


def choose(parts: Sequence[Part], most: int, count: Callable[[bytes], int]) -> tuple[list[Part], list[Part]]:
    """Return the parts whose joined text has at most `most` tokens, each taken if it fits, and the others.

    `count` returns the tokens of a text. It is called only near the limit: elsewhere sums of parts decide.

    >>> a, b, c = Part("a", b"aaaa", 4), Part("b", b"b" * 9, 9), Part("c", b"cc", 2)
    >>> [part.path for part in choose([a, b, c], 7, len)[0]]
    ['a', 'c']
    """
    if not most:
        return [*parts], []
    taken: list[Part] = []
    left_out: list[Part] = []
    total = n_unsure = 0  # tokens of the joined text, and of its joins since it was last counted
    for part in parts:
        near = _NEAR * (n_unsure + 1)
        if total + part.n_tokens + near <= most:
            taken.append(part)
            total, n_unsure = total + part.n_tokens, n_unsure + 1
            continue
        if n_unsure:  # the sum is no longer near enough to decide
            total, n_unsure = count(_GAP.join(one.text for one in taken)), 0
        if total + part.n_tokens - _NEAR > most:
            left_out.append(part)
            continue
        exact = count(_GAP.join(one.text for one in [*taken, part]))
        if exact <= most:
            taken.append(part)
            total = exact
        else:
            left_out.append(part)
    while taken and count(_GAP.join(one.text for one in taken)) > most:
        left_out.append(taken.pop())
    return taken, left_out


def as_markdown(path: str, text: bytes) -> bytes:
    """Return a text below its path, in a fence that is longer than any in the text.

    >>> print(as_markdown("a.py", b"x = 1").decode())
    ## a.py
    <BLANKLINE>
    ```py
    x = 1
    ```
    """
    longest = max((len(run) for run in re.findall(rb"`+", text)), default=0)
    fence = b"`" * max(3, longest + 1)
    ending = os.path.splitext(path.removesuffix(".gz").removesuffix(".zst"))[1].removeprefix(".")
    language = ending if ending.isalnum() else ""
    return b"## %b\n\n%b%b\n%b%b\n" % (as_utf8(_line(path)), fence, as_utf8(language), _ended(text), fence)


def as_xml(path: str, text: bytes) -> bytes:
    """Return a text between tags with its path; the text itself is not escaped.

    >>> print(as_xml("a&b.py", b"x < 1\\n").decode())
    <file path="a&amp;b.py">
    x < 1
    </file>
    """
    return b"<file path=%b>\n%b</file>\n" % (as_utf8(quoteattr(_line(path))), _ended(text))


def _shown(path: str) -> str:
    if path == STANDARD_INPUT:
        return "standard input"
    return path if is_address(path) else os.path.normpath(path)


def _line(path: str) -> str:
    return "".join(c if c.isprintable() or "\ud800" <= c <= "\udfff" else repr(c)[1:-1] for c in path)


def _ended(text: bytes) -> bytes:
    return text if text.endswith(b"\n") or not text else text + b"\n"


def _tokenizer(arguments: Arguments) -> Tokenizer:
    name = arguments.tokenizer
    if arguments.model:
        if name != DEFAULT_TOKENIZER:
            raise InvalidInputError("--model and --tokenizer cannot be used together; choose one")
        name = named_model(arguments.model).tokenizer or arguments.model
    return chosen_tokenizer(name, arguments.pattern, arguments.models)


def _texts(arguments: Arguments) -> tuple[list[tuple[str, bytes]], list[str]]:
    """Return paths and texts in order, and errors; binary files and the file of --out are left out."""
    tree = Tree(arguments.files, obeys_gitignore=not arguments.no_gitignore)
    errors = [*tree.walk.errors]
    found: list[tuple[str, bytes]] = []
    for source in tree.sources:
        path = source.path
        if arguments.out and os.path.realpath(path) == os.path.realpath(arguments.out):
            continue
        try:
            raw = tree.read(source)
        except InvalidInputError as error:
            errors.append(str(error))
            continue
        if raw is not None:
            found.append((_shown(path), raw))
    tree.note_left_out()
    if arguments.order == "size":
        found.sort(key=lambda one: len(one[1]))
    elif arguments.order == "path":
        found.sort(key=lambda one: one[0])
    return found, errors
