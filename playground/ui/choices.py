"""What is chosen on each page, by the names of its fields: a link restores it, and a browser keeps it.

What a link or a browser says is checked here; what does not fit is left as the page opens with it. Texts of
live pages are not here, for they never go through a run of the page.
"""

import contextlib
from collections.abc import Iterable, Mapping
from typing import Any, Literal, cast

import regex
import streamlit as st

from playground.core.errors import AssetError, InvalidInputError
from playground.server.shapes import Check, array, boolean, integer, misfit, one_of, or_null, whole_text
from playground.training.corpora import BUNDLED, udhr_languages
from playground.training.kernel.tie_rules import TIE_RULES
from playground.training.run import SPEEDS
from playground.ui import state

PageName = Literal["tokenize", "train", "compare", "merge_tree", "formats"]
PASTE, UPLOAD = "Paste a text", "Upload files"
_MOST = 10**9


def _name(value: object) -> str:
    text = whole_text(value)
    if len(text) > 300:
        raise misfit("at most 300 characters", value)
    return text


def _amount(value: object) -> float:
    if type(value) not in (int, float) or not 0 <= cast(float, value) <= 1e12:
        raise misfit("a number from 0 to 1e12", value)
    return float(cast(float, value))


_NAMES, _FLAG = array(_name, max_items=100), boolean
_COUNT, _FROM_ONE = integer(0, _MOST), integer(1, _MOST)
_MAYBE = or_null(_COUNT)

#: What a link has of each page, beside what its own state says. "*" stands for each language.
CHOICES: Mapping[PageName, Mapping[str, Check]] = {
    "tokenize": {"budget.size": _FROM_ONE, "budget.overlap": _COUNT},
    "train": {
        "train.corpus": one_of(*BUNDLED, PASTE, UPLOAD), "train.pasted": whole_text,
        "train.field": _name, "train.languages": _NAMES,
        "train.weight.*": integer(1, 50), "train.size_by": _name, "train.vocab_size": _COUNT,
        "train.n_merges": _COUNT, "train.pattern": _name, "train.typed_pattern": _name,
        "train.ties": one_of(*TIE_RULES), "train.min_count": _FROM_ONE, "train.held_out": integer(0, 50),
        "train.special": whole_text, "train.speed": one_of(*SPEEDS), "train.pause_at": or_null(_FROM_ONE),
        "train.panel": _name, "train.chart": _name, "train.sample": _name, "train.own": whole_text,
        "train.search": _name, "train.name": _name,
    },
    "compare": {
        "view.compare": _name, "compare.article": _name, "compare.first_vocabulary": _name,
        "compare.second_vocabulary": _name, "compare.field": _name,
    },
    "merge_tree": {
        "view.merge_tree": _name, "race.word": _name, "tokenizers.race": array(_name, max_items=4),
        "tokenizer.merge_tree_other": _name, "health.kind": _name,
        "convert.target": _name,
        "vocabulary.text": _name, "vocabulary.pattern": _name,
        "vocabulary.order": _name, "vocabulary.case": _FLAG, "vocabulary.script": _name,
        "vocabulary.space": _name, "vocabulary.utf8": _name, "vocabulary.from_id": _MAYBE,
        "vocabulary.to_id": _MAYBE, "vocabulary.from_bytes": or_null(_FROM_ONE),
        "vocabulary.to_bytes": or_null(_FROM_ONE),
    },
    "formats": {
        "formats.tokenizers": _NAMES, "formats.input": _name, "formats.price": _amount, "view.formats": _name,
        "formats.sorted": _FLAG, "formats.ascii": _FLAG, "formats.minified": _FLAG, "formats.newline": _FLAG,
        "formats.indent": integer(2, 4), "formats.dimmed": _FLAG, "formats.growth": _name,
        "formats.grown": _NAMES, "formats.converted": _name, "formats.left": _name, "formats.right": _name,
    },
}  # fmt: skip
#: What a browser keeps beside that: a link has it in its own state.
KEPT: Mapping[PageName, Mapping[str, Check]] = {
    "tokenize": {},
    "train": {"train.n_started": _COUNT},
    "compare": {},
    "merge_tree": {},
    "formats": {},
}  # fmt: skip
#: Choices of pickers among them, under the names that links have for them and that pickers have.
_PICKERS = {"tokenizers.race": "race", "tokenizer.merge_tree_other": "other"}
#: Names of tokenizers among them.
_TOKENIZER_NAMES = ("tokenizer.merge_tree_other", "tokenizers.race", "formats.tokenizers")
#: All that names tokenizers on any page, alone or in a list, with what is kept beside a field under its name.
#: "tokenizer.own" names pickers.
_NAMES_TOKENIZERS = regex.compile(
    r"(?:keep\.)?(?:tokenizers?\.(?!own$)|formats\.tokenizers|compare\.\w+_vocabulary).*"
)


def chosen_on(page: PageName, *, kept: bool = False) -> dict[str, Any]:
    """What is chosen on a page now, by field; fields that were never drawn are left out."""
    chosen = {}
    for name in (*CHOICES[page], *(KEPT[page] if kept else ())):
        if name in _PICKERS and (names := state.kept(_PICKERS[name], None)):
            chosen[name] = names if name.startswith("tokenizers.") else names[0]
        many = [name.replace("*", each) for each in _languages()] if name.endswith("*") else [name]
        for each in many:  # asked for one by one: to list the state makes each of its values anew
            if each in st.session_state:
                field: state.Field[object] = state.Field(each, None)
                chosen[each] = field.value
    return chosen


def _languages() -> Iterable[str]:
    """None where their texts are damaged: that is told where they are needed."""
    try:
        return udhr_languages()
    except AssetError:
        return ()


def choose(page: PageName, said: Mapping[str, object], *, kept: bool = False) -> dict[str, Any]:
    """Put what fits of what is said into the fields of a page, and give it."""
    chosen = checked(page, said, kept=kept)
    for name, value in chosen.items():
        if name in _PICKERS:
            state.put(_PICKERS[name], value if isinstance(value, list) else [value])
        else:
            state.Field(name, None).put(value)
    return chosen


def checked(page: PageName, said: Mapping[str, object], *, kept: bool = False) -> dict[str, Any]:
    """What is said to be chosen, without what a page has no field for or what its field cannot show.

    >>> checked("formats", {"formats.price": 2, "formats.indent": "2", "train.held_out": 10})
    {'formats.price': 2.0}
    """
    table = {**CHOICES[page], **(KEPT[page] if kept else {})}
    chosen: dict[str, Any] = {}
    for name, value in said.items():
        check = _check_of(table, name)
        if check is not None:
            with contextlib.suppress(InvalidInputError):
                chosen[name] = check(value)
    return chosen


def tokenizer_names(chosen: Mapping[str, Any]) -> list[str]:
    """The tokenizers that choices name."""
    named = [chosen[name] for name in _TOKENIZER_NAMES if name in chosen]
    return [name for value in named for name in (value if isinstance(value, list) else [value])]


def rename_tokenizer(old: str, new: str) -> None:
    """Choose a tokenizer by its new name wherever it is chosen by its old one; twice is as once."""
    for key in list(st.session_state):
        name = str(key)
        if not _NAMES_TOKENIZERS.fullmatch(name):
            continue
        is_field = not name.startswith("keep.")
        field: state.Field[object] = state.Field(name, None)
        value = field.value if is_field else st.session_state[name]
        if isinstance(value, list) and old in value:
            renamed: object = list(dict.fromkeys(new if each == old else each for each in value))
        elif value == old:
            renamed = new
        else:
            continue
        if is_field:
            field.put(renamed)
        else:
            state.put(name.removeprefix("keep."), renamed)


def _check_of(table: Mapping[str, Check], name: str) -> Check | None:
    many = name.rpartition(".")[0] + ".*"
    return table.get(name) or table.get(many)
