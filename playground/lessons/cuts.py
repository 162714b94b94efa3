"""The split pattern cuts a text into pretokens before any merge; one alternative matches each."""

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
from playground.catalog.registry import get_tokenizer
from playground.core.wording import counted
from playground.lessons.inputs import ChoiceInput, PicksInput, TextInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown

#: Pretokens in the figure, and characters of each; counts are of the whole text.
MAX_PIECES, MAX_PIECE_CHARS = 100, 60
#: Texts that the patterns cut differently.
PROBES = ("HOUSE'S", "1234567")
_TOKENIZERS = {"gpt2": "gpt2", "cl100k": "cl100k_base", "o200k": "o200k_base"}


def pattern_of(name: str, own: str, off: Sequence[str]) -> SwitchedPattern:
    """Return the chosen pattern without the alternatives that are switched off.

    >>> found = pattern_of("gpt2", "", ["gpt2:2"])
    >>> found.on, found.pattern.name
    ((0, 1, 3, 4, 5, 6), 'custom')
    """
    expression = own if name == "own" else SPLIT_PATTERNS[name]
    places = [place for place in range(len(alternatives_of(expression))) if f"{name}:{place}" in off]
    return SwitchedPattern.of(expression, places)


def n_pieces(text: str, pattern: SplitPattern) -> int:
    """Return the number of pretokens of a text.

    >>> n_pieces("Hello've world123", SplitPattern.named("gpt2"))
    4
    """
    return sum(1 for _ in iter_pretokens(text, pattern))


def show(text: str, pattern: str, own: tuple[str, ...], off: tuple[str, ...]) -> Shown:
    """Return the pretokens with their alternatives, and the same text cut by each named pattern."""
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
        "n_joining": n_joining("gpt2"),
        "n_gpt2": len(get_tokenizer("gpt2").vocabulary.ids),
        "matrix": [_row(name, text) for name in SPLIT_PATTERNS],
    }
    if not text:
        return Shown(figure, needs="Type something to cut.")
    needs = ""
    if not switched.on:
        needs = "All alternatives are off, so the text stays whole. Switch one on."
    elif len({place for _, place in taken}) < 2:
        needs = "One alternative matches all of this: add digits, punctuation or an ending such as 's."
    return Shown(figure, _question(text, switched.pattern), needs)


@cache
def n_joining(tokenizer_name: str) -> int:
    """Return the number of tokens with a letter and a digit.

    >>> n_joining("gpt2")
    0
    """
    vocabulary = get_tokenizer(tokenizer_name).vocabulary
    texts = (vocabulary.raw_of(int(i)).decode(errors="replace") for i in vocabulary.ids)
    return sum(bool(regex.search(r"\p{L}", text) and regex.search(r"\p{N}", text)) for text in texts)


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
    """Ask for the number of pretokens of the first two words."""
    head = regex.match(r"\s*\S*(?:\s+\S+)?", text)[0][:40]  # type: ignore[index]  # it matches the empty text
    pieces = [piece for piece, _ in iter_pretokens(head, pattern)]
    n_words = len(head.split())

    def hint(guess: str) -> str:
        if guess.strip() == str(n_words):
            return "That counts words. Digits, punctuation and endings such as 've are split from letters."
        if guess.strip() == str(len(head)):
            return "That counts characters; a run of letters stays together."
        if guess.strip().isdecimal() and int(guess[:9]) > len(pieces):
            return f"Fewer: the first piece is {counted(len(pieces[0]), 'character')} long."
        return (
            f"One alternative matches each piece; the first is {counted(len(pieces[0]), 'character')} long."
        )

    shown = " ".join(head.split())
    asks = f"How many pieces is {f'“{shown}”' if shown else 'the text'} cut into?"
    return Question(asks, str(len(pieces)), hint, also=(counted(len(pieces), "piece"),))


def _openings(text: str, pattern: str, **_switches: object) -> Sequence[Opening]:
    return (
        Opening("tokenize", {"text": text, "tokenizer": _TOKENIZERS.get(pattern, "gpt2")}),
        Opening("compare", {"text": text, "tokenizers": list(_TOKENIZERS.values())}),
    )


CUTS = Lesson(
    slug="cuts",
    number=12,
    title="Cuts before merges",
    claim="A pattern cuts the text first; no merge crosses a cut.",
    guess=Guess(
        "How many tokens of GPT-2 join letters and digits?",
        ("thousands", "a few", "none"),
        right=2,
        proof="0 of 50,257",
    ),
    minutes=9,
    time="57:36",
    figure="cuts",
    steps=(
        "Letters, digits, punctuation and endings are split.",
        "At each place the first alternative that matches is used.",
        "The patterns differ: compare 'S and the long number.",
    ),
    inputs=(
        TextInput("text", "Text to cut", "Hello've world123 how's are you!!!?"),
        ChoiceInput("pattern", "Pattern", "gpt2", {name: name for name in (*SPLIT_PATTERNS, "own")}),
        PicksInput("own", (r"\w+|\W+",), max_picks=1, max_chars=400),
        PicksInput("off", (), max_picks=100, max_chars=20),
    ),
    try_this="In step 2, switch off alternative 3, the digits.",
    notes=Notes(
        say=(
            "Without cuts, “dog.”, “dog!” and “dog?” could each become a token; the pattern splits off the "
            "mark."
        ),
        ask="What happens to 123 when the alternative for digits is off?",
        expect="No alternative matches it, so findall would drop it: a pattern has to match every character.",
    ),
    show=show,
    sources=(SwitchedPattern, pattern_of, n_pieces, iter_pretokens),
    openings=_openings,
    in_class=True,
)
