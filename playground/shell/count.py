"""`count`: print tokens, bytes and characters of files as a table with a total, or as JSON."""

import json
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from playground.core.errors import InvalidInputError
from playground.core.tokenizer import Tokenizer
from playground.corpora.token_counts import Counted, FileCount, count_tokens
from playground.shell.commands import POSITIVE, Arguments, command, flag
from playground.shell.corpus_arguments import (
    CORPUS_OPTIONS,
    ENGINE_OPTIONS,
    GITIGNORE_OPTION,
    engine_of,
    named_sources,
    note_left_out,
)
from playground.shell.tables import Cell, format_table
from playground.shell.terminal import print_error, print_note, read_bar
from playground.shell.tokenizer_arguments import (
    DEFAULT_TOKENIZER,
    MODEL,
    NAMES,
    SPECIAL_OPTION,
    chosen_tokenizers,
    tokenizer_options,
)

if TYPE_CHECKING:  # imported late below: most counts name no model, and no folder
    from playground.catalog.models import Model
    from playground.shell.count_tree import Tree

#: The exit status where there are more tokens than --max-tokens.
TOO_MANY = 3
#: Errors that are printed; with --json, all of them are.
_MAX_ERRORS = 20


def format_counts(
    files: Sequence[FileCount], tokenizers: Sequence[str], *, total: FileCount | None = None, style: str = ""
) -> str:
    """Return a table of files and their total: numbers right-aligned, names last, a column a tokenizer.

    If a file has other than one document, such as a text in each row, documents and the tokens of a document
    are columns.

    >>> print(format_counts([FileCount("a.jsonl", (1200,), 4800, 4700, 50)], ["gpt2"]))
    tokens  bytes  characters  bytes/token  documents  tokens/document  file
     1,200  4,800       4,700         4.00         50            24.00  a.jsonl
    """
    counts = [*files, total] if total else files
    is_one = len(tokenizers) == 1
    columns: dict[str, list[Cell]] = {
        **{
            name: [c.tokens[k] for c in counts] for k, name in enumerate(["tokens"] if is_one else tokenizers)
        },
        "bytes": [c.bytes for c in counts],
        "characters": [c.characters for c in counts],
    }
    if is_one:
        columns["bytes/token"] = [c.bytes_per_token[0] for c in counts]
    if any(c.documents != 1 for c in files):
        columns["documents"] = [c.documents for c in counts]
        if is_one:
            columns["tokens/document"] = [c.tokens_per_document[0] for c in counts]
    columns["file"] = [c.file for c in counts]
    rows = list(zip(*columns.values(), strict=True))
    return format_table([*columns], rows, style=style, names=[len(columns) - 1])


class ModelCount(NamedTuple):
    """A model, and the number of its tokenizer among the counted ones."""

    model: "Model"
    number: int


@command(
    "count",
    "tessera count README.md -t gpt2 -t o200k_base",
    "tessera count . --by folder --model gpt-5 --model claude-sonnet-4-5",
    notes="Of a folder, files that .gitignore names and git does not track are left out, and binary files; a "
    "note says how many. Hidden files are counted.",
)
@CORPUS_OPTIONS
@tokenizer_options(
    f"{NAMES} Repeat it to count with several. Default: {DEFAULT_TOKENIZER}.", default=(), multiple=True
)
@ENGINE_OPTIONS
@SPECIAL_OPTION
@click.option(
    "--model",
    multiple=True,
    type=MODEL,
    help="A model (see `tessera models`): also print the share of its context window and the price; "
    "repeatable.",
)
@click.option(
    "--by",
    type=click.Choice(["language", "folder", "file"]),
    help="Rows of the table. Default: file; for folders on a terminal, language.",
)
@flag("--tree", "Print folders and files as a tree of tokens.")
@click.option("--top", type=POSITIVE, help="Print only the N largest rows, and the rest.")
@GITIGNORE_OPTION
@click.option(
    "--diff",
    is_eager=True,  # read before FILE, which then prints no note on reading from the terminal
    default="",
    metavar="REV",
    help="Count the tokens that changed files gained or lost since the branch left a git revision.",
)
@click.option("--max-tokens", type=POSITIVE, help="Exit with status 3 if there are more.")
@flag("--json", "Print JSON; by_library lists the tokenizers that were run by their own library.")
@flag("--csv", "Print the table as CSV.")
@flag("--markdown", "Print the table as Markdown.")
def run(arguments: Arguments) -> int:
    """Print the counts; files that can't be read are reported, and the others are counted."""
    if sum([arguments.json, arguments.csv, arguments.markdown]) > 1:
        raise InvalidInputError("--json, --csv and --markdown cannot be used together; choose one")
    tokenizers, models = _tokenizers_and_models(arguments)
    if arguments.diff:
        from playground.shell import count_diff  # imported late: it asks git

        return count_diff.run(arguments, tokenizers)
    counted, tree, n_sources = _count(arguments, tokenizers)
    total = counted.total(len(tokenizers))
    names = [tokenizer.name for tokenizer in tokenizers]
    if arguments.json:
        print(json.dumps(_as_json(counted, names, models, tree, arguments), indent=2))
    elif counted.files:
        print(_as_table(counted, names, n_sources, tree, arguments))
        if models:
            print()
            print(_model_table(models, total, _style(arguments)))
    sys.stdout.flush()
    if tree:
        tree.note_left_out()
    note_left_out(total.left_out_rows)
    for name in counted.by_library:
        print_note(f"{name} is counted by its own library, which is slow")
    for message in counted.errors[:_MAX_ERRORS]:
        print_error(message)
    if n_more := len(counted.errors[_MAX_ERRORS:]):
        print_error(f"{n_more:,} more files could not be counted; --json lists all")
    return 1 if counted.errors else check_limit(total.tokens, names, arguments.max_tokens)


def check_limit(tokens: Sequence[int], names: Sequence[str], most: int) -> int:
    """Return the exit status: TOO_MANY, with an error, if a tokenizer has more tokens than allowed."""
    over = [(name, n) for name, n in zip(names, tokens, strict=True) if most and n > most]
    for name, n in over:
        print_error(f"{n:,} tokens in {name}: more than --max-tokens {most:,}")
    return TOO_MANY if over else 0


def _tokenizers_and_models(arguments: Arguments) -> tuple[list[Tokenizer], list[ModelCount]]:
    """Return distinct tokenizers of --tokenizer and --model, and which of them each model has."""
    chosen = list(arguments.tokenizer or [])
    if not arguments.model:
        names = chosen or [DEFAULT_TOKENIZER]
        return chosen_tokenizers(names, arguments.pattern, arguments.models), []
    models = [(model, model.tokenizer or name) for name in arguments.model for model in [named_model(name)]]
    names = list(dict.fromkeys([*chosen, *(name for _, name in models)]))
    tokenizers = chosen_tokenizers(names, arguments.pattern, arguments.models)
    return tokenizers, [ModelCount(model, names.index(name)) for model, name in models]


def named_model(name: str) -> "Model":
    """Return the model of --model; a note is printed if its counts aren't exact. Raises InvalidInputError."""
    from playground.catalog.models import find_model, find_models

    model = find_model(name)
    if model is None:
        near = ", ".join(one.ids[0] for one in find_models(name)[:3])
        hint = f"; near names: {near}" if near else "; `models` lists all"
        raise InvalidInputError(f"--model {name}: no model has this name{hint}")
    if model.fidelity != "exact":
        print_note(f"{model.name}: {model.note}")
    return model


def _is_tree(arguments: Arguments) -> bool:
    """Whether folders of plain files on this machine are counted, with threads."""
    return any(map(os.path.isdir, arguments.files)) and not arguments.field and arguments.engine == "threads"


def _count(arguments: Arguments, tokenizers: Sequence[Tokenizer]) -> tuple[Counted, "Tree | None", int]:
    """Return the counts, the tree if folders are named, and the number of sources."""
    allows, n_cores = arguments.allow_special, arguments.threads
    if _is_tree(arguments):
        from playground.shell import count_tree  # imported late: a file needs no patterns of .gitignore

        tree = count_tree.Tree(arguments.files, obeys_gitignore=not arguments.no_gitignore)
        counted = tree.count(tokenizers, allow_special=allows, n_cores=n_cores)
        if not counted.files and not counted.errors:
            tree.note_left_out()
            raise InvalidInputError(f"{arguments.files[0]}: the folder has no file to count")
        return counted, tree, len(tree.sources)
    sources = named_sources(arguments.files, arguments)
    with engine_of(arguments) as client, read_bar(sources, "Counting") as on_read:
        if client is None:
            counted = count_tokens(
                sources, tokenizers, allow_special=allows, n_cores=n_cores, on_read=on_read
            )
        else:
            from playground.corpora import dask_engine  # imported late: threads don't need it

            counted = dask_engine.count_tokens(
                client, sources, tokenizers, allow_special=allows, on_read=on_read
            )
    return counted, None, len(sources)


def _style(arguments: Arguments) -> str:
    return "csv" if arguments.csv else "markdown" if arguments.markdown else ""


def _as_table(
    counted: Counted, names: Sequence[str], n_sources: int, tree: "Tree | None", arguments: Arguments
) -> str:
    """Return a table with a row for each file, or for what --by says, or the tree of --tree."""
    total, style = counted.total(len(names)), _style(arguments)
    by = arguments.by or ("language" if tree and sys.stdout.isatty() else "")
    if not (arguments.tree or arguments.top or by):
        return format_counts(counted.files, names, total=total if n_sources > 1 else None, style=style)
    from playground.shell import count_tree

    inside = tree.inside if tree else {count.file: count.file for count in counted.files}
    if arguments.tree:
        return count_tree.format_tree(counted.files, inside, top=arguments.top)
    by = by or "file"
    groups = count_tree.grouped(counted.files, count_tree.key_of(by, inside), len(names))
    return count_tree.format_groups(groups, total, names, by=by, top=arguments.top, style=style)


def _model_table(models: Sequence[ModelCount], total: FileCount, style: str) -> str:
    rows: list[tuple[Cell, ...]] = [
        (
            model.ids[0],
            total.tokens[number],
            model.context_tokens or "—",
            _window(total.tokens[number], model.context_tokens),
            _price(total.tokens[number], model.input_price),
        )
        for model, number in models
    ]
    return format_table(["model", "tokens", "context", "of context", "price"], rows, style=style, names=[0])


def _window(n_tokens: int, context: int | None) -> str:
    return f"{100 * n_tokens / context:,.1f}%" if context else "—"


def _price(n_tokens: int, per_million: float | None) -> str:
    if per_million is None:
        return "—"
    price = n_tokens * per_million / 1e6
    return f"${price:,.4f}" if price >= 0.0001 or not price else "<$0.0001"


def _as_json(
    counted: Counted,
    names: Sequence[str],
    models: Sequence[ModelCount],
    tree: "Tree | None",
    arguments: Arguments,
) -> dict[str, object]:
    total = counted.total(len(names))
    answer: dict[str, object] = {
        **({"tokenizer": names[0]} if len(names) == 1 else {"tokenizers": list(names)}),
        "files": [{"file": count.file, **_figures(count, names)} for count in counted.files],
        "total": _figures(total, names),
        "by_library": counted.by_library,
        "errors": counted.errors,
    }
    if tree:
        answer["left_out"] = dict(tree.walk.left_out)
    if arguments.by in {"language", "folder"}:
        from playground.shell import count_tree

        inside = tree.inside if tree else {count.file: count.file for count in counted.files}
        groups = count_tree.grouped(counted.files, count_tree.key_of(arguments.by, inside), len(names))
        answer["groups"] = [{arguments.by: one.file, "files": n, **_figures(one, names)} for one, n in groups]
    if models:
        answer["models"] = [
            {
                "model": model.ids[0],
                "tokens": total.tokens[number],
                "context_tokens": model.context_tokens,
                "input_price_usd": total.tokens[number] * model.input_price / 1e6
                if model.input_price is not None
                else None,
                "fidelity": model.fidelity,
            }
            for model, number in models
        ]
    return answer


def _figures(count: FileCount, tokenizers: Sequence[str]) -> dict[str, object]:
    """Return a file's counts as JSON; with several tokenizers, tokens are given by name."""
    ratios = [round(ratio, 4) for ratio in count.bytes_per_token]
    each = [round(n, 2) for n in count.tokens_per_document]
    is_one = len(tokenizers) == 1
    return {
        "tokens": count.tokens[0] if is_one else dict(zip(tokenizers, count.tokens, strict=True)),
        "bytes": count.bytes,
        "characters": count.characters,
        "documents": count.documents,
        "left_out_rows": count.left_out_rows,
        "bytes_per_token": ratios[0] if is_one else dict(zip(tokenizers, ratios, strict=True)),
        "tokens_per_document": each[0] if is_one else dict(zip(tokenizers, each, strict=True)),
    }
