"""How the shown runs cut a short text, and the passages that are shown without a text of one's own."""

from collections.abc import Sequence
from typing import TypedDict

import regex

from playground.core.tokenizer import replace_lone_surrogates
from playground.training.algorithms.cutters import Cutter, Follows

#: Characters of the text: the browser draws the whole text for each picture.
MAX_CHARACTERS = 3_000
#: Characters of the word whose merge trees are drawn.
MAX_WORD_CHARACTERS = 40
_SAMPLE_CHARACTERS = 2_000
_WORD = regex.compile(r" ?\p{L}[\p{L}\p{M}]{3,}")

#: The tokens of a pretoken: their ids, and their numbers of bytes.
CutPretoken = tuple[list[int], list[int]]


class RunCut(TypedDict):
    """A text as the run of this number cuts it: its pretokens in as many states as `follows` needs."""

    run: int
    follows: Follows
    states: list[list[CutPretoken]]


def cut_by(cutter: Cutter, text: str, run: int, n_steps: int) -> RunCut:
    """Return how a run cuts a text; `n_steps` are the steps so far.

    >>> from playground.bpe.split_pattern import SplitPattern
    >>> from playground.training.algorithms.cutters import ByteCutter
    >>> cut_by(ByteCutter(SplitPattern.named("gpt2")), "a b", 1, 7)["states"]
    [[([97], [1]), ([32, 98], [1, 1])]]
    """
    n_states = {"merges": 1, "rows": 2, "states": n_steps + 1}[cutter.follows]
    text = replace_lone_surrogates(text)
    return {
        "run": run,
        "follows": cutter.follows,
        "states": [
            [
                ([piece[0] for piece in pieces], [piece[1] for piece in pieces])
                for pieces in cutter.cut(text, step)
            ]
            for step in range(n_states)
        ],
    }


def passages(texts: Sequence[str]) -> str:
    """Return the beginning of a corpus and of its middle text, which may be in another language."""
    texts = [text.lstrip("\n") for text in texts if text.strip()]
    chosen = [texts[0], texts[len(texts) // 2]] if len(texts) > 1 else texts
    return "\n".join(_beginning(text, _SAMPLE_CHARACTERS // len(chosen)) for text in chosen)


def longest_word(text: str) -> str:
    """Return the longest word of a text with the space before it, or the text's beginning without one."""
    return max(_WORD.findall(text), key=len, default=text)[:MAX_WORD_CHARACTERS]


def _beginning(text: str, n_characters: int) -> str:
    """Cut a text, at the end of a word where words are separated by spaces."""
    cut = text[:n_characters]
    return cut if cut == text else regex.sub(r"\s?\S{0,30}$", "", cut)
