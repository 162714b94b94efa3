"""Embeddings trained on a text that lacks some tokens, whose input rows never change.

The rows are skip-gram's input vectors; its output vectors are a matrix of their own (untied). In a model with
tied weights, such as GPT-2, the gradient of the softmax reaches the rows of unread tokens, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from playground.catalog.registry import get_tokenizer
from playground.expect.experiments import GLITCH_TOKENS
from playground.lessons.inputs import ChoiceInput, TextInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown, readings
from playground.training.corpora import manual, novel, python_code
from playground.training.embeddings import Embeddings, learn_embeddings

TOKENIZER, N_NEAREST, _N_LEVELS = "python_docs_4k", 7, 4
#: The word whose neighbours the lesson opens with; and a Reddit user's name that is one token of GPT-2
#: (Rumbelow and Watkins, 2023).
WORD, MAGIKARP = "could", " SolidGoldMagikarp"
_CORPORA = {"novel": novel, "manual": manual, "code": python_code}
#: Bands of tokens by their number of occurrences, half-open.
_BANDS = {"never read": (0, 1), "1–9 times": (1, 10), "10–99 times": (10, 100), "100+ times": (100, None)}


@dataclass(frozen=True, eq=False)
class Reading:
    """Embeddings after training, how far each row moved, and the longest word without occurrences."""

    learned: Embeddings
    moved: Any
    unread: int

    @property
    def n_unmoved(self) -> int:
        """The number of rows that are exactly as they were initialised."""
        return int((self.moved == 0).sum())


@lru_cache(maxsize=len(_CORPORA))
def read_corpus(name: str) -> Reading:
    """Train on a corpus once, with a tokenizer that was trained on Python's documentation.

    >>> read_corpus("novel").n_unmoved
    2235
    """
    tokenizer = get_tokenizer(TOKENIZER)
    ids = np.concatenate([tokenizer.encode(text).ids for text in _CORPORA[name]().texts])
    learned = learn_embeddings(ids, len(tokenizer.vocabulary.ids))
    unread = [i for i in np.flatnonzero(learned.counts == 0).tolist() if _text_of(i).strip().isalpha()]
    return Reading(learned, learned.moved(), max(unread, key=lambda i: len(_text_of(i))))


def _text_of(token_id: int) -> str:
    return get_tokenizer(TOKENIZER).vocabulary.raw_of(token_id).decode(errors="backslashreplace")


def show(corpus: str, word: str) -> Shown:
    """Return how far each row moved, also by occurrences, and the nearest rows of two tokens.

    "magikarp" has the ids of " SolidGoldMagikarp" in GPT-2.
    """
    reading, tokens = read_corpus(corpus), _tokens_of(word)
    learned, moved = reading.learned, reading.moved
    is_seen = learned.counts > 0
    edges = np.quantile(moved[is_seen], np.arange(1, _N_LEVELS) / _N_LEVELS)
    levels = np.where(is_seen, 1 + np.searchsorted(edges, moved, side="right"), 0)
    chosen = tokens[:1] or _tokens_of(WORD)[:1]
    figure = {
        "levels": "".join(map(str, levels.tolist())),
        "n_read": int(learned.counts.sum()),
        "n_seen": int(is_seen.sum()),
        "bands": _bands(reading),
        "rows": [_row(learned, token_id) for token_id in (*chosen, reading.unread)],
        "magikarp": {"text": MAGIKARP, "ids": list(get_tokenizer("gpt2").encode(MAGIKARP))},
    }
    return Shown(figure, _question(reading), _needs(tokens, learned))


def _tokens_of(word: str) -> list[int]:
    """Return the ids of a word with a leading space."""
    return list(get_tokenizer(TOKENIZER).encode(f" {word.strip()}").ids) if word.strip() else []


def _bands(reading: Reading) -> list[dict[str, Any]]:
    counts, found = reading.learned.counts, []
    for label, (least, below) in _BANDS.items():
        inside = (counts >= least) & (counts < (below or np.inf))
        if inside.any():
            found.append({"label": label, "moved": round(float(reading.moved[inside].mean()), 3)})
    return found


def _row(learned: Embeddings, token_id: int) -> dict[str, Any]:
    near = [_text_of(other) for other in learned.nearest(token_id, N_NEAREST)]
    return {"text": _text_of(token_id), "n_read": int(learned.counts[token_id]), "near": near}


def _needs(tokens: Sequence[int], learned: Embeddings) -> str:
    if not tokens:
        return "Type a word to see its nearest rows."
    if len(tokens) > 1:
        return "This word is several tokens; the first is shown. Type a common word."
    return "" if learned.counts[tokens[0]] else "The text doesn't contain it: its row never moved either."


def _question(reading: Reading) -> Question:
    n_rows, n_seen = len(reading.moved), len(reading.moved) - reading.n_unmoved

    def hint(guess: str) -> str:
        if n_seen in readings(guess):
            return "That is the number of rows that moved. How many are left?"
        return f"Only rows of tokens in the text move: {n_seen:,} of {n_rows:,}."

    asks = f"How many of the {n_rows:,} rows never moved?"
    return Question(asks, str(reading.n_unmoved), hint, also=(f"{reading.n_unmoved} rows",))


def _openings(word: str, **_chosen: object) -> Sequence[Opening]:
    text = word[:200]
    return (
        Opening("merge_tree", {"text": text, "tokenizer": TOKENIZER}),
        Opening("tokenize", {"text": MAGIKARP, "tokenizer": "gpt2"}),
        Opening("expect", {"text": GLITCH_TOKENS.text, "second": GLITCH_TOKENS.second, "mode": "two"}),
    )


ROWS_THAT_NEVER_MOVE = Lesson(
    slug="rows-that-never-move",
    number=22,
    title="SolidGoldMagikarp",
    claim="An untied input row is never trained if its token never occurs.",
    guess=Guess(
        "A token never occurs in training: how far does its row move?",
        ("not at all", "a little", "at random"),
        right=0,
        proof="moved 0",
    ),
    time="2:04:59",
    figure="unmoved-rows",
    steps=(
        "A small model was trained on a text: grey rows never moved.",
        "The more often a token occurs, the further its row moves.",
        "Trained rows are near similar words, untrained ones near random words.",
    ),
    inputs=(
        ChoiceInput("corpus", "Text", "novel", {"novel": "Novel", "manual": "Manual", "code": "Code"}),
        TextInput("word", "Word", WORD, max_chars=100, is_line=True),
    ),
    try_this="Choose another text.",
    notes=Notes(
        say=(
            "This holds for untied input rows, as here. GPT-2's rows are also those of lm_head, where the "
            "softmax moves rows of unread tokens, too."
        ),
        ask="How can a token be in the vocabulary but never in the training text?",
        expect=(
            "The tokenizer was trained on a different text from the model's, one that had this Reddit "
            "user's name."
        ),
    ),
    show=show,
    sources=(Embeddings, learn_embeddings, read_corpus),
    openings=_openings,
    told_at=2,
    in_class=True,
)
