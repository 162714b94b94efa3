"""BPE over bytes behind the contract of training algorithms: the compiled `Trainer` and its film."""

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from playground.bpe.lecture import get_stats, merge, train
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError
from playground.training.algorithms.cutters import ByteCutter
from playground.training.algorithms.learner import (
    Algorithm,
    Candidate,
    Change,
    LearnerDefaults,
    Option,
    OptionValue,
    TrainingTexts,
)
from playground.training.film import FollowingFilm
from playground.training.trainer import Trainer, model_of


class BpeLearner(LearnerDefaults):
    """A `Trainer` as a `Learner`: each step is a merge. `trainer` is for exports that need its columns."""

    score_name = "count"

    def __init__(self, texts: TrainingTexts, vocab_size: int, options: Mapping[str, OptionValue]) -> None:
        min_count = options.get("min_count", 2)
        if not isinstance(min_count, int):
            raise InvalidInputError(f"the minimum count {min_count!r} is not a whole number")
        self.pattern = texts.pattern
        self._n_bytes = texts.pretokens.n_bytes
        self._n_held_out_bytes = texts.held_out.n_bytes if texts.held_out else 0
        self.trainer = Trainer(
            texts.pretokens,
            vocab_size=vocab_size,
            ties=str(options.get("ties", "first-seen")),
            min_count=min_count,
            held_out=texts.held_out,
        )

    @property
    def n_steps(self) -> int:
        """The number of merges so far."""
        return self.trainer.n_merges

    @property
    def n_steps_wanted(self) -> int:
        """The number of merges that fill the vocabulary."""
        return self.trainer.vocab_size - 256

    @property
    def stop_reason(self) -> str:
        """Why the training ended, in words; "" before its end."""
        reason = self.trainer.stop_reason
        return reason.value if reason is not None else ""

    def advance(self, n_steps: int | None = None) -> int:
        """Make up to `n_steps` merges, or all; return their number."""
        return self.trainer.advance(n_steps)

    def curve(self) -> npt.NDArray[np.int64]:
        """Return vocabulary size, tokens, and held-out tokens of each state."""
        columns = self.trainer.columns()
        vocab = np.maximum.accumulate(np.append(256, columns[:, 2] + 1))
        first = [[self._n_bytes, self._n_held_out_bytes]]
        return np.column_stack([vocab, np.concatenate([first, columns[:, 4:6]])]).astype(np.int64)

    def changes(self, first: int = 0, last: int | None = None) -> Sequence[Change]:
        """Return the tokens that the merges `first:last` added."""
        return [
            Change(m.rank, "added", m.new_id, m.raw, (m.left, m.right), m.pair_count, float(m.pair_count))
            for m in self.trainer.merges(first, last)
        ]

    def candidates(self, n_candidates: int = 8) -> Sequence[Candidate]:
        """Return the most frequent pairs now, the next merge first."""
        return [
            Candidate(pair.raw, pair.count, float(pair.count), pair.left, pair.right)
            for pair in self.trainer.top_pairs(n_candidates)
        ]

    def token_bytes(self) -> Sequence[bytes]:
        """Return the bytes of each id."""
        return self.trainer.token_bytes()

    def merges(self, first: int = 0) -> list[tuple[int, int, int]]:
        """Return left, right and new id of the merges from `first` on."""
        return [(left, right, new) for left, right, new in self.trainer.columns()[first:, :3].tolist()]

    def cutter(self) -> ByteCutter:
        """Return how a short text is cut: merges begin with its bytes."""
        return ByteCutter(self.pattern)

    def film(self, text: str) -> FollowingFilm:
        """Return the film of a short text, up to the latest merge."""
        return FollowingFilm(text, self.pattern, self.merges)

    def tokenizer(self, name: str, special_tokens: tuple[str, ...] = ()) -> TrainedTokenizer:
        """Return the tokenizer learned so far. Raises InvalidInputError for invalid special tokens."""
        return TrainedTokenizer(name, model_of(self.trainer, self.pattern, special_tokens))


BPE = Algorithm(
    "bpe", "BPE",
    "Keep merging the most frequent pair of neighbouring tokens, beginning with bytes.",
    "Sennrich et al. 2016, arXiv 1508.07909; over bytes as in GPT-2",
    (
        Option(
            "ties", "Pairs with equal counts", "Which of several pairs with the same count merges first.",
            "first-seen",
            {
                "first-seen": "the pair that occurs first in the text",
                "lowest-pair": "the pair with the lowest ids",
                "hugging-face": "as in Hugging Face’s trainer",
            },
        ),
        Option("min_count", "Lowest count of a pair", "Rarer pairs are not merged.", 2, None, 1, 1_000_000),
    ),
    BpeLearner,
    code=(get_stats, merge, train),
)  # fmt: skip
