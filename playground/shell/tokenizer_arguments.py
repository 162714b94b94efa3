"""The options `--tokenizer` (a name, file or model folder), `--models` and `--pattern`."""

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from playground.bpe.split_pattern import SPLIT_PATTERNS, SplitPattern
from playground.catalog.local_models import LocalPlaces
from playground.catalog.named_tokenizers import tokenizer_named
from playground.catalog.normalized import NormalizedTokenizer
from playground.catalog.registry import TOKENIZERS, get_tokenizer, is_known
from playground.core.errors import InvalidInputError, NeedsPatternError
from playground.core.tokenizer import Tokenizer
from playground.shell.commands import FOLDER, Arguments, Word, flag, options
from playground.shell.terminal import print_note

DEFAULT_TOKENIZER = "o200k_base"
COMPARED_TOKENIZERS = ("gpt2", "cl100k_base", "o200k_base")
NAMES = (
    "An encoding (cl100k_base, qwen3), a model (gpt-4o), a model on this machine (see `tessera models`), a "
    "model's folder, or a tokenizer file: tokenizer.json, tekken.json, .model, .tiktoken, .gguf, vocab.txt, "
    "or encoder.json next to vocab.bpe; special tokens are read from a tokenizer_config.json in the same "
    "folder."
)


def _models() -> list[str]:
    from playground.catalog.models import MODELS  # imported late: most counts name no model

    return [name for model in MODELS for name in model.ids]


MODEL = Word("name", _models)
TOKENIZER = Word("name", lambda: [*TOKENIZERS, *_models()])
PATTERN = Word("pattern", lambda: SPLIT_PATTERNS)

MODELS_OPTION = click.option(
    "--models",
    multiple=True,
    type=FOLDER,
    help="A folder of models that --tokenizer finds by name, besides the caches of Hugging Face, Ollama and "
    "LM Studio and packages of npm; repeatable. Default: the folders in TESSERA_MODELS.",
)
PATTERN_OPTION = click.option(
    "--pattern",
    default="",
    type=PATTERN,
    help="Split pattern for a file of ranks, which has none (.tiktoken, vocab.bpe, merges.txt); see "
    "`tessera train --help`. Default: that of a published file, or GPT-2's for vocab.bpe.",
)
SPECIAL_OPTION = flag(
    "--allow-special", "Encode text that spells a special token, such as <|endoftext|>, as that token."
)


def tokenizer_options(
    help: str = NAMES, *, default: str | Sequence[str] = DEFAULT_TOKENIZER, multiple: bool = False
) -> Callable[[Any], Any]:
    """Return `--tokenizer`, `--models` and `--pattern`; without a default, the command chooses."""
    return options(
        click.option(
            "--tokenizer",
            "-t",
            type=TOKENIZER,
            default=default,
            multiple=multiple,
            show_default=bool(default),
            help=help,
        ),
        MODELS_OPTION,
        PATTERN_OPTION,
    )


def chosen_pattern(text: str) -> SplitPattern:
    """Return the split pattern named by `--pattern`. Raises InvalidInputError.

    >>> chosen_pattern("cl100k_base").name, chosen_pattern("gpt-4o").name, chosen_pattern("none").name
    ('cl100k', 'o200k', 'none')
    """
    if text in SPLIT_PATTERNS or not is_known(text):
        return SplitPattern.parse(text)
    tokenizer = get_tokenizer(text)
    if isinstance(tokenizer, NormalizedTokenizer):
        tokenizer = tokenizer.base
    if not tokenizer.split_pattern:
        raise InvalidInputError(f"--pattern {text}: {tokenizer.name} has no split pattern")
    return SplitPattern.typed(tokenizer.split_pattern)


def chosen_tokenizers(names: Sequence[str], pattern: str, models: Sequence[str] = ()) -> list[Tokenizer]:
    """Return several tokenizers with distinct names: equal names become the ends of paths that differ.

    `pattern` and `models` are the options. Raises what `chosen_tokenizer` does.
    """
    tokenizers = [_tokenizer_of(name, pattern, models) for name in names]
    of_name: dict[str, list[str]] = {}
    for name, tokenizer in zip(names, tokenizers, strict=True):
        of_name.setdefault(tokenizer.name, []).append(name)
    called = {
        name: end
        for alike in of_name.values()
        if len(alike) > 1
        for name, end in zip(alike, different_ends(alike), strict=True)
    }
    tokenizers = [
        _tokenizer_of(name, pattern, models, called=called[name]) if name in called else tokenizer
        for name, tokenizer in zip(names, tokenizers, strict=True)
    ]
    for tokenizer in tokenizers:
        _note_pattern(pattern, tokenizer)
    return tokenizers


def chosen_tokenizer(name: str, pattern: str, models: Sequence[str] = ()) -> Tokenizer:
    """Return the tokenizer of a file, a model's folder, a known name, or a model on this machine.

    `pattern` is the split pattern for a file without one; a note is printed if it isn't used. `models` are
    folders to look in.

    >>> chosen_tokenizer("gpt-4o", "").name
    'o200k_base'

    Raises: UnknownTokenizerError, VocabularyFileError, InvalidInputError.
    """
    tokenizer = _tokenizer_of(name, pattern, models)
    _note_pattern(pattern, tokenizer)
    return tokenizer


def loader_of(arguments: Arguments) -> Callable[[str], Tokenizer]:
    """Return the function that finds a named tokenizer, with `--pattern` and `--models`."""
    return partial(chosen_tokenizer, pattern=arguments.pattern, models=arguments.models)


def different_ends(paths: Sequence[str]) -> list[str]:
    """Return the shortest ends of paths that differ, in whole names.

    >>> different_ends(["/models/a/tokenizer.json", "/models/b/tokenizer.json"])
    ['a/tokenizer.json', 'b/tokenizer.json']
    """
    parts = [Path(path).parts for path in paths]
    for n_parts in range(1, max(map(len, parts), default=0)):
        ends = [str(Path(*own[-n_parts:])) for own in parts]
        if len(set(ends)) == len(set(paths)):
            return ends
    return [*paths]


def local_places(models: Sequence[str]) -> LocalPlaces:
    """Return where to look for models: in `--models`, else TESSERA_MODELS, and in other programs' caches.

    Raises InvalidInputError.
    """
    return LocalPlaces.here(os.pathsep.join(models))


def _tokenizer_of(name: str, pattern: str, models: Sequence[str], *, called: str = "") -> Tokenizer:
    try:
        tokenizer = tokenizer_named(
            name, lambda: chosen_pattern(pattern) if pattern else None, local_places(models), called=called
        )
    except NeedsPatternError as error:
        raise InvalidInputError(f"{error}; give it with --pattern") from None
    return tokenizer


def _note_pattern(pattern: str, tokenizer: Tokenizer) -> None:
    """Print the split pattern of a file that has none, doubts about its ranks, and an unused --pattern."""
    if split := getattr(tokenizer, "split_beside_file", ""):
        print_note(f"{tokenizer.name} has no split pattern of its own; it is split by {split}")
        from playground.catalog.trained import NOT_MERGED  # already loaded with the file

        if NOT_MERGED in getattr(tokenizer, "about", ""):
            print_note(f"{tokenizer.name}: {NOT_MERGED}")
    elif pattern:
        print_note(
            f"--pattern {pattern} is not used for {tokenizer.name}: it only applies to files of "
            "ranks, such as .tiktoken and vocab.bpe"
        )
