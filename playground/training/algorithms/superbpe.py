"""SuperBPE: BPE inside words; after a transition, merges also join words, up to whole lines.

After Liu et al. 2025 (arXiv 2503.13423). At the transition the text is cut anew, as the authors' script cuts
it: into lines, digits in groups of three, and runs of two and more marks on their own; here also after a
colon, where their trainer refuses the merge. The merges so far are applied to these longer pieces as the
finished tokenizer applies them, so the number of tokens may change a little at the transition. As in their
trainer, a pair is not merged if the new token would have more than four words between its spaces.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError, TextTooLongError
from playground.training.algorithms.bpe import MIN_COUNT, chosen_min_count, learn, words_of_bytes
from playground.training.algorithms.learner import Algorithm, Option, OptionValue, TrainingTexts
from playground.training.algorithms.merge_learner import MergeLearner
from playground.training.algorithms.words import MAX_IDS, MergeEvent, Words
from playground.training.pretoken_counts import PretokenCounts, count_pretokens

#: What remains one piece after the transition.
LINES = SplitPattern.of(
    r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]{2,}[\r\n/]*| +(?!\S)"
    r"|(?:(?! ?[^\s\p{L}\p{N}]{2}| +(?!\S))[^\r\n\p{N}:])+(?::(?![^\s\p{L}\p{N}]))?[\r\n]*|:[\r\n]*|[\r\n]+"
)
MAX_CHARACTERS = 10_000_000
MAX_WORDS = 4


def learn_superbpe(
    words: Words, lines: Words, tokens: list[bytes], vocab_size: int, first_size: int
) -> Iterator[MergeEvent]:
    """Merge inside words until there are `first_size` tokens, then inside lines; yield the merges.

    `words` and `lines` are the same text, cut in two ways.

    >>> words = Words([(b"to", 1, 0), (b" be", 2, 0), (b" to", 1, 0)], 256)
    >>> lines = Words([(b"to be", 1, 0), (b" to be", 1, 0)], 256)
    >>> tokens = [bytes([byte]) for byte in range(256)]
    >>> _merges = list(learn_superbpe(words, lines, tokens, 260, 258))
    >>> tokens[256:]
    [b' b', b'to', b' be', b'to be']
    """
    for merge in learn(words, tokens, first_size):
        lines.merge(merge.left << 20 | merge.right, merge.new)
        yield merge
    yield from learn(lines, tokens, vocab_size, shares_ids=True)


def n_words(token: bytes) -> int:
    """Return the number of words between a token's spaces.

    >>> n_words(b" of the ")
    2
    """
    return sum(1 for word in token.split(b" ") if word)


class SuperBpeLearner(MergeLearner):
    """A training of SuperBPE; each step is a merge."""

    def __init__(self, texts: TrainingTexts, vocab_size: int, options: Mapping[str, OptionValue]) -> None:
        transition, max_words = options.get("transition", 50), options.get("max_words", MAX_WORDS)
        if not isinstance(transition, int) or not 1 <= transition <= 99:
            raise InvalidInputError(
                f"a transition after {transition} % of the merges leaves none to one of the two stages; "
                "choose 1 to 99"
            )
        if not isinstance(max_words, int) or max_words < 0:
            raise InvalidInputError(
                f"a token cannot have {max_words!r} words; choose 1 or more, or 0 for any"
            )
        if not 258 <= vocab_size <= MAX_IDS:
            raise InvalidInputError(
                f"a vocabulary of {vocab_size:,} tokens cannot be learned in two stages after the 256 bytes; "
                f"choose 258 to {MAX_IDS:,}"
            )
        if texts.corpus is None:
            raise InvalidInputError("SuperBPE learns from texts, not from counts; choose a corpus of texts")
        if texts.corpus.n_characters > MAX_CHARACTERS:
            raise TextTooLongError(
                f"the text has {texts.corpus.n_characters:,} characters; SuperBPE learns from at most "
                f"{MAX_CHARACTERS:,}, so use less text"
            )
        min_count = chosen_min_count(options)
        tokens = [bytes([byte]) for byte in range(256)]

        def may_merge(pair: int) -> bool:
            return not max_words or n_words(tokens[pair >> 20] + tokens[pair % MAX_IDS]) <= max_words

        training, held_out = texts.divided()
        self._inside = words_of_bytes(
            texts.pretokens, texts.held_out, ties="lowest-pair", min_count=min_count
        )
        self._lines = words_of_bytes(
            count_pretokens(training, LINES), _counts_of(held_out), ties="lowest-pair", min_count=min_count,
            may_merge=may_merge,
        )  # fmt: skip
        self._first_pattern = texts.pattern
        first_size = max(257, 256 + (vocab_size - 256) * transition // 100)
        events = learn_superbpe(self._inside, self._lines, tokens, vocab_size, first_size)
        super().__init__(self._inside, tokens, events, vocab_size, LINES)
        self._first_size = first_size

    @property
    def n_inside(self) -> int:
        """The number of merges inside words so far."""
        return self._inside.n_ids - 256

    def advance(self, n_steps: int | None = None) -> int:
        """Make up to `n_steps` merges, or all; return their number."""
        n_made = super().advance(n_steps)
        if len(self._tokens) >= self._first_size or self._inside.most_frequent() is None:
            self._words = self._lines
        return n_made

    def model(self, special_tokens: tuple[str, ...] = ()) -> BpeModel:
        """Return the merges learned so far, which stay inside pretokens until the transition.

        Raises InvalidInputError for invalid special tokens.
        """
        pattern = LINES if self.n_steps > self.n_inside else self._first_pattern
        return BpeModel(pattern, tuple(self.pairs())).with_special_tokens(special_tokens)


def _counts_of(texts: Sequence[str]) -> PretokenCounts | None:
    pieces: Iterable[Iterable[str]] = [[text] for text in texts]
    return count_pretokens(pieces, LINES) if texts else None


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
        MIN_COUNT,
    ),
    SuperBpeLearner,
    needs_texts=True,
    code=(learn_superbpe, learn, Words),
)  # fmt: skip
