"""WordPiece: merges over characters, where ## marks a piece that continues a word.

The score of a pair is count(ab) / (count(a) · count(b)), as WordPiece is usually described after Schuster and
Nakajima (2012), or the count alone, as in Hugging Face's trainer, whose WordPiece is a BPE with ##.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress

import numpy as np
import numpy.typing as npt

from playground.catalog.opened import OpenedTokenizer
from playground.catalog.wordpiece import SPECIAL_PIECES, WordPieceTokenizer, bert_steps
from playground.core.errors import InvalidInputError
from playground.files.library_file import LibraryFile
from playground.training.algorithms.bpe import MIN_COUNT, chosen_min_count, learn
from playground.training.algorithms.cutters import MAX_WORD, WordPieceCutter
from playground.training.algorithms.learner import (
    Algorithm,
    Candidate,
    Change,
    Option,
    OptionValue,
    TrainingTexts,
)
from playground.training.algorithms.merge_learner import MergeLearner
from playground.training.algorithms.words import MAX_IDS, MergeEvent, Words
from playground.training.pretoken_counts import PretokenCounts

CONTINUES = b"##"
_RATIO, _COUNT = "ratio", "count"


def joined(left: bytes, right: bytes) -> bytes:
    """Return two pieces as one.

    >>> joined(b"h", b"##ug"), joined(b"##u", b"##g")
    (b'hug', b'##ug')
    """
    return left + right.removeprefix(CONTINUES)


def words_of_pieces(
    counts: Mapping[str, int], held_out: Mapping[str, int], *, min_count: int = 1
) -> tuple[Words, list[bytes]]:
    """Return counted words as characters, and the pieces: characters that begin a word, then ## characters.

    Words that are longer than BERT takes, or that have a character that only the held-out text has, are left
    out.

    >>> words, pieces = words_of_pieces({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, {})
    >>> [merge.pair_count for merge in learn(words, pieces, 13, join=joined)], pieces[-2:]
    ([20, 16], [b'##ug', b'##un'])
    """
    first = sorted({character for word in counts for character in word})
    following = sorted({character for word in counts for character in word[1:]})
    id_of = {(character, True): token_id for token_id, character in enumerate(first)}
    id_of |= {(character, False): token_id for token_id, character in enumerate(following, len(first))}
    rows = []
    for word, count in {**counts, **{word: 0 for word in held_out if word not in counts}}.items():
        spelled = [id_of.get((character, place == 0), -1) for place, character in enumerate(word)]
        if len(word) <= MAX_WORD and -1 not in spelled:
            rows.append((spelled, count, held_out.get(word, 0)))
    pieces = [character.encode() for character in first]
    pieces += [CONTINUES + character.encode() for character in following]
    return Words(rows, len(pieces), min_count=min_count), pieces


class Ratios:
    """The pairs of words with their ratios count(ab) / (count(a) · count(b)).

    A ratio rises, too, when a merge takes occurrences of one of its tokens: all pairs beside the two merged
    tokens get a new one. Of equal ratios the pair that was found first is merged.

    >>> words, pieces = words_of_pieces({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, {})
    >>> [merge.pair_count for merge in Ratios(words, min_count=1).learn(pieces, 13)], pieces[-2:]
    ([5, 15], [b'##gs', b'hu'])
    """

    def __init__(self, words: Words, min_count: int) -> None:
        self.words, self.min_count = words, min_count
        self.made: list[float] = []  # the ratio of each merge
        self._uses = np.array(words.count_tokens())  # of each token
        self._number_of: dict[int, int] = {}  # pairs are numbered as they are found
        self._pairs: list[int] = []
        self._beside: defaultdict[int, list[int]] = defaultdict(list)  # the numbers of the pairs of a token
        self._ratios = np.zeros(1024)
        self._rate(self._enter(words.pairs))

    def best(self, n_pairs: int) -> list[tuple[int, float]]:
        """Return the pairs with the highest ratios, and the ratios."""
        ratios = self._ratios[: len(self._pairs)]
        if n_pairs < len(ratios):
            lowest = np.partition(ratios, -n_pairs)[-n_pairs] if n_pairs > 1 else ratios.max()
            near = np.flatnonzero(ratios >= lowest)
        else:
            near = np.arange(len(ratios))
        near = near[np.argsort(-ratios[near], kind="stable")][:n_pairs]
        return [(self._pairs[n], float(ratios[n])) for n in near.tolist() if ratios[n] > 0]

    def learn(self, pieces: list[bytes], vocab_size: int) -> Iterator[MergeEvent]:
        """Merge the pair with the highest ratio, until there are `vocab_size` pieces; yield the merges."""
        id_of = {piece: token_id for token_id, piece in enumerate(pieces)}
        self._uses = np.append(self._uses, np.zeros(max(vocab_size - len(pieces), 0), np.int64))
        while len(pieces) < vocab_size and (best := self.best(1)):
            ((pair, ratio),) = best
            left, right, count = pair >> 20, pair % MAX_IDS, self.words.pairs[pair]
            piece = joined(pieces[left], pieces[right])
            new = id_of.setdefault(piece, len(pieces))
            if new == len(pieces):
                pieces.append(piece)
            self.made.append(ratio)
            n_before = self.words.n_tokens
            found = self._enter(sorted(self.words.merge(pair, new)))
            n_merged = n_before - self.words.n_tokens
            self._uses[left] -= n_merged
            self._uses[right] -= n_merged
            self._uses[new] += n_merged
            self._rate([*found, *self._beside[new]])
            for token in (left, right):
                self._beside[token] = self._rate(self._beside[token])
            yield MergeEvent(left, right, new, count, self.words.n_tokens, self.words.n_held_out)

    def _enter(self, pairs: Iterable[int]) -> list[int]:
        """Number the pairs that have no number yet; return the numbers of all."""
        for pair in pairs:
            if pair not in self._number_of:
                number = self._number_of[pair] = len(self._pairs)
                self._pairs.append(pair)
                for token in {pair >> 20, pair % MAX_IDS}:
                    self._beside[token].append(number)
        if len(self._pairs) > len(self._ratios):
            self._ratios = np.concatenate([self._ratios, np.zeros(len(self._pairs))])
        return [self._number_of[pair] for pair in pairs]

    def _rate(self, numbers: list[int]) -> list[int]:
        """Compute the ratios of pairs, 0 for one that is too rare to merge; return those that still stand."""
        pairs = [self._pairs[number] for number in numbers]
        counts = np.array([self.words.pairs.get(pair, 0) for pair in pairs], np.int64)
        ids = np.array(pairs, np.int64)
        products = self._uses[ids >> 20] * self._uses[ids % MAX_IDS]
        self._ratios[numbers] = np.where(counts >= self.min_count, counts / np.maximum(products, 1), 0.0)
        return list(compress(numbers, counts > 0))


class WordPieceLearner(MergeLearner):
    """A training of pieces; ids count characters that begin a word, then ## characters, then merges."""

    def __init__(self, texts: TrainingTexts, vocab_size: int, options: Mapping[str, OptionValue]) -> None:
        self._is_lower = bool(options.get("lowercase", False))
        cut = _Cutter(is_lower=self._is_lower)
        counts = cut.count(texts.pretokens)
        held_out = cut.count(texts.held_out) if texts.held_out else {}
        if not any(len(word) > 1 for word in counts):
            raise InvalidInputError("the text has no word of two or more characters; choose a longer text")
        min_count = chosen_min_count(options)
        words, pieces = words_of_pieces(counts, held_out, min_count=min_count)
        n_least = len(SPECIAL_PIECES) + len(pieces)
        if vocab_size < n_least:
            raise InvalidInputError(
                f"the characters of the text need {n_least:,} tokens with and without ##; choose a larger "
                "vocabulary"
            )
        id_of = {piece.decode(): token_id for token_id, piece in enumerate(pieces)}
        self._n_unknown = sum(
            count
            for word, count in held_out.items()
            if len(word) > MAX_WORD or not id_of.keys() >= {word[0], *(f"##{each}" for each in word[1:])}
        )
        self._ratios = Ratios(words, min_count) if options.get("score", _RATIO) == _RATIO else None
        self.score_name = "count(ab) / (count(a) · count(b))" if self._ratios else "count"
        n_wanted = vocab_size - len(SPECIAL_PIECES)
        events = (
            self._ratios.learn(pieces, n_wanted)
            if self._ratios
            else learn(words, pieces, n_wanted, shares_ids=True, join=joined)
        )
        cutter = WordPieceCutter(texts.pattern, id_of, self._is_lower)
        super().__init__(words, pieces, events, n_wanted, texts.pattern, cutter)

    def curve(self) -> npt.NDArray[np.int64]:
        """Return vocabulary size, tokens, and held-out tokens of each state."""
        rows = super().curve()
        rows += np.array([len(SPECIAL_PIECES), 0, self._n_unknown])
        return rows

    def changes(self, first: int = 0, last: int | None = None) -> Sequence[Change]:
        """Return the pieces that the merges `first:last` made."""
        changes = super().changes(first, last)
        if self._ratios is None:
            return changes
        return [replace(change, score=self._ratios.made[change.step]) for change in changes]

    def candidates(self, n_candidates: int = 8) -> Sequence[Candidate]:
        """Return the pairs with the best scores."""
        raw_of = self.token_bytes()
        if self._ratios is None:
            pairs = [
                (pair, float(self._words.pairs[pair]))
                for pair in self._words.most_frequent_pairs(n_candidates)
            ]
        else:
            pairs = self._ratios.best(n_candidates)
        return [
            Candidate(raw_of[left] + raw_of[right], self._words.pairs[pair], score, left, right)
            for pair, score in pairs
            for left, right in [(pair >> 20, pair % MAX_IDS)]
        ]

    def token_bytes(self) -> list[bytes]:
        """Return the bytes of each piece, without ##."""
        return [piece.removeprefix(CONTINUES) or piece for piece in self._tokens]

    def tokenizer(self, name: str, special_tokens: tuple[str, ...] = ()) -> OpenedTokenizer:
        """Return BERT's tokenizer with these pieces as its `vocab.txt`. Raises InvalidInputError."""
        if others := [token for token in special_tokens if token not in SPECIAL_PIECES]:
            raise InvalidInputError(
                f"a vocab.txt has the special tokens {', '.join(SPECIAL_PIECES)}; remove {', '.join(others)}"
            )
        return WordPieceTokenizer(name, LibraryFile.of("vocab.txt", self.vocab_txt().encode(), f"{name}.txt"))

    def vocab_txt(self) -> str:
        """Return the `vocab.txt`: BERT's special tokens, then the pieces."""
        return "".join(f"{piece}\n" for piece in [*SPECIAL_PIECES, *(each.decode() for each in self._tokens)])


class _Cutter:
    """Cuts texts into words as BERT does, and counts them."""

    def __init__(self, *, is_lower: bool) -> None:
        self._is_lower = is_lower
        self._splitter, self._normalizer = bert_steps(is_lower=is_lower)

    def count(self, pretokens: PretokenCounts) -> Counter[str]:
        """Return the words and punctuation marks of counted pretokens, with their counts."""
        words = Counter[str]()
        others: list[str] = []
        counts_of_others: list[int] = []
        for raw, count in pretokens.items():
            text = raw.decode(errors="replace")
            word = text[1:] if text[:1] == " " else text
            if word.isascii() and word.isalpha():  # letters are one word
                words[word.lower() if self._is_lower else word] += count
            else:
                others.append(self._normalizer.normalize_str(text))
                counts_of_others.append(count)
        joined = "\n".join(others)
        ends = np.cumsum([len(text) + 1 for text in others])
        found = self._splitter.pre_tokenize_str(joined)
        places = np.searchsorted(ends, [start for _word, (start, _end) in found], side="right")
        for (word, _span), place in zip(found, places.tolist(), strict=True):
            words[word] += counts_of_others[place]
        return words


WORDPIECE = Algorithm(
    "wordpiece", "WordPiece",
    "Keep merging the pair whose tokens occur together most, compared with how often each occurs.",
    "Schuster and Nakajima 2012; Hugging Face’s trainer",
    (
        Option(
            "score", "Score of a pair",
            "As described: how much more often two tokens occur together than apart, which makes rare "
            "words whole first and compresses a text less. Hugging Face’s trainer takes the count alone; "
            "BERT’s vocabulary looks like that.",
            _RATIO, {_RATIO: "count(ab) / (count(a) · count(b))", _COUNT: "count(ab), as in Hugging Face"},
        ),
        MIN_COUNT,
        Option("lowercase", "Lower case", "Lower-cases words and removes accents, as bert-uncased.",
               default=False),
    ),
    WordPieceLearner,
    adds_special_tokens=False,
    code=(words_of_pieces, Ratios, learn, Words),
    begins_with_bytes=False,
)  # fmt: skip
