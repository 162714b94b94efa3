"""`difference`: the shortest text on which two tokenizers differ, and the step that caused it."""

import json
from typing import Any

import click

from playground.core.wording import counted
from playground.drift.search import DEFAULT_TEXTS, MAX_TEXTS, Search, SideToken, find_difference
from playground.drift.steps import shown_text
from playground.shell.commands import JSON, Arguments, Whole, command, options
from playground.shell.terminal import aligned
from playground.shell.tokenizer_arguments import (
    MODELS_OPTION,
    NAMES,
    PATTERN_OPTION,
    TOKENIZER,
    chosen_tokenizers,
)

TEXTS_OPTION = click.option(
    "--texts",
    type=Whole(1, MAX_TEXTS),
    default=DEFAULT_TEXTS,
    show_default=True,
    help="Stop after N texts without a difference.",
)


@command(
    "difference",
    "tessera difference tokenizer.json model.gguf",
    "tessera difference old/tokenizer.json new/tokenizer.json --texts 1000000",
    notes="The status is 1 if a difference was found. Special tokens are recognized. Tokenizers whose ids "
    "have little in common are compared by the bytes of their tokens.",
)
@click.argument("one", metavar="TOKENIZER", type=TOKENIZER, help=NAMES)
@click.argument("other", metavar="TOKENIZER", type=TOKENIZER, help="The other tokenizer.")
@options(MODELS_OPTION, PATTERN_OPTION)
@TEXTS_OPTION
@JSON
def run(arguments: Arguments) -> int:
    """Print the shortest difference, or that none was found."""
    names = (arguments.one, arguments.other)
    one, other = chosen_tokenizers(names, arguments.pattern, arguments.models)
    search = find_difference(one, other, max_texts=arguments.texts)
    print(json.dumps(search_figures(search), indent=2) if arguments.json else format_search(search))
    return 1 if search.difference else 0


def format_search(search: Search) -> str:
    """Return what was found, in lines.

    >>> from playground.catalog.registry import get_tokenizer
    >>> search = find_difference(get_tokenizer("r50k_base"), get_tokenizer("p50k_base"))
    >>> print(format_search(search._replace(n_texts=3000)))
    The shortest text found: “  ” (U+0020 U+0020)
    r50k_base  220 Ġ  220 Ġ
    p50k_base  50257 ĠĠ
    Step: merges. p50k_base has the token “  ” (U+0020 U+0020), r50k_base lacks it.
    3,000 texts tried.
    """
    difference = search.difference
    if difference is None:
        return " ".join(filter(None, [search.sentence, search.compared]))
    sides = zip(search.names, map(_shown_side, difference.sides), strict=True)
    return "\n".join(
        [
            f"The shortest text found: {shown_text(difference.text)}",
            aligned([*sides], names=[0, 1]),
            f"Step: {difference.step}. {difference.why}",
            " ".join(filter(None, [f"{counted(search.n_texts, 'text')} tried.", search.compared])),
        ]
    )


def search_figures(search: Search) -> dict[str, Any]:
    """Return what was found as JSON."""
    difference = search.difference
    return {
        "tokenizers": search.names,
        "texts_tried": search.n_texts,
        "compared": "bytes" if search.by_bytes else "ids",
        "equal_because": search.proof or None,
        "difference": difference
        and {
            "text": difference.text,
            "step": difference.step,
            "why": difference.why,
            "tokens": [
                None if side is None else [{"id": token.id, "token": token.spelled} for token in side]
                for side in difference.sides
            ],
        },
    }


def _shown_side(side: tuple[SideToken, ...] | None) -> str:
    if side is None:
        return "refused"
    return "  ".join(f"{token.id} {token.spelled}" for token in side) or "no tokens"
