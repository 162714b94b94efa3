"""Parity-aware BPE: each merge serves the language that is compressed worst so far.

After Foroutan, Meister and others 2025, arXiv 2508.04796, whose code is swiss-ai/parity-aware-bpe (MIT). Each
text of the corpus is a language; equal texts are one language that counts as often. Unlike the authors' code,
training goes on without a language whose pairs are all rarer than the minimum count.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from playground.core.errors import InvalidInputError
from playground.training.algorithms.bpe import MIN_COUNT, chosen_min_count, words_of_bytes
from playground.training.algorithms.learner import Algorithm, Candidate, Option, OptionValue, TrainingTexts
from playground.training.algorithms.merge_learner import MergeLearner
from playground.training.algorithms.words import MAX_IDS, MergeEvent, Words
from playground.training.corpora import udhr_languages
from playground.training.pretoken_counts import count_pretokens

MAX_LANGUAGES = 100
#: The share of the last merges that a language may have is this, divided by the number of languages.
_WINDOW_SHARE = 2


class Parity:
    """Words of each language, and which language the next merge serves.

    `everyone` has the words of all languages, and its most frequent pair is merged in the first `n_common`
    merges. A language costs its tokens, divided by its divisor. Of the last `window` merges no language gets
    more than twice its equal share.

    >>> languages = [Words([(b"aaab", 1, 1)], 256), Words([(b"cd", 1, 1)], 256)]
    >>> everyone = Words([(b"aaab", 1, 0), (b"cd", 1, 0)], 256)
    >>> tokens = [bytes([byte]) for byte in range(256)]
    >>> [(merge.left, merge.right) for merge in Parity(languages, everyone, [1, 1]).learn(tokens, 258)]
    [(97, 97), (97, 98)]
    """

    def __init__(
        self,
        languages: Sequence[Words],
        everyone: Words,
        divisors: Sequence[float],
        *,
        n_common: int = 0,
        window: int = 0,
    ) -> None:
        self.languages, self.everyone, self.divisors = languages, everyone, divisors
        self.n_common, self.window = n_common, window
        self.n_made = 0
        self.served: list[int] = []  # the language of each merge after the common ones

    def costs(self) -> list[float]:
        """Return what each language costs now: the tokens of its development text, divided."""
        return [
            words.n_held_out / divisor for words, divisor in zip(self.languages, self.divisors, strict=True)
        ]

    def next_language(self) -> int | None:
        """Return the costliest language that has a frequent pair and is within the window."""
        costs = self.costs()
        worst_first = sorted(range(len(costs)), key=lambda n: -costs[n])
        with_pair = [n for n in worst_first if self.languages[n].most_frequent() is not None]
        recent = Counter(self.served[-self.window :] if self.window else ())
        limit = _WINDOW_SHARE * self.window / len(costs)
        within = (n for n in with_pair if recent[n] <= limit)
        return next(within, with_pair[0] if with_pair else None)

    def next_words(self) -> Words | None:
        """Return the words whose most frequent pair is merged next; None at the end."""
        if self.n_made < self.n_common:
            return self.everyone
        language = self.next_language()
        return None if language is None else self.languages[language]

    def learn(self, tokens: list[bytes], vocab_size: int) -> Iterator[MergeEvent]:
        """Merge the next pair in all languages, until there are `vocab_size` tokens; yield the merges."""
        id_of = {token: token_id for token_id, token in enumerate(tokens)}
        while len(tokens) < vocab_size and (chosen := self.next_words()) is not None:
            if (pair := chosen.most_frequent()) is None:
                return
            if chosen is not self.everyone:
                self.served.append(self.languages.index(chosen))
            left, right, count = pair >> 20, pair % MAX_IDS, chosen.pairs[pair]
            joined = tokens[left] + tokens[right]
            new = id_of.setdefault(joined, len(tokens))
            if new == len(tokens):
                tokens.append(joined)
            for words in (self.everyone, *self.languages):
                words.merge(pair, new)
            self.n_made += 1
            yield MergeEvent(left, right, new, count, self.everyone.n_tokens, self.everyone.n_held_out)


class ParityLearner(MergeLearner):
    """A training over several languages; each step is a merge.

    The development set is the training text of each language. Where all texts are translations of the same
    one (UDHR), the language with most tokens is served, otherwise that with fewest bytes per token.
    """

    def __init__(self, texts: TrainingTexts, vocab_size: int, options: Mapping[str, OptionValue]) -> None:
        if texts.corpus is None:
            raise InvalidInputError("parity-aware BPE needs the texts of each language, not only counts")
        if not 257 <= vocab_size <= MAX_IDS:
            raise InvalidInputError(
                f"a vocabulary of {vocab_size:,} tokens cannot be learned: the 256 bytes come first, so "
                f"choose 257 to {MAX_IDS:,}"
            )
        whole = ["".join(pieces) for pieces in texts.corpus.iter_texts()]
        number_of = {text: n for n, text in enumerate(dict.fromkeys(filter(str.strip, whole)))}
        if not 2 <= len(number_of) <= MAX_LANGUAGES:
            raise InvalidInputError(
                "parity-aware BPE takes each text as a language, and this corpus has "
                f"{len(number_of):,}; choose 2 to {MAX_LANGUAGES} languages, such as those of “Many "
                "languages: human rights”"
            )
        self.languages, is_parallel = _names(number_of, dict(zip(whole, texts.corpus.names, strict=False)))
        min_count = chosen_min_count(options)
        copies: list[list[Sequence[str]]] = [[] for _ in number_of]
        for text, kept in zip(whole, texts.divided()[0], strict=True):
            if text in number_of:
                copies[number_of[text]].append(kept)
        languages = [
            words_of_bytes(
                count_pretokens(kept, texts.pattern), count_pretokens(kept[:1], texts.pattern),
                ties="lowest-pair", min_count=min_count,
            )
            for kept in copies
        ]  # fmt: skip
        everyone = words_of_bytes(texts.pretokens, texts.held_out, ties="lowest-pair", min_count=min_count)
        self._n_bytes = np.array([words.n_held_out for words in languages])
        self._parity = Parity(
            languages,
            everyone,
            [1] * len(languages) if is_parallel else np.maximum(self._n_bytes, 1).tolist(),
            n_common=round(float(options.get("hybrid", 0.0)) * (vocab_size - 256)),
            window=int(options.get("window", 0)),
        )
        self._of_languages = [self._n_bytes.tolist()]  # the tokens of each language after each merge
        tokens = [bytes([byte]) for byte in range(256)]
        super().__init__(everyone, tokens, self._recorded(tokens, vocab_size), vocab_size, texts.pattern)

    def _recorded(self, tokens: list[bytes], vocab_size: int) -> Iterator[MergeEvent]:
        for event in self._parity.learn(tokens, vocab_size):
            self._of_languages.append([words.n_held_out for words in self._parity.languages])
            yield event

    @property
    def served(self) -> Sequence[int]:
        """The language of each merge after the common ones."""
        return self._parity.served

    def candidates(self, n_candidates: int = 8) -> Sequence[Candidate]:
        """Return the most frequent pairs of the language that the next merge serves."""
        words = None if self.stop_reason else self._parity.next_words()
        return self._candidates_in(words, n_candidates) if words else []

    def lines(self) -> Mapping[str, npt.NDArray[np.float64]]:
        """Return the bytes per token of each language, and the Gini coefficient of their tokens.

        Where the texts are not translations, the coefficient is that of tokens per byte.
        """
        n_tokens = np.maximum(np.array(self._of_languages), 1)
        costs = np.sort(n_tokens / np.array(self._parity.divisors), axis=1)
        n = costs.shape[1]
        gini = costs @ (2 * np.arange(1, n + 1) - n - 1) / (n * costs.sum(axis=1))
        ratios = self._n_bytes / n_tokens
        return {name: ratios[:, place] for place, name in enumerate(self.languages)} | {"Gini": gini}


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
        MIN_COUNT,
    ),
    ParityLearner,
    needs_texts=True,
    needs_languages=True,
    code=(Parity, Words),
)  # fmt: skip
