"""LiteToken: BPE whose residues, tokens that only served as steps to longer ones, are removed at the end.

From the paper (arXiv 2602.04706, by its abstract and published summaries): a residue is found on a corpus by
the share of its occurrences that are final tokens, F1 / (F1 + F2), where F2 counts those that were merged
further, and by the entropy of its neighbours. The encoder merges as before, splits residues into their parts,
and merges the parts again without residues.

The summaries leave three things open, and these answers are our own: the neighbours of a token are the tokens
that it was merged with; a residue has a low share and a low entropy; the thresholds are `MAX_SHARE` and
`MAX_ENTROPY`. The 256 byte tokens are never removed.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from playground.bpe.lecture import merge
from playground.bpe.merging import token_tree
from playground.bpe.model import BpeModel
from playground.catalog.trained import TrainedTokenizer
from playground.core.building import MergeNode
from playground.core.errors import InvalidInputError
from playground.training.algorithms.bpe import BpeLearner
from playground.training.algorithms.cutters import ByteCutter
from playground.training.algorithms.learner import (
    Algorithm,
    Candidate,
    Change,
    LearnerDefaults,
    Option,
    OptionValue,
    Removals,
    TrainingTexts,
)
from playground.training.algorithms.scaffold import without_removed
from playground.training.film import N_COLORS, FilmToken, FollowingFilm
from playground.training.pretoken_counts import PretokenCounts

_N_STEPS = 8  # that remove residues, those with the lowest share first
MAX_SHARE, MAX_ENTROPY = 0.05, 1.0
_Merge = tuple[int, int, int]


class LiteTokenLearner(LearnerDefaults):
    """`BpeLearner` until its end; then each of a few steps removes residues."""

    score_name = "count"

    def __init__(self, texts: TrainingTexts, vocab_size: int, options: Mapping[str, OptionValue]) -> None:
        self._max_share = float(options.get("max_share", MAX_SHARE))
        self._max_entropy = float(options.get("max_entropy", MAX_ENTROPY))
        if not 0 <= self._max_share <= 1 or self._max_entropy < 0:
            raise InvalidInputError(
                f"a share of {self._max_share:g} and an entropy of {self._max_entropy:g} bits find no "
                "residues; choose a share from 0 to 1, and an entropy from 0"
            )
        first_options = {"ties": "lowest-pair", "min_count": options.get("min_count", 2)}
        self.first = BpeLearner(texts, vocab_size, first_options)
        self._texts = texts
        self._residues: list[tuple[int, int, float]] | None = None  # id, final occurrences, share
        self._encoded: list[_Encoded] = []
        self._gone: list[set[int]] = []  # the residues that are removed after each removing step
        self._encoders: list[TrainedTokenizer] = []  # after each removing step, with the ids of training
        self._rows: list[tuple[int, int, int]] = []

    @property
    def n_removing(self) -> int:
        """The number of steps so far that removed residues."""
        return len(self._rows)

    @property
    def n_steps(self) -> int:
        """The number of merges and of steps that removed residues so far."""
        return self.first.n_steps + self.n_removing

    @property
    def n_steps_wanted(self) -> int:
        """The number of steps of the whole training, as far as it is known."""
        n_merges = self.first.n_steps if self.first.stop_reason else self.first.n_steps_wanted
        return n_merges + (_N_STEPS if self._residues is None else len(self._encoders))

    @property
    def stop_reason(self) -> str:
        """Why the training ended, in words; "" before its end."""
        if self._residues is None or self.n_removing < len(self._encoders):
            return ""
        return "no residue is left" if self._residues else "no token is a residue"

    def advance(self, n_steps: int | None = None) -> int:
        """Make up to `n_steps` steps, or all; return their number."""
        n_made = self.first.advance(n_steps)
        if self.first.stop_reason and self._residues is None and n_made != n_steps:
            self._find_residues()
        while self._residues is not None and n_made != n_steps and self.n_removing < len(self._encoders):
            gone, encoder = self._gone[self.n_removing], self._encoders[self.n_removing]
            n_tokens = [each.count(gone, encoder) for each in self._encoded]
            self._rows.append((int(self.first.curve()[-1, 0]) - len(gone), n_tokens[0], sum(n_tokens[1:])))
            n_made += 1
        return n_made

    def _find_residues(self) -> None:
        merges = self.first.merges()
        before = BpeModel(self._texts.pattern, tuple(merges))
        tokenizer = TrainedTokenizer("before", before)
        self._encoded = [
            _Encoded(tokenizer, counts)
            for counts in (self._texts.pretokens, self._texts.held_out)
            if counts is not None
        ]
        final = self._encoded[0].n_uses()
        self._residues = find_residues(merges, final, self._max_share, self._max_entropy)
        n_steps = min(_N_STEPS, len(self._residues))
        for step in range(n_steps):
            n_gone = len(self._residues) * (step + 1) // n_steps
            self._gone.append({token_id for token_id, _n, _share in self._residues[:n_gone]})
            model = _model(before, self._gone[-1])
            self._encoders.append(TrainedTokenizer(f"without {n_gone}", model))

    def _n_gone(self, n_steps: int) -> int:
        """Return the number of residues that the first removing steps remove."""
        return len(self._gone[n_steps - 1]) if n_steps else 0

    def _removed_by(self, step: int) -> list[tuple[int, int, float]]:
        """Return the residues that a removing step removes."""
        return (self._residues or [])[self._n_gone(step) : self._n_gone(step + 1)]

    def encoder(self, step: int) -> TrainedTokenizer:
        """Return the tokenizer after a removing step, with the ids of training."""
        return self._encoders[step]

    def curve(self) -> npt.NDArray[np.int64]:
        """Return vocabulary size, tokens, and held-out tokens of each state."""
        return np.concatenate([self.first.curve(), np.array(self._rows, np.int64).reshape(-1, 3)])

    def changes(self, first: int = 0, last: int | None = None) -> Sequence[Change]:
        """Return the tokens that the steps `first:last` added or removed, these with their parts."""
        n_merges = self.first.n_steps
        last = self.n_steps if last is None else min(last, self.n_steps)
        found = list(self.first.changes(first, last))
        merges, raw_of = self.first.merges(), self.token_bytes()
        for step in range(max(first, n_merges), last):
            for token_id, n, _share in self._removed_by(step - n_merges):
                parts = merges[token_id - 256][:2]
                found.append(Change(step, "removed", token_id, raw_of[token_id], parts, n, float(n)))
        return found

    def candidates(self, n_candidates: int = 8) -> Sequence[Candidate]:
        """Return the most frequent pairs, or the residues that are removed next."""
        if self._residues is None:
            return self.first.candidates(n_candidates)
        raw_of = self.token_bytes()
        coming = self._residues[self._n_gone(self.n_removing) :][:n_candidates]
        return [Candidate(raw_of[token_id], n, float(n)) for token_id, n, _share in coming]

    def token_bytes(self) -> Sequence[bytes]:
        """Return the bytes of each id that ever existed."""
        return self.first.token_bytes()

    def cutter(self) -> ByteCutter:
        """Return how a short text is cut: merges begin with its bytes."""
        return ByteCutter(self._texts.pattern)

    def film(self, text: str) -> "LiteTokenFilm":
        """Return the film of a short text, up to the latest step."""
        return LiteTokenFilm(text, self)

    def tokenizer(self, name: str, special_tokens: tuple[str, ...] = ()) -> TrainedTokenizer:
        """Return the tokenizer learned so far; removed tokens have the ids after all others.

        Raises InvalidInputError for invalid special tokens.
        """
        if not self._rows:
            return self.first.tokenizer(name, special_tokens)
        last = self.n_removing - 1
        model = without_removed(self._encoders[last].model, self._gone[last], special_tokens)
        return TrainedTokenizer(name, model)

    def removals(self) -> Removals:
        """Return the residues removed so far, and the tokens that the text has more than before."""
        if not self._rows:
            return Removals()
        n_vocab, n_tokens, _n_held_out = self.first.curve()[-1].tolist()
        return Removals(n_vocab - self._rows[-1][0], self._rows[-1][1] - n_tokens)


def find_residues(
    merges: Sequence[_Merge], final: Mapping[int, int], max_share: float, max_entropy: float
) -> list[tuple[int, int, float]]:
    """Return the residues as id, final occurrences and share, the lowest share first.

    `final` counts final tokens. Here (97, 98) is always merged with 99:

    >>> find_residues([(97, 98, 256), (256, 99, 257)], {257: 40, 256: 1}, 0.05, 1)
    [(256, 1, 0.024390243902439025)]
    """
    n_all = Counter(final)  # of final tokens, and of those inside longer ones
    partners: defaultdict[int, list[int]] = defaultdict(list)
    for left, right, new in reversed(merges):  # parts are older than what is merged from them
        for part in (left, right):
            n_all[part] += n_all[new]
            partners[part].append(n_all[new])
    found = []
    for token_id in sorted({new for _left, _right, new in merges}):
        n = final.get(token_id, 0)
        if not partners[token_id] or not n_all[token_id] or n > max_share * n_all[token_id]:
            continue
        each = np.array([count for count in partners[token_id] if count], np.float64)
        entropy = float(-(each / each.sum() * np.log2(each / each.sum())).sum()) if len(each) else 0.0
        if entropy <= max_entropy:
            found.append((token_id, n, n / n_all[token_id]))
    return sorted(found, key=lambda residue: (residue[2], -residue[0]))


def _model(model: BpeModel, residues: Set[int]) -> BpeModel:
    """Return merges, then the removal of residues, then merges again except those that make residues."""
    again = tuple([merge for merge in model.merges if merge[2] not in residues])
    removals = tuple((len(model.merges), token_id) for token_id in sorted(residues, reverse=True))
    return BpeModel(model.pattern, model.merges + again, removals=removals)


class _Encoded:
    """Counted pretokens and their ids before any residue is removed."""

    def __init__(self, tokenizer: TrainedTokenizer, pretokens: PretokenCounts) -> None:
        self._words = [
            (text, tokenizer.encode_pretoken(text), count)
            for text, count in ((raw.decode(), count) for raw, count in pretokens.items())
        ]

    def n_uses(self) -> Counter[int]:
        """Return how often each id occurs."""
        found = Counter[int]()
        for _text, ids, count in self._words:
            for token_id in ids:
                found[token_id] += count
        return found

    def count(self, gone: set[int], tokenizer: TrainedTokenizer) -> int:
        """Return the number of tokens if pretokens with a removed token are encoded by `tokenizer`."""
        return sum(
            count * len(ids if gone.isdisjoint(ids) else tokenizer.encode_pretoken(text))
            for text, ids, count in self._words
        )


class LiteTokenFilm(FollowingFilm):
    """A film of merges, then of the steps that remove residues."""

    def __init__(self, text: str, learner: LiteTokenLearner) -> None:
        self._learner = learner
        super().__init__(text, learner.first.pattern, learner.first.merges)

    def follow(self) -> None:
        """Add the steps that the learner has made since the last call."""
        n_removed = self.n_steps - self.n_merges
        if not n_removed:
            super().follow()
        for removing in range(n_removed, self._learner.n_removing):
            self.n_steps += 1
            self._cut_anew(self._learner.encoder(removing))

    def tree(self, place: int) -> MergeNode:
        """Return the merges inside `tokens[place]` as a tree."""
        token = self.tokens[place]
        if token.made_at <= self.n_merges:
            return super().tree(place)
        return token_tree(token.id, self._learner.encoder(0).model.merge_rule())

    def _cut_anew(self, tokenizer: TrainedTokenizer) -> None:
        """Replace tokens by those of a tokenizer; tokens that stay are the same."""
        now = {(token.start, token.end, token.id): token for token in self.tokens if token.gone_at is None}
        spans: list[tuple[int, int, int]] = []
        raw_of = self._learner.token_bytes()
        cuts = sorted(self.cuts)
        for start, end in pairwise(cuts):
            for token_id in tokenizer.encode_pretoken(self.raw[start:end].decode()):
                spans.append((start, start + len(raw_of[token_id]), token_id))
                start = spans[-1][1]
        before = -1
        for nth, span in enumerate(spans):
            if span not in now:
                after = now[spans[nth + 1]].color if nth + 1 < len(spans) and spans[nth + 1] in now else -1
                color = next(color for color in range(N_COLORS) if color not in (before, after))
                self.tokens.append(FilmToken(*span, made_at=self.n_steps, color=color))
                before = color
            else:
                before = now[span].color
        for span in now.keys() - set(spans):
            now[span].gone_at = self.n_steps


def encode_slowly(word: bytes, merges: Sequence[_Merge], residues: set[int]) -> list[int]:
    """Return the tokens of a word: merge, split residues into their parts, and merge again without them.

    >>> encode_slowly(b"abcab", [(97, 98, 256), (256, 99, 257)], {256})
    [257, 97, 98]
    """
    parts_of = {new: (left, right) for left, right, new in merges}
    ids = list(word)
    for left, right, new in merges:
        ids = merge(ids, (left, right), new)
    while any(token_id in residues for token_id in ids):
        ids = [
            part for token_id in ids for part in (parts_of[token_id] if token_id in residues else [token_id])
        ]
    for left, right, new in merges:
        if new not in residues:
            ids = merge(ids, (left, right), new)
    return ids


LITETOKEN = Algorithm(
    "litetoken", "LiteToken",
    "BPE; at the end, tokens that were nearly always merged further are removed.",
    "Sun et al. 2026, arXiv 2602.04706",
    (
        Option(
            "max_share", "Largest share of final tokens",
            "A token may be removed if at most this share of its occurrences was not merged further.",
            MAX_SHARE, None, 0, 1,
        ),
        Option(
            "max_entropy", "Largest entropy of neighbours, in bits",
            "A token that was merged with more different tokens than this stays.", MAX_ENTROPY, None, 0, 20,
        ),
        Option("min_count", "Lowest count of a pair", "Rarer pairs are not merged.", 2, None, 1, 1_000_000),
    ),
    LiteTokenLearner,
    code=(find_residues, encode_slowly, merge),
)  # fmt: skip
