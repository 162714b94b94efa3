"""Safe cuts: where a text may be cut so that the ids of its pieces join to the ids of the whole.

Long texts are encoded, counted and edited piece by piece. How a text is cut into pretokens is in
`split_pattern`.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from typing import NamedTuple

import regex

from playground.bpe.special_tokens import special_finder
from playground.bpe.split_pattern import OPEN_MODEL_PATTERNS

#: Letters, in scripts in common use, that old and new versions of Unicode agree on.
_LETTERS = (
    r"A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01bf\u0391-\u03a1\u03a3-\u03f5\u0400-\u0481\u048a-\u052f"
    r"\u05d0-\u05ea\u0620-\u064a\u0904-\u0939\u0e01-\u0e30\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fcc\uac00-\ud7a3"
)
#: Punctuation that they agree on. No apostrophe, because a contraction may follow it.
_PUNCTUATION = (
    r"!-&(-/:-@\[-`{-~\u060c\u061b\u061f\u0964\u0965\u2010-\u2027\u3001-\u3003\u3008-\u3011"
    r"\uff01-\uff0f\uff1a-\uff20"
)
#: Zero-width places at which every known pattern starts a new pretoken, whatever surrounds them: after a
#: letter or digit before punctuation or a line end, and between digits and visible characters.
_EVERYWHERE = (
    rf"(?<=[{_LETTERS}0-9])(?=[\r\n{_PUNCTUATION}])"
    rf"|(?<=[0-9])(?=[{_LETTERS}])|(?<=[{_LETTERS}{_PUNCTUATION}])(?=[0-9])"
)
#: Further places of each pattern. GPT-2's never takes white space after visible characters; the others never
#: take anything after line ends, except o200k's "/" after punctuation.
_BY_PATTERN = {
    "gpt2": r"(?<=\S)(?=\s)",
    "cl100k": r"(?<=\S)(?=[^\S\r\n])|(?<=[\r\n])(?=\S)",
    "llama3": r"(?<=\S)(?=[^\S\r\n])|(?<=[\r\n])(?=\S)",
    "o200k": r"(?<=\S)(?=[^\S\r\n])|(?<=[\r\n])(?=[^\s/])",
}


#: Patterns of open models, and the pattern whose safe cuts are safe for them, too.
CUTS_LIKE = {OPEN_MODEL_PATTERNS["qwen"]: "llama3", OPEN_MODEL_PATTERNS["tekken"]: "o200k"}


@cache
def safe_cut_of(pattern_name: str) -> regex.Pattern[str] | None:
    """Return an expression that matches, with width zero, at safe cuts of a split pattern; None if unknown.

    It looks at one character on each side. Typed patterns have no known cuts.

    >>> safe_cut_of("gpt2").split("one two")
    ['one', ' two']
    """
    if pattern_name not in _BY_PATTERN:
        return None
    return regex.compile(f"{_BY_PATTERN[pattern_name]}|{_EVERYWHERE}")


#: Characters whose compatibility decomposition contains a space, in any Unicode normal form.
_WITH_SPACE = (
    r"\u00a8\u00af\u00b4\u00b8\u02d8-\u02dd\u037a\u0384\u0385\u1fbd\u1fbf-\u1fc1\u1fcd-\u1fcf\u1fdd-\u1fdf"
    r"\u1fed\u1fee\u1ffd\u1ffe\u2017\u203e\u309b\u309c\ufc5e-\ufc63\ufdfa\ufdfb\ufe49-\ufe4c\ufe70-\ufe7e\uffe3"
)


@cache
def space_cut(*, is_behind: bool, without: Collection[str] = frozenset()) -> regex.Pattern[str]:
    """Return an expression that matches at single spaces between visible characters, before or behind them.

    For tokenizers that normalize: the characters on both sides are not dropped, do not turn into spaces, and
    form no grapheme cluster with a space. They are not marks, U+FFFD, U+2581 or in `without`.

    >>> space_cut(is_behind=False).split("one two  three"), space_cut(is_behind=True).split("one two  three")
    (['one', ' two  three'], ['one ', 'two  three'])
    """
    left_out = rf"{_WITH_SPACE}\u2581\ufffd{''.join(map(regex.escape, sorted(without)))}"
    clusters = "".join(rf"\p{{GCB={name}}}" for name in ("Prepend", "Extend", "SpacingMark", "ZWJ"))
    visible = rf"[[\p{{L}}\p{{N}}\p{{P}}\p{{S}}]--[{clusters}{left_out}]]"
    return regex.compile(
        rf"(?V1)(?<={visible} )(?={visible})" if is_behind else rf"(?V1)(?<={visible})(?= {visible})"
    )


#: How pieces write a space; a typed U+2581 is read as a space too.
_SPACE = "\u2581"
#: Matches anywhere except inside a grapheme cluster.
_GRAPHEME_ENDS = (
    r"(?<!\r(?=\n))(?<![\p{GCB=Prepend}\p{GCB=ZWJ}])"
    r"(?![\p{GCB=Extend}\p{GCB=SpacingMark}\p{GCB=ZWJ}\p{GCB=V}\p{GCB=T}\p{GCB=Regional_Indicator}])"
)
#: Characters after which the rest of a text may be encoded separately.
_BEFORE = "\n\ue000"


class PairCut(NamedTuple):
    """Places that no merge crosses: `pattern` matches there with width zero; `before` is in no merge."""

    pattern: regex.Pattern[str]
    before: str


def pair_cut(pairs: Iterable[tuple[str, str]]) -> PairCut | None:
    r"""Return where texts may be cut if merges join only these pairs of characters (U+2581 is a space).

    No merge crosses a place between two other characters, so merges on the two sides are independent whatever
    their ranks. For characters beyond ASCII, which may be very many, only those are considered that are in no
    pair or before a space. No grapheme cluster is cut. None if all of `_BEFORE` are in pairs, so that no text
    can be encoded behind one.

    >>> cut = pair_cut([("t", "h"), ("h", "e"), ("\u2581", "t"), (".", "\u2581")])
    >>> cut.pattern.split("the the.the the. the")
    ['the', ' the', '.', 'the', ' the', '. the']
    """
    behind: dict[str, set[str]] = defaultdict(set)
    for left, right in pairs:
        behind[left].add(right)
    joined = frozenset(behind).union(*behind.values())
    before = next((character for character in _BEFORE if character not in joined), None)
    if before is None:
        return None
    spaced = [left for left, others in behind.items() if _SPACE in others]
    lefts = sorted(left for left in joined if left.isascii() or left == _SPACE)
    places = [
        f"(?<={_no(joined)})(?=.)|(?<=.)(?={_no(joined)})|(?<={_no(spaced)})(?=[ {_SPACE}])",
        *(f"(?<=[{_listed(left)}])(?={_no(behind.get(left, ()))})" for left in lefts),
    ]
    return PairCut(regex.compile(rf"(?s)(?:{'|'.join(places)}){_GRAPHEME_ENDS}"), before)


def _no(characters: Collection[str]) -> str:
    return f"[^{_listed(characters)}]" if characters else "."


def _listed(characters: Iterable[str]) -> str:
    """Return characters for a class of an expression; U+2581 adds the space."""
    found = {*characters}
    return "".join(map(regex.escape, sorted(found | {" "} if _SPACE in found else found)))


class SafeCuts:
    """The safe cuts of a tokenizer that no special token crosses.

    >>> cuts = SafeCuts(safe_cut_of("gpt2"), ["o t"])
    >>> cuts.next("two three one two", 1), cuts.is_safe("no two", 2)
    (9, False)
    """

    def __init__(
        self,
        safe_cut: regex.Pattern[str] | None,
        special_tokens: Collection[str] = (),
        *,
        before_rest: bool = False,
    ) -> None:
        self._safe_cut = safe_cut
        self._finder = special_finder(special_tokens)
        #: For a `RestOfText`: after a special token a new text begins, and before one a text ends, where a
        #: space may be dropped; neither place is a cut.
        self._before_rest = before_rest
        #: The number of characters on each side of a place that decide whether it is safe.
        self.n_around = max(2, self._finder.n_longest + (1 if before_rest else -1))

    @property
    def is_known(self) -> bool:
        """Whether any safe cuts are known."""
        return self._safe_cut is not None

    def is_safe(self, text: str, place: int) -> bool:
        """Whether a text may be cut at this place."""
        return (
            self._safe_cut is not None
            and self._safe_cut.match(text, place) is not None
            and not self._is_special(text, place)
        )

    def next(self, text: str, start: int) -> int | None:
        """Return the first safe cut at or after `start` and before the end of the text."""
        if self._safe_cut is None:
            return None
        places = (match.start() for match in self._safe_cut.finditer(text, start))
        return next((place for place in places if not self._is_special(text, place)), None)

    def last(self, text: str, start: int, end: int) -> int | None:
        """Return the last safe cut in `start:end + 1`, searched backwards in growing windows."""
        if self._safe_cut is None:
            return None
        n_window = 16  # most windows of 16 have a cut; with 64 the search takes 1.5 times as long
        while end >= start:
            first = max(start, end + 1 - n_window)
            places = [match.start() for match in self._safe_cut.finditer(text, first, end + 1)]
            for place in reversed(places):
                if not self._is_special(text, place):
                    return place
            end = first - 1
            n_window *= 8
        return None

    def _is_special(self, text: str, place: int) -> bool:
        if self._before_rest and self._finder.begins_at(text, place + 1):
            return True
        return self._finder.is_inside(text, place, or_behind=self._before_rest)


def iter_safe_blocks(texts: Iterable[str], cuts: SafeCuts) -> Iterator[str]:
    r"""Regroup a text that arrives in parts into non-empty blocks that end at safe cuts.

    >>> list(iter_safe_blocks(["to b", "e or", " not"], SafeCuts(safe_cut_of("gpt2"))))
    ['to', ' be', ' or', ' not']

    The ids of the blocks join to the ids of the whole text. A place is judged only when all characters that
    decide it have arrived. A block is about as long as a part and grows until a safe cut comes, so a text
    without safe cuts is one block.
    """
    held: list[str] = []  # parts since the last cut
    tail = ""  # their last characters, which may decide on places not judged yet
    for part in texts:
        window = tail + part
        place = cuts.last(window, max(len(tail) - cuts.n_around, 0), len(window) - cuts.n_around)
        if place is not None:
            before = "".join(held)
            cut = len(before) - len(tail) + place
            if cut <= len(before):
                yield before[:cut]
                held = [before[cut:]]
            else:
                yield before + part[: cut - len(before)]
                held, part = [], part[cut - len(before) :]
        held.append(part)
        tail = (window[place or 0 :])[-2 * cuts.n_around :]
    if rest := "".join(held):
        yield rest
