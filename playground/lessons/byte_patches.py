"""Bytes grouped into patches where the next byte is hard to predict, instead of tokens.

The byte model counts n-grams. It stands in for the small learned model of the Byte Latent Transformer
(arXiv 2412.09871), which begins a patch where the entropy of the next byte is above a threshold.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from playground.catalog.registry import get_tokenizer
from playground.lessons.inputs import NumberInput, TextInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown, readings
from playground.lessons.pieces import shown_pieces
from playground.training.corpora import novel

TOKENIZER = "cl100k_base"
#: Bytes before a byte that the model looks at; bytes to learn from, bytes shown, and tokens shown.
ORDER, MAX_LEARNED, MAX_BYTES, MAX_PIECES = 4, 60_000, 120, 60

Counts = dict[bytes, NDArray[np.float64]]


@lru_cache(maxsize=4)
def learn(text: str) -> Counts:
    """Count the bytes after each context of 0 to `ORDER` bytes; "" learns from the novel's beginning."""
    raw = (text or novel().texts[0]).encode()[:MAX_LEARNED]
    counts: dict[bytes, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for at, byte in enumerate(raw):
        for n in range(min(ORDER, at) + 1):
            counts[raw[at - n : at]][byte] += 1
    return {context: _column(of) for context, of in counts.items()}


def _column(counts: dict[int, int]) -> NDArray[np.float64]:
    column = np.zeros(256)
    column[list(counts)] = list(counts.values())
    return column


def entropy_after(counts: Counts, context: bytes) -> float:
    """Return the bits of surprise to expect of the next byte.

    Each longer context corrects the prediction of the shorter one, which counts as one observation.

    >>> entropy_after(learn("ababab" * 100), b"a") < 0.1, entropy_after({}, b"")
    (True, 8.0)
    """
    chance = np.full(256, 1 / 256)
    for n in range(min(ORDER, len(context)) + 1):
        seen = counts.get(context[len(context) - n :])
        if seen is None:
            break
        chance = (seen + chance) / (seen.sum() + 1)
    return float(-(chance * np.log2(chance)).sum())


def patches_of(entropies: Sequence[float], threshold: float) -> list[int]:
    """Return the lengths of the patches: one begins wherever the entropy is above the threshold.

    >>> patches_of([5.0, 1.0, 0.5, 3.0, 1.0], 2.0)
    [3, 2]
    """
    starts = [at for at, bits in enumerate(entropies) if at == 0 or bits > threshold]
    return np.diff([*starts, len(entropies)]).tolist() if entropies else []


def show(text: str, threshold: int, learned: str) -> Shown:
    """Return the entropy before each byte, the patches, and the tokens of the same text."""
    shown = text.encode()[:MAX_BYTES].decode(errors="ignore")
    raw = shown.encode()
    if not raw:
        return Shown(
            {"bytes": [], "patches": [], "tokens": {"n_tokens": 0, "pieces": []}}, needs="Type a text."
        )
    counts = learn(learned[:MAX_LEARNED])
    entropies = [entropy_after(counts, raw[max(0, at - ORDER) : at]) for at in range(len(raw))]
    patches = patches_of(entropies, threshold / 10)
    figure: dict[str, Any] = {
        "bytes": [
            {"text": chr(byte) if 32 <= byte < 127 else f"{byte:02X}", "bits": round(bits, 2)}
            for byte, bits in zip(raw, entropies, strict=True)
        ],
        "threshold": threshold / 10,
        "patches": patches,
        "tokens": shown_pieces(get_tokenizer(TOKENIZER), shown, max_pieces=MAX_PIECES),
    }
    needs = f"The first {len(shown)} characters are shown." if shown != text else ""
    return Shown(figure, _question(len(raw), len(patches)), needs)


def _question(n_bytes: int, n_patches: int) -> Question:
    def hint(guess: str) -> str:
        if {n_bytes, n_patches} & {int(number) for number in readings(guess)}:
            return "That is one of the two counts: divide the bytes by the patches."
        return "Count the bars, and those that begin a patch; then divide."

    asks = f"{n_bytes} bytes: how many bytes has an average patch, to one decimal?"
    return Question(asks, f"{n_bytes / n_patches:.1f}", hint, also=(f"{n_bytes / n_patches:.2f}",))


def _openings(text: str, **_chosen: object) -> Sequence[Opening]:
    return (Opening("compare", {"text": text, "tokenizers": ["utf8_bytes", TOKENIZER]}),)


BYTE_PATCHES = Lesson(
    slug="no-tokenizer",
    number=27,
    title="No tokenizer",
    claim="Bytes can be grouped where the next one is hard to predict.",
    guess=Guess(
        "“softly”: before which letter is the next byte hardest to predict?",
        ("s", "f", "y"),
        right=0,
        proof="s oftly·",
    ),
    time="",
    figure="byte-patches",
    steps=(
        "A bar shows how uncertain a small model is before each byte.",
        "A patch begins where the bar is above the threshold.",
        "A tokenizer cuts the same text by its fixed vocabulary.",
    ),
    inputs=(
        TextInput("text", "Text", "The rain fell softly upon the garden", max_chars=2_000),
        NumberInput("threshold", "Threshold, 1/10 bit", 22, 5, 60),
        TextInput("learned", "Learn from", "", max_chars=MAX_LEARNED),
    ),
    try_this="Drag the threshold; learn from your own text.",
    notes=Notes(
        say=(
            "This model counts what follows four bytes in a novel. It stands in for BLT's learned model, "
            "arXiv 2412.09871."
        ),
        ask="Where do patches begin, and why there?",
        expect="Mostly at the first letters of words: after them, few continuations are left.",
    ),
    show=show,
    sources=(learn, entropy_after, patches_of),
    openings=_openings,
    told_at=2,
)
