"""WordPiece: merges over characters, where ## marks a piece that continues a word.

The score is count(ab) / (count(a) · count(b)), as WordPiece is usually described after Schuster and Nakajima
(2012), or the count alone, as in Hugging Face's trainer, whose WordPiece is a BPE with ##.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from playground.catalog.opened import OpenedTokenizer
from playground.catalog.wordpiece import SPECIAL_PIECES, WordPieceTokenizer, bert_steps
from playground.core.errors import InvalidInputError
from playground.files.library_file import LibraryFile
from playground.training.algorithms.cutters import WordPieceCutter
from playground.training.algorithms.learner import (
    Algorithm,
    Candidate,
    Change,
    Film,
    LearnerDefaults,
    Option,
    OptionValue,
    TrainingTexts,
)
from playground.training.algorithms.piece_film import MergedPieces, Piece, PieceFilm
from playground.training.film import LOST_TEXT, UNKNOWN_TEXT
from playground.training.pretoken_counts import PretokenCounts
from playground.training.warm_up import PIECES

Longs = npt.NDArray[np.int64]

CONTINUES = "##"
_RATIO, _COUNT = "ratio", "count"
#: Hugging Face's trainer keeps words of any length; BERT's tokenizer gives longer ones the unknown token.
_MAX_WORD = 100


class WordPieceLearner(LearnerDefaults):
    """A training of pieces; ids count characters that begin a word, then ## characters, then merges."""

    def __init__(self, texts: TrainingTexts, vocab_size: int, options: Mapping[str, OptionValue]) -> None:
        from playground.training.kernel import character_merges as kernel

        self._kernel = kernel
        self._pattern = texts.pattern
        self._is_ratio = options.get("score", _RATIO) == _RATIO
        self._min_count = int(options.get("min_count", 2))
        self._is_lower = bool(options.get("lowercase", False))
        self.score_name = "count(ab) / (count(a) · count(b))" if self._is_ratio else "count"
        self._cutter = _Cutter(is_lower=self._is_lower)
        words = self._count_words(texts.pretokens)
        held_out = self._count_words(texts.held_out) if texts.held_out else Counter[str]()
        alphabet = sorted({character for word in words for character in word})
        following = sorted({character for word in words for character in word[1:]})
        self._pieces = [*alphabet, *(CONTINUES + character for character in following)]
        n_least = len(SPECIAL_PIECES) + len(self._pieces)
        if not following:
            raise InvalidInputError("the text has no word of two or more characters; choose a longer text")
        if vocab_size < n_least:
            raise InvalidInputError(
                f"the characters of the text need {n_least:,} tokens with and without ##; choose a larger "
                "vocabulary"
            )
        self._n_wanted = vocab_size - len(SPECIAL_PIECES)
        self._id_of = {piece: nth for nth, piece in enumerate(self._pieces)}  # of characters
        known = [word for word in words if len(word) <= _MAX_WORD]
        known += [word for word in held_out if word not in words and self._is_spelled(word)]
        first_of = {character: self._id_of[character] for character in alphabet}
        next_of = {character: self._id_of[CONTINUES + character] for character in following}
        symbols = [
            symbol
            for word in known
            for symbol in (first_of[word[0]], *(next_of[character] for character in word[1:]))
        ]
        starts = np.cumsum([0, *map(len, known)]).astype(np.int64)
        self._n_held_out_unknown = sum(n for word, n in held_out.items() if not self._is_spelled(word))
        characters = [
            (ord(piece[-1]), piece.startswith(CONTINUES) and len(piece) > 2) for piece in self._pieces
        ]
        self._state = kernel.new_state(
            np.array(symbols, np.int32),
            starts,
            np.array([words.get(word, 0) for word in known], np.int64),
            np.array([held_out.get(word, 0) for word in known], np.int64),
            np.array(characters, np.int64),
            self._n_wanted,
        )
        self._ids = np.zeros(1 << (2 * vocab_size).bit_length(), np.int32)
        self._n_first = len(self._pieces)
        self._events = np.zeros((self._n_wanted, 9), np.int64)
        self._n_made = 0
        self._merges: list[Change] = []
        n_tokens, n_held_out = (int(self._state.numbers[at]) for at in (kernel.N_TOKENS, kernel.N_HELD_OUT))
        self._first_row = (n_least, n_tokens, n_held_out + self._n_held_out_unknown)
        self._stopped = ""

    def _count_words(self, pretokens: PretokenCounts) -> Counter[str]:
        """Return the words and punctuation marks, as BERT cuts them, with their counts."""
        texts = [raw.decode(errors="replace") for raw, _count in pretokens.items()]
        return self._cutter(texts, pretokens.counts.tolist())

    def _is_spelled(self, word: str) -> bool:
        continuing = all(CONTINUES + character in self._id_of for character in word[1:])
        return len(word) <= _MAX_WORD and continuing and word[:1] in self._id_of

    @property
    def n_steps(self) -> int:
        """The number of merges so far."""
        return self._n_made

    @property
    def n_steps_wanted(self) -> int:
        """The number of merges that fill the vocabulary."""
        return self.n_steps + (
            0 if self._stopped else self._n_wanted - int(self._state.numbers[self._kernel.N_IDS])
        )

    @property
    def stop_reason(self) -> str:
        """Why the training ended; "" before its end."""
        return self._stopped

    def advance(self, n_steps: int | None = None) -> int:
        """Make up to `n_steps` merges, or all; return their number."""
        n_before = self._n_made
        while not self._stopped and (n_steps is None or self._n_made - n_before < n_steps):
            if self._n_made == len(self._events):  # several merges may share an id
                self._events = np.concatenate([self._events, np.zeros_like(self._events)])
            last = len(self._events) if n_steps is None else min(n_before + n_steps, len(self._events))
            events = self._events[self._n_made : last]
            n_made = int(
                self._kernel.learn(
                    self._state, self._ids, self._n_wanted, self._min_count, self._is_ratio, events
                )
            )
            self._n_made += n_made
            if n_made < len(events):
                is_full = self._state.numbers[self._kernel.N_IDS] >= self._n_wanted
                rare = f"No pair of pieces occurs {self._min_count:,} times any more."
                self._stopped = "The vocabulary has its size." if is_full else rare
        return self._n_made - n_before

    def _follow(self) -> list[Change]:
        """Return all merges; the newest are spelled first."""
        for row in self._events[len(self._merges) : self._n_made].tolist():
            left, right, new, count, _tokens, _held_out, _ids, n_left, n_right = row
            if new == len(self._pieces):
                self._pieces.append(self._pieces[left] + self._pieces[right].removeprefix(CONTINUES))
            score = count / (n_left * n_right) if self._is_ratio else float(count)
            raw = _raw_of(self._pieces[new])
            self._merges.append(Change(len(self._merges), "added", new, raw, (left, right), count, score))
        return self._merges

    def _numbers_of(self, pair: int) -> tuple[int, int, int, float]:
        """Return the two ids of a pair, its count and its score."""
        state = self._state
        left, right = int(state.keys[pair]) >> 32, int(state.keys[pair]) & 0xFFFFFFFF
        count = int(state.pair_counts[pair])
        if not self._is_ratio:
            return left, right, count, float(count)
        return (
            left,
            right,
            count,
            count / (float(state.symbol_counts[left]) * float(state.symbol_counts[right])),
        )

    def curve(self) -> Longs:
        """Return vocabulary size, tokens, and held-out tokens of each state."""
        kernel = self._kernel
        made = self._events[: self._n_made, [kernel.E_IDS, kernel.E_TOKENS, kernel.E_HELD_OUT]]
        more = np.array([len(SPECIAL_PIECES), 0, self._n_held_out_unknown])
        return np.concatenate([np.array([self._first_row], np.int64), made + more])

    def changes(self, first: int = 0, last: int | None = None) -> Sequence[Change]:
        """Return the pieces that the merges `first:last` made."""
        return self._follow()[first:last]

    def candidates(self, n_candidates: int = 8) -> Sequence[Candidate]:
        """Return the pairs with the best scores."""
        if self._stopped:
            return []
        self._follow()
        state = self._state
        n_pairs = int(state.numbers[self._kernel.N_PAIRS])
        counts, keys = state.pair_counts[:n_pairs], state.keys[:n_pairs]
        scores = counts.astype(np.float64)
        if self._is_ratio:
            left, right = state.symbol_counts[keys >> 32], state.symbol_counts[keys & 0xFFFFFFFF]
            scores = counts / np.maximum(left.astype(np.float64) * right, 1.0)
        scores = np.where(counts >= self._min_count, scores, -1.0)
        ties = np.arange(n_pairs) if self._is_ratio else keys
        best = np.lexsort((ties, -counts, -scores))[:n_candidates]
        found = [self._numbers_of(int(pair)) for pair in best if scores[pair] >= 0]
        return [
            Candidate(_raw_of(self._pieces[a]) + _raw_of(self._pieces[b]), count, score, a, b)
            for a, b, count, score in found
        ]

    def token_bytes(self) -> Sequence[bytes]:
        """Return the bytes of each piece, without ##."""
        self._follow()
        return [_raw_of(piece) for piece in self._pieces]

    def cutter(self) -> WordPieceCutter:
        """Return how a short text is cut: merges begin with the characters of its words."""
        return WordPieceCutter(self._pattern, self._id_of, self._is_lower)

    def film(self, text: str) -> Film:
        """Return the film of a short text: each word by merges; white space is lost."""
        words_of: dict[str, list[tuple[int, int, tuple[Piece, ...]]]] = {}
        pieces = MergedPieces()

        def cut(pretoken: str, step: int) -> list[Piece]:
            pieces.add((each.parts[0], each.parts[1], each.id) for each in self._follow()[pieces.n_merges :])
            if pretoken not in words_of:
                lower = pretoken.lower()
                shown = lower if self._is_lower and len(lower) == len(pretoken) else pretoken
                words_of[pretoken] = [
                    (at, len(word), self._first_pieces(word)) for word, at in self._words_in(shown)
                ]
            tokens: list[Piece] = []
            end = 0
            for at, n_characters, first in words_of[pretoken]:
                tokens += [(LOST_TEXT, at - end)] * (at > end)
                tokens += pieces.after(first, step)
                end = at + n_characters
            return tokens + [(LOST_TEXT, len(pretoken) - end)] * (end < len(pretoken))

        return PieceFilm(text, self._pattern, cut, lambda: self.n_steps)

    def _words_in(self, text: str) -> list[tuple[str, int]]:
        return [(word, at) for word, (at, _end) in self._cutter.pre_tokenizer.pre_tokenize_str(text)]

    def _first_pieces(self, word: str) -> tuple[Piece, ...]:
        pieces = [word[:1], *(CONTINUES + character for character in word[1:])]
        if not self._id_of.keys() >= set(pieces):
            return ((UNKNOWN_TEXT, len(word)),)
        return tuple([(self._id_of[piece], 1) for piece in pieces])

    def tokenizer(self, name: str, special_tokens: tuple[str, ...] = ()) -> OpenedTokenizer:
        """Return BERT's tokenizer with these pieces as its `vocab.txt`. Raises InvalidInputError."""
        if others := [token for token in special_tokens if token not in SPECIAL_PIECES]:
            raise InvalidInputError(
                f"a vocab.txt has the special tokens {', '.join(SPECIAL_PIECES)}; remove {', '.join(others)}"
            )
        return WordPieceTokenizer(name, LibraryFile.of("vocab.txt", self.vocab_txt().encode(), f"{name}.txt"))

    def vocab_txt(self) -> str:
        """Return the `vocab.txt`: BERT's special tokens, then the pieces."""
        self._follow()
        return "".join(f"{piece}\n" for piece in [*SPECIAL_PIECES, *self._pieces])


def _raw_of(piece: str) -> bytes:
    return (piece.removeprefix(CONTINUES) or piece).encode()


class _Cutter:
    """Cuts texts into words as BERT does and counts them."""

    def __init__(self, *, is_lower: bool) -> None:
        self._is_lower = is_lower
        self.pre_tokenizer, self._normalizer = bert_steps(is_lower=is_lower)

    def __call__(self, texts: Sequence[str], counts: Sequence[int]) -> Counter[str]:
        words = Counter[str]()
        others: list[str] = []
        counts_of_others: list[int] = []
        for text, count in zip(texts, counts, strict=True):
            word = text[1:] if text[:1] == " " else text
            if word.isascii() and word.isalpha():  # letters are one word
                words[word.lower() if self._is_lower else word] += count
            else:
                others.append(self._normalizer.normalize_str(text))
                counts_of_others.append(count)
        joined = "\n".join(others)
        ends = np.cumsum([len(text) + 1 for text in others])
        found = self.pre_tokenizer.pre_tokenize_str(joined)
        places = np.searchsorted(ends, [start for _word, (start, _end) in found], side="right")
        for (word, _span), place in zip(found, places.tolist(), strict=True):
            words[word] += counts_of_others[place]
        return words


def learn_slowly(words: Mapping[str, int], n_merges: int, *, by_ratio: bool) -> list[tuple[str, str]]:
    """Return the merges that WordPiece learns from counted words, counting everything anew each time.

    >>> learn_slowly({"hug": 10, "pug": 5, "hugs": 5}, 2, by_ratio=False)
    [('##u', '##g'), ('h', '##ug')]
    >>> learn_slowly({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, 1, by_ratio=True)
    [('##g', '##s')]
    """
    cut = {word: [word[0], *("##" + character for character in word[1:])] for word in words}
    merges: list[tuple[str, str]] = []
    for _ in range(n_merges):
        tokens, pairs = Counter[str](), Counter[tuple[str, str]]()
        for word, count in words.items():
            for token in cut[word]:
                tokens[token] += count
            for pair in zip(cut[word], cut[word][1:], strict=False):
                pairs[pair] += count
        if not pairs:
            break
        if by_ratio:
            best = max(
                pairs, key=lambda pair: (pairs[pair] / (tokens[pair[0]] * tokens[pair[1]]), pairs[pair])
            )
        else:
            best = max(pairs, key=lambda pair: pairs[pair])
        merges.append(best)
        joined = best[0] + best[1].removeprefix("##")
        for word, parts in cut.items():
            place = 0
            while place + 1 < len(parts):
                if (parts[place], parts[place + 1]) == best:
                    parts[place : place + 2] = [joined]
                place += 1
            cut[word] = parts
    return merges


WORDPIECE = Algorithm(
    "wordpiece", "WordPiece",
    "Keep merging the pair whose tokens occur together most, compared with how often each occurs.",
    "Schuster and Nakajima 2012; Hugging Face’s trainer",
    (
        Option(
            "score", "Score of a pair",
            "As described: how much more often two tokens occur together than apart. Hugging Face’s trainer "
            "takes the count alone.",
            _RATIO, {_RATIO: "count(ab) / (count(a) · count(b))", _COUNT: "count(ab), as in Hugging Face"},
        ),
        Option("min_count", "Lowest count of a pair", "Rarer pairs are not merged.", 2, None, 1, 1_000_000),
        Option("lowercase", "Lower case", "Lower-cases words and removes accents, as bert-uncased.",
               default=False),
    ),
    WordPieceLearner,
    kernels=PIECES,
    adds_special_tokens=False,
    code=(learn_slowly,),
    begins_with_bytes=False,
)  # fmt: skip
