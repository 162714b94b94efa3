"""The lecture's two functions: get_stats counts pairs, merge replaces a pair from the left."""

import inspect
from collections.abc import Callable, Sequence

from playground.bpe.lecture import get_stats, merge
from playground.lessons.inputs import TextInput
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Question, Shown

#: Characters in the row.
MAX_SHOWN = 24


def code_lines(function: Callable[..., object], first: str, n_lines: int) -> list[str]:
    """Return `n_lines` source lines of a function from the one that begins with `first`, and its signature.

    >>> code_lines(merge, "while", 1)
    ['def merge(ids, pair, new_id):', '    …', '    while i < len(ids):']
    """
    lines = inspect.getsource(function).splitlines()
    at = next(number for number, line in enumerate(lines) if line.strip().startswith(first))
    indent = len(lines[at]) - len(lines[at].lstrip())
    head = f"def {function.__name__}({', '.join(inspect.signature(function).parameters)}):"
    shown = [f"    {line[indent:]}".split("  #")[0] for line in lines[at : at + n_lines]]
    return [head, "    …", *shown]


CODE = (
    code_lines(get_stats, "for pair", 2),
    code_lines(get_stats, "for pair", 2),
    code_lines(merge, "if i + 1", 3),
)


def show(text: str) -> Shown:
    """Return the counts of all pairs, the places of the most frequent one, and the row after its merge."""
    shown = text[:MAX_SHOWN]
    ids = list(map(ord, shown))
    counts = get_stats(ids)
    figure: dict[str, object] = {"before": list(shown), "counts": [], "places": [], "after": [], "code": CODE}
    if len(ids) < 2:
        return Shown(figure, needs="Type at least two letters, which make a pair.")
    pair = max(counts, key=counts.__getitem__)
    merged = merge(ids, pair, -1)
    name = "".join(map(chr, pair))
    figure |= {
        "counts": [
            {"pair": chr(left) + chr(right), "count": count} for (left, right), count in counts.items()
        ],
        "pair": name,
        "count": counts[pair],
        "places": [n for n in range(len(ids) - 1) if (ids[n], ids[n + 1]) == pair],
        "after": [name if number == -1 else chr(number) for number in merged],
    }
    needs = f"The row shows the first {MAX_SHOWN} letters." if len(text) > MAX_SHOWN else ""
    return Shown(figure, _question(name, counts[pair], len(ids), len(merged)), needs)


def _question(pair: str, count: int, n_before: int, n_after: int) -> Question:
    def hint(guess: str) -> str:
        if guess.strip() == str(n_before - count):
            return "Some places overlap: a letter is merged only once, from the left."
        return f"There are {n_before} now; each merged “{pair}” removes one."

    return Question(f"How many tokens are left after merging “{pair}”?", str(n_after), hint)


def _openings(text: str) -> Sequence[Opening]:
    return (
        Opening("train", {"chosen": {"train.corpus": "Paste a text", "train.pasted": text}}),
        Opening("merge_tree", {"text": text, "tokenizer": "gpt2"}),
    )


COUNT_AND_MERGE = Lesson(
    slug="count-and-merge",
    number=8,
    title="Count, then merge",
    claim="BPE training is a loop around two short functions.",
    guess=Guess(
        "How many tokens are left after merging aa in aaa?", ("1", "2", "3"), right=1, proof="aa a 2"
    ),
    time="27:02",
    figure="count-and-merge",
    steps=(
        "get_stats counts each pair of neighbours.",
        "The most frequent pair is marked wherever it occurs; places may overlap.",
        "merge goes from left to right: it uses each letter once.",
    ),
    inputs=(TextInput("text", "Letters", "aaabdaaabac", is_line=True),),
    try_this="Type aaa.",
    notes=Notes(
        say="We write these two functions now; everything else in training is a loop around them.",
        ask="aa is counted four times: why does merging it shorten the row by only two?",
        expect="In aaa the two pairs share the middle letter, and merge skips past what it has merged.",
    ),
    show=show,
    sources=(get_stats, merge),
    openings=_openings,
    in_class=True,
    asked_at=2,
    sets={3: {"text": "aaa"}, 4: {"text": "aaabdaaabac"}},
)
