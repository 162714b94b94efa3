"""Command: one line of `python -m playground --help`, and what commands share."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from playground.catalog.registry import TOKENIZERS

DEFAULT_TOKENIZER = "o200k_base"


@dataclass(frozen=True, slots=True)
class Command:
    """A subcommand: `run` prints its answer and returns the exit status."""

    name: str
    summary: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


def add_tokenizer_argument(parser: argparse.ArgumentParser) -> None:
    """`--tokenizer NAME`: an encoding or a model."""
    parser.add_argument(
        "--tokenizer",
        default=DEFAULT_TOKENIZER,
        metavar="NAME",
        help=f"{', '.join(TOKENIZERS)}, or an OpenAI model such as gpt-4o (default: %(default)s)",
    )


def add_special_argument(parser: argparse.ArgumentParser) -> None:
    """`--allow-special`: special tokens in the text are honoured."""
    parser.add_argument(
        "--allow-special",
        action="store_true",
        help="text that spells a special token, such as <|endoftext|>, becomes that token",
    )


def add_json_argument(parser: argparse.ArgumentParser) -> None:
    """`--json`: the answer for a program."""
    parser.add_argument("--json", action="store_true", help="print JSON")
