"""Lesson 13: the split pattern cuts a text before any merge, and each piece is one alternative's."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import regex

from playground.bpe.split_pattern import (
    SPLIT_PATTERNS,
    SplitPattern,
    SwitchedPattern,
    alternatives_of,
    iter_pretokens,
)
from playground.core.wording import counted
from playground.lessons.inputs import ChoiceInput, PicksInput, TextInput
from playground.lessons.lesson import Lesson, Notes, Opening, Question, Shown

#: Pieces that the figure gets, and characters of each; counts are of all.
MAX_PIECES, MAX_PIECE_CHARS = 100, 60
#: What the patterns cut differently.
PROBES = ("HOUSE'S", "1234567")
_TOKENIZERS = {"gpt2": "gpt2", "cl100k": "cl100k_base", "o200k": "o200k_base"}


def pattern_of(name: str, own: str, off: Sequence[str]) -> SwitchedPattern:
    """The chosen pattern without the alternatives that are off.

    >>> found = pattern_of("gpt2", "", ["gpt2:2"])
    >>> found.on, found.pattern.name
    ((0, 1, 3, 4, 5, 6), 'custom')
    """
    expression = own if name == "own" else SPLIT_PATTERNS[name]
    places = [place for place in range(len(alternatives_of(expression))) if f"{name}:{place}" in off]
    return SwitchedPattern.of(expression, places)


def n_pieces(text: str, pattern: SplitPattern) -> int:
    """How many pretokens a text is cut into.

    >>> n_pieces("Hello've world123", SplitPattern.named("gpt2"))
    4
    """
    return sum(1 for _ in iter_pretokens(text, pattern))


def show(text: str, pattern: str, own: tuple[str, ...], off: tuple[str, ...]) -> Shown:
    """The pieces with their alternatives, and the same text cut by each of the known patterns."""
    typed = own[0] if own else ""
    switched = pattern_of(pattern, typed, off)
    taken = [*switched.iter_taken(text)]
    n_by = [0] * len(switched.alternatives)
    for _, place in taken:
        if place is not None:
            n_by[place] += 1
    figure: dict[str, Any] = {
        "pattern": pattern,
        "own": typed,
        "off": list(off),
        "n_pieces": len(taken),
        "pieces": [
            {"text": piece[: MAX_PIECE_CHARS + 1], "by": place} for piece, place in taken[:MAX_PIECES]
        ],
        "alternatives": [
            {"text": alternative, "is_on": place in switched.on, "n": n_by[place]}
            for place, alternative in enumerate(switched.alternatives)
        ],
        "matrix": [_row(name, text) for name in SPLIT_PATTERNS],
    }
    if not text:
        return Shown(figure, needs="Type something: nothing is there to be cut.")
    needs = ""
    if not switched.on:
        needs = "No alternative is on: the text stays whole. Switch one on."
    elif len({place for _, place in taken}) < 2:
        needs = "One alternative takes all of this: add digits, signs or an ending such as 's."
    return Shown(figure, _question(text, switched.pattern), needs)


def _row(name: str, text: str) -> dict[str, Any]:
    cutting = SplitPattern.named(name)
    pieces = [piece for piece, _ in iter_pretokens(text, cutting)]
    return {
        "name": name,
        "n_pieces": len(pieces),
        "cells": [*_probes(name), [piece[: MAX_PIECE_CHARS + 1] for piece in pieces[:60]]],
    }


@cache
def _probes(name: str) -> list[list[str]]:
    return [[piece for piece, _ in iter_pretokens(probe, SplitPattern.named(name))] for probe in PROBES]


def _question(text: str, pattern: SplitPattern) -> Question:
    """How many pieces the first two words are."""
    head = regex.match(r"\s*\S*(?:\s+\S+)?", text)[0][:40]  # type: ignore[index]  # it matches the empty text
    pieces = [piece for piece, _ in iter_pretokens(head, pattern)]
    n_words = len(head.split())

    def hint(guess: str) -> str:
        if guess.strip() == str(n_words):
            return "Those are words. Digits, signs and endings such as 've come apart from letters."
        if guess.strip() == str(len(head)):
            return "Those are characters: letters that stand together stay together."
        if guess.strip().isdecimal() and int(guess[:9]) > len(pieces):
            return f"Fewer: the first piece is {counted(len(pieces[0]), 'character')} long."
        return (
            f"Each piece is one alternative's; the first one is {counted(len(pieces[0]), 'character')} long."
        )

    shown = " ".join(head.split())
    asks = f"How many pieces make {f'“{shown}”' if shown else 'the text'} here?"
    return Question(asks, str(len(pieces)), hint, also=(counted(len(pieces), "piece"),))


def _openings(text: str, pattern: str, **_switches: object) -> Sequence[Opening]:
    return (
        Opening("tokenize", {"text": text, "tokenizer": _TOKENIZERS.get(pattern, "gpt2")}),
        Opening("compare", {"text": text, "tokenizers": list(_TOKENIZERS.values())}),
    )


CUTS = Lesson(
    slug="cuts",
    number=13,
    title="Cuts before merges",
    claim="A pattern cuts first; no merge crosses a cut.",
    time="57:36",
    figure="cuts",
    steps=(
        "Letters, digits, signs and endings come apart.",
        "The first alternative that matches takes the piece.",
        "Each pattern cuts elsewhere: see 'S and the digits.",
    ),
    inputs=(
        TextInput("text", "Text to cut", "Hello've world123 how's are you!!!?"),
        ChoiceInput("pattern", "Pattern", "gpt2", {name: name for name in (*SPLIT_PATTERNS, "own")}),
        PicksInput("own", (r"\w+|\W+",), max_picks=1, max_chars=400),
        PicksInput("off", (), max_picks=100, max_chars=20),
    ),
    try_this="In step 2, switch off 3, the digits.",
    notes=Notes(
        say="Without cuts “dog.”, “dog!” and “dog?” would each become a token; the pattern keeps them apart.",
        ask="What becomes of 123 when the alternative of the digits is off?",
        expect="No alternative matches it, so a plain findall drops it: a pattern must take everything.",
    ),
    show=show,
    sources=(SwitchedPattern, pattern_of, n_pieces, iter_pretokens),
    openings=_openings,
    in_class=True,
)
