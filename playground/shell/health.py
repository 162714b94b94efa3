"""`health`: list tokens of a vocabulary that ordinary text hardly produces."""

import json
from dataclasses import asdict

from playground.analysis.vocabulary_health import Health, vocabulary_health
from playground.core.tokenizer import Tokenizer
from playground.core.vocabulary import Entry
from playground.core.wording import counted
from playground.render.visible_text import shown_bytes
from playground.shell.commands import JSON, Arguments, command
from playground.shell.tokenizer_arguments import chosen_tokenizer, tokenizer_options

#: Tokens listed in each line; JSON lists all.
_N_LISTED = 8


@command(
    "health",
    "tessera health -t gpt2",
    "tessera health -t my-model/ --json",
    notes="Tokens that encode back to other tokens and are part of no longer token are never used; many of "
    "them are a bad sign, as are special tokens that ordinary text produces. Tokens that aren't valid UTF-8 "
    "by themselves are normal.",
)
@tokenizer_options()
@JSON
def run(arguments: Arguments) -> int:
    """Print the number and the first tokens of each finding, or all of them as JSON."""
    tokenizer = chosen_tokenizer(arguments.tokenizer, arguments.pattern, arguments.models)
    health = vocabulary_health(tokenizer)
    if arguments.json:
        print(json.dumps({"tokenizer": tokenizer.name, **asdict(health)}))
    else:
        print(format_health(tokenizer, health))
    return 0


def format_health(tokenizer: Tokenizer, health: Health) -> str:
    """Return a line for each finding.

    >>> from playground.catalog.registry import get_tokenizer
    >>> print(format_health(get_tokenizer("utf8_bytes"), Health(256, (), (), (), (), ())).splitlines()[1])
    0 are published glitch tokens
    """
    vocabulary = tokenizer.vocabulary

    def listed(ids: tuple[int, ...]) -> str:
        named = [f"{token_id} {_shown(vocabulary.entry(token_id))}" for token_id in ids[:_N_LISTED]]
        more = [f"{len(ids) - _N_LISTED:,} more"] if len(ids) > _N_LISTED else []
        return f": {', '.join([*named, *more])}" if named else ""

    twins = tuple(token_id for group in health.duplicates for token_id in group)
    rows = (
        (health.glitch, "are published glitch tokens"),
        (tuple(health.under_trained), "were merged into a longer token right after they were learned"),
        (health.lost, "encode to other tokens, alone and beside marks, letters, digits and spaces"),
        (health.only_parts, "of these are parts of longer tokens"),
        (health.not_utf8, "are not valid UTF-8 by themselves"),
        (twins, "have the same bytes as another token of their kind"),
        (health.spelled, "are special tokens that ordinary text produces"),
    )
    lines = [f"{len(ids):,} {words}{listed(ids)}" for ids, words in rows]
    return "\n".join([f"{tokenizer.name}: {counted(health.n_tokens, 'token')}", *lines])


def _shown(entry: Entry) -> str:
    """Return a token with visible white space; tokens of other kinds as in their file, such as "##ing".

    >>> from playground.catalog.registry import get_tokenizer
    >>> _shown(get_tokenizer("gpt2").vocabulary.entry(4248))
    '·£'
    """
    return shown_bytes(entry.raw) if entry.kind in ("piece", "byte") else entry.spelled
