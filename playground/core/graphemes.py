"""Boundaries of grapheme clusters, the characters a reader sees (Unicode Standard Annex #29).

The class of each code point comes from `regex`; the rules are applied here, to whole arrays at once.
"""

from enum import IntEnum, auto
from functools import cache
from itertools import product

import numpy as np
import regex
from numpy.typing import NDArray

_Flags = NDArray[np.bool_]
_Classes = NDArray[np.uint8]


def grapheme_starts(text: str) -> _Flags:
    """Return whether a grapheme cluster begins at each character.

    Shape (characters + 1,); the last item, the end of the text, is always True. Time is linear in the text.

    >>> grapheme_starts("ae\\u0301").tolist()
    [True, True, False, True]

    Source: Unicode Standard Annex #29, section 3.1.1; each rule is named where it is applied.
    """
    starts = np.ones(len(text) + 1, np.bool_)
    if text.isascii():
        if "\r\n" in text:
            codes = np.frombuffer(text.encode(), np.uint8)
            starts[1:-1] = (codes[:-1] != 13) | (codes[1:] != 10)
        return starts
    classes = _class_of_code_point()[np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")]
    before, after = classes[:-1], classes[1:]
    joins = _joined_pairs()[before, after]
    joins |= _joined_flags(before, after, classes)
    joins |= _joined_emoji(before, after, classes)
    joins |= _joined_conjuncts(before, after, classes)
    starts[1:-1] = ~joins
    return starts


class _Class(IntEnum):
    """Grapheme_Cluster_Break, refined by Extended_Pictographic and Indic_Conjunct_Break."""

    OTHER = 0
    CR = auto()
    LF = auto()
    CONTROL = auto()
    EXTEND = auto()
    INDIC_EXTEND = auto()
    LINKER = auto()
    ZWJ = auto()
    REGIONAL_INDICATOR = auto()
    PREPEND = auto()
    SPACING_MARK = auto()
    L = auto()
    V = auto()
    T = auto()
    LV = auto()
    LVT = auto()
    PICTOGRAPH = auto()
    CONSONANT = auto()


#: The `regex` property of each class; a later line overrides an earlier one. Three linkers of `regex` are not
#: GCB=Extend as the standard requires; they are excluded here.
_PROPERTIES = {
    _Class.PICTOGRAPH: r"\p{Extended_Pictographic}",
    _Class.CONSONANT: r"\p{InCB=Consonant}",
    _Class.CR: r"\p{GCB=CR}",
    _Class.LF: r"\p{GCB=LF}",
    _Class.CONTROL: r"\p{GCB=Control}",
    _Class.EXTEND: r"\p{GCB=Extend}",
    _Class.INDIC_EXTEND: r"\p{InCB=Extend}",
    _Class.LINKER: r"[\p{InCB=Linker}&&\p{GCB=Extend}]",
    _Class.ZWJ: r"\p{GCB=ZWJ}",
    _Class.REGIONAL_INDICATOR: r"\p{GCB=Regional_Indicator}",
    _Class.PREPEND: r"\p{GCB=Prepend}",
    _Class.SPACING_MARK: r"\p{GCB=SpacingMark}",
    _Class.L: r"\p{GCB=L}",
    _Class.V: r"\p{GCB=V}",
    _Class.T: r"\p{GCB=T}",
    _Class.LV: r"\p{GCB=LV}",
    _Class.LVT: r"\p{GCB=LVT}",
}
_CONTROLS = {_Class.CR, _Class.LF, _Class.CONTROL}
_EXTENDS = {_Class.EXTEND, _Class.INDIC_EXTEND, _Class.LINKER}


@cache
def _class_of_code_point() -> _Classes:
    """Return the class of every code point (about 1 MB); takes 0.1 s on first use."""
    classes = np.zeros(0x110000, np.uint8)
    every = np.arange(0x110000, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    for number, name in _PROPERTIES.items():
        for run in regex.finditer(rf"(?V1){name}+", every):
            classes[run.start() : run.end()] = number
    return classes


@cache
def _joined_pairs() -> _Flags:
    """Return whether a character of the first class joins one of the second, whatever comes before them."""
    joined = np.zeros((len(_Class), len(_Class)), np.bool_)
    for before, after in product(_Class, _Class):
        joined[before, after] = _is_joined(before, after)
    return joined


def _is_joined(before: _Class, after: _Class) -> bool:
    if before in _CONTROLS or after in _CONTROLS:
        return before is _Class.CR and after is _Class.LF  # GB3, GB4, GB5
    return (
        (before is _Class.L and after in {_Class.L, _Class.V, _Class.LV, _Class.LVT})  # GB6
        or (before in {_Class.LV, _Class.V} and after in {_Class.V, _Class.T})  # GB7
        or (before in {_Class.LVT, _Class.T} and after is _Class.T)  # GB8
        or after in _EXTENDS | {_Class.ZWJ, _Class.SPACING_MARK}  # GB9, GB9a
        or before is _Class.PREPEND  # GB9b
    )


def _joined_conjuncts(before: _Classes, after: _Classes, classes: _Classes) -> _Flags:
    """Apply GB9c: a consonant joins the previous one across a linker such as Devanagari's virama."""
    between = (_Class.INDIC_EXTEND, _Class.LINKER, _Class.ZWJ)
    joins: _Flags = (after == _Class.CONSONANT) & np.isin(before, between)
    if joins.any():
        last_other = _last_index(~np.isin(classes, between))[:-1]
        last_linker = _last_index(classes == _Class.LINKER)[:-1]
        joins &= classes[last_other] == _Class.CONSONANT
        joins &= last_linker > last_other
    return joins


def _joined_emoji(before: _Classes, after: _Classes, classes: _Classes) -> _Flags:
    """Apply GB11: a pictograph joins the previous one across a zero-width joiner, as in families."""
    joins: _Flags = (after == _Class.PICTOGRAPH) & (before == _Class.ZWJ)
    if joins.any():
        last_other = _last_index(~np.isin(classes, tuple(_EXTENDS)))[:-2]
        joins[1:] &= classes[last_other] == _Class.PICTOGRAPH
        joins[0] = False
    return joins


def _joined_flags(before: _Classes, after: _Classes, classes: _Classes) -> _Flags:
    """Apply GB12 and GB13: in a run of regional indicators, each pair is a flag."""
    joins: _Flags = (after == _Class.REGIONAL_INDICATOR) & (before == _Class.REGIONAL_INDICATOR)
    if joins.any():
        is_other = classes != _Class.REGIONAL_INDICATOR
        place = np.arange(len(classes)) - _last_index(is_other)  # 1, 2, 3 … in a row
        if not is_other[0]:
            place[: int(np.argmax(is_other)) if is_other.any() else len(place)] += (
                1  # the text starts with the run
            )
        joins &= place[1:] % 2 == 0
    return joins


def _last_index(flags: _Flags) -> NDArray[np.int64]:
    """Return, for each position, the index of the last True up to it; 0 if there is none."""
    return np.maximum.accumulate(np.where(flags, np.arange(len(flags)), 0))
