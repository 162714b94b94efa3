"""`completion`: print the program that completes commands, options and names in a shell."""

import argparse
from typing import Any

import shtab

from playground.bpe.split_pattern import SPLIT_PATTERNS
from playground.catalog.models import MODELS
from playground.catalog.registry import TOKENIZERS
from playground.shell.usage import Parser, build_parser
from playground.training.merges import ALGORITHM_NAMES

_MODELS = tuple(name for model in MODELS for name in model.ids)
#: What completes an argument, by its name; the shell completes files where no name fits.
_NAMES = {
    "tokenizer": (*TOKENIZERS, *_MODELS),
    "base": (*TOKENIZERS, *_MODELS),
    "model": _MODELS,
    "query": _MODELS,
    "algorithm": ALGORITHM_NAMES,
    "pattern": (*SPLIT_PATTERNS,),
}
_PATHS = {"FILE": shtab.FILE, "PATH": shtab.FILE, "DIR": shtab.DIRECTORY}


class _CompletedParser(Parser):
    """A parser whose arguments say what completes them, as shtab reads it; it parses nothing."""

    def add_argument(self, *names: Any, **options: Any) -> argparse.Action:
        """Add an argument with its names or kind of path."""
        action = super().add_argument(*names, **options)
        if action.dest in _NAMES:
            action.choices = list(dict.fromkeys(_NAMES[action.dest]))
        elif isinstance(action.metavar, str) and action.metavar in _PATHS:
            action.complete = _PATHS[action.metavar]  # type: ignore[attr-defined]
        return action


def run(arguments: argparse.Namespace) -> int:
    """Print the completion of `tessera` for the chosen shell."""
    print(shtab.complete(build_parser("tessera", kind=_CompletedParser), shell=arguments.shell))
    return 0
