"""How a run cuts a short text: what Train shows of one, without the learner, which ends with its process.

A cutter can be pickled. `follows` says how the cut after a step is found from the run's changes: "merges"
joins and divides the tokens of step 0, "rows" gives a token its id of step 1 once that id is added, and
"states" asks `cut` for each step.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.catalog.trained import TrainedTokenizer
from playground.catalog.word_table import Unit, pattern_of
from playground.catalog.wordpiece import bert_steps

#: A token as its id, and its number of bytes.
Piece = tuple[int, int]
#: Ids of text that became the unknown token, and of text that the tokenizer drops.
UNKNOWN_TEXT, LOST_TEXT = -1, -2
Follows = Literal["merges", "rows", "states"]
#: BERT gives a longer word the unknown token.
MAX_WORD = 100


class Cutter(Protocol):
    """The cut of a text by a run."""

    @property
    def follows(self) -> Follows:
        """How the cut after a step is found."""

    def cut(self, text: str, step: int) -> list[list[Piece]]:
        """Return the tokens of each pretoken after a step, as far as `follows` needs it."""


def _pretokens(text: str, pattern: SplitPattern) -> Iterator[str]:
    return (pretoken for pretoken, _is_match in iter_pretokens(text, pattern))


def _sized(pieces: Sequence[tuple[int, str]]) -> list[Piece]:
    return [(token_id, len(text.encode())) for token_id, text in pieces]


@dataclass(frozen=True)
class ByteCutter:
    """Merges that begin with bytes.

    >>> ByteCutter(SplitPattern.named("gpt2")).cut("a é", 0)
    [[(97, 1)], [(32, 1), (195, 1), (169, 1)]]
    """

    pattern: SplitPattern
    follows: Follows = "merges"

    def cut(self, text: str, step: int) -> list[list[Piece]]:  # noqa: ARG002
        """Return the bytes of each pretoken."""
        return [[(byte, 1) for byte in pretoken.encode()] for pretoken in _pretokens(text, self.pattern)]


@dataclass(frozen=True)
class CharacterCutter:
    """Merges that begin with characters; those without an id are bytes, or the unknown token 0."""

    pattern: SplitPattern
    id_of: Mapping[str, int]
    has_bytes: bool
    follows: Follows = "merges"

    def cut(self, text: str, step: int) -> list[list[Piece]]:  # noqa: ARG002
        """Return the characters of each pretoken."""
        return [
            [piece for character in pretoken for piece in self.pieces_of(character)]
            for pretoken in _pretokens(text, self.pattern)
        ]

    def pieces_of(self, character: str) -> list[Piece]:
        """Return the tokens of a character before the first merge."""
        raw = character.encode()
        if character in self.id_of or not self.has_bytes:
            return [(self.id_of.get(character, 0), len(raw))]
        return [(byte, 1) for byte in raw]


@dataclass(frozen=True)
class TokenizerCutter:
    """Merges that begin with the tokens of a tokenizer."""

    tokenizer: TrainedTokenizer
    follows: Follows = "merges"

    def cut(self, text: str, step: int) -> list[list[Piece]]:  # noqa: ARG002
        """Return the tokenizer's tokens of each pretoken."""
        return _encoded(text, self.tokenizer)


def _encoded(text: str, tokenizer: TrainedTokenizer) -> list[list[Piece]]:
    vocabulary = tokenizer.vocabulary
    return [
        [(token_id, len(vocabulary.entry(token_id).raw)) for token_id in tokenizer.encode_pretoken(pretoken)]
        for pretoken in _pretokens(text, tokenizer.model.pattern)
    ]


@dataclass(frozen=True)
class WordPieceCutter:
    """Merges that begin with the characters of BERT's words; `##` stands before one that continues a word."""

    pattern: SplitPattern
    id_of: Mapping[str, int]
    is_lower: bool
    follows: Follows = "merges"

    def cut(self, text: str, step: int) -> list[list[Piece]]:  # noqa: ARG002
        """Return the characters of each word; white space between words is lost."""
        splitter, _normalizer = bert_steps(is_lower=self.is_lower)
        found: list[list[Piece]] = []
        for pretoken in _pretokens(text, self.pattern):
            lower = pretoken.lower()
            shown = lower if self.is_lower and len(lower) == len(pretoken) else pretoken
            pieces: list[tuple[int, str]] = []
            end = 0
            for word, (start, stop) in splitter.pre_tokenize_str(shown):
                pieces += [(LOST_TEXT, pretoken[end:start])] * (start > end)
                pieces += self._word(word, pretoken[start:stop])
                end = stop
            pieces += [(LOST_TEXT, pretoken[end:])] * (end < len(pretoken))
            found.append(_sized(pieces))
        return found

    def _word(self, word: str, shown: str) -> list[tuple[int, str]]:
        spelled = [word[:1], *(f"##{character}" for character in word[1:])]
        if len(word) > MAX_WORD or not self.id_of.keys() >= set(spelled):
            return [(UNKNOWN_TEXT, shown)]
        return [(self.id_of[piece], character) for piece, character in zip(spelled, shown, strict=True)]


@dataclass(frozen=True)
class TableCutter:
    """Rows of a table, each of which is a token from the step on that adds it; other text is lost.

    Without `has_unknown`, text without a row is lost too.
    """

    pattern: SplitPattern
    unit: Unit
    id_of: Mapping[str, int]
    has_unknown: bool
    follows: Follows = "rows"

    def cut(self, text: str, step: int) -> list[list[Piece]]:
        """Return the words or characters of each pretoken: without rows at step 0, else with all of them."""
        without_row = UNKNOWN_TEXT if self.has_unknown else LOST_TEXT
        found: list[list[Piece]] = []
        for pretoken in _pretokens(text, self.pattern):
            pieces: list[tuple[int, str]] = []
            end = 0
            for row in pattern_of(self.unit).finditer(pretoken):
                pieces += [(LOST_TEXT, pretoken[end : row.start()])] * (row.start() > end)
                token_id = self.id_of.get(row.group(), without_row) if step else without_row
                pieces.append((token_id, row.group()))
                end = row.end()
            pieces += [(LOST_TEXT, pretoken[end:])] * (end < len(pretoken))
            found.append(_sized(pieces))
        return found


@dataclass(frozen=True)
class PruneCutter:
    """A base without the tokens that the steps so far removed; `removed` has the ids of each step."""

    model: BpeModel
    removed: Sequence[Sequence[int]]
    follows: Follows = "states"
    _after: dict[int, TrainedTokenizer] = field(default_factory=dict, repr=False, compare=False)

    def cut(self, text: str, step: int) -> list[list[Piece]]:
        """Return the tokens of each pretoken after a step."""
        return _encoded(text, self.after(step))

    def after(self, step: int) -> TrainedTokenizer:
        """Return the tokenizer after a step, with the base's ids."""
        if step not in self._after:
            gone = {token_id for ids in self.removed[:step] for token_id in ids}
            merges = tuple(merge for merge in self.model.merges if merge[2] not in gone)
            whole = tuple((raw, token_id) for raw, token_id in self.model.whole if token_id not in gone)
            model = replace(self.model, merges=merges, whole=whole)
            self._after[step] = TrainedTokenizer(f"after {step}", model)
        return self._after[step]


@dataclass(frozen=True)
class BestPathCutter:
    """The pieces with the best sum of scores; `states` has the live pieces and scores after each step."""

    pattern: SplitPattern
    pieces: Sequence[str]
    states: Sequence[tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]]
    follows: Follows = "states"

    def cut(self, text: str, step: int) -> list[list[Piece]]:
        """Return the pieces of each pretoken after a step."""
        from playground.training.algorithms.unigram import best_path  # which imports this module

        pretokens = list(_pretokens(text, self.pattern))
        inside = {p[k : k + n] for p in set(pretokens) for k in range(len(p)) for n in range(1, 17)}
        live, scores = self.states[step]
        score_of = {
            self.pieces[n]: (n, score)
            for n, score in zip(live.tolist(), scores.tolist(), strict=True)
            if self.pieces[n] in inside
        }
        only_scores = {piece: score for piece, (_n, score) in score_of.items()}
        cut_of = {
            pretoken: _sized(
                [
                    (score_of[piece][0] if piece in score_of else UNKNOWN_TEXT, piece)
                    for piece in best_path(pretoken, only_scores)
                ]
            )
            for pretoken in set(pretokens)
        }
        return [cut_of[pretoken] for pretoken in pretokens]
