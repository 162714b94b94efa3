"""The most frequent pairs of earlier merges, so that a chart of them can be moved in both directions."""

from bisect import bisect_right
from collections.abc import Sequence

from playground.training.algorithms.learner import Candidate

#: The number of candidates of each step.
N_CANDIDATES = 8
_N_EACH = 256  # the candidates of these first steps are all recorded
_SPACING = 32  # later steps: one after each further 32nd of the steps so far


class CandidateRecord:
    """The most frequent pairs after each of the first 256 merges, and at growing intervals afterwards.

    A record takes about a millisecond, longer than a merge.

    >>> record = CandidateRecord()
    >>> record.n_until_next(0), record.n_until_next(100), record.n_until_next(320)
    (0, 0, 0)
    >>> record.add(320, [])
    >>> record.n_until_next(320), record.n_until_next(325)
    (10, 5)
    """

    def __init__(self) -> None:
        self.steps: list[int] = []
        self.pairs: list[Sequence[Candidate]] = []

    def n_until_next(self, n_merges: int) -> int:
        """Return how many more merges to make before the next record is due; 0 if one is due now."""
        if not self.steps:
            return 0
        last = self.steps[-1]
        spacing = 1 if last < _N_EACH else last // _SPACING
        return max(0, last + spacing - n_merges)

    def add(self, n_merges: int, pairs: Sequence[Candidate]) -> None:
        """Record the most frequent pairs after `n_merges`."""
        self.steps.append(n_merges)
        self.pairs.append(pairs)

    def until(self, n_merges: int) -> list[tuple[int, Sequence[Candidate]]]:
        """Return the records of the first `n_merges` merges, each with its number of merges."""
        end = bisect_right(self.steps, n_merges)
        return list(zip(self.steps[:end], self.pairs[:end], strict=True))
