"""From text to numbers and back: bytes, pretokens, merges, ids, and the rows of an embedding table."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from playground.catalog.registry import get_tokenizer
from playground.core.building import Merged
from playground.lessons.inputs import TextInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown

TOKENIZER, WIDTH = "gpt2", 768
#: Bytes of the text that are shown, and numbers of each row.
MAX_BYTES, N_NUMBERS = 40, 12


@lru_cache(maxsize=256)
def untrained_row(token_id: int) -> tuple[float, ...]:
    """Return the first numbers of a row as GPT-2's training began: normal, with deviation 0.02.

    >>> len(untrained_row(220)) == N_NUMBERS and untrained_row(220) == untrained_row(220)
    True
    """
    random = np.random.default_rng(token_id)
    return tuple(round(float(number), 3) for number in random.normal(0, 0.02, N_NUMBERS))


def journey(text: str) -> dict[str, Any]:
    """Return a text's characters, bytes, pretokens, merges and tokens, each by its number of bytes.

    A merge is the offset of the boundary between bytes that it removes.

    >>> made = journey("hug!")
    >>> made["pretokens"], made["merges"], [token["id"] for token in made["tokens"]]
    ([3, 1], [2], [71, 1018, 0])
    """
    tokenizer = get_tokenizer(TOKENIZER)
    pretokens, merges, tokens, start = [], [], [], 0
    for pretoken in tokenizer.iter_pretokens(text):
        built = tokenizer.build(pretoken)
        assert isinstance(built, Merged)
        merges += [start + step.middle for step in built.steps]
        pretokens.append(len(built.raw))
        start += len(built.raw)
    encoding = tokenizer.encode(text)
    for token_id in encoding.ids.tolist():
        raw = tokenizer.vocabulary.raw_of(token_id)
        tokens.append({"id": token_id, "n_bytes": len(raw), "row": untrained_row(token_id)})
    return {
        "characters": [{"text": character, "n_bytes": len(character.encode())} for character in text],
        "bytes": list(text.encode()),
        "pretokens": pretokens,
        "merges": merges,
        "tokens": tokens,
    }


def show(text: str) -> Shown:
    """Return the journey of the text's first bytes."""
    shown = text.encode()[:MAX_BYTES].decode(errors="ignore")
    figure = {**journey(shown), "n_rows": len(get_tokenizer(TOKENIZER).vocabulary.ids), "width": WIDTH}
    if not shown:
        return Shown(figure, needs="Type something.")
    needs = f"The first {MAX_BYTES} bytes are shown." if shown != text else ""
    return Shown(figure, _question(shown, figure), needs)


def _question(text: str, figure: dict[str, Any]) -> Question:
    n_bytes, n_merges = len(figure["bytes"]), len(figure["merges"])

    def hint(guess: str) -> str:
        if guess.strip() == str(len(text)):
            return "That is the number of characters."
        if guess.strip() == str(n_bytes):
            return "That is the number of bytes. Each merge makes one of two."
        return f"There are {n_bytes} bytes, and {n_merges} merges: each takes one away."

    asks = f"How many rows of the table does the model read for “{text}”?"
    return Question(asks, str(len(figure["tokens"])), hint)


def _openings(text: str) -> Sequence[Opening]:
    return (Opening("tokenize", {"text": text, "tokenizer": TOKENIZER}),)


JOURNEY = Lesson(
    slug="journey",
    number=1,
    title="From text to numbers and back",
    claim="A model sees only rows of numbers; text is at both ends.",
    guess=Guess(
        "“Hello, tokenizers 👋”: how many numbers is that for GPT-2?",
        ("19, one per character", "22, one per byte", "6"),
        right=2,
        proof="6 ids",
    ),
    time="0:00",
    figure="journey",
    steps=(
        "Each character is written as one to four bytes.",
        "A pattern cuts the bytes into pretokens.",
        "Merges join neighbours within a pretoken: the lowest rank goes first.",
        "A token's id is the number of its row in a table.",
        "A model reads these rows. Before training they are random numbers.",
        "And back: each id gives its bytes, and the bytes are the text.",
    ),
    inputs=(TextInput("text", "Text", "Hello, tokenizers 👋", max_chars=200, is_line=True),),
    try_this="Play it whole, then type your own text.",
    notes=Notes(
        say="This is the whole way in one picture. Each of the next lessons opens one part of it.",
        ask="Which of these steps loses something?",
        expect="None: the bytes come back exactly. What a token means is only in its row, which is learned.",
    ),
    show=show,
    sources=(journey,),
    openings=_openings,
    in_class=True,
    told_at=4,
)
