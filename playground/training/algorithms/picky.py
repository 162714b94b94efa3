"""PickyBPE: BPE that removes a token once a merge takes most of its occurrences.

After Chizhov et al. 2024 (arXiv 2409.04599): a part of a merge is removed if the merge took at least a share
τ (`>=`) of its occurrences; what is left of it is broken into the two parts of its first merge at once. Of
equally frequent pairs the one with the lowest ids is merged first. Bytes always stay.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from playground.bpe.model import BpeModel
from playground.core.errors import InvalidInputError
from playground.training.algorithms.bpe import MIN_COUNT, chosen_min_count
from playground.training.algorithms.learner import (
    Algorithm,
    Change,
    Option,
    OptionValue,
    Removals,
    TrainingTexts,
)
from playground.training.algorithms.merge_learner import MergeLearner
from playground.training.algorithms.words import GAP, MAX_IDS, MergeEvent, Words


class BreakableWords(Words):
    """Words whose tokens can be broken into two parts again.

    >>> words = BreakableWords([(b"abc", 2, 0)], 256)
    >>> _gained = words.merge(97 << 20 | 98, 256)
    >>> words.split(256, 97, 98)
    >>> words.n_tokens, words.pairs[98 << 20 | 99], words.uses[97]
    (6, 2, 2)
    """

    def __init__(
        self, words: Iterable[tuple[Sequence[int], int, int]], n_symbols: int, *, min_count: int = 1
    ) -> None:
        super().__init__(words, n_symbols, min_count=min_count)
        self.uses = defaultdict[int, int](int, enumerate(self.count_tokens()))
        self._made: defaultdict[int, list[int]] = defaultdict(list)  # where each token stands or stood

    def merge(self, pair: int, new: int) -> set[int]:
        """Replace a pair by a token wherever it stands, from the left; return the pairs gained."""
        self._places[pair].sort()  # after a split they are out of order
        self._made[new] += self._places[pair]
        n_before = self.n_tokens
        gained = super().merge(pair, new)
        n_merged = n_before - self.n_tokens
        for token, n_more in ((pair >> 20, -n_merged), (pair % MAX_IDS, -n_merged), (new, n_merged)):
            self.uses[token] += n_more
        return gained

    def split(self, token: int, left: int, right: int) -> None:
        """Replace a token by two parts wherever it stands."""
        size, n_cells = self._sizes[left], self._sizes[token]
        gained: set[int] = set()
        for place in self._made.pop(token, ()):
            middle, end = place + size, place + n_cells
            if self._starting[place] != token:
                continue  # it was merged, or is broken already
            count, held_out = self._counts[place]
            self.n_tokens += count
            self.n_held_out += held_out
            for part, n_more in ((token, -count), (left, count), (right, count)):
                self.uses[part] += n_more
            self._starting[place], self._starting[middle] = left, right
            self._ending[middle - 1], self._ending[end - 1] = left, right
            self._made[left].append(place)
            self._made[right].append(middle)
            found = [(left << 20 | right, place)]
            if (before := self._ending[place - 1]) != GAP:
                self.pairs[before << 20 | token] -= count
                found.append((before << 20 | left, place - self._sizes[before]))
            if (after := self._starting[end]) != GAP:
                self.pairs[token << 20 | after] -= count
                found.append((right << 20 | after, middle))
            for pair, at in found:
                self.pairs[pair] += count
                self._places[pair].append(at)
                gained.add(pair)
        self._push(gained)


class Removed(NamedTuple):
    """A removed token, its uses when it was removed, and the tokens that it was broken into."""

    token: int
    n_uses: int
    parts: tuple[int, ...]


class Picky:
    """A training of PickyBPE: which tokens are gone, and what each merge removed.

    >>> tokens = [bytes([byte]) for byte in range(256)]
    >>> picky = Picky(BreakableWords([(b"low", 5, 0), (b"lot", 1, 0)], 256), 0.8)
    >>> [(tokens[merge.new], picky.removed[-1]) for merge in picky.learn(tokens, 258)][:2]
    [(b'lo', []), (b'low', [Removed(token=256, n_uses=1, parts=(108, 111))])]
    """

    def __init__(self, words: BreakableWords, threshold: float) -> None:
        self.words, self.threshold = words, threshold
        self.parts: dict[int, tuple[int, int]] = {}  # of the first merge that makes each token
        self.gone: set[int] = set()
        self.removed: list[list[Removed]] = []  # by each merge
        self.is_added: list[bool] = []  # whether each merge made a token that was not in the vocabulary
        self.splits: list[tuple[int, int]] = []  # the number of merges before each split, and its token
        self.n_broken = 0  # tokens that were broken into two

    def learn(self, tokens: list[bytes], vocab_size: int) -> Iterator[MergeEvent]:
        """Merge the most frequent pair and remove its parts, until `vocab_size` tokens are left."""
        words, id_of = self.words, {token: token_id for token_id, token in enumerate(tokens)}
        while len(tokens) - len(self.gone) < vocab_size and (pair := words.most_frequent()) is not None:
            left, right, count = pair >> 20, pair % MAX_IDS, words.pairs[pair]
            joined = tokens[left] + tokens[right]
            new = id_of.setdefault(joined, len(tokens))
            self.is_added.append(new == len(tokens) or new in self.gone)
            if new == len(tokens):
                tokens.append(joined)
                self.parts[new] = left, right
            self.gone.discard(new)
            before = {left: words.uses[left], right: words.uses[right]}
            words.merge(pair, new)
            self.removed.append([])
            for part in before:
                taken = before[part] - words.uses[part]
                if part >= 256 and part not in self.gone and taken >= self.threshold * before[part]:
                    self._remove(part)
            yield MergeEvent(left, right, new, count, words.n_tokens, words.n_held_out)

    def _remove(self, token: int) -> None:
        n_uses = self.words.uses[token]
        self.gone.add(token)
        self.removed[-1].append(Removed(token, n_uses, tuple(self.expand(token))))
        for each in sorted(self._gone_inside(token), reverse=True):
            self.splits.append((len(self.removed), each))
            self.n_broken += self.words.uses[each]
            self.words.split(each, *self.parts[each])

    def _gone_inside(self, token: int) -> set[int]:
        """Return a removed token and the removed tokens inside it."""
        if token not in self.gone:
            return set()
        return {token}.union(*(self._gone_inside(part) for part in self.parts[token]))

    def expand(self, token: int) -> list[int]:
        """Return the tokens of the vocabulary that stand for a token."""
        if token not in self.gone:
            return [token]
        return [each for part in self.parts[token] for each in self.expand(part)]


class PickyLearner(MergeLearner):
    """A training of PickyBPE; each step is a merge and the removals after it."""

    def __init__(self, texts: TrainingTexts, vocab_size: int, options: Mapping[str, OptionValue]) -> None:
        threshold = options.get("threshold", 0.9)
        if not isinstance(threshold, int | float) or not 0.5 <= threshold <= 1:
            raise InvalidInputError(
                f"the threshold {threshold!r} is not a share from 0.5 to 1; choose such as 0.9"
            )
        if not 256 <= vocab_size <= MAX_IDS:
            raise InvalidInputError(
                f"the 256 bytes do not fit into {vocab_size:,} tokens; choose 256 to {MAX_IDS:,}"
            )
        held_out = dict(texts.held_out.items()) if texts.held_out else {}
        rows = [(raw, count, held_out.pop(raw, 0)) for raw, count in texts.pretokens.items()]
        rows += [(raw, 0, count) for raw, count in held_out.items()]
        words = BreakableWords(rows, 256, min_count=chosen_min_count(options))
        tokens = [bytes([byte]) for byte in range(256)]
        self._picky = Picky(words, float(threshold))
        self._n_vocab = [256]  # after each step
        super().__init__(words, tokens, self._recorded(tokens, vocab_size), vocab_size, texts.pattern)

    def _recorded(self, tokens: list[bytes], vocab_size: int) -> Iterator[MergeEvent]:
        for event in self._picky.learn(tokens, vocab_size):
            self._n_vocab.append(len(tokens) - len(self._picky.gone))
            yield event

    @property
    def n_vocab(self) -> int:
        """The number of tokens that are in the vocabulary now."""
        return self._n_vocab[-1]

    def curve(self) -> npt.NDArray[np.int64]:
        """Return vocabulary size, tokens, and held-out tokens of each state."""
        rows = super().curve()
        rows[:, 0] = self._n_vocab[: len(rows)]
        return rows

    def changes(self, first: int = 0, last: int | None = None) -> Sequence[Change]:
        """Return the tokens that the merges `first:last` added or removed, with what replaces these."""
        found: list[Change] = []
        for added in super().changes(first, last):
            if self._picky.is_added[added.step]:
                found.append(added)
            found += [
                Change(added.step, "removed", n, self._tokens[n], parts, n_uses, float(n_uses))
                for n, n_uses, parts in self._picky.removed[added.step]
            ]
        return found

    def removals(self) -> Removals:
        """Return the removed tokens, and the sum of what their removals cost."""
        return Removals(len(self._picky.gone), self._picky.n_broken)

    def model(self, special_tokens: tuple[str, ...] = ()) -> BpeModel:
        """Return the merges and removals; removed tokens have the ids after all others.

        Raises InvalidInputError for invalid special tokens.
        """
        model = BpeModel(self.pattern, tuple(self.pairs()), removals=tuple(self._picky.splits))
        return without_removed(model, self._picky.gone, special_tokens)


def without_removed(model: BpeModel, removed: Set[int], special_tokens: tuple[str, ...]) -> BpeModel:
    """Return a model whose tokens are numbered without gaps, then special tokens, then removed tokens.

    Raises InvalidInputError for invalid special tokens.
    """
    stay = sorted({*range(256), *(new for _left, _right, new in model.merges)} - removed)
    numbered = BpeModel(model.pattern, ((0, 0, len(stay) - 1),)).with_special_tokens(special_tokens)
    order = [*stay, *special_tokens, *sorted(removed)]
    new_ids = {old: new for new, old in enumerate(order)}
    return BpeModel(
        model.pattern,
        tuple([(new_ids[a], new_ids[b], new_ids[n]) for a, b, n in model.merges]),
        numbered.special_tokens,
        removals=tuple([(n, new_ids[token_id]) for n, token_id in model.removals]),
    )


PICKY = Algorithm(
    "picky", "PickyBPE",
    "BPE that removes a token once a merge takes most of its occurrences.",
    "Chizhov et al. 2024, arXiv 2409.04599",
    (
        Option(
            "threshold", "Share that a merge takes",
            "A part is removed if the merge takes at least this share (≥) of its occurrences. Of pairs with "
            "equal counts the one with the lowest ids merges first.", 0.9, None, 0.5, 1,
        ),
        MIN_COUNT,
    ),
    PickyLearner,
    code=(Picky, BreakableWords, Words),
)  # fmt: skip
