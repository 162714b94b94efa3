"""SuperBPE: BPE inside pretokens, then, after a transition, merges across them, up to whole lines.

After the transition a text is cut as the authors' trainer cuts it: into lines, and digits in groups; here
also after a colon, where their trainer refuses the merge. The merges so far are applied to these longer
pieces as the finished tokenizer applies them, so the number of tokens may change a little at the transition.
As in their trainer a pair is not merged if the new token would have more than four words between its spaces.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from playground.bpe.lecture import get_stats, merge
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.opened import OpenedTokenizer
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError, TextTooLongError
from playground.training.algorithms.bpe import BpeLearner, start_bpe
from playground.training.algorithms.cutters import ByteCutter
from playground.training.algorithms.learner import (
    Algorithm,
    Candidate,
    Change,
    LearnerDefaults,
    Option,
    OptionValue,
    TrainingTexts,
    added_tokens,
)
from playground.training.algorithms.symbol_merges import SymbolMerges
from playground.training.algorithms.words import MAX_IDS as MAX_VOCAB_SIZE
from playground.training.film import FollowingFilm
from playground.training.pretoken_counts import count_pretokens
from playground.training.warm_up import PIECES

Longs = npt.NDArray[np.int64]

#: What remains one piece after the transition.
LINES = SplitPattern.of(r"[^\r\n\p{N}:]+:?[\r\n]*|:[\r\n]*|[\r\n]+|\p{N}{1,3}")
MAX_CHARACTERS = 20_000_000
MAX_WORDS = 4


class SuperBpeLearner(LearnerDefaults):
    """`BpeLearner` until the transition, then merges over lines; of equal counts, lowest ids first."""

    score_name = "count"

    def __init__(self, texts: TrainingTexts, vocab_size: int, options: Mapping[str, OptionValue]) -> None:
        transition, min_count = options.get("transition", 50), options.get("min_count", 2)
        max_words = options.get("max_words", MAX_WORDS)
        if not isinstance(transition, int) or not 1 <= transition <= 99:
            raise InvalidInputError(
                f"a transition after {transition} % of the merges leaves none to one of the two stages; "
                "choose 1 to 99"
            )
        if not isinstance(min_count, int):
            raise InvalidInputError(f"the minimum count {min_count!r} is not a whole number")
        if not isinstance(max_words, int) or max_words < 0:
            raise InvalidInputError(
                f"a token cannot have {max_words!r} words; choose 1 or more, or 0 for any"
            )
        if not 258 <= vocab_size <= MAX_VOCAB_SIZE:
            raise InvalidInputError(
                f"a vocabulary of {vocab_size:,} tokens cannot be learned in two stages after the 256 bytes; "
                f"choose 258 to {MAX_VOCAB_SIZE:,}"
            )
        if texts.corpus is None:
            raise InvalidInputError("SuperBPE learns from texts, not from counts; choose a corpus of texts")
        if texts.corpus.n_characters > MAX_CHARACTERS:
            raise TextTooLongError(
                f"the text has {texts.corpus.n_characters:,} characters; SuperBPE learns from at most "
                f"{MAX_CHARACTERS:,}, so use less text"
            )
        first_size = max(257, 256 + (vocab_size - 256) * transition // 100)
        self._texts, self._vocab_size, self._min_count = texts, vocab_size, min_count
        self._max_words = max_words
        first_options: dict[str, OptionValue] = {"ties": "lowest-pair", "min_count": min_count}
        self._first = start_bpe(texts, first_size, first_options)
        self._second: SymbolMerges | None = None

    @property
    def n_steps(self) -> int:
        """The number of merges so far."""
        second = self._second
        return self._first.n_steps + (second.n_made if second else 0)

    @property
    def n_steps_wanted(self) -> int:
        """The number of merges that fill the vocabulary."""
        return self.n_steps if self.stop_reason else max(self._vocab_size - 256, self.n_steps)

    @property
    def stop_reason(self) -> str:
        """Why the training ended, in words; "" before its end."""
        second = self._second
        return second.stop_reason if second else ""

    def advance(self, n_steps: int | None = None) -> int:
        """Make up to `n_steps` merges, or all; return their number."""
        n_made = self._first.advance(n_steps)
        if not self._first.stop_reason:
            return n_made
        if self._second is None:
            if n_steps is not None and n_made == n_steps:
                return n_made
            self._second = _second_stage(
                self._texts, self._first, self._vocab_size, self._min_count, self._max_words
            )
        return n_made + self._second.advance(None if n_steps is None else n_steps - n_made)

    def curve(self) -> Longs:
        """Return vocabulary size, tokens, and held-out tokens of each state."""
        first, second = self._first.curve(), self._second
        return np.concatenate([first, second.curve()[1:]]) if second else first

    def changes(self, first: int = 0, last: int | None = None) -> Sequence[Change]:
        """Return the tokens that the merges `first:last` added."""
        second, n_first = self._second, self._first.n_steps
        found = list(self._first.changes(first, last))
        if second:
            rows = second.rows()[max(first - n_first, 0) : None if last is None else max(last - n_first, 0)]
            found += added_tokens(rows, second.token_bytes(), max(first, n_first))
        return found

    def candidates(self, n_candidates: int = 8) -> Sequence[Candidate]:
        """Return the most frequent pairs now, the next merge first."""
        second = self._second
        return second.candidates(n_candidates) if second else self._first.candidates(n_candidates)

    def token_bytes(self) -> Sequence[bytes]:
        """Return the bytes of each id."""
        second = self._second
        return second.token_bytes() if second else self._first.token_bytes()

    def cutter(self) -> ByteCutter:
        """Return how a short text is cut: whole lines, as the finished tokenizer merges them."""
        return ByteCutter(LINES)

    def film(self, text: str) -> FollowingFilm:
        """Return the film of a short text, merged over whole lines from the first merge on.

        So does the finished tokenizer.
        """
        return FollowingFilm(text, LINES, self.merges)

    def merges(self, first: int = 0) -> list[tuple[int, int, int]]:
        """Return left, right and new id of the merges from `first` on."""
        second = self._second
        rows = self._first.pairs() + ([row[:3] for row in second.rows()] if second else [])
        return rows[first:]

    def tokenizer(self, name: str, special_tokens: tuple[str, ...] = ()) -> OpenedTokenizer:
        """Return the tokenizer learned so far, which cuts at pretokens until the transition.

        Raises InvalidInputError for invalid special tokens.
        """
        if self.n_steps == self._first.n_steps:
            return self._first.tokenizer(name, special_tokens)
        model = BpeModel(LINES, tuple(self.merges()))
        return TrainedTokenizer(name, model.with_special_tokens(special_tokens))


def _second_stage(
    texts: TrainingTexts, first: BpeLearner, vocab_size: int, min_count: int, max_words: int
) -> SymbolMerges:
    """Return merges over whole lines, which begin as the first stage's tokens."""
    model = BpeModel(LINES, tuple(first.pairs()))
    encode = TrainedTokenizer("the first stage", model).encode_pretoken
    training, held_out_texts = texts.divided()
    counted = _count_lines(training)
    held_out = _count_lines([text] for text in held_out_texts)
    lines = [*counted, *(line for line in held_out if line not in counted)]
    return SymbolMerges(
        [encode(line) for line in lines],
        [counted[line] for line in lines],
        [held_out[line] for line in lines],
        first.token_bytes(),
        vocab_size,
        min_count,
        max_words=max_words,
    )


def _count_lines(texts: Iterable[Iterable[str]]) -> Counter[str]:
    return Counter({raw.decode(): count for raw, count in count_pretokens(texts, LINES).items()})


def learn_slowly(
    pretokens: Sequence[bytes], lines: Sequence[bytes], n_first: int, n_merges: int, max_words: int
) -> list[tuple[int, int]]:
    """Return the pairs that SuperBPE merges: `n_first` inside pretokens, then more inside lines.

    >>> learn_slowly([b"to", b" be", b" to", b" be"], [b"to be", b" to be"], 2, 4, 4)
    [(32, 98), (116, 111), (256, 101), (257, 258)]
    """
    merges: list[tuple[int, int]] = []
    raws = [bytes([byte]) for byte in range(256)]
    pieces = [list(piece) for piece in pretokens]
    for _ in range(n_merges):
        if len(merges) == n_first:
            pieces = [list(line) for line in lines]
            for new_id, pair in enumerate(merges, start=256):
                pieces = [merge(piece, pair, new_id) for piece in pieces]
        counts = Counter[tuple[int, int]]()
        for piece in pieces:
            counts.update(get_stats(piece))
        if len(merges) >= n_first and max_words:
            joined = {pair: raws[pair[0]] + raws[pair[1]] for pair in counts}
            n_words = {pair: len(list(filter(None, raw.split(b" ")))) for pair, raw in joined.items()}
            counts = Counter({pair: n for pair, n in counts.items() if n_words[pair] <= max_words})
        if not counts:
            break
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        pieces = [merge(piece, best, 256 + len(merges)) for piece in pieces]
        merges.append(best)
        raws.append(raws[best[0]] + raws[best[1]])
    return merges


SUPERBPE = Algorithm(
    "superbpe", "SuperBPE",
    "BPE inside words; after a transition, merges also join words.",
    "Liu et al. 2025, arXiv 2503.13423",
    (
        Option(
            "transition", "Transition, in percent of the merges",
            "Merges up to here stay inside pretokens; later ones may join them.", 50, None, 1, 99,
        ),
        Option(
            "max_words", "Most words of a token", "Pairs with more words are not merged; 0 is no limit.",
            MAX_WORDS, None, 0, 1_000,
        ),
        Option("min_count", "Lowest count of a pair", "Rarer pairs are not merged.", 2, None, 1, 1_000_000),
    ),
    SuperBpeLearner,
    kernels=PIECES,
    needs_texts=True,
    code=(learn_slowly, get_stats, merge),
)  # fmt: skip
