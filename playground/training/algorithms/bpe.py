"""BPE: keep merging the most frequent pair of neighbouring tokens, beginning with bytes.

After Sennrich et al. 2016 (arXiv 1508.07909), over bytes as in GPT-2. `bpe.lecture` is the algorithm in its
shortest form, which counts everything anew for each merge; here a merge changes only the counts around it.
"""

from collections.abc import Callable, Iterator, Mapping
from operator import add

from playground.bpe.gpt2_bytes import GPT2_BYTE_ORDER
from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError
from playground.training.algorithms.learner import Algorithm, Option, OptionValue, TrainingTexts
from playground.training.algorithms.merge_learner import MergeLearner
from playground.training.algorithms.words import MAX_IDS, MergeEvent, Words, first_seen, lowest_pair
from playground.training.merges import TIE_RULES
from playground.training.pretoken_counts import PretokenCounts

_RANK_OF_BYTE = {byte: rank for rank, byte in enumerate(GPT2_BYTE_ORDER)}


def gpt2_order(_words: Words, pair: int) -> int:
    """Order pairs with equal counts by their ids, bytes as in GPT-2's vocabulary."""
    left, right = pair >> 20, pair % MAX_IDS
    return _RANK_OF_BYTE.get(left, left) << 20 | _RANK_OF_BYTE.get(right, right)


#: The order of pairs with equal counts under each rule of `TIE_RULES`.
_ORDERS = {
    "first-seen": first_seen,  # the pair that occurs first in the text: karpathy/minbpe
    "lowest-pair": lowest_pair,  # the pair with the lowest ids: rustbpe
    "hugging-face": gpt2_order,  # the lowest ids in GPT-2's byte order; equal spellings share an id
}


def words_of_bytes(
    pretokens: PretokenCounts,
    held_out: PretokenCounts | None,
    *,
    ties: str,
    min_count: int,
    may_merge: Callable[[int], bool] = lambda _pair: True,
) -> Words:
    """Return pretokens as words of bytes; those that are only held out come last, with a count of 0."""
    held = dict(held_out.items()) if held_out else {}
    rows = [(raw, count, held.pop(raw, 0)) for raw, count in pretokens.items()]
    rows += [(raw, 0, count) for raw, count in held.items()]
    return Words(rows, 256, min_count=min_count, tie=_ORDERS[ties], may_merge=may_merge)


def learn(
    words: Words,
    tokens: list[bytes],
    vocab_size: int,
    *,
    shares_ids: bool = False,
    join: Callable[[bytes, bytes], bytes] = add,
) -> Iterator[MergeEvent]:
    """Merge the most frequent pair again and again, until there are `vocab_size` tokens; yield the merges.

    `tokens` has the spelling of each id, and grows; `join` spells a new one. With `shares_ids`, merges that
    spell the same share an id.

    >>> words, tokens = Words([(b"aaabdaaabac", 1, 0)], 256), [bytes([byte]) for byte in range(256)]
    >>> [(m.left, m.right, m.new, m.pair_count, m.n_tokens) for m in learn(words, tokens, 259)]
    [(97, 97, 256, 4, 9), (97, 98, 257, 2, 7), (256, 257, 258, 2, 5)]
    """
    id_of = {token: token_id for token_id, token in reversed(list(enumerate(tokens)))}  # the first counts
    while len(tokens) < vocab_size and (pair := words.most_frequent()) is not None:
        left, right = pair >> 20, pair % MAX_IDS
        count = words.pairs[pair]
        joined = join(tokens[left], tokens[right])
        new = id_of.get(joined, len(tokens)) if shares_ids else len(tokens)
        if new == len(tokens):
            tokens.append(joined)
            id_of[joined] = new
        words.merge(pair, new)
        yield MergeEvent(left, right, new, count, words.n_tokens, words.n_held_out)


class BpeLearner(MergeLearner):
    """A training of BPE over counted pretokens; held-out pretokens are encoded but never learned from.

    >>> from playground.training.pretoken_counts import count_pretokens
    >>> learner = BpeLearner(count_pretokens(["aaabdaaabac"], SplitPattern.named("none")), vocab_size=259)
    >>> learner.advance(), [merge.raw for merge in learner.merges()], learner.stop_reason
    (3, [b'aa', b'aaa', b'aaab'], 'the vocabulary is as large as asked for')
    """

    def __init__(
        self,
        pretokens: PretokenCounts,
        *,
        vocab_size: int,
        pattern: SplitPattern | None = None,
        ties: str = "first-seen",
        min_count: int = 1,
        held_out: PretokenCounts | None = None,
    ) -> None:
        if ties not in TIE_RULES:
            raise InvalidInputError(f"unknown tie rule {ties!r}; choose from {', '.join(TIE_RULES)}")
        if not 257 <= vocab_size <= MAX_IDS:
            raise InvalidInputError(
                f"a vocabulary of {vocab_size:,} tokens cannot be learned: the 256 bytes come first, so "
                f"choose 257 to {MAX_IDS:,}"
            )
        if min_count < 1:
            raise InvalidInputError(f"a minimum count of {min_count:,} makes no sense; choose 1 or more")
        words = words_of_bytes(pretokens, held_out, ties=ties, min_count=min_count)
        tokens = [bytes([byte]) for byte in range(256)]
        events = learn(words, tokens, vocab_size, shares_ids=ties == "hugging-face")
        super().__init__(words, tokens, events, vocab_size, pattern or SplitPattern.named("none"))


def start_bpe(texts: TrainingTexts, vocab_size: int, options: Mapping[str, OptionValue]) -> BpeLearner:
    """Return a learner with the options of the table. Raises InvalidInputError."""
    return BpeLearner(
        texts.pretokens,
        vocab_size=vocab_size,
        pattern=texts.pattern,
        ties=str(options.get("ties", "first-seen")),
        min_count=chosen_min_count(options),
        held_out=texts.held_out,
    )


def chosen_min_count(options: Mapping[str, OptionValue]) -> int:
    """Return the lowest count of a pair that is merged. Raises InvalidInputError if it is no whole number."""
    min_count = options.get("min_count", 2)
    if not isinstance(min_count, int) or min_count < 1:
        raise InvalidInputError(f"a minimum count of {min_count!r} makes no sense; choose 1 or more")
    return min_count


#: The option of every algorithm that merges the most frequent pair.
MIN_COUNT = Option(
    "min_count", "Lowest count of a pair", "Rarer pairs are not merged.", 2, None, 1, 1_000_000
)

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
        MIN_COUNT,
    ),
    start_bpe,
    code=(learn, Words),
)  # fmt: skip
