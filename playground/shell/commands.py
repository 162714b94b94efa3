"""`COMMANDS`, what each command does, and `TESSERA`, the click group that imports the command it calls.

A command is `run` in the module with its name, where `@command(…)` and the decorators below it declare its
options. This module imports no library but click, so that `--help` and `--version` appear at once.
"""

import importlib
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

import click

from playground.core.home import VERSION
from playground.shell.interruption import raise_interrupts

#: One sentence for each command, in the order of `tessera --help`.
COMMANDS = {
    "serve": "Open the app in the browser.",
    "count": "Count tokens, bytes and characters of files.",
    "prompt": "Join files to one prompt within a token budget.",
    "encode": "Print the ids of a text, or write the ids of many files.",
    "cut": "Cut a text to a token budget, into chunks or to its ends.",
    "decode": "Print the text of ids.",
    "compare": "Compare tokenizers on the same files.",
    "difference": "Find the shortest text on which two tokenizers differ, and why.",
    "lock": "Write texts and their ids that pin tokenizers.",
    "check": "Compare tokenizers with their lock file.",
    "report": "Measure tokenizers on a text and in 39 languages, with the source of each figure.",
    "formats": "Count the tokens of data in JSON, YAML, CSV and other formats.",
    "export": "Save a figure as a page: one HTML file that works without the app.",
    "health": "List tokens of a vocabulary that ordinary text hardly produces.",
    "convert": "Write a byte-level BPE tokenizer as a file for another library, and verify it.",
    "chat": "Count the tokens of a chat or an API request, part by part.",
    "xray": "Show what fills the context of each turn, and why a cache missed.",
    "models": "List the models that can be counted, built in and on this machine.",
    "train": "Train a tokenizer with byte-level BPE or another algorithm.",
    "verify": "Check certificates of the page Build by running the code in them.",
    "mcp": "Offer counting, tokenizing, comparing and formats to an assistant (MCP).",
    "get-model": "Get the small language model of the page Expect (SmolLM2-135M-Instruct, 93 MB).",
    "doctor": "Show what is installed, found and cached, and what would make it better.",
    "completion": "Print a program that completes commands and options in a shell.",
}


class Arguments(SimpleNamespace):
    """What was typed: an attribute for each option and argument of the command."""


class Command(click.Command):
    """A command whose function gets `Arguments` and returns the exit status."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; from here on Ctrl-C raises KeyboardInterrupt."""
        raise_interrupts()
        return self.callback and self.callback(Arguments(**ctx.params))

    def format_epilog(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the notes as a paragraph, and each example on a line."""
        notes, *examples = (self.epilog or "").split("\n")
        if notes:
            formatter.write_paragraph()
            formatter.write_text(notes)
        with formatter.section("Examples"):
            formatter.write("".join(f"  {example}\n" for example in examples))


class _LazyGroup(click.Group):
    """A group that imports only the called command; of the others it has a name and a sentence."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Return the names in the order of `COMMANDS`."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command's name, `run` of its module, and the other words."""
        name, found, rest = super().resolve_command(ctx, args)
        if name and found:
            found = importlib.import_module(f"playground.shell.{name.replace('-', '_')}").run
        return name, found, rest


TESSERA = click.version_option(VERSION, prog_name="Tessera", message="%(prog)s %(version)s")(
    _LazyGroup(
        "tessera",
        commands={name: click.Command(name, short_help=text) for name, text in COMMANDS.items()},
        help="Count, encode, compare, convert and train tokenizers; without a command, open the app.",
        epilog="`tessera COMMAND --help` shows a command's options and two examples.",
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    )
)


def command(name: str, *examples: str, notes: str = "") -> Callable[[Callable[..., int]], Command]:
    """Return a decorator that makes a function the command; its help ends with notes and examples."""
    return click.command(name, cls=Command, help=COMMANDS[name], epilog="\n".join([notes, *examples]))


def options(*decorators: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return one decorator for a group of options, listed in this order in the help."""

    def decorate(function: Any) -> Any:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def flag(name: str, help: str) -> Callable[[Any], Any]:
    """Return an option without a value."""
    return click.option(name, is_flag=True, help=help)


JSON = flag("--json", "Print JSON.")


class Real(click.FloatRange):
    """A number in a range; nan is refused."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number."""
        number = super().convert(value, param, ctx)
        return number if number == number else self.fail(f"{value!r} is not a number.", param, ctx)


class Word(click.ParamType[str]):
    """A word that a shell completes with one of `names`, or a path, which `click.Path` would check, too."""

    def __init__(self, name: str, names: Callable[[], Iterable[str]] = tuple) -> None:
        self.name, self._names = name, names  # the help has the name in capitals

    def shell_complete(self, _ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[Any]:
        """Return the names that begin with what was typed; if there are none, the shell completes a path."""
        from click.shell_completion import CompletionItem  # imported late: click does so, too

        found = [name for name in dict.fromkeys(self._names()) if name.startswith(incomplete)]
        path = "dir" if self.name == "dir" else "file"
        return [*map(CompletionItem, found)] or [CompletionItem(incomplete, type=path)]


class Whole(click.IntRange):
    """A whole number in a range, N in the help."""

    name = "whole number"

    def get_metavar(self, *_where: object, **_named: object) -> str:
        """Return N."""
        return "N"


POSITIVE, FILE, FOLDER = Whole(1), Word("file"), Word("dir")


def out_option(help: str, *, multiple: bool = False) -> Callable[[Any], Any]:
    """Return `--out`."""
    return click.option(
        "--out", "-o", type=FILE, multiple=multiple, default=None if multiple else "", help=help
    )
