"""`models`: list the models whose tokenizers are built in, and those found on this machine."""

import json

import click

from playground.catalog.local_models import LocalModel
from playground.catalog.models import MODELS, MODELS_DATE, Model, find_models
from playground.shell.commands import JSON, Arguments, command
from playground.shell.terminal import aligned, print_note
from playground.shell.tokenizer_arguments import MODEL, MODELS_OPTION, local_places


@command("models", "tessera models gemini", "tessera models --models ~/tokenizers --json")
@click.argument("query", default="", type=MODEL, help="List only the models that this name may mean.")
@MODELS_OPTION
@JSON
def run(arguments: Arguments) -> int:
    """Print the models that a name may mean, or all, as tables or JSON: built-in ones and local ones."""
    models = find_models(arguments.query) if arguments.query else list(MODELS)
    query = arguments.query.casefold()
    local = [
        model for name, model in local_places(arguments.models).find().items() if query in name.casefold()
    ]
    if arguments.json:
        answer = {
            "date": MODELS_DATE,
            "models": [_fields(model) for model in models],
            "on_this_machine": [
                {"name": model.name, "place": model.place, "path": str(model.path)} for model in local
            ],
        }
        print(json.dumps(answer, indent=2))
        return 0
    if models:
        print(format_models(models))
    if local:
        print("\n" * bool(models) + format_local(local))
    if not models and not local:
        print_note(f"no model has a name like {arguments.query!r}, neither built in nor on this machine")
    return 0


def format_models(models: list[Model]) -> str:
    """Return a table of models: the name to type, the tokenizer, how exact it is, and the context window.

    >>> print(format_models(find_models("gpt2")[:1]))
    model  tokenizer  counts  context  maker
    gpt-2  gpt2       exact         —  OpenAI
    """
    rows = [("model", "tokenizer", "counts", "context", "maker")]
    for model in models:
        counts = "needs a file" if model.fidelity == "file" else model.fidelity
        context = f"{model.context_tokens:,}" if model.context_tokens else "—"
        rows.append((model.ids[0], model.tokenizer or "—", counts, context, model.maker))
    return aligned(rows, names=[0, 1, 2, 4])


def format_local(models: list[LocalModel]) -> str:
    """Return a table of models on this machine.

    >>> from pathlib import Path
    >>> print(format_local([LocalModel("llama3:8b", "Ollama", Path("a"), Path())]))
    on this machine  found in
    llama3:8b        Ollama
    """
    rows = [("on this machine", "found in")]
    rows += [(model.name, str(model.root) if model.place == "folder" else model.place) for model in models]
    return aligned(rows, names=[0, 1])


def _fields(model: Model) -> dict[str, object]:
    return {
        "name": model.name,
        "maker": model.maker,
        "ids": list(model.ids),
        "tokenizer": model.tokenizer,
        "fidelity": model.fidelity,
        "context_tokens": model.context_tokens,
        "note": model.note,
        "source": model.source,
    }
