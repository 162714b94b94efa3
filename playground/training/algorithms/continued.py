"""Continue: learn more tokens from a text with the tokens of an existing BPE tokenizer as the alphabet.

The base's merges keep their ranks and come first, so each pretoken is encoded by the base, and new merges
join the tokens that remain. A merge learned this way is reached by the encoder: neighbours in an encoding are
also what their joined bytes encode to. A new token whose bytes the base already has would never be chosen
where ranks are looked up by bytes; such pairs are left alone and counted in `n_avoided`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from playground.bpe.model import BpeModel
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError
from playground.core.wording import counted
from playground.training.algorithms.base import (
    BaseTokenizer,
    base_for,
    bytes_by_id,
    check_special_tokens,
    iter_encoded,
    model_of_base,
)
from playground.training.algorithms.bpe import MIN_COUNT, chosen_min_count
from playground.training.algorithms.cutters import TokenizerCutter
from playground.training.algorithms.learner import Algorithm, Candidate, OptionValue, TrainingTexts
from playground.training.algorithms.merge_learner import MergeLearner
from playground.training.algorithms.words import MAX_IDS, MergeEvent, Words
from playground.training.pretoken_counts import PretokenCounts

MAX_NEW_TOKENS = 200_000


@dataclass(frozen=True, slots=True)
class AddedMerge:
    """A new token, its parts, and the number of times the pair occurred when it was merged."""

    left: int
    right: int
    id: int
    raw: bytes
    count: int


@dataclass(frozen=True, slots=True)
class Continued:
    """A continued tokenizer; `unreachable` are new ids that the encoder does not give for their own bytes."""

    tokenizer: TrainedTokenizer
    added: tuple[AddedMerge, ...]
    n_avoided: int
    unreachable: tuple[int, ...]


def learn_more(words: Words, tokens: list[bytes], n_more: int, avoided: set[int]) -> Iterator[MergeEvent]:
    """Add up to `n_more` tokens, each the most frequent pair of tokens; yield the merges.

    `tokens` has the bytes of each id, and grows. Pairs whose bytes are a token already come into `avoided`,
    which `words` never merges.

    >>> avoided: set[int] = set()
    >>> words = Words([(b"abab", 3, 0)], 257, may_merge=lambda pair: pair not in avoided)
    >>> tokens = [*(bytes([byte]) for byte in range(256)), b"ab"]
    >>> [tokens[merge.new] for merge in learn_more(words, tokens, 2, avoided)], len(avoided)
    ([b'ba', b'aba'], 1)
    """
    known, n_wanted = set(tokens), len(tokens) + n_more
    while len(tokens) < n_wanted and (pair := words.most_frequent()) is not None:
        left, right, count = pair >> 20, pair % MAX_IDS, words.pairs[pair]
        joined = tokens[left] + tokens[right]
        if joined in known:
            avoided.add(pair)
            continue
        known.add(joined)
        tokens.append(joined)
        words.merge(pair, len(tokens) - 1)
        yield MergeEvent(left, right, len(tokens) - 1, count, words.n_tokens, words.n_held_out)


def continue_bpe(
    base: BaseTokenizer, pretokens: PretokenCounts, *, n_tokens: int, min_count: int = 2, name: str = ""
) -> Continued:
    """Add up to `n_tokens` tokens to a base; stop when no pair occurs `min_count` times.

    `pretokens` are counted with the base's split pattern. Of equally frequent pairs the one with the lowest
    ids is merged first. New ids follow the highest id of the base, special tokens included.

    >>> from playground.bpe.split_pattern import SplitPattern
    >>> from playground.catalog.registry import get_tokenizer
    >>> from playground.training.pretoken_counts import count_pretokens
    >>> texts = count_pretokens(["tokenizer, tokenizer"], SplitPattern.named("gpt2"))
    >>> found = continue_bpe(get_tokenizer("gpt2"), texts, n_tokens=1, min_count=1)
    >>> [(merge.id, merge.raw, merge.count) for merge in found.added]
    [(50257, b' tokenizer', 1)]

    Raises InvalidInputError for a number of tokens or a count that makes no sense.
    """
    learner = ContinueLearner(base, pretokens, None, n_tokens=n_tokens, min_count=min_count)
    learner.advance()
    added = [AddedMerge(m.left, m.right, m.new_id, m.raw, m.pair_count) for m in learner.merges()]
    tokenizer = learner.tokenizer(name or f"{base.name}-continued")
    return Continued(tokenizer, tuple(added), learner.n_avoided, learner.unreachable())


class ContinueLearner(MergeLearner):
    """A training whose merges follow those of a base; each step adds a token."""

    def __init__(
        self,
        base: BaseTokenizer,
        pretokens: PretokenCounts,
        held_out: PretokenCounts | None,
        *,
        n_tokens: int,
        min_count: int,
    ) -> None:
        if not 1 <= n_tokens <= MAX_NEW_TOKENS:
            raise InvalidInputError(
                f"{n_tokens:,} new tokens cannot be learned; choose 1 to {MAX_NEW_TOKENS:,}"
            )
        if min_count < 1:
            raise InvalidInputError(f"a minimum count of {min_count:,} makes no sense; choose 1 or more")
        self._base, self._model = base, model_of_base(base)
        special = self._model.special_tokens
        raw_of = self._model.token_bytes()
        self._n_base = len(raw_of)
        tokens = bytes_by_id(raw_of | {token_id: token.encode() for token, token_id in special.items()})
        self._avoided: set[int] = set()
        rows = [(ids, count, 0) for ids, count in iter_encoded(base, pretokens)]
        rows += [(ids, 0, count) for ids, count in iter_encoded(base, held_out)] if held_out else []
        words = Words(
            rows, len(tokens), min_count=min_count, may_merge=lambda pair: pair not in self._avoided
        )
        events = learn_more(words, tokens, n_tokens, self._avoided)
        size = len(tokens) + n_tokens
        cutter = TokenizerCutter(TrainedTokenizer(base.name, self._model))
        super().__init__(words, tokens, events, size, self._model.pattern, cutter)

    @property
    def n_avoided(self) -> int:
        """The number of pairs that were left alone, because a token of their bytes exists."""
        return len(self._avoided)

    def advance(self, n_steps: int | None = None) -> int:
        """Add up to `n_steps` tokens, or all; return their number."""
        n_made = super().advance(n_steps)
        if self.stop_reason:
            is_short = self.n_vocab < self.vocab_size
            reason = "no further pair occurs often enough" if is_short else "all tokens asked for were added"
            self.stop_reason = "; ".join(filter(None, [reason, self._reach()]))
        return n_made

    def _reach(self) -> str:
        """Say which pairs were left alone, and which new tokens can never be reached; "" if none."""
        found = []
        if self._avoided:
            found.append(
                f"{counted(self.n_avoided, 'pair')} left alone, because a token of the same bytes exists and "
                "the new one could never be reached"
            )
        if unreachable := self.unreachable():
            found.append(f"never reached by the encoder: {', '.join(map(str, unreachable))}")
        return "; ".join(found)

    def unreachable(self) -> tuple[int, ...]:
        """Return the new ids that the encoder does not give for their own bytes."""
        rule = self.tokenizer("all merges").merges
        return tuple(merge.new_id for merge in self.merges() if rule.build(merge.raw).ids != (merge.new_id,))

    def curve(self) -> npt.NDArray[np.int64]:
        """Return vocabulary size, tokens, and held-out tokens of each state."""
        rows = super().curve()
        rows[:, 0] = self._n_base + np.arange(len(rows))
        return rows

    def candidates(self, n_candidates: int = 8) -> Sequence[Candidate]:
        """Return the most frequent pairs of tokens whose bytes are no token yet."""
        known = set(self._tokens)
        found = self._candidates_in(self._words, 4 * n_candidates)
        return [candidate for candidate in found if candidate.raw not in known][:n_candidates]

    def model(self, special_tokens: tuple[str, ...] = ()) -> BpeModel:
        """Return the base's model with the added merges. Raises InvalidInputError for special tokens."""
        check_special_tokens(self._base, special_tokens)
        return replace(self._model, merges=(*self._model.merges, *self.pairs()))

    def tokenizer(self, name: str, special_tokens: tuple[str, ...] = ()) -> TrainedTokenizer:
        """Return the base with the added tokens. Raises InvalidInputError for further special tokens."""
        return TrainedTokenizer(name, self.model(special_tokens))


def _start(texts: TrainingTexts, vocab_size: int, options: Mapping[str, OptionValue]) -> ContinueLearner:
    return ContinueLearner(
        base_for(texts),
        texts.pretokens,
        texts.held_out,
        n_tokens=vocab_size - 256,
        min_count=chosen_min_count(options),
    )


CONTINUE = Algorithm(
    "continue", "Continue", "Add tokens learned from the text to a tokenizer, one for each merge asked for.",
    "The tokenizer’s merges come first; asked for in tokenizers #839 and sentencepiece #830",
    (MIN_COUNT,),
    _start,
    needs_base=True,
    adds_special_tokens=False,
    code=(learn_more, Words),
)  # fmt: skip
