"""Where a text may be cut so that the tokens of its pieces, one after the other, are those of the whole.

A long text is then encoded, counted and edited piece by piece. How a text is cut into pretokens is
`split_pattern`'s business.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from typing import NamedTuple

import regex

from playground.bpe.special_tokens import special_finder

#: Letters that `regex` and tiktoken have long known, of scripts that texts are written in.
_LETTERS = (
    r"A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01bf\u0391-\u03a1\u03a3-\u03f5\u0400-\u0481\u048a-\u052f"
    r"\u05d0-\u05ea\u0620-\u064a\u0904-\u0939\u0e01-\u0e30\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fcc\uac00-\ud7a3"
)
#: Punctuation that they have long known. No apostrophe: a contraction may follow it.
_PUNCTUATION = (
    r"!-&(-/:-@\[-`{-~\u060c\u061b\u061f\u0964\u0965\u2010-\u2027\u3001-\u3003\u3008-\u3011"
    r"\uff01-\uff0f\uff1a-\uff20"
)
#: Width-zero places where each known pattern starts a new pretoken, whatever stands around them: after a
#: letter or digit before punctuation or a line end, and between digits and what is visible.
_EVERYWHERE = (
    rf"(?<=[{_LETTERS}0-9])(?=[\r\n{_PUNCTUATION}])"
    rf"|(?<=[0-9])(?=[{_LETTERS}])|(?<=[{_LETTERS}{_PUNCTUATION}])(?=[0-9])"
)
#: And where each does by itself. GPT-2's never takes white space after what is visible; the others' never
#: take anything after line ends, but o200k's "/" after punctuation.
_BY_PATTERN = {
    "gpt2": r"(?<=\S)(?=\s)",
    "cl100k": r"(?<=\S)(?=[^\S\r\n])|(?<=[\r\n])(?=\S)",
    "llama3": r"(?<=\S)(?=[^\S\r\n])|(?<=[\r\n])(?=\S)",
    "o200k": r"(?<=\S)(?=[^\S\r\n])|(?<=[\r\n])(?=[^\s/])",
}


@cache
def safe_cut_of(pattern_name: str) -> regex.Pattern[str] | None:
    """Matches, with width zero, only where texts of a split pattern may be cut; None where none is known.

    It looks at one character on each side. A typed pattern has no such places.

    >>> safe_cut_of("gpt2").split("one two")
    ['one', ' two']
    """
    if pattern_name not in _BY_PATTERN:
        return None
    return regex.compile(f"{_BY_PATTERN[pattern_name]}|{_EVERYWHERE}")


#: Characters whose compatible spelling has a space, in any Unicode normal form.
_WITH_SPACE = (
    r"\u00a8\u00af\u00b4\u00b8\u02d8-\u02dd\u037a\u0384\u0385\u1fbd\u1fbf-\u1fc1\u1fcd-\u1fcf\u1fdd-\u1fdf"
    r"\u1fed\u1fee\u1ffd\u1ffe\u2017\u203e\u309b\u309c\ufc5e-\ufc63\ufdfa\ufdfb\ufe49-\ufe4c\ufe70-\ufe7e\uffe3"
)


@cache
def space_cut(*, is_behind: bool, without: Collection[str] = frozenset()) -> regex.Pattern[str]:
    """Matches, with width zero, at a single space between what is visible: before it, or behind it.

    These are places for tokenizers that normalize. What stands on both sides is neither dropped nor made a
    space of, and is no grapheme with a space: it is no mark, no U+FFFD, no U+2581, and none of `without`.

    >>> space_cut(is_behind=False).split("one two  three"), space_cut(is_behind=True).split("one two  three")
    (['one', ' two  three'], ['one ', 'two  three'])
    """
    left_out = rf"{_WITH_SPACE}\u2581\ufffd{''.join(map(regex.escape, sorted(without)))}"
    clusters = "".join(rf"\p{{GCB={name}}}" for name in ("Prepend", "Extend", "SpacingMark", "ZWJ"))
    visible = rf"[[\p{{L}}\p{{N}}\p{{P}}\p{{S}}]--[{clusters}{left_out}]]"
    return regex.compile(
        rf"(?V1)(?<={visible} )(?={visible})" if is_behind else rf"(?V1)(?<={visible})(?= {visible})"
    )


#: How pieces write a space; one that is typed is taken for a space too.
_SPACE = "\u2581"
#: Not inside a grapheme.
_GRAPHEME_ENDS = (
    r"(?<!\r(?=\n))(?<![\p{GCB=Prepend}\p{GCB=ZWJ}])"
    r"(?![\p{GCB=Extend}\p{GCB=SpacingMark}\p{GCB=ZWJ}\p{GCB=V}\p{GCB=T}\p{GCB=Regional_Indicator}])"
)
#: What the rest of a text may be encoded behind.
_BEFORE = "\n\ue000"


class PairCut(NamedTuple):
    """Where merges join nothing: `pattern` matches there with width zero; none joins `before`."""

    pattern: regex.Pattern[str]
    before: str


def pair_cut(pairs: Iterable[tuple[str, str]]) -> PairCut | None:
    r"""Where texts may be cut in which merges join only these pairs of characters; U+2581 stands for a space.

    No merge reaches over a place between two others, so merges on the two sides know nothing of each other,
    whatever their ranks. Of characters beyond ASCII, which may be very many, only those are asked about that
    stand in no pair or before a space. No grapheme is cut. None where pairs have all of `_BEFORE`, so that no
    text can be encoded behind one.

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
    """Characters in a class of an expression; with the sign of a space, the space."""
    found = {*characters}
    return "".join(map(regex.escape, sorted(found | {" "} if _SPACE in found else found)))


class SafeCuts:
    """The places of a tokenizer's `safe_cut` that no special token reaches over.

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
        #: Of a `RestOfText`: behind a special token a text begins anew, which is no rest, and before one it
        #: ends: a space there may be dropped with what stands before it.
        self._before_rest = before_rest
        #: Characters on each side of a place that decide whether it is safe.
        self.n_around = max(2, self._finder.n_longest + (1 if before_rest else -1))

    @property
    def is_known(self) -> bool:
        """Whether there are such places at all."""
        return self._safe_cut is not None

    def is_safe(self, text: str, place: int) -> bool:
        """Whether a text may be cut here."""
        return (
            self._safe_cut is not None
            and self._safe_cut.match(text, place) is not None
            and not self._is_special(text, place)
        )

    def next(self, text: str, start: int) -> int | None:
        """The first place from `start` on, and before the end of the text."""
        if self._safe_cut is None:
            return None
        places = (match.start() for match in self._safe_cut.finditer(text, start))
        return next((place for place in places if not self._is_special(text, place)), None)

    def last(self, text: str, start: int, end: int) -> int | None:
        """The last place from `start` up to `end`, found from there back in windows that double."""
        if self._safe_cut is None:
            return None
        n_window = 16  # most have one; of 64 characters the places take half as long again to find
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
    r"""Regroup a text that comes in parts into blocks that end at safe cuts; no block is empty.

    >>> list(iter_safe_blocks(["to b", "e or", " not"], SafeCuts(safe_cut_of("gpt2"))))
    ['to', ' be', ' or', ' not']

    The ids of the blocks join to the ids of the whole text. A place is judged only once what decides on it
    has come, so the end of a part is never taken for the end of the text. A block is about as long as a
    part, and grows until a safe cut comes: a text without any is one block.
    """
    held: list[str] = []  # what has come since the last cut
    tail = ""  # its last characters: enough to judge the places that could not be judged yet
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
