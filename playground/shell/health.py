"""`health`: tokens of a vocabulary that a text hardly meets."""

import argparse
import json
from dataclasses import asdict

from playground.analysis.vocabulary_health import Health, vocabulary_health
from playground.core.tokenizer import Tokenizer
from playground.core.vocabulary import Entry
from playground.core.wording import counted
from playground.render.visible_text import shown_bytes
from playground.shell.tokenizer_arguments import chosen_tokenizer

#: Tokens of a kind that are listed; JSON lists all.
_N_LISTED = 8


def run(arguments: argparse.Namespace) -> int:
    """Print how many tokens are odd in each way, and the first of them; or all of them as JSON."""
    tokenizer = chosen_tokenizer(arguments.tokenizer, arguments.pattern)
    health = vocabulary_health(tokenizer)
    if arguments.json:
        print(json.dumps({"tokenizer": tokenizer.name, **asdict(health)}))
    else:
        print(format_health(tokenizer, health))
    return 0


def format_health(tokenizer: Tokenizer, health: Health) -> str:
    """A line for each way in which tokens are odd.

    >>> from playground.catalog.registry import get_tokenizer
    >>> print(format_health(get_tokenizer("utf8_bytes"), Health(256, (), (), (), (), ())).splitlines()[1])
    0 come back as other tokens, alone and behind a mark, a letter, a digit and a space
    """
    vocabulary = tokenizer.vocabulary

    def listed(ids: tuple[int, ...]) -> str:
        named = [f"{token_id} {_shown(vocabulary.entry(token_id))}" for token_id in ids[:_N_LISTED]]
        more = [f"{len(ids) - _N_LISTED:,} more"] if len(ids) > _N_LISTED else []
        return f": {', '.join([*named, *more])}" if named else ""

    twins = tuple(token_id for group in health.duplicates for token_id in group)
    rows = (
        (health.lost, "come back as other tokens, alone and behind a mark, a letter, a digit and a space"),
        (health.only_parts, "of these serve as parts of larger tokens"),
        (health.not_utf8, "are no whole characters of UTF-8"),
        (twins, "stand for the same bytes as another of their kind"),
        (health.spelled, "are special tokens that ordinary text gives"),
    )
    lines = [f"{len(ids):,} {words}{listed(ids)}" for ids, words in rows]
    return "\n".join([f"{tokenizer.name}: {counted(health.n_tokens, 'token')}", *lines])


def _shown(entry: Entry) -> str:
    """A token as pages show it; what is no plain piece stands as its file has it, such as "##ing".

    >>> from playground.catalog.registry import get_tokenizer
    >>> _shown(get_tokenizer("gpt2").vocabulary.entry(4248))
    '·£'
    """
    return shown_bytes(entry.raw) if entry.kind in ("piece", "byte") else entry.spelled
