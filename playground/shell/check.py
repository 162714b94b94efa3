"""`check`: compare tokenizers with their lock file."""

import json
from pathlib import Path
from typing import Any

import click

from playground.core.errors import InvalidInputError, PlaygroundError
from playground.corpora.text_files import read_text
from playground.drift.lock import DEFAULT_NAME, Checked, Ids, Locked, check, read, source_from
from playground.drift.search import Search, find_difference
from playground.drift.steps import shown_text
from playground.shell.commands import FILE, JSON, Arguments, command
from playground.shell.difference import TEXTS_OPTION, format_search, search_figures
from playground.shell.terminal import aligned
from playground.shell.tokenizer_arguments import (
    MODELS_OPTION,
    TOKENIZER,
    chosen_tokenizer,
    chosen_tokenizers,
)


@command(
    "check",
    "tessera check",
    "tessera check ci/tessera.lock.json --against old/tokenizer.json",
    notes="The status is 1 if a tokenizer gives other ids or has another vocabulary than `tessera lock` "
    "wrote, or can't be opened.",
)
@click.argument(
    "lockfile", default=DEFAULT_NAME, type=FILE, help=f"The lock file; {DEFAULT_NAME} if omitted."
)
@click.option(
    "--against",
    default="",
    metavar="TOKENIZER",
    type=TOKENIZER,
    help="The tokenizer as it was when it was locked: find the shortest text on which it differs from each "
    "tokenizer that changed.",
)
@TEXTS_OPTION
@MODELS_OPTION
@JSON
def run(arguments: Arguments) -> int:
    """Print a line for each locked tokenizer, and for one that changed the shortest text with other ids."""
    path = Path(arguments.lockfile)
    if not path.exists():
        raise InvalidInputError(f"there is no file {path}; `tessera lock TOKENIZER` writes it")
    locked = read(read_text(str(path)), str(path))
    answers = [_checked(each, path.parent, arguments) for each in locked]
    if arguments.json:
        print(json.dumps({"tokenizers": [_figures(*answer) for answer in answers]}, indent=2))
    else:
        print("\n".join(_lines(*answer) for answer in answers))
    return 0 if all(checked.is_same for checked, _search in answers) else 1


def _checked(locked: Locked, folder: Path, arguments: Arguments) -> tuple[Checked, Search | None]:
    """Return what changed of a tokenizer, and how it differs from `--against` if anything did."""
    source = source_from(locked, folder)
    try:
        checked = check(locked, chosen_tokenizer(source, locked.pattern, arguments.models), folder)
    except PlaygroundError as error:
        return Checked(locked, error=str(error)), None
    if checked.is_same or not arguments.against:
        return checked, None
    pair = chosen_tokenizers((arguments.against, source), locked.pattern, arguments.models)
    return checked, find_difference(pair[0], pair[1], max_texts=arguments.texts)


def _lines(checked: Checked, search: Search | None) -> str:
    lines = [f"{checked.locked.name}: {checked.sentence}"]
    if checked.changed and search is None:
        text, locked, now = checked.changed[0]
        shortest = [("text", shown_text(text)), ("locked", _shown(locked)), ("now", _shown(now))]
        lines.append(aligned(shortest, names=[0, 1]))
    return "\n".join([*lines, *([format_search(search)] if search else [])])


def _figures(checked: Checked, search: Search | None) -> dict[str, Any]:
    locked = checked.locked
    return {
        "name": locked.name,
        "source": locked.source,
        "is_same": checked.is_same,
        "error": checked.error or None,
        "n_texts": len(locked.texts),
        "changed": [each._asdict() for each in checked.changed],
        "has_other_vocabulary": checked.has_other_vocabulary,
        "changed_files": checked.changed_files,
        "against": search and search_figures(search),
    }


def _shown(ids: Ids | None) -> str:
    return "refused" if ids is None else " ".join(map(str, ids)) or "no tokens"
