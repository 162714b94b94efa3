"""Lesson 25: embeddings learned from a text that lacks some of the vocabulary; those rows never move."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from playground.catalog.registry import get_tokenizer
from playground.lessons.inputs import ChoiceInput, TextInput
from playground.lessons.lesson import Lesson, Notes, Opening, Question, Shown, readings
from playground.training.corpora import manual, novel, python_code
from playground.training.embeddings import Embeddings, learn_embeddings

TOKENIZER, N_NEAREST, _N_LEVELS = "python_docs_4k", 7, 4
_CORPORA = {"novel": novel, "manual": manual, "code": python_code}
#: Tokens by how often they are read: 0, then 1 to 9, and so on.
_BANDS = {"0 ×": (0, 1), "1–9 ×": (1, 10), "10–99 ×": (10, 100), "100+ ×": (100, None)}


@dataclass(frozen=True, eq=False)
class Reading:
    """The rows after a text was read, how far each came, and the unread word that tells most."""

    learned: Embeddings
    moved: Any
    unread: int

    @property
    def n_unmoved(self) -> int:
        """Rows that stand exactly where they began."""
        return int((self.moved == 0).sum())


@lru_cache(maxsize=len(_CORPORA))
def read_corpus(name: str) -> Reading:
    """Read a corpus once, with a tokenizer that was learned from Python's documentation.

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
    """How far each row came, how that goes with being read, and the nearest rows of two tokens."""
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
    }
    return Shown(figure, _question(reading), _needs(tokens, learned))


def _tokens_of(word: str) -> list[int]:
    """As the word stands within a sentence; of a long text the beginning."""
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
        return "This is several tokens; the first is shown. Type a common word."
    return "" if learned.counts[tokens[0]] else "The text never has it: its row never moved either."


def _question(reading: Reading) -> Question:
    n_rows, n_seen = len(reading.moved), len(reading.moved) - reading.n_unmoved

    def hint(guess: str) -> str:
        if n_seen in readings(guess):
            return "So many were read, and moved. How many are left?"
        return f"Only rows that are read move: {n_seen:,} of {n_rows:,} were."

    asks = f"How many of the {n_rows:,} rows never moved?"
    return Question(asks, str(reading.n_unmoved), hint, also=(f"{reading.n_unmoved} rows",))


def _openings(word: str, **_chosen: object) -> Sequence[Opening]:
    text = word[:200]
    return (
        Opening("merge_tree", {"text": text, "tokenizer": TOKENIZER}),
        Opening("tokenize", {"text": " SolidGoldMagikarp", "tokenizer": "gpt2"}),
    )


WORD = "could"
ROWS_THAT_NEVER_MOVE = Lesson(
    slug="rows-that-never-move",
    number=25,
    title="SolidGoldMagikarp",
    claim="A row that is never read never moves.",
    time="2:04:59",
    figure="unmoved-rows",
    steps=(
        "A small model read a text: the grey rows never moved.",
        "The more often a token is read, the further its row moves.",
        "Rows that were read lie near similar words, the others near any.",
    ),
    inputs=(
        ChoiceInput("corpus", "Text", "novel", {"novel": "Novel", "manual": "Manual", "code": "Code"}),
        TextInput("word", "Word", WORD, max_chars=100, is_line=True),
    ),
    try_this="Let it read another text.",
    notes=Notes(
        say="Skip-gram learns these rows here in about a second; the compiler's first start takes longer.",
        ask="How does a token get into a vocabulary and never into the training?",
        expect="The tokenizer learned from another text than the model, as with a user's name on Reddit.",
    ),
    show=show,
    sources=(Embeddings, learn_embeddings, read_corpus),
    openings=_openings,
    in_class=True,
)
