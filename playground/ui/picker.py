"""The tokenizer picker: one component for every page, for one tokenizer or for several.

The choice is a plain list of names in the session's state: ids of models and names of tokenizers. If a
visitor made it, it is in the address and in a cookie, with which a new tab begins; an address wins.
`choose_tokenizer` and `choose_tokenizers` draw the picker and return tokenizers, `chosen_model` says for
which model a tokenizer was chosen, and `show_opener` draws the same component for a page that only opens
tokenizers. Begin with `_pick`.
"""

from collections.abc import Sequence
from typing import Literal, TypedDict, get_args
from urllib.parse import unquote

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground.catalog.models import MODELS_DATE, Model
from playground.catalog.registry import ABOUT, get_tokenizer
from playground.core.errors import UnknownTokenizerError
from playground.core.tokenizer import Tokenizer
from playground.core.wording import counted
from playground.server.picker_list import Choice, choice_of, model_detail
from playground.server.picker_session import PATTERNS
from playground.ui import component, state

#: The choices that pages share: Tokenize and Merge tree, and Compare and Formats.
ONE, SEVERAL = "tokenizer", "tokenizers"
RACE = "race"
#: The choices that are made in the bar, with which a new tab of this browser begins.
_IN_BAR = (ONE, SEVERAL, RACE)
DEFAULT = "gpt-5"
#: What a comparison starts with: three makers' models.
DEFAULTS = ("gpt-5", "claude-sonnet-5-5", "deepseek-v3.2")
#: A choice was made.
PickerEvent = Literal["chosen", "changed"]
_MAX_NAMES = 20
_component = component.define(
    "picker",
    html="picker/picker.html",
    module="picker/picker.js",
    styles=("picker/picker.css",),
    events=get_args(PickerEvent),
)


class ChosenRow(TypedDict):
    """A chosen name, what is shown for it, the tokenizer that it means, and what that is in a few words."""

    name: str
    label: str
    tokenizer: str
    detail: str


class ModelFigures(TypedDict):
    """A model's context window and its prices in dollars per million tokens, None if unknown, of a day."""

    name: str
    context_tokens: int | None
    input_price: float | None
    output_price: float | None
    date: str


class PickerData(TypedDict):
    """What a page gives the picker.

    `missing` are chosen names that the server does not have, each with a sentence for a browser that has not
    kept the tokenizer either. `address` are parameters for the page's address; the browser sets them without
    a new entry in its history, which `st.query_params` would make. `at` is the browser's time of the choice
    that `chosen` is: a later one is still on its way. `visitor_tokenizers` has a version of each, for the
    browser to keep. Only the picker in the bar (`is_main`) takes dropped files and keeps tokenizers.
    """

    url: str
    label: str
    chosen: list[ChosenRow]
    default: list[str]
    missing: dict[str, str]
    address: dict[str, str]
    n_max: int
    at: int
    is_main: bool
    visitor_tokenizers: dict[str, str]
    patterns: list[str]


def choose_tokenizer(
    name: str = ONE,
    *,
    label: str = "Tokenizer",
    default: str = DEFAULT,
) -> Tokenizer:
    """Draw a picker for one tokenizer and return the chosen one; `name` says whose choice it is."""
    [chosen] = _pick(name, label=label, default=[default], n_max=1)
    return _load(chosen.tokenizer)


def choose_tokenizers(
    name: str = SEVERAL,
    *,
    label: str = "Tokenizers",
    default: Sequence[str] = (),
    n_min: int,
    n_max: int,
    messages: DeltaGenerator | None = None,
) -> list[Tokenizer]:
    """Draw a picker for several tokenizers and return the chosen ones, the first one as the main one.

    If fewer than `n_min` are chosen, a sentence in `messages`, or below the picker, asks for more.
    """
    chosen = _pick(name, label=label, default=list(default or default_tokenizers()), n_max=n_max)
    if not chosen and n_min:
        (messages or st).info(
            f"Choose at least {counted(n_min, 'tokenizer')}, up to {n_max}. Your text is kept."
        )
    elif len(chosen) < n_min:
        (messages or st).info(f"Choose a second tokenizer to compare with; up to {n_max} fit.")
    return [_load(one.tokenizer) for one in chosen]


def show_opener() -> None:
    """Draw a picker without a choice: it opens, renames, removes and saves the visitor's tokenizers."""
    _pick("", label="Your tokenizers", default=[], n_max=0)


def choose(name: str, chosen: Sequence[str]) -> None:
    """Replace a choice before its picker is drawn, or in a callback."""
    state.put(name, list(chosen))


def chosen_tokenizer(name: str = ONE, *, default: str = DEFAULT) -> Tokenizer:
    """Return the tokenizer that the picker of one will show, before it is drawn."""
    return _load(_shown(name, [default], 1)[0].tokenizer)


def chosen_model(tokenizer: Tokenizer, *names: str) -> Model | None:
    """Return the model that a tokenizer was chosen for, in the first of the named choices that has it.

    Its context window and prices are what a visitor means. By default the choices are those of all pages.
    """
    chosen = [choice for name in names or (ONE, SEVERAL) for choice in _shown(name, _default_of(name), None)]
    return next((one.model for one in chosen if one.model and one.tokenizer == tokenizer.name), None)


def input_price(tokenizer: Tokenizer) -> float | None:
    """Return dollars per million input tokens of the model that a tokenizer was chosen for, if known."""
    model = chosen_model(tokenizer, SEVERAL)
    return None if model is None else model.input_price


def figures_of(model: Model | None) -> ModelFigures | None:
    """Return a model's context window and prices for a component; None without a model."""
    if model is None:
        return None
    return {
        "name": model.name,
        "context_tokens": model.context_tokens,
        "input_price": model.input_price,
        "output_price": model.output_price,
        "date": MODELS_DATE,
    }


def chosen_names(name: str) -> list[str]:
    """Return the chosen names that the server has a tokenizer for; none before a choice was made."""
    return [choice.name for choice in _choice(name)[0]]


def missing_names(name: str) -> list[str]:
    """Return the chosen names that the server has no tokenizer for, or not yet after a reload."""
    return [*_choice(name)[1]]


def name_of(tokenizer: Tokenizer) -> str:
    """Return the name by which a tokenizer was chosen on any page: a model's id, or its own name."""
    model = chosen_model(tokenizer)
    return tokenizer.name if model is None else model.ids[0]


def default_tokenizers() -> list[str]:
    """Return what a comparison starts with: models of three makers, or two and the visitor's newest.

    What was chosen on a page of one tokenizer takes the first place.
    """
    own = [*state.trained_tokenizers()][-1:]
    return chosen_first([*DEFAULTS[: 3 - len(own)], *own])


def chosen_first(names: Sequence[str]) -> list[str]:
    """Return the names with what was chosen on a page of one tokenizer in the first place."""
    own = state.trained_tokenizers()
    single = _choice(ONE)[0][:1]
    chosen = {choice.tokenizer for choice in single}
    others = [name for name in names if choice_of(name, own).tokenizer not in chosen]
    if single and len(others) == len(names):
        others = others[1:]  # it takes the place of the first
    return [*(choice.name for choice in single), *others]


def replaced_by(name: str, button: str) -> str:
    """Return a sentence that a button will replace a tokenizer of the visitor; for a name that exists."""
    return f"{name} ({state.trained_tokenizers()[name].about}) exists already: {button} replaces it."


def _pick(
    name: str,
    *,
    label: str,
    default: list[str],
    n_max: int,
) -> list[Choice]:
    """Draw the picker, have the address follow a visitor's choice, and return what it shows."""
    session = state.picker_session()
    found, missing = _choice(name)
    is_chosen = state.get(name, None) is not None
    shown = _shown(name, default, n_max)
    named = [*(choice.name for choice in found), *missing]
    address = {name: ",".join(named) if is_chosen and named != default else ""} if name else {}
    key = f"picker-{name or 'opener'}"
    data: PickerData = {
        "url": component.address(session.url),
        "label": label,
        "chosen": [_row(choice) for choice in shown],
        "default": default,
        "missing": missing,
        "address": address,
        "n_max": n_max,
        "at": state.get(f"{key}.at", 0),
        "is_main": name in (*_IN_BAR, ""),
        "visitor_tokenizers": {
            name: session.versions.setdefault(name, "") for name in session.visitor_tokenizers
        },
        "patterns": PATTERNS,
    }
    _component(key=key, data=data, chosen=lambda: _take_choice(name, key))
    return shown


def _default_of(name: str) -> list[str]:
    return [DEFAULT] if name == ONE else default_tokenizers()


def _shown(name: str, default: list[str], n_max: int | None) -> list[Choice]:
    """Return what a picker shows: what was chosen, or else the default."""
    found, missing = _choice(name)
    if not found and name == ONE:  # what was chosen to be compared first is what one looks at
        found = _choice(SEVERAL)[0]
    shown = found[:n_max]
    if not shown and (n_max == 1 or state.get(name, None) is None or missing):
        shown = [choice_of(one, state.trained_tokenizers()) for one in default]
    return shown


def _choice(name: str) -> tuple[list[Choice], dict[str, str]]:
    """Return the choices that the server has, a tokenizer once, and the other names with a sentence each.

    A new visitor's choice is in the address, or else in this browser's cookie.
    """
    asked: list[str] | None = state.get(name, None)
    if asked is None and name and (written := state.query_parameter(name) or _remembered(name)):
        asked = written.split(",")[:_MAX_NAMES]
        state.put(name, asked)
    session = state.picker_session()
    found: dict[str, Choice] = {}
    missing: dict[str, str] = {}
    for one in asked or ():
        try:
            choice = choice_of(session.renamed.get(one, one), session.visitor_tokenizers)
        except UnknownTokenizerError as error:
            missing[one] = f"{error}.".replace("?.", "?")
        else:
            found.setdefault(choice.tokenizer, choice)
    return [*found.values()], missing


def _remembered(name: str) -> str:
    """Return the last choice of this browser on the pages that share one; "" if there is none."""
    return unquote(st.context.cookies.to_dict().get(f"tessera-{name}", "")) if name in _IN_BAR else ""


def _take_choice(name: str, key: str) -> None:
    """Take the names that the browser says were chosen.

    The component keeps the choice as its state. An event would be lost if the page ran for another reason
    within a few milliseconds, because Streamlit ends a run for the next one before its callbacks.
    """
    sent = state.component_value(key, "chosen")
    names = sent.get("names") if isinstance(sent, dict) else None
    if isinstance(names, list) and all(isinstance(one, str) for one in names):
        state.put(name, names[:_MAX_NAMES])
        state.put(f"{key}.at", int(sent["at"]))


def _row(choice: Choice) -> ChosenRow:
    """Return what the field shows: a model with its tokenizer, or a tokenizer with what it is."""
    if own := state.trained_tokenizers().get(choice.tokenizer):
        detail = own.about
    elif choice.model is not None:
        words = [model_detail(choice.model, choice.tokenizer)]
        if choice.model.fidelity == "reconstructed":
            words.append("reconstructed")
        detail = " · ".join(words)
    else:
        about = ABOUT[choice.tokenizer]
        detail = " · ".join(filter(None, [about.family, f"{about.n_vocab:,} tokens"]))
    return {"name": choice.name, "label": choice.label, "tokenizer": choice.tokenizer, "detail": detail}


def _load(name: str) -> Tokenizer:
    return state.trained_tokenizers().get(name) or get_tokenizer(name)
