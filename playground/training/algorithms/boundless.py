"""BoundlessBPE: from the first merge on, neighbouring pretokens that are one token each may merge, too.

Such a supermerge joins only pretokens of letters (with spaces, "_" and apostrophes), as in the authors' code;
the most frequent pair of either kind is merged next. A supermerge changes nothing inside pretokens, and a
pair of pretokens is at most as frequent as the merges that made each of them. So both kinds are learned on
their own, and ordered by their counts (arXiv 2604.05192). Of equal counts, merges inside pretokens come
first, then lowest ids, those of superwords last. The authors' deletions of tokens are not applied.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from playground.bpe.lecture import get_stats, merge
from playground.bpe.merging import merge_parts
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import iter_pretokens
from playground.bpe.superwords import may_join
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError, TextTooLongError
from playground.training.algorithms.bpe import BpeLearner
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
from playground.training.film import MergeFilm
from playground.training.trainer import StopReason
from playground.training.warm_up import PIECES

MAX_CHARACTERS = 20_000_000
_Rows = npt.NDArray[np.int64]


class BoundlessLearner(LearnerDefaults):
    """All merges are learned at the start; each step shows the next one."""

    score_name = "count"

    def __init__(self, texts: TrainingTexts, vocab_size: int, options: Mapping[str, OptionValue]) -> None:
        if texts.corpus is None:
            raise InvalidInputError(
                "BoundlessBPE learns from texts, not from counts; choose a corpus of texts"
            )
        if texts.corpus.n_characters > MAX_CHARACTERS:
            raise TextTooLongError(
                f"the text has {texts.corpus.n_characters:,} characters; BoundlessBPE learns from at most "
                f"{MAX_CHARACTERS:,}, so use less text"
            )
        self.pattern = texts.pattern
        min_count = options.get("min_count", 2)
        inside = BpeLearner(texts, vocab_size, {"ties": "lowest-pair", "min_count": min_count})
        inside.advance()
        assert isinstance(min_count, int)  # checked by BpeLearner
        across = _supermerges(texts, inside, vocab_size, min_count)
        across.advance()
        rows = np.concatenate(
            [inside.trainer.columns()[:, :4], np.array(across.rows(), np.int64).reshape(-1, 4)]
        )
        is_across = np.arange(len(rows)) >= inside.n_steps
        order = np.argsort(-rows[:, 3], kind="stable")
        rows, is_across = rows[order], is_across[order]
        n_made = _renumber(rows, vocab_size)
        self._rows, self._is_across = rows[:n_made], is_across[:n_made]
        n_across = np.cumsum([0, *self._is_across])
        self._curve: _Rows = inside.curve()[np.arange(n_made + 1) - n_across]
        saved = across.curve()[0, 1:] - across.curve()[n_across, 1:]
        self._curve[:, 1:] -= saved
        self._curve[:, 0] = np.maximum.accumulate(np.append(256, self._rows[:, 2] + 1))
        is_full = int(self._curve[-1, 0]) == vocab_size
        self._reason = (StopReason.VOCAB_SIZE if is_full else StopReason.MIN_COUNT).value
        self._raw_of = [bytes([byte]) for byte in range(256)]
        for left, right, new in self._rows[:, :3].tolist():
            if new == len(self._raw_of):
                self._raw_of.append(self._raw_of[left] + self._raw_of[right])
        self.n_steps = 0

    @property
    def n_steps_wanted(self) -> int:
        """The number of merges that fill the vocabulary."""
        return len(self._rows)

    @property
    def stop_reason(self) -> str:
        """Why the training ended, in words; "" before its end."""
        return self._reason if self.n_steps == len(self._rows) else ""

    def advance(self, n_steps: int | None = None) -> int:
        """Make up to `n_steps` merges, or all; return their number."""
        n_left = len(self._rows) - self.n_steps
        n_more = n_left if n_steps is None else min(n_steps, n_left)
        self.n_steps += n_more
        return n_more

    def curve(self) -> _Rows:
        """Return vocabulary size, tokens, and held-out tokens of each state."""
        return self._curve[: self.n_steps + 1]

    def changes(self, first: int = 0, last: int | None = None) -> Sequence[Change]:
        """Return the tokens that the merges `first:last` added."""
        last = self.n_steps if last is None else min(last, self.n_steps)
        return added_tokens(self._rows[first:last].tolist(), self._raw_of, first)

    def candidates(self, n_candidates: int = 8) -> Sequence[Candidate]:
        """Return the next merges whose parts are learned already, with their counts when they are made."""
        rows = self._rows[self.n_steps :]
        n_ids = int(self._curve[self.n_steps, 0])
        rows = rows[(rows[:, :2] < n_ids).all(axis=1)][:n_candidates]
        return [Candidate(self._raw_of[new], count, float(count), a, b) for a, b, new, count in rows.tolist()]

    def token_bytes(self) -> Sequence[bytes]:
        """Return the bytes of each id so far."""
        return self._raw_of[: int(self._curve[self.n_steps, 0])]

    def merges(self, first: int = 0) -> list[tuple[int, int, int, bool]]:
        """Return left, right and new id of the merges from `first` on, and whether each joins pretokens."""
        rows = self._rows[first : self.n_steps, :3].tolist()
        is_across = self._is_across[first : self.n_steps].tolist()
        return [(*row, joins) for row, joins in zip(rows, is_across, strict=True)]

    def cutter(self) -> ByteCutter:
        """Return how a short text is cut: merges begin with its bytes."""
        return ByteCutter(self.pattern)

    def film(self, text: str) -> "BoundlessFilm":
        """Return the film of a short text, up to the latest merge."""
        return BoundlessFilm(text, self)

    def tokenizer(self, name: str, special_tokens: tuple[str, ...] = ()) -> TrainedTokenizer:
        """Return the tokenizer learned so far. Raises InvalidInputError for invalid special tokens."""
        merges = tuple([(left, right, new) for left, right, new, _joins in self.merges()])
        supermerges = tuple(np.flatnonzero(self._is_across[: self.n_steps]).tolist())
        model = BpeModel(self.pattern, merges, supermerges=supermerges)
        return TrainedTokenizer(name, model.with_special_tokens(special_tokens))


def _supermerges(texts: TrainingTexts, inside: BpeLearner, vocab_size: int, min_count: int) -> SymbolMerges:
    """Return merges over neighbouring pretokens that may join and are one token each."""
    tokenizer = inside.tokenizer("inside pretokens")
    known: dict[str, int] = {}

    def token_of(pretoken: str) -> int:
        if pretoken not in known:
            ids = tokenizer.encode_pretoken(pretoken) if may_join(pretoken) else ()
            known[pretoken] = ids[0] if len(ids) == 1 else -1
        return known[pretoken]

    def count(pieces: Iterable[Iterable[str]]) -> Counter[tuple[int, ...]]:
        found = Counter[tuple[int, ...]]()
        for text in pieces:
            run: list[int] = []
            for pretoken, _is_match in iter_pretokens("".join(text), texts.pattern):
                token_id = token_of(pretoken)
                if token_id >= 0:
                    run.append(token_id)
                    continue
                found[tuple(run)] += 1
                run = []
            found[tuple(run)] += 1
        return found

    training, held_out_texts = texts.divided()
    counted, held_out = count(training), count(held_out_texts)
    runs = [run for run in {**counted, **held_out} if len(run) > 1]
    n_first = len(inside.token_bytes())
    return SymbolMerges(
        runs,
        [counted[run] for run in runs],
        [held_out[run] for run in runs],
        inside.token_bytes(),
        n_first + vocab_size - 256,
        min_count,
    )


def _renumber(rows: _Rows, vocab_size: int) -> int:
    """Number ids in the order of the rows; return how many rows fill the vocabulary."""
    new_ids = {byte: byte for byte in range(256)}
    for n, (left, right, new, _count) in enumerate(rows.tolist()):
        if len(new_ids) == vocab_size:
            return n
        rows[n, :3] = new_ids[left], new_ids[right], new_ids.setdefault(new, len(new_ids))
    return len(rows)


class BoundlessFilm(MergeFilm):
    """A text merged inside pretokens, and across those that are one token each."""

    def __init__(self, text: str, learner: BoundlessLearner) -> None:
        super().__init__(text, learner.pattern)
        self.n_steps = 0
        self._learner = learner
        cuts = sorted(self.cuts)
        self._joins_at = {start for start, end in pairwise(cuts) if may_join(self.raw[start:end].decode())}
        self._across: set[int] = set()
        self.follow()

    def follow(self) -> None:
        """Add the merges that the learner has made since the last call."""
        new = self._learner.merges(self.n_steps)
        self._across = {rank for rank, merge in enumerate(new, self.n_steps) if merge[3]}
        self.advance((left, right, new_id) for left, right, new_id, _joins in new)
        self.n_steps = self.n_merges

    def find_merges(
        self, ranks: Mapping[tuple[int, ...], int], made: Mapping[int, tuple[int, ...]]
    ) -> list[tuple[int, int, int]]:
        """Return merges of both kinds in order: the rank, and the bytes at which the two tokens start."""
        parts, starts = self.parts_now()
        inside = {pair: rank for pair, rank in ranks.items() if rank not in self._across}
        across = {pair: rank for pair, rank in ranks.items() if rank in self._across}
        steps, left, ends = merge_parts(parts, inside.get, made)
        found = [(rank, starts[a], starts[b]) for rank, a, b, _end in steps]
        pretokens: dict[int, list[tuple[int, ...]]] = {}
        start = 0
        for part, place in zip(left, (0, *ends), strict=False):
            if part:
                pretokens[start].append(part)
            else:  # a cut
                start = starts[place]
                pretokens[start] = []
        # A pretoken inside a superword has no token that starts in it.
        pretokens = {start: tokens for start, tokens in pretokens.items() if tokens}
        whole = [
            tokens[0] if len(tokens) == 1 and start in self._joins_at else ()
            for start, tokens in pretokens.items()
        ]
        starts = list(pretokens)
        steps, _left, _ends = merge_parts(whole, across.get, made)
        found += [(rank, starts[a], starts[b]) for rank, a, b, _end in steps]
        return sorted(found, key=lambda step: step[0])


def learn_slowly(texts: Sequence[Sequence[str]], n_merges: int) -> list[tuple[str, bytes, bytes]]:
    """Return the merges of texts that are cut into pretokens, counting everything anew each time.

    >>> learn_slowly([["a", " b", ".", "a", " b", " b"]], 3)
    [('inside', b' ', b'b'), ('across', b'a', b' b'), ('across', b'a b', b' b')]
    """
    cut = [[(list(pretoken.encode()), may_join(pretoken)) for pretoken in text] for text in texts]
    raw_of = {byte: bytes([byte]) for byte in range(256)}
    n_made = {"inside": 0, "across": 0}
    merges: list[tuple[str, bytes, bytes]] = []
    for _ in range(n_merges):
        counts = {kind: Counter[tuple[int, int]]() for kind in n_made}
        for text in cut:
            for ids, _joins in text:
                counts["inside"].update(get_stats(ids))
            for (one, joins), (other, other_joins) in pairwise(text):
                if joins and other_joins and len(one) == len(other) == 1:
                    counts["across"][one[0], other[0]] += 1
        order = [(-n, kind == "across", pair) for kind in counts for pair, n in counts[kind].items()]
        if not order:
            break
        _count, is_across, pair = min(order)
        kind = "across" if is_across else "inside"
        new = (1_000_000 if is_across else 256) + n_made[kind]
        n_made[kind] += 1
        raw_of[new] = raw_of[pair[0]] + raw_of[pair[1]]
        merges.append((kind, raw_of[pair[0]], raw_of[pair[1]]))
        for text in cut:
            if not is_across:
                text[:] = [(merge(ids, pair, new), joins) for ids, joins in text]
            for place, ((one, joins), (other, other_joins)) in enumerate(pairwise(text)):
                if is_across and joins and other_joins and [*one, *other] == list(pair):
                    text[place : place + 2] = [([new], True), ([], False)]
            text[:] = [(ids, joins) for ids, joins in text if ids]
    return merges


BOUNDLESS = Algorithm(
    "boundless", "BoundlessBPE",
    "BPE that also joins neighbouring pretokens, from the first merge on, once each is one token.",
    "Schmidt et al. 2025, arXiv 2504.00178; in two phases as in arXiv 2604.05192",
    (
        Option("min_count", "Lowest count of a pair", "Rarer pairs are not merged.", 2, None, 1, 1_000_000),
    ),
    BoundlessLearner,
    kernels=PIECES,
    needs_texts=True,
    code=(learn_slowly, get_stats, merge),
)  # fmt: skip
