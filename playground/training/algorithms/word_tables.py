"""Words and characters: a row for each of the most frequent ones, and `<|unk|>` for all others.

Words are found in whole texts, as the table's tokenizer finds them; a split pattern has no part in it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.opened import OpenedTokenizer
from playground.catalog.word_table import (
    END,
    UNKNOWN,
    Unit,
    WordTable,
    WordTableTokenizer,
    learn_table,
    pattern_of,
)
from playground.core.errors import InvalidInputError
from playground.training.algorithms.cutters import TableCutter
from playground.training.algorithms.learner import (
    Algorithm,
    Candidate,
    Change,
    LearnerDefaults,
    Option,
    OptionValue,
    TrainingTexts,
)


class TableLearner(LearnerDefaults):
    """A training that adds one row after another, the most frequent first; ids count them."""

    score_name = "count"

    def __init__(
        self, unit: Unit, texts: TrainingTexts, vocab_size: int, options: Mapping[str, OptionValue]
    ) -> None:
        self._unit, self._pattern = unit, texts.pattern
        self._has_unknown = bool(options.get("has_unknown", True))
        if texts.corpus is not None:  # words may cross the cuts of a split pattern
            training, held_out_texts = texts.divided()
            counts = _count(unit, (("".join(pieces), 1) for pieces in training))
            held_out = _count(unit, ((text, 1) for text in held_out_texts))
            self._pattern = SplitPattern.named("none")
        else:
            counts, held_out = (
                _count(unit, ((raw.decode(), n) for raw, n in of.items())) if of else Counter[str]()
                for of in (texts.pretokens, texts.held_out)
            )
        n_special = 2 if self._has_unknown else 0
        if not counts:
            raise InvalidInputError(f"the text has no {unit}; choose another text")
        if vocab_size <= n_special:
            raise InvalidInputError(f"a table needs more than {n_special} rows; choose a larger vocabulary")
        self._n_special = n_special
        self._rows = sorted(counts, key=lambda row: (-counts[row], row))[: vocab_size - n_special]
        self._counts = [counts[row] for row in self._rows]
        self._n_found, self._n_held_out = counts.total(), held_out.total()
        self._n_different = len(counts)
        self._covered = np.cumsum([0, *self._counts])
        self._held_out_covered = np.cumsum([0, *(held_out[row] for row in self._rows)])
        self._n_made = 0

    @property
    def n_steps(self) -> int:
        """The number of rows so far."""
        return self._n_made

    @property
    def n_steps_wanted(self) -> int:
        """The number of rows that the table gets."""
        return len(self._rows)

    @property
    def stop_reason(self) -> str:
        """Why the training ended; "" before its end."""
        if self._n_made < len(self._rows):
            return ""
        is_all = len(self._rows) == self._n_different
        return f"All {self._unit} of the text have a row." if is_all else "The vocabulary has its size."

    def advance(self, n_steps: int | None = None) -> int:
        """Add up to `n_steps` rows, or all; return their number."""
        n_left = len(self._rows) - self._n_made
        n_more = n_left if n_steps is None else min(n_steps, n_left)
        self._n_made += n_more
        return n_more

    def curve(self) -> npt.NDArray[np.int64]:
        """Return vocabulary size, tokens, and held-out tokens of each state."""
        states = np.arange(self._n_made + 1)
        known = np.column_stack([self._covered[states], self._held_out_covered[states]])
        if self._has_unknown:
            known[:] = self._n_found, self._n_held_out
        return np.column_stack([states + self._n_special, known]).astype(np.int64)

    def changes(self, first: int = 0, last: int | None = None) -> Sequence[Change]:
        """Return the rows that the steps `first:last` added."""
        last = self._n_made if last is None else min(last, self._n_made)
        return [
            Change(n, "added", n, self._rows[n].encode(), (), self._counts[n], float(self._counts[n]))
            for n in range(first, last)
        ]

    def candidates(self, n_candidates: int = 8) -> Sequence[Candidate]:
        """Return the most frequent words or characters without a row."""
        places = range(self._n_made, min(self._n_made + n_candidates, len(self._rows)))
        return [Candidate(self._rows[n].encode(), self._counts[n], float(self._counts[n])) for n in places]

    def token_bytes(self) -> Sequence[bytes]:
        """Return the bytes of each row so far."""
        return [row.encode() for row in self._rows[: self._n_made]]

    def cutter(self) -> TableCutter:
        """Return how a short text is cut: into rows."""
        id_of = {row: nth for nth, row in enumerate(self._rows)}
        return TableCutter(self._pattern, self._unit, id_of, self._has_unknown)

    def tokenizer(self, name: str, special_tokens: tuple[str, ...] = ()) -> OpenedTokenizer:
        """Return the table's tokenizer. Raises InvalidInputError for other special tokens than its own."""
        if others := [token for token in special_tokens if token not in (END, UNKNOWN)]:
            raise InvalidInputError(
                f"a table of {self._unit} takes no special tokens but {END} and {UNKNOWN}; remove "
                f"{', '.join(others)}"
            )
        rows = tuple(sorted(self._rows[: self._n_made])) or tuple(self._rows[:1])
        return WordTableTokenizer(name, WordTable(self._unit, rows, self._has_unknown))

    def lines(self) -> Mapping[str, npt.NDArray[np.float64]]:
        """Return the share of the text that has rows, at each state."""
        return {"share known": self._covered[: self._n_made + 1] / max(self._n_found, 1)}


def _count(unit: Unit, texts: Iterable[tuple[str, int]]) -> Counter[str]:
    counts = Counter[str]()
    for text, count in texts:
        for row, n in Counter(pattern_of(unit).findall(text)).items():
            counts[row] += count * n
    for special in (END, UNKNOWN):
        counts.pop(special, None)
    return counts


_HAS_UNKNOWN = Option(
    "has_unknown", "Token for unknown text", f"{UNKNOWN} stands for text without a row; else it is lost.",
    default=True,
)  # fmt: skip

WORDS = Algorithm(
    "words", "Words", "A row for each of the most frequent words; other words are unknown.",
    "Bengio et al. 2003", (_HAS_UNKNOWN,), partial(TableLearner, "words"), needs_texts=True,
    adds_special_tokens=False, code=(learn_table,), step="word", begins_with_bytes=False,
)  # fmt: skip
CHARACTERS = Algorithm(
    "characters", "Characters", "A row for each of the most frequent characters.",
    "Sutskever et al. 2011", (_HAS_UNKNOWN,), partial(TableLearner, "characters"),
    adds_special_tokens=False, code=(learn_table,), step="character", begins_with_bytes=False,
)  # fmt: skip
