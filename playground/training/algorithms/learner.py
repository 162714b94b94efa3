"""The contract of training algorithms: `Algorithm` describes one, `Learner` is one training of it.

A learner changes its vocabulary in steps. BPE adds a token with each merge; Unigram removes tokens with each
pruning. Charts draw `n_vocab` and tokens of each step, so that growing and shrinking share their axes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.opened import OpenedTokenizer
from playground.core.tokenizer import Tokenizer
from playground.core.wording import counted
from playground.training.algorithms.cutters import Cutter
from playground.training.corpora import Corpus, split_held_out
from playground.training.pretoken_counts import PretokenCounts

OptionValue = bool | int | float | str


@dataclass(frozen=True, slots=True)
class Option:
    """A setting of one algorithm, which the page draws as a widget and the shell as `--name`.

    `choices` maps each value to its label; without choices the default's type decides: a switch for bool, a
    number from `lowest` to `highest` for int and float, and a text field for str.
    """

    name: str
    label: str
    help: str
    default: OptionValue
    choices: Mapping[str, str] | None = None
    lowest: float | None = None
    highest: float | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible next change: the token that it would add or remove, its count, and the score that decides.

    `left` and `right` are the ids of a pair, or -1 where the change is not a merge.
    """

    raw: bytes
    count: int
    score: float
    left: int = -1
    right: int = -1


@dataclass(frozen=True, slots=True)
class Change:
    """One token that a step added or removed; `step` counts from 0.

    `parts` are the ids that a merge joined, or that replace a removed token. `count` and `score` are as in
    `Candidate`.
    """

    step: int
    kind: Literal["added", "removed"]
    id: int
    raw: bytes
    parts: tuple[int, ...]
    count: int
    score: float


@dataclass(frozen=True, slots=True)
class Removals:
    """What removals cost and free: tokens that are removed now, and tokens that the training text has more.

    >>> Removals(139, 335).sentence
    '139 tokens removed: 335 tokens more on the training text, 139 ids freed.'
    """

    n_removed: int = 0
    n_more: int = 0

    @property
    def sentence(self) -> str:
        """The two numbers in words; "" without removals."""
        if not self.n_removed:
            return ""
        direction = "more" if self.n_more >= 0 else "fewer"
        cost = f"{counted(abs(self.n_more), 'token')} {direction} on the training text"
        return f"{counted(self.n_removed, 'token')} removed: {cost}, {counted(self.n_removed, 'id')} freed."


class Learner(Protocol):
    """One training, advanced step by step.

    Only one thread may advance it; between two steps any thread may read. Arrays and lists that it returns
    may grow with later steps but never change.
    """

    #: The score of candidates, as the view names it ("count", "likelihood gain", …), and its unit.
    score_name: str

    @property
    def n_steps(self) -> int:
        """The number of steps so far."""

    @property
    def n_steps_wanted(self) -> int:
        """The number of steps of the whole training, as far as it is known."""

    @property
    def stop_reason(self) -> str:
        """Why the training ended, in words; "" before its end."""

    def advance(self, n_steps: int | None = None) -> int:
        """Make up to `n_steps` steps, or all; return their number, 0 at the end."""

    def curve(self) -> npt.NDArray[np.int64]:
        """A row for each state, state 0 first: vocabulary size, tokens of the training text, held-out tokens.

        Shape `(n_steps + 1, 3)`.
        """

    def changes(self, first: int = 0, last: int | None = None) -> Sequence[Change]:
        """Return the tokens that the steps `first:last` added or removed, in order."""

    def candidates(self, n_candidates: int = 8) -> Sequence[Candidate]:
        """Return the likeliest next changes now, the next one first."""

    def token_bytes(self) -> Sequence[bytes]:
        """Return the bytes of each id that ever existed."""

    def cutter(self) -> Cutter:
        """Return how a short text is cut after each step so far; it outlives the learner's process."""

    def tokenizer(self, name: str, special_tokens: tuple[str, ...] = ()) -> OpenedTokenizer:
        """Return the tokenizer learned so far. Raises InvalidInputError for invalid special tokens."""

    def lines(self) -> Mapping[str, npt.NDArray[np.float64]]:
        """Return further lines of the chart by title, a value for each state; {} for most algorithms.

        Parity-aware BPE gives bytes per token for each language.
        """

    def removals(self) -> Removals:
        """Return what the removals so far cost and free; zeros for an algorithm that removes nothing."""


class LearnerDefaults:
    """The answers of learners without further lines of the chart, and of those that remove no token."""

    def lines(self) -> Mapping[str, npt.NDArray[np.float64]]:
        """Return no further lines."""
        return {}

    def removals(self) -> Removals:
        """Return zeros: no token is removed."""
        return Removals()


@dataclass(frozen=True, slots=True)
class TrainingTexts:
    """What a learner learns from: a corpus, or counts of pretokens where the texts are no longer at hand.

    `pattern` is the split pattern that cut the pretokens. `corpus` is the whole corpus, given only where the
    algorithm needs texts; `divided` holds out the share `held_out_share` of it, or has `held_out_corpus`
    beside it. `base` is the tokenizer that Continue and Prune start from.
    """

    pretokens: PretokenCounts
    held_out: PretokenCounts | None
    corpus: Corpus | None
    pattern: SplitPattern
    held_out_share: float = 0.0
    held_out_corpus: Corpus | None = None
    base: Tokenizer | None = None

    def divided(self) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
        """Return the training texts, each in pieces, and the held-out texts; neither without a corpus."""
        if self.corpus is None:
            return (), ()
        training, held_out = split_held_out(self.corpus, self.held_out_share)
        if self.held_out_corpus is not None:
            held_out = tuple(map("".join, self.held_out_corpus.iter_texts()))
        return training, held_out


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A training algorithm: its names, options and sources, and the function that makes a learner.

    `needs_texts` is true where counts of pretokens are not enough, and `needs_languages` where each text is
    a language. `needs_base` is true where the algorithm starts from a tokenizer, whose split pattern cuts the
    text. `adds_special_tokens` is true where special tokens of one's own can be added to the tokenizer.
    `code` are the functions and classes that are the algorithm, for the page to
    show. `step` names a step; its plural has an "s". `begins_with_bytes`
    is true where 256 ids come first and each step adds one, so that a size is a number of steps, too.
    `has_size` is false where the text alone decides the size.
    """

    name: str
    title: str
    summary: str
    source: str
    options: tuple[Option, ...]
    make: Callable[[TrainingTexts, int, Mapping[str, OptionValue]], Learner]
    needs_texts: bool = False
    needs_languages: bool = False
    needs_base: bool = False
    adds_special_tokens: bool = True
    code: tuple[Callable[..., object], ...] = ()
    step: str = "merge"
    begins_with_bytes: bool = True
    has_size: bool = True

    def start(self, texts: TrainingTexts, vocab_size: int, options: Mapping[str, OptionValue]) -> Learner:
        """Return a learner before its first step.

        Raises InvalidInputError with one sentence for a corpus or a setting that the algorithm cannot use.
        """
        return self.make(texts, vocab_size, options)
