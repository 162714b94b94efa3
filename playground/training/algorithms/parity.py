"""Parity-aware BPE: each merge serves the language that is compressed worst so far.

After Foroutan, Meister and others 2025, arXiv 2508.04796, whose code is swiss-ai/parity-aware-bpe (MIT). Each
text of the corpus is a language; equal texts are one language that counts as often. Unlike the authors' code,
training goes on without a language whose pairs are all rarer than the minimum count.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from playground.bpe.lecture import get_stats, merge
from playground.bpe.model import BpeModel
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
    added_tokens,
)
from playground.training.algorithms.merge_learner import StopReason
from playground.training.algorithms.words import MAX_IDS as MAX_VOCAB_SIZE
from playground.training.corpora import udhr_languages
from playground.training.film import FollowingFilm
from playground.training.pretoken_counts import count_pretokens
from playground.training.warm_up import PIECES

MAX_LANGUAGES = 100
#: The share of the last merges that a language may have is this, divided by the number of languages.
_WINDOW_SHARE = 2


class ParityLearner(LearnerDefaults):
    """A training over several languages; each step is a merge.

    The development set is the whole of each text. Where all texts are translations of the same one (UDHR),
    the language with most tokens is served, otherwise that with fewest bytes per token.
    """

    score_name = "count"

    def __init__(self, texts: TrainingTexts, vocab_size: int, options: Mapping[str, OptionValue]) -> None:
        from playground.training.kernel import language_merges as kernel

        if texts.corpus is None:
            raise InvalidInputError("parity-aware BPE needs the texts of each language, not only counts")
        if not 257 <= vocab_size <= MAX_VOCAB_SIZE:
            raise InvalidInputError(
                f"a vocabulary of {vocab_size:,} tokens cannot be learned: the 256 bytes come first, so "
                f"choose 257 to {MAX_VOCAB_SIZE:,}"
            )
        self._kernel = kernel
        self.pattern = texts.pattern
        self._n_wanted = vocab_size - 256
        self._min_count = max(1, int(options.get("min_count", 2)))
        self._n_global = round(float(options.get("hybrid", 0.0)) * self._n_wanted)
        self._window = int(options.get("window", 0))
        whole = ["".join(pieces) for pieces in texts.corpus.iter_texts()]
        number_of = {text: n for n, text in enumerate(dict.fromkeys(filter(str.strip, whole)))}
        n_languages = len(number_of)
        if not 2 <= n_languages <= MAX_LANGUAGES:
            raise InvalidInputError(
                f"parity-aware BPE takes each text as a language, and this corpus has {n_languages:,}; "
                f"choose 2 to {MAX_LANGUAGES} languages, such as those of “Many languages: human rights”"
            )
        self.languages, is_parallel = _names(number_of, dict(zip(whole, texts.corpus.names, strict=False)))
        training, _held_out = texts.divided()
        words: dict[tuple[int, bytes], list[int]] = {}

        def add(language: int, text: Sequence[str], column: int) -> None:
            for raw, count in count_pretokens([text], self.pattern).items():
                words.setdefault((language, raw), [language, 0, 0, 0])[column] += count

        for text, kept in zip(whole, training, strict=True):
            if text in number_of:
                add(number_of[text], kept, 1)
        for text, language in number_of.items():
            add(language, (text,), 2)
        if texts.held_out is not None:
            for raw, count in texts.held_out.items():
                words[n_languages, raw] = [n_languages, 0, 0, count]
        lengths = np.array([len(raw) for _language, raw in words], np.int64)
        joined = b"".join(raw for _language, raw in words)
        rows = np.array(list(words.values()), np.int64)
        self._state = kernel.new_state(joined, lengths, rows, n_languages)
        self._n_bytes = self._state.n_tokens[:-1, 1].copy()
        self._divisors = np.ones(n_languages) if is_parallel else self._n_bytes.astype(np.float64)
        self._token_bytes = [bytes([byte]) for byte in range(256)]
        self._id_of = {raw: token_id for token_id, raw in enumerate(self._token_bytes)}
        self._merges: list[tuple[int, int, int, int]] = []  # left, right, new id, count
        self._served: list[int] = []  # the language of each merge; the number of languages for all
        self._exhausted: set[int] = set()
        self._columns = np.zeros((1, 3 + n_languages), np.int64)
        self._stop_reason = ""
        self._record()

    @property
    def n_steps(self) -> int:
        """The number of merges so far."""
        return len(self._merges)

    @property
    def n_steps_wanted(self) -> int:
        """The number of merges that fill the vocabulary."""
        return self._n_wanted

    @property
    def stop_reason(self) -> str:
        """Why the training ended, in words; "" before its end."""
        return self._stop_reason

    def advance(self, n_steps: int | None = None) -> int:
        """Make up to `n_steps` merges, or all; return their number."""
        before = self.n_steps
        while not self._stop_reason and (n_steps is None or self.n_steps - before < n_steps):
            if len(self._token_bytes) - 256 >= self._n_wanted:
                self._stop_reason = StopReason.VOCAB_SIZE.value
            elif not self._merge():
                self._stop_reason = StopReason.MIN_COUNT.value
        return self.n_steps - before

    def curve(self) -> npt.NDArray[np.int64]:
        """Return vocabulary size, tokens, and held-out tokens of each state."""
        return self._columns[: self.n_steps + 1, :3]

    def changes(self, first: int = 0, last: int | None = None) -> Sequence[Change]:
        """Return the tokens that the merges `first:last` added."""
        return added_tokens(self._merges[first:last], self._token_bytes, first)

    def candidates(self, n_candidates: int = 8) -> Sequence[Candidate]:
        """Return the most frequent pairs of the language that the next merge serves."""
        if self._stop_reason:
            return []
        pairs = self._kernel.pairs_of(self._state, self._language(self._exhausted)).tolist()
        pairs.sort(key=lambda pair: (-pair[2], pair[0], pair[1]))
        return [
            Candidate(self._token_bytes[left] + self._token_bytes[right], count, float(count), left, right)
            for left, right, count in pairs[:n_candidates]
        ]

    def token_bytes(self) -> Sequence[bytes]:
        """Return the bytes of each id."""
        return self._token_bytes

    def cutter(self) -> ByteCutter:
        """Return how a short text is cut: merges begin with its bytes."""
        return ByteCutter(self.pattern)

    def film(self, text: str) -> FollowingFilm:
        """Return the film of a short text, up to the latest merge."""
        return FollowingFilm(text, self.pattern, self.merges)

    def merges(self, first: int = 0) -> list[tuple[int, int, int]]:
        """Return left, right and new id of the merges from `first` on."""
        return [row[:3] for row in self._merges[first:]]

    def tokenizer(self, name: str, special_tokens: tuple[str, ...] = ()) -> TrainedTokenizer:
        """Return the tokenizer learned so far. Raises InvalidInputError for invalid special tokens."""
        model = BpeModel(self.pattern, tuple(self.merges()))
        return TrainedTokenizer(name, model.with_special_tokens(special_tokens))

    def lines(self) -> Mapping[str, npt.NDArray[np.float64]]:
        """Return the bytes per token of each language, and the Gini coefficient of their tokens.

        Where the texts are not translations, the coefficient is that of tokens per byte.
        """
        n_tokens = self._columns[: self.n_steps + 1, 3:]
        costs = np.sort(n_tokens / self._divisors, axis=1)
        n = costs.shape[1]
        gini = costs @ (2 * np.arange(1, n + 1) - n - 1) / (n * costs.sum(axis=1))
        ratios = self._n_bytes / n_tokens
        return {name: ratios[:, place] for place, name in enumerate(self.languages)} | {"Gini": gini}

    def _merge(self) -> bool:
        """Make one merge; return False if no language has a pair that is frequent enough."""
        while len(self._exhausted) < len(self.languages):
            language = self._language(self._exhausted)
            left, right, count = self._kernel.best_pair(self._state, language, self._min_count)
            if count:
                break
            if language == len(self.languages):
                return False
            self._exhausted.add(language)
        else:
            return False
        raw = self._token_bytes[left] + self._token_bytes[right]
        new_id = self._id_of.setdefault(raw, len(self._token_bytes))
        if new_id == len(self._token_bytes):
            self._token_bytes.append(raw)
        self._state = self._kernel.merged(self._state, left, right, new_id)
        self._served.append(language)
        self._merges.append((left, right, new_id, count))
        self._record()
        return True

    def _language(self, exhausted: set[int]) -> int:
        """Return the language that the next merge serves, or the number of languages for all of them."""
        n_languages = len(self.languages)
        if self.n_steps < self._n_global:
            return n_languages
        costs = self._state.n_tokens[:-1, 1] / self._divisors
        costs[list(exhausted)] = -1
        worst = int(costs.argmax())
        if not self._window:
            return worst
        recent = Counter(self._served[self._n_global :][-self._window :])
        limit = _WINDOW_SHARE * self._window / n_languages
        for language in np.argsort(-costs, kind="stable").tolist():
            if costs[language] >= 0 and recent[language] <= limit:
                return int(language)
        return worst

    def _record(self) -> None:
        """Add the row of the state after the latest merge."""
        row = self.n_steps
        if row == len(self._columns):
            self._columns = np.concatenate([self._columns, np.zeros_like(self._columns)])
        n_tokens = self._state.n_tokens
        self._columns[row, :3] = len(self._token_bytes), n_tokens[-1, 0], n_tokens[-1, 2]
        self._columns[row, 3:] = n_tokens[:-1, 1]


def learn_slowly(texts: Sequence[Sequence[bytes]], n_merges: int) -> list[tuple[int, int]]:
    """Return the merges learned from the pretokens of parallel texts, one text for each language.

    >>> learn_slowly([[b"aaab"], [b"cd"]], 2)
    [(97, 97), (97, 98)]
    """
    ids = [[list(word) for word in words] for words in texts]
    merges: list[tuple[int, int]] = []
    raw_of = {byte: bytes([byte]) for byte in range(256)}
    while len(merges) < n_merges:
        by_length = sorted(range(len(ids)), key=lambda n: -sum(map(len, ids[n])))
        for language in by_length:  # the worst compressed one that has a pair
            counts: dict[tuple[int, int], int] = {}
            for word in ids[language]:
                get_stats(word, counts)
            if counts:
                break
        else:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        raw = raw_of[pair[0]] + raw_of[pair[1]]
        new_id = next((token_id for token_id, known in raw_of.items() if known == raw), len(raw_of))
        raw_of[new_id] = raw
        merges.append(pair)
        ids = [[merge(word, pair, new_id) for word in words] for words in ids]
    return merges


def _names(texts: Mapping[str, int], given: dict[str, str]) -> tuple[list[str], bool]:
    """Return a name for each text, `given` or UDHR's, and whether all are translations of one text."""
    translated = {text: name for name, text in udhr_languages().items()}
    name_of = translated | given
    names = [name_of.get(text, f"Text {number + 1}") for text, number in texts.items()]
    return names, all(text in translated for text in texts)


PARITY = Algorithm(
    "parity", "Parity-aware BPE",
    "Each merge is the most frequent pair of the language that is compressed worst so far.",
    "Foroutan, Meister and others 2025, arXiv 2508.04796",
    (
        Option(
            "hybrid", "Share of merges for all languages",
            "The first merges are chosen by the counts of all languages together, as in BPE; the others "
            "serve the language that is compressed worst.", 0.0, None, 0, 1,
        ),
        Option(
            "window", "Window",
            "Of this many last merges no language gets more than twice its equal share; 0: no limit.",
            0, None, 0, 10_000,
        ),
        Option("min_count", "Lowest count of a pair", "Rarer pairs are not merged.", 2, None, 1, 1_000_000),
    ),
    ParityLearner,
    kernels=PIECES,
    needs_texts=True,
    needs_languages=True,
    code=(get_stats, merge, learn_slowly),
)  # fmt: skip
