"""Prune: remove the tokens of a BPE tokenizer that a text does not use.

The 256 bytes stay, so that every text can still be encoded. A token stays if the text uses it often enough,
or if a token that stays is merged from it, however often; all others are removed with their merges. Because a
token has one pair of parts, a text that uses only tokens that stay is encoded as before.
"""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from playground.bpe.model import BpeModel
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError
from playground.training.algorithms.base import (
    BaseTokenizer,
    base_for,
    bytes_by_id,
    check_special_tokens,
    iter_encoded,
    model_of_base,
)
from playground.training.algorithms.cutters import PruneCutter
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
from playground.training.pretoken_counts import PretokenCounts

_N_STEPS = 8
#: What happens to the ids: each stays as it is, or they are numbered again without gaps.
Numbering = Literal["kept", "renumbered"]


@dataclass(frozen=True, slots=True)
class Pruned:
    """A pruned tokenizer, and its tokens by their ids in the base.

    `removed` maps an id to its bytes. `scaffold` are ids that stay only because longer tokens are merged from
    them. `new_ids` maps each id that stays, special tokens included, to its new id.
    """

    tokenizer: TrainedTokenizer
    removed: dict[int, bytes]
    scaffold: tuple[int, ...]
    new_ids: dict[int, int]


def prune(
    base: BaseTokenizer,
    pretokens: PretokenCounts,
    *,
    min_count: int = 1,
    ids: Numbering = "kept",
    name: str = "",
) -> Pruned:
    """Remove the tokens that occur less than `min_count` times; `pretokens` are cut as the base cuts.

    >>> from playground.bpe.split_pattern import SplitPattern
    >>> from playground.catalog.registry import get_tokenizer
    >>> from playground.training.pretoken_counts import count_pretokens
    >>> texts = count_pretokens(["Hello world"], SplitPattern.named("gpt2"))
    >>> found = prune(get_tokenizer("gpt2"), texts, ids="renumbered")
    >>> len(found.tokenizer.vocabulary), [found.new_ids[n] for n in (15496, 995, 50256)]
    (266, [264, 262, 265])

    Raises InvalidInputError.
    """
    if min_count < 1:
        raise InvalidInputError(f"a minimum count of {min_count:,} makes no sense; choose 1 or more")
    if ids not in get_args(Numbering):
        raise InvalidInputError(f"ids can't be {ids!r}; choose {' or '.join(get_args(Numbering))}")
    model = model_of_base(base)
    raw_of = model.token_bytes()
    n_uses: Counter[int] = Counter()
    for found, count in iter_encoded(base, pretokens):
        for token_id in found:
            n_uses[token_id] += count
    used = {token_id for token_id, n in n_uses.items() if n >= min_count}
    stays = used | set(model.byte_ids)
    for left, right, new_id in reversed(model.merges):  # parts are older than what is merged from them
        if new_id in stays:
            stays |= {left, right}
    pruned, new_ids = _without(model, stays, ids)
    return Pruned(
        TrainedTokenizer(name or f"{base.name}-pruned", pruned),
        removed={token_id: raw for token_id, raw in raw_of.items() if token_id not in stays},
        scaffold=tuple(sorted(stays - used - set(model.byte_ids))),
        new_ids=new_ids,
    )


def _without(model: BpeModel, stays: Set[int], ids: Numbering) -> tuple[BpeModel, dict[int, int]]:
    """Return a model with only the tokens of `stays`, and the new id of each that stays."""
    merges = [merge for merge in model.merges if merge[2] in stays]
    special_tokens = dict(model.special_tokens)
    new_ids = {token_id: token_id for token_id in (*stays, *special_tokens.values())}
    if ids == "renumbered":
        ordinary = sorted(stays)
        special_ids = sorted(set(special_tokens.values()) - stays)
        new_ids = {token_id: n for n, token_id in enumerate([*ordinary, *special_ids])}
    pruned = BpeModel(
        model.pattern,
        tuple((new_ids[left], new_ids[right], new_ids[new_id]) for left, right, new_id in merges),
        {token: new_ids[token_id] for token, token_id in special_tokens.items()},
        tuple(new_ids[token_id] for token_id in model.byte_ids),
        tuple((raw, new_ids[token_id]) for raw, token_id in model.whole if token_id in stays),
    )
    return pruned, new_ids


class PruneLearner(LearnerDefaults):
    """A training whose few steps remove what a text does not use, the newest tokens first."""

    score_name = "uses"

    def __init__(self, texts: TrainingTexts, _vocab_size: int, options: Mapping[str, OptionValue]) -> None:
        self._base = base_for(texts)
        self._pattern = texts.pattern
        self._model = model_of_base(self._base)
        self._ids: Numbering = "renumbered" if options.get("ids") == "renumbered" else "kept"
        found = prune(self._base, texts.pretokens, min_count=int(options.get("min_uses", 1)))
        place = {new_id: n for n, (_left, _right, new_id) in enumerate(self._model.merges)}
        self._raw_of = self._model.token_bytes()
        self._removed = sorted(found.removed, key=lambda token_id: -place.get(token_id, -1))
        self._training = _Encoded(self._base, texts.pretokens)
        self._held_out = _Encoded(self._base, texts.held_out) if texts.held_out else None
        self._n_uses = self._training.n_uses()
        self.n_steps_wanted = min(_N_STEPS, len(self._removed))
        self.n_steps = 0
        self._tokenizers: dict[int, TrainedTokenizer] = {}
        self._curve = [self._state()]

    @property
    def stop_reason(self) -> str:
        """Why the training ended; "" before its end."""
        if self.n_steps < self.n_steps_wanted:
            return ""
        return "every token that is left is used, or part of one" if self._removed else "every token is used"

    def advance(self, n_steps: int | None = None) -> int:
        """Make up to `n_steps` steps, or all; return their number."""
        n_left = self.n_steps_wanted - self.n_steps
        n_more = n_left if n_steps is None else min(n_steps, n_left)
        for _ in range(n_more):
            gone = set(self._removed[self._first(self.n_steps) : self._first(self.n_steps + 1)])
            for texts in filter(None, (self._training, self._held_out)):
                texts.follow(gone, self._after(self.n_steps + 1))
            self.n_steps += 1
            self._curve.append(self._state())
        return n_more

    def curve(self) -> npt.NDArray[np.int64]:
        """Return vocabulary size, tokens, and held-out tokens of each state."""
        return np.array(self._curve, np.int64)

    def changes(self, first: int = 0, last: int | None = None) -> Sequence[Change]:
        """Return the tokens that the steps `first:last` removed, each with the parts it was merged from."""
        last = self.n_steps if last is None else min(last, self.n_steps)
        parts = {new_id: (left, right) for left, right, new_id in self._model.merges}
        return [
            Change(step, "removed", token_id, self._raw_of[token_id], parts.get(token_id, ()),
                   self._n_uses[token_id], float(self._n_uses[token_id]))
            for step in range(first, last)
            for token_id in self._removed[self._first(step) : self._first(step + 1)]
        ]  # fmt: skip

    def candidates(self, n_candidates: int = 8) -> Sequence[Candidate]:
        """Return the tokens that are removed next."""
        first = self._first(self.n_steps)
        return [
            Candidate(self._raw_of[token_id], self._n_uses[token_id], float(self._n_uses[token_id]))
            for token_id in self._removed[first : first + n_candidates]
        ]

    def token_bytes(self) -> Sequence[bytes]:
        """Return the bytes of each id of the base."""
        return bytes_by_id(self._raw_of)

    def cutter(self) -> PruneCutter:
        """Return how a short text is cut: by the base without removed tokens."""
        bounds = [self._first(step) for step in range(self.n_steps_wanted + 1)]
        removed = [self._removed[first:last] for first, last in pairwise(bounds)]
        return PruneCutter(self._model, removed)

    def tokenizer(self, name: str, special_tokens: tuple[str, ...] = ()) -> TrainedTokenizer:
        """Return the base without the removed tokens. Raises InvalidInputError for further special tokens."""
        check_special_tokens(self._base, special_tokens)
        return TrainedTokenizer(name, _without(self._model, self._left(self.n_steps), self._ids)[0])

    def removals(self) -> Removals:
        """Return the removed tokens, and the tokens that the text has more than with the base."""
        first, last = self._curve[0], self._curve[-1]
        return Removals(first[0] - last[0], last[1] - first[1])

    def _first(self, step: int) -> int:
        """Return the place in `_removed` of the first token that a step removes."""
        return len(self._removed) * step // max(self.n_steps_wanted, 1)

    def _left(self, step: int) -> set[int]:
        return set(self._raw_of) - set(self._removed[: self._first(step)])

    def _after(self, step: int) -> TrainedTokenizer:
        """Return the tokenizer after a step, with the base's ids."""
        if step not in self._tokenizers:
            model, _ = _without(self._model, self._left(step), "kept")
            self._tokenizers[step] = TrainedTokenizer(f"{self._base.name}-{step}", model)
        return self._tokenizers[step]

    def _state(self) -> tuple[int, int, int]:
        n_vocab = len(self._raw_of) - self._first(self.n_steps)
        return n_vocab, self._training.n_tokens, self._held_out.n_tokens if self._held_out else 0


class _Encoded:
    """Counted pretokens and their ids, which change where a token of theirs is removed."""

    def __init__(self, base: BaseTokenizer, pretokens: PretokenCounts) -> None:
        self._pretokens = [raw.decode() for raw, _count in pretokens.items()]
        self._words = list(iter_encoded(base, pretokens))
        self.n_tokens = sum(len(ids) * count for ids, count in self._words)

    def n_uses(self) -> Counter[int]:
        """Return how often each id occurs."""
        found: Counter[int] = Counter()
        for ids, count in self._words:
            for token_id in ids:
                found[token_id] += count
        return found

    def follow(self, gone: Set[int], tokenizer: TrainedTokenizer) -> None:
        """Encode again the pretokens that have a removed token."""
        for place, (ids, count) in enumerate(self._words):
            if not gone.isdisjoint(ids):
                new = list(tokenizer.encode_pretoken(self._pretokens[place]))
                self.n_tokens += (len(new) - len(ids)) * count
                self._words[place] = new, count


PRUNE = Algorithm(
    "prune", "Prune", "Remove the tokens of a tokenizer that the text does not use, whatever the size.",
    "Asked for in tokenizers #1668 and transformers #15032",
    (
        Option("ids", "Ids", "Whether ids change.", "kept",
               {"kept": "each stays as it is", "renumbered": "numbered again without gaps"}),
        Option("min_uses", "Fewest uses", "Tokens with fewer uses in the text go.", 1, None, 1, 1_000_000),
    ),
    PruneLearner,
    needs_base=True,
    adds_special_tokens=False,
    code=(prune,),
    step="pruning",
    begins_with_bytes=False,
    has_size=False,
)  # fmt: skip
