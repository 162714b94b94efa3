"""Words as vectors of counted neighbours, their cosine, and the nearest words in a novel."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import regex

from playground.lessons.inputs import TextInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown
from playground.training.corpora import novel
from playground.training.word_vectors import (
    WordVectors,
    count_near,
    ppmi,
    short_rows,
    word_vectors_of,
    words_of,
)

#: The two words drawn as arrows and the two words counted near them, unless the class names others.
NAMED = ("Nepal", "Everest", "climb", "people")
#: A run of letters, so that "Nepal's" counts as Nepal.
_LETTERS = r"[\p{L}\p{M}]+"
#: Words of five kinds; the map is the plane in which they vary most.
LANDMARKS = ("mother", "father", "brother", "aunt", "two", "four", "ten", "twenty",
             "London", "Netherfield", "Meryton", "Kent", "came", "went", "walked", "turned",
             "happy", "glad", "sorry", "pleased")  # fmt: skip
N_NEAREST = 6


def counts_of(text: str, words: Sequence[str], axes: Sequence[str]) -> list[list[int]]:
    """Count, for each word, the occurrences of each axis word in sentences that contain the word.

    >>> counts_of("Climb Nepal. People climb and climb Everest!", ["Nepal", "Everest"], ["climb", "people"])
    [[1, 0], [2, 1]]
    """
    sentences = [regex.findall(_LETTERS, part.casefold()) for part in regex.split(r"[.!?\n]", text)]
    return [
        [
            sum(sentence.count(axis.casefold()) for sentence in sentences if word.casefold() in sentence)
            for axis in axes
        ]
        for word in words
    ]


def named_words(named: str) -> tuple[str, ...]:
    """Return the four words that the class names (two arrows, two axes); the default if there are fewer.

    >>> named_words("cat, dog: milk bone"), named_words("cat cat")
    (('cat', 'dog', 'milk', 'bone'), ('Nepal', 'Everest', 'climb', 'people'))
    """
    found = {word.casefold(): word for word in regex.findall(_LETTERS, named)}
    return tuple(found.values())[:4] if len(found) >= 4 else NAMED


def cosine(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Return the cosine of two vectors; None if one is zero.

    >>> cosine([3, 2], [4, 1])
    0.9417...
    """
    product = sum(a * b for a, b in zip(left, right, strict=True))
    lengths = math.hypot(*left) * math.hypot(*right)
    return product / lengths if lengths else None


@dataclass(frozen=True, eq=False)
class Map:
    """Word vectors and their coordinates in the landmarks' plane, in which landmarks span 0 to 1."""

    learned: WordVectors
    places: Any


@cache
def map_of_novel() -> Map:
    """Count the novel's word vectors and project them into a plane.

    >>> len(map_of_novel().learned.words)
    1224
    """
    learned = word_vectors_of(novel().texts[0])
    marks = learned.rows[[learned.row_of(word) for word in LANDMARKS]]
    centre = marks.mean(axis=0)
    plane = np.linalg.svd(marks - centre, full_matrices=False)[2][:2].T
    flat = (marks - centre) @ plane
    plane = plane * np.sign(flat[np.abs(flat).argmax(axis=0), [0, 1]])  # an SVD leaves the signs open
    flat = (marks - centre) @ plane
    return Map(learned, ((learned.rows - centre) @ plane - flat.min(axis=0)) / np.ptp(flat, axis=0))


def show(text: str, word: str, named: str) -> Shown:
    """Return the counts and the cosine of the two words, and a word of the novel with its nearest words."""
    four = named_words(named)
    counts = counts_of(text, four[:2], four[2:])
    angle = cosine(*counts)
    chosen = next(iter(words_of(word[:200].replace("’", "'"))), "")
    row = map_of_novel().learned.row_of(chosen) if chosen else None
    figure = {
        "words": [_short(word) for word in four[:2]],
        "axes": [_short(word) for word in four[2:]],
        "counts": counts,
        "cosine": None if angle is None else f"{angle:.3f}",
        "points": _points(row),
    }
    return Shown(figure, _question(counts, four[1]), _needs(named, counts, chosen, row))


def _points(row: int | None) -> list[dict[str, Any]]:
    """Return the word, its nearest words and the landmarks, each once; `like` is the cosine with the word."""
    learned = map_of_novel().learned
    marks = [place for mark in LANDMARKS if (place := learned.row_of(mark)) is not None]
    near = [] if row is None else [(row, 1.0), *learned.nearest(row, N_NEAREST)]
    taken = {place for place, _ in near}
    found: list[tuple[int, float | None]] = [*near, *((place, None) for place in marks if place not in taken)]
    return [
        {
            "text": learned.words[place],
            "at": [round(float(x), 3) for x in map_of_novel().places[place]],
            "like": None if like is None else f"{like:.2f}",
        }
        for place, like in found
    ]


def _short(word: str) -> str:
    return word if len(word) <= 12 else f"{word[:11]}…"


def _needs(named: str, counts: Sequence[Sequence[int]], chosen: str, row: int | None) -> str:
    four = named_words(named)
    if four == NAMED and four != tuple(regex.findall(_LETTERS, named)):
        return f"Name four words, two arrows and two axes: {' '.join(NAMED)}."
    for word, of_word in zip(four, counts, strict=False):
        if not any(of_word):
            return f"Write {word:.30} in a sentence with {four[2]:.30} or {four[3]:.30}, or name other words."
    if not chosen:
        return "Type a word of the novel."
    if row is None:
        n = map_of_novel().learned.n_read[chosen.casefold()]
        often = (
            f"has “{chosen:.30}” only {n} ×, too rarely for a vector"
            if n
            else f"doesn't contain “{chosen:.30}”"
        )
        return f"The novel {often}."
    return ""


def _question(counts: Sequence[Sequence[int]], doubled_word: str) -> Question | None:
    """Ask for the cosine after one vector is doubled, which doesn't change it."""
    nepal, everest = counts
    now, then = cosine(nepal, everest), cosine(nepal, [2 * n for n in everest])
    if now is None or then is None:
        return None

    def hint(guess: str) -> str:
        number = regex.search(r"\d+(\.\d+)?", guess.replace(",", "."))
        if number and float(number.group()[:9]) > 1:
            return "A cosine is never above 1, because it is divided by both lengths."
        doubled = f"{2 * everest[0]}, {2 * everest[1]}"
        return (
            f"({everest[0]}, {everest[1]}) becomes ({doubled}), which is longer. Does its direction change?"
        )

    rounded = f"{then:.3f}"
    also = (f"{then:.2f}", "the same")
    return Question(
        f"Both counts of {_short(doubled_word)} double: what is the cosine then?", rounded, hint, also
    )


def _openings(text: str, word: str, **_named: object) -> Sequence[Opening]:
    return (
        Opening("train", {"chosen": {"train.corpus": novel().title}}),
        Opening("merge_tree", {"text": word[:200] or text[:200], "tokenizer": "gpt2"}),
    )


NEIGHBOURS = Lesson(
    slug="neighbours",
    number=3,
    title="Neighbours",
    claim="Words that occur near the same words get similar vectors.",
    guess=Guess("Which word does a novel put nearest to “sister”?", ("brother", "mother", "four"), right=1),
    time="",
    figure="neighbours",
    steps=(
        "Count how often two words occur near two others: each becomes a vector.",
        "Their cosine is 1 if both vectors point the same way.",
        "The same for a novel: vectors of 1,224 words, projected onto a plane.",
    ),
    inputs=(
        TextInput("word", "Word", "sister", max_chars=100, is_line=True),
        TextInput(
            "text",
            "Text",
            "Climb Nepal, climb Everest! Nepal's people climb. "
            "Everest: people climb and climb. Nepal is people.",
        ),
        TextInput("named", "Arrows, axes", " ".join(NAMED), max_chars=200, is_line=True),
    ),
    try_this="Add “climb Everest” to the text. Type “three” as the word.",
    notes=Notes(
        say=(
            "Nothing here knows what a word means. For the novel, only words at most two places away are "
            "counted."
        ),
        ask="Why are “two” and “four” close together, although they mean different things?",
        expect=(
            "They occur in the same places: “two” could replace “four”, as “mother” could replace “father”."
        ),
    ),
    show=show,
    sources=(counts_of, cosine, count_near, ppmi, short_rows),
    openings=_openings,
    asked_at=2,
)
