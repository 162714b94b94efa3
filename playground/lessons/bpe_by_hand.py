"""Lesson 7: the class merges pairs by hand, beside the rule that takes the commonest."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from playground.bpe.lecture import Pair, get_stats, merge
from playground.core.wording import counted
from playground.lessons.inputs import PicksInput, TextInput
from playground.lessons.lesson import Lesson, Notes, Opening, Question, Shown

#: The board holds so many characters, and this is how often the rule merges.
MAX_LETTERS, N_MERGES = 24, 3
#: Names of what is merged, the last letters first.
_NAMES = "ZYXWVUTSRQPONMLKJIHGFEDCBA"
_BETWEEN = "\t"


@dataclass(frozen=True, slots=True)
class Board:
    """Letters and merged pairs in a row; `names` are the symbols by number, the last made by `merges`."""

    ids: tuple[int, ...]
    names: tuple[str, ...]
    merges: tuple[Pair, ...] = ()

    @classmethod
    def of(cls, text: str) -> "Board":
        """The letters of a text."""
        names = tuple(dict.fromkeys(text))
        return cls(tuple(map(names.index, text)), names)

    def merged(self, pair: Pair) -> "Board":
        """The same with each occurrence of a pair as one new symbol."""
        free = [name for name in _NAMES if name not in self.names]
        name = free[0] if free else f"{len(self.names)}"
        ids = tuple(merge(self.ids, pair, len(self.names)))
        return Board(ids, (*self.names, name), (*self.merges, pair))

    def counts(self) -> list[tuple[Pair, int]]:
        """The pairs with how often each occurs, the commonest first; of equals, the first seen."""
        return sorted(get_stats(self.ids).items(), key=lambda item: -item[1])


def by_the_rule(board: Board, n_merges: int) -> Iterator[Board]:
    """The board, and what it is after each merge of the commonest pair, as long as one occurs twice.

    >>> [len(one.ids) for one in by_the_rule(Board.of("aaabdaaabac"), 3)]
    [11, 9, 7, 5]
    """
    yield board
    for _ in range(n_merges):
        counts = board.counts()
        if not counts or counts[0][1] < 2:
            return
        board = board.merged(counts[0][0])
        yield board


def show(text: str, picks: tuple[str, ...]) -> Shown:
    """The rule's boards one by one, and the class's own with the counts of its pairs."""
    start = Board.of(text[:MAX_LETTERS])
    rule = list(by_the_rule(start, N_MERGES))
    own, taken = start, 0
    for pick in picks:
        pair = _pair_of(own, pick)
        if pair is None:
            break
        own, taken = own.merged(pair), taken + 1
    alike = [*rule, *[rule[-1]] * taken][taken]
    figure = {
        "rule": [_shown(board, start) for board in rule],
        "own": {**_shown(own, start), "picks": list(picks[:taken]), "beside": len(alike.ids)},
    }
    cut = f"The board holds the first {MAX_LETTERS} letters." if len(text) > MAX_LETTERS else ""
    if len(rule) == 1:
        return Shown(figure, needs=f"No pair occurs twice here: repeat something. {cut}".strip())
    return Shown(figure, _question(rule), cut)


def _pair_of(board: Board, pick: str) -> Pair | None:
    """The pair that a pick names, if it stands on the board."""
    left, between, right = pick.partition(_BETWEEN)
    if not between or left not in board.names or right not in board.names:
        return None
    pair = board.names.index(left), board.names.index(right)
    return pair if pair in get_stats(board.ids) else None


def _shown(board: Board, start: Board) -> dict[str, Any]:
    counts = board.counts()
    best = counts[0][1] if counts else 0
    return {
        "symbols": [board.names[number] for number in board.ids],
        "n_letters": len(set(start.ids)) + len(board.names) - len(start.names),
        "n_first": len(start.names),
        "names": list(board.names),
        "merges": [
            {"name": name, "left": board.names[left], "right": board.names[right]}
            for name, (left, right) in zip(board.names[len(start.names) :], board.merges, strict=True)
        ],
        "pairs": [
            {"left": board.names[left], "right": board.names[right], "count": count, "is_best": count == best}
            for (left, right), count in counts
        ],
        "is_tie": sum(count == best for _, count in counts) > 1,
    }


def _question(rule: list[Board]) -> Question:
    n_merges, length = len(rule) - 1, len(rule[-1].ids)

    def hint(guess: str) -> str:
        if guess.strip() == str(len(rule[0].ids) - n_merges):
            return "A merge takes one away for each place of the pair, and there are several."
        if guess.strip() == str(len(rule[-1].names)):
            return "So many different symbols there are now. The question is for the length."
        return f"Step on to {n_merges} of the merges, and count the boxes."

    asks = f"By the rule, how long is the row after {counted(n_merges, 'merge')}?"
    return Question(asks, str(length), hint)


def _openings(text: str, picks: tuple[str, ...]) -> Sequence[Opening]:
    del picks
    return (
        Opening("train", {"chosen": {"train.corpus": "Paste a text", "train.pasted": text}}),
        Opening("tokenize", {"text": text, "tokenizer": "gpt2"}),
    )


BPE_BY_HAND = Lesson(
    slug="bpe-by-hand",
    number=7,
    title="BPE by hand",
    claim="Merge the commonest pair, again and again.",
    time="23:50",
    figure="bpe-by-hand",
    steps=(
        "Count every pair, overlapping ones too: aaa has aa twice.",
        "Equal counts are a tie: the first seen wins.",
        "Each merge makes one new symbol and a shorter row.",
        "A shorter row, a longer list of symbols: that is the trade.",
    ),
    inputs=(
        TextInput("text", "Letters", "aaabdaaabac", max_chars=100_000, is_line=True),
        PicksInput("picks"),
    ),
    try_this="Press a pair: choose badly.",
    notes=Notes(
        say="This is the whole algorithm; a real training does the same with bytes, fifty thousand times.",
        ask="Which pair shall we merge first, and what do we lose by another?",
        expect="The commonest saves most at once; another choice leaves a longer row after as many merges.",
    ),
    show=show,
    sources=(get_stats, merge, by_the_rule),
    openings=_openings,
    in_class=True,
)
