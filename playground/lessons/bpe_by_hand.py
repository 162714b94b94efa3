"""The class merges pairs by hand, next to the rule that merges the most frequent pair."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from playground.bpe.lecture import Pair, get_stats, merge
from playground.core.wording import counted
from playground.lessons.inputs import PicksInput, TextInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown

#: Characters on the board, and merges by the rule.
MAX_LETTERS, N_MERGES = 24, 3
#: Names of merged symbols, in the order of use.
_NAMES = "ZYXWVUTSRQPONMLKJIHGFEDCBA"
_BETWEEN = "\t"


@dataclass(frozen=True, slots=True)
class Board:
    """A row of symbols by number; `names` are those of all symbols, the last of which `merges` made."""

    ids: tuple[int, ...]
    names: tuple[str, ...]
    merges: tuple[Pair, ...] = ()

    @classmethod
    def of(cls, text: str) -> "Board":
        """Return a board with one symbol for each letter of a text."""
        names = tuple(dict.fromkeys(text))
        return cls(tuple(map(names.index, text)), names)

    def merged(self, pair: Pair) -> "Board":
        """Return the board after replacing each occurrence of a pair with one new symbol."""
        free = [name for name in _NAMES if name not in self.names]
        name = free[0] if free else f"{len(self.names)}"
        ids = tuple(merge(self.ids, pair, len(self.names)))
        return Board(ids, (*self.names, name), (*self.merges, pair))

    def counts(self) -> list[tuple[Pair, int]]:
        """Return the pairs with their counts, most frequent first; ties in the order of appearance."""
        return sorted(get_stats(self.ids).items(), key=lambda item: -item[1])


def by_the_rule(board: Board, n_merges: int) -> Iterator[Board]:
    """Yield the board, then the board after each merge of the most frequent pair, while one occurs twice.

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
    """Return the boards of the rule, and the class's own board with the counts of its pairs."""
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
    """Return the pair that a pick names, or None if it isn't on the board."""
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
            return "A merge removes one symbol at each place where the pair occurs, and there are several."
        if guess.strip() == str(len(rule[-1].names)):
            return "That is the number of different symbols. The question is about the row's length."
        return f"Go to the step with {counted(n_merges, 'merge')}, and count the boxes."

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
    claim="Keep merging the most frequent pair.",
    guess=Guess("aaabdaaabac: which pair occurs most often?", ("aa", "ab", "ac"), right=0, proof="aa ×4"),
    minutes=9,
    time="23:50",
    figure="bpe-by-hand",
    steps=(
        "Count every pair, overlapping ones too: aaa contains aa twice.",
        "If counts tie, the pair that appears first is merged.",
        "Each merge adds one symbol and makes the row shorter.",
        "A shorter row for a longer list of symbols: that's the trade-off.",
    ),
    inputs=(
        TextInput("text", "Letters", "aaabdaaabac", max_chars=100_000, is_line=True),
        PicksInput("picks"),
    ),
    try_this="Press pairs and try to beat the rule.",
    notes=Notes(
        say="This is the whole algorithm; GPT-2's training did the same with bytes, 50,000 times.",
        ask="Which pair should we merge first? Does another choice always end worse?",
        expect=(
            "The most frequent pair saves most now, but the rule is greedy: another order can end as short "
            "or even shorter."
        ),
    ),
    show=show,
    sources=(get_stats, merge, by_the_rule),
    openings=_openings,
    in_class=True,
    told_at=1,
)
