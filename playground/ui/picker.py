"""The tokenizer picker: one component for every page, for one tokenizer or for several.

The choice is a plain list of names in the session's state, and in the address if a visitor made it.
`choose_tokenizer` and `choose_tokenizers` draw the picker and return tokenizers; `show_opener` draws the same
component for a page that only opens tokenizers. Begin with `_pick`.
"""

from collections.abc import Sequence
from typing import Literal, TypedDict, get_args

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground.catalog.registry import ABOUT, get_tokenizer
from playground.core.tokenizer import Tokenizer
from playground.core.wording import counted
from playground.server.picker_session import PATTERNS, find_name
from playground.ui import component, state

#: The choices that pages share: Tokenize and Merge tree, and Compare and Formats.
ONE, SEVERAL = "tokenizer", "tokenizers"
DEFAULT = "cl100k_base"
#: A choice was made.
PickerEvent = Literal["chosen"]
_MAX_NAMES = 20
_component = component.define(
    "picker",
    html="picker/picker.html",
    module="picker/picker.js",
    styles=("picker/picker.css",),
    events=get_args(PickerEvent),
)


class PickerData(TypedDict):
    """What a page gives the picker.

    `missing` are chosen names that the server does not have, each with a sentence for a browser that has not
    kept the tokenizer either. `address` are parameters for the page's address; the browser sets them without
    a new entry in its history, which `st.query_params` would make. `fixed` is shown in place of a choice that
    is made elsewhere. `own` are the visitor's tokenizers with a version each, for the browser to keep. Only
    the picker in the bar (`is_main`) takes dropped files and keeps tokenizers.
    """

    url: str
    label: str
    chosen: list[str]
    details: list[str]
    default: list[str]
    missing: dict[str, str]
    address: dict[str, str]
    n_max: int
    fixed: str
    is_main: bool
    own: dict[str, str]
    patterns: list[str]


def choose_tokenizer(
    name: str = ONE,
    *,
    label: str = "Tokenizer",
    default: str = DEFAULT,
    fixed: str = "",
) -> Tokenizer:
    """Draw a picker for one tokenizer and return the chosen one; `name` says whose choice it is."""
    [chosen] = _pick(name, label=label, default=[default], n_max=1, fixed=fixed)
    return _load(chosen)


def choose_tokenizers(
    name: str = SEVERAL,
    *,
    label: str = "Tokenizers",
    default: Sequence[str] = (),
    n_min: int,
    n_max: int,
    told: DeltaGenerator | None = None,
) -> list[Tokenizer]:
    """Draw a picker for several tokenizers and return the chosen ones, the first one as the main one.

    If fewer than `n_min` are chosen, a sentence in `told`, or below the picker, asks for more.
    """
    chosen = _pick(name, label=label, default=list(default or default_tokenizers()), n_max=n_max)
    if not chosen and n_min:
        (told or st).info(f"Choose at least {counted(n_min, 'tokenizer')}, up to {n_max}. Your text is kept.")
    elif len(chosen) < n_min:
        (told or st).info(f"Choose a second tokenizer to compare with; up to {n_max} fit.")
    return [_load(one) for one in chosen]


def show_opener() -> None:
    """Draw a picker without a choice: it opens, renames, removes and saves the visitor's tokenizers."""
    _pick("", label="Your tokenizers", default=[], n_max=0)


def choose(name: str, chosen: Sequence[str]) -> None:
    """Replace a choice before its picker is drawn, or in a callback."""
    state.put(name, list(chosen))


def chosen_tokenizer(name: str = ONE, *, default: str = DEFAULT) -> Tokenizer:
    """Return the tokenizer that the picker of one will show, before it is drawn."""
    return _load((chosen_names(name) or [default])[0])


def chosen_names(name: str) -> list[str]:
    """Return the names of the chosen tokenizers that the server has; none before a choice was made."""
    return _choice(name)[0]


def default_tokenizers() -> list[str]:
    """Return what a comparison starts with: two of OpenAI's and the visitor's newest, or the bundled one.

    A tokenizer that was chosen on a page of one takes the first place.
    """
    return chosen_first(["gpt2", DEFAULT, next(reversed(state.trained_tokenizers()), "python_docs_4k")])


def chosen_first(names: list[str]) -> list[str]:
    """Return the names with what was chosen on a page of one tokenizer in the first place."""
    single = chosen_names(ONE)
    return names if not single or single[0] in names else [*single, *names[1:]]


def replaced_by(name: str, button: str) -> str:
    """Return a sentence that a button will replace a tokenizer of the visitor; for a name that exists."""
    return f"{name} ({state.trained_tokenizers()[name].about}) exists already: {button} replaces it."


def _pick(
    name: str,
    *,
    label: str,
    default: list[str],
    n_max: int,
    fixed: str = "",
) -> list[str]:
    """Draw the picker, have the address follow a visitor's choice, and return the names of tokenizers."""
    session = state.picker_session()
    found, missing = _choice(name)
    is_chosen = state.kept(name, None) is not None
    shown = found[:n_max]
    if not shown and (n_max == 1 or not is_chosen or missing):
        shown = default
    named = [*found, *missing]
    address = {name: ",".join(named) if is_chosen and named != default else ""} if name else {}
    key = f"picker-{name or 'opener'}"
    data: PickerData = {
        "url": component.address(session.url),
        "label": label,
        "chosen": shown,
        "details": [_detail(one) for one in shown],
        "default": default,
        "missing": missing,
        "address": address,
        "n_max": n_max,
        "fixed": fixed,
        "is_main": name in (ONE, SEVERAL, ""),
        "own": {own: session.versions.setdefault(own, "") for own in session.own},
        "patterns": PATTERNS,
    }
    _component(key=key, data=data, chosen=lambda: _take_choice(name, key))
    return shown


def _choice(name: str) -> tuple[list[str], dict[str, str]]:
    """Return the chosen names that the server has, and the others with a sentence each.

    A new visitor's choice is in the address.
    """
    asked: list[str] | None = state.kept(name, None)
    if asked is None and name and (address := state.query_parameter(name)):
        asked = address.split(",")[:_MAX_NAMES]
        state.put(name, asked)
    session = state.picker_session()
    answers = {one: find_name(session.renamed.get(one, one), [*session.own]) for one in asked or ()}
    found = dict.fromkeys(answer["name"] for answer in answers.values() if answer["name"])
    return [*found], {one: answer["sentence"] for one, answer in answers.items() if not answer["name"]}


def _take_choice(name: str, key: str) -> None:
    """Take the names that the browser says were chosen; an opener has no choice, and its page just runs."""
    sent = state.component_value(key, "chosen")
    names = sent.get("names") if isinstance(sent, dict) else None
    if name and isinstance(names, list) and all(isinstance(one, str) for one in names):
        state.put(name, names[:_MAX_NAMES])


def _detail(name: str) -> str:
    """Return what a tokenizer is in a few words, to stand beside its name."""
    if own := state.trained_tokenizers().get(name):
        return own.about
    about = ABOUT[name]
    return " · ".join(filter(None, [about.family, f"{about.n_vocab:,} tokens"]))


def _load(name: str) -> Tokenizer:
    return state.trained_tokenizers().get(name) or get_tokenizer(name)
