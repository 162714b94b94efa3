"""Controls that several pages share; each keeps its choice for the session."""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from time import monotonic
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground.catalog.extended import special_tokens_that_fit
from playground.catalog.opened import OpenedTokenizer
from playground.catalog.registry import ABOUT, MODELS, TOKENIZERS, encoding_name, get_tokenizer, is_known
from playground.core.errors import NotShippedError, UnknownTokenizerError
from playground.core.tokenizer import Tokenizer
from playground.core.wording import counted, quoted
from playground.render.visible_text import markdown_escape
from playground.ui import one_tokenizer, state

#: The name of a tokenizer that was opened beside the picker that is drawn next: it is chosen there.
OPENED = "picker.opened"
#: Those that were opened at once with it: a picker of several has them, too.
OPENED_BEFORE = "picker.opened_before"
OWN_SPECIAL = state.Field("own_special", "", in_address=False)
#: Whether the visitor has changed them since the page looked.
OWN_SPECIAL_TYPED = "own_special.typed"
#: So many reasons why own special tokens are refused are read.
_SHOWN_PROBLEMS = 10
_OWN_SPECIAL_HELP = "Add special tokens, such as <|user|>, that this tokenizer does not have"
#: For so long what is wrong with a choice is told at least, once it is drawn.
_TOLD_SECONDS = 10.0
#: What is valid where a name is not.
_VALID = "Choose one of the list, type a model's full name such as gpt-4o-mini, or open its tokenizer file."
#: Between the name and what it is, where a tag shows the name alone: its first line.
_BELOW = "\n"
#: What a picker shows first.
FIRST_SHOWN = "cl100k_base"


def choose_tokenizer(
    name: str,
    *,
    label: str = "Tokenizer",
    default: str = FIRST_SHOWN,
    told: DeltaGenerator | None = None,
) -> Tokenizer:
    """A searchable picker of encodings and models; `name` tells one picker's memory from another's.

    What is wrong with a choice is told in `told`, or below the picker.

    Any model's name may be typed, such as gpt-4o-2024-05-13, and a part of a name becomes the first that has
    it; an unknown one is told, and what was chosen before stands there again.
    """
    trained = state.trained_tokenizers()
    if (opened := state.keep(OPENED, str)) in trained:
        one_tokenizer.change(name, opened)
        state.put(OPENED, "")
        st.rerun()  # the browser is told at a run's beginning what to keep
    options = _options_of_one()
    field, problem = one_tokenizer.picker_field(name, default), f"tokenizer.{name}.problem"
    listed = options if field.value in options else [*options, field.value]
    labels = _labels_of_models() | _labels(trained)
    chosen: str = st.selectbox(
        label,
        listed,
        format_func=lambda option: labels.get(option) or _label_of_typed(option, options),
        accept_new_options=True,
        filter_mode="contains",
        on_change=lambda: _note(problem, _take_typed(name, default)),
        help="An encoding, or a model that uses one: type to search, or any model's full name.",
        **field.one_of(listed),
    )
    _tell_noted(problem, (told or st).error)
    meant, last = _meant_option(chosen, options), _last_of(name)
    try:
        tokenizer = trained[meant] if meant in trained else get_tokenizer(meant)
        state.put(last, meant)
        return tokenizer
    except NotShippedError as error:
        shown = state.keep(last, lambda: default)
        (told or st).caption(markdown_escape(f"{error}. Still shown: {shown}."))
        return trained[shown] if shown in trained else get_tokenizer(shown if is_known(shown) else default)
    except UnknownTokenizerError:
        (told or st).error(markdown_escape(f"{_unknown(chosen, options)} Shown here: {default}."))
        return get_tokenizer(default)


def _take_typed(name: str, default: str) -> str:
    """Choose what the typed name means, or what was chosen before; a sentence about a name nothing has."""
    meant, problem = _meant(one_tokenizer.chosen(name), _options_of_one())
    if problem:
        state.Field(f"tokenizer.{name}", default).put(state.kept(_last_of(name), default))
    else:
        one_tokenizer.change(name, meant)
    return problem


def _options_of_one() -> list[str]:
    return [
        *state.trained_tokenizers(),
        *TOKENIZERS,
        *(model for model in MODELS if model not in TOKENIZERS),
    ]


def _last_of(name: str) -> str:
    """Under which name a picker keeps what it has shown last."""
    return f"tokenizer.{name}.last"


def _note(problem: str, sentence: str) -> None:
    """Keep what is wrong with a choice, to be told from the next run on; "" for nothing."""
    state.put(problem, (sentence, None))


def _tell_noted(problem: str, tell: Callable[[str], object]) -> None:
    """Tell it until the next action, and for some seconds: a page may ask for a run by itself."""
    sentence, told_at = state.kept(problem, ("", None))
    now = monotonic()
    if sentence and (told_at is None or now < told_at + _TOLD_SECONDS):
        tell(markdown_escape(sentence))
        state.put(problem, (sentence, now if told_at is None else told_at))


def choose_own_special_tokens(tokenizer: Tokenizer, *, told: DeltaGenerator) -> tuple[str, ...]:
    """A popover in which one's own special tokens are named, one a line; those that cannot be are left out.

    Why is said in the popover, and in `told`, for a press beside the popover takes the names and closes it.
    """
    names = tuple(dict.fromkeys(line for line in OWN_SPECIAL.value.splitlines() if line.strip()))
    taken, problems = special_tokens_that_fit(tokenizer, names)
    n_refused = len(names) - len(taken)
    counts = [f"{len(taken):,}"] if taken else []
    counts += [f"{n_refused:,} refused"] if n_refused else []
    label = "Own special tokens" + (f" ({', '.join(counts)})" if counts else "")
    with st.popover(label, width="stretch", help=_OWN_SPECIAL_HELP):
        st.text_area(
            "One special token a line",
            placeholder="<|user|>\n<|assistant|>",
            help="Their ids follow the vocabulary.",
            on_change=lambda: state.put(OWN_SPECIAL_TYPED, True),
            **OWN_SPECIAL.shown(),
        )
        st.caption("A text has them while “Special tokens” is on. The first one that you add switches it on.")
        for problem in problems[:_SHOWN_PROBLEMS]:
            st.error(markdown_escape(problem))
        if taken:
            first = tokenizer.vocabulary.n_vocab
            st.dataframe({"special token": taken, "id": [*range(first, first + len(taken))]}, hide_index=True)
    if problems:
        are = "own special token is" if n_refused == 1 else "own special tokens are"
        more = (
            f" Open “Own special tokens” for {counted(len(problems) - 1, 'more reason')}."
            if problems[1:]
            else ""
        )
        told.error(markdown_escape(f"{n_refused:,} {are} refused: {problems[0]}.{more}"))
    return taken


def _unknown(typed: str, options: Sequence[str]) -> str:
    """What is said of a name that nothing has, though a picker offers to add it.

    >>> _unknown("cl10k_base", ["gpt2", "cl100k_base"])
    "No tokenizer or model is called 'cl10k_base'. Did you mean cl100k_base?"
    >>> _unknown("none", ["gpt2", "cl100k_base"])
    "No tokenizer or model is called 'none'. Choose one of the list, type a model's full name such as
    gpt-4o-mini, or open its tokenizer file."
    """
    close = get_close_matches(typed[:60], options, n=1)
    advice = f"Did you mean {close[0]}?" if close else _VALID
    return f"No tokenizer or model is called {quoted(typed, n_shown=60)}. {advice}"


def _meant_option(typed: str, options: Sequence[str]) -> str:
    """The option of this name or with it inside, or else what was typed: it may name a model."""
    if typed in options or is_known(typed):
        return typed
    return next((option for option in options if typed.lower() in option.lower()), typed)


def _meant(typed: str, options: Sequence[str]) -> tuple[str, str]:
    """The option or model that is meant, and a sentence where nothing has this name."""
    meant = _meant_option(typed, options)
    try:
        if meant not in options:
            encoding_name(meant)
    except NotShippedError as error:
        return meant, f"{error}."
    except UnknownTokenizerError:
        return meant, _unknown(typed, options)
    return meant, ""


def _label_of_typed(option: str, options: Sequence[str]) -> str:
    """What was typed, and what it stands for where that is another."""
    meant = _meant_option(option, options)
    stands_for = encoding_name(meant) if is_known(meant) else meant
    return option if stands_for == option else f"{option} → {stands_for}"


def _labels(own: Mapping[str, OpenedTokenizer], sign: str = " · ") -> dict[str, str]:
    """The name of each tokenizer, and behind a sign what it is; the built-in ones' are made once."""
    return _built_in_labels(sign) | {name: f"{name}{sign}{mine.about}" for name, mine in own.items()}


@cache
def _built_in_labels(sign: str) -> dict[str, str]:
    return {name: f"{name}{sign}{about}" for name, about in ABOUT.items()}


@cache
def _labels_of_models() -> dict[str, str]:
    """The name of each model, and its encoding's."""
    return {model: f"{model} → {encoding_name(model)}" for model in MODELS}


def choose_tokenizers(
    name: str, *, default: list[str], n_min: int, n_max: int, told: DeltaGenerator | None = None
) -> list[Tokenizer]:
    """A picker of several tokenizers, trained ones first; until it is used it shows `default`.

    That there are fewer than `n_min` is told in `told`, or below the picker.
    """
    chosen = choose_several(tokenizers_field(name, default), told=told, max_selections=n_max)
    if not chosen:
        (told or st).info(f"Choose at least {counted(n_min, 'tokenizer')}, up to {n_max}. Your text is kept.")
    elif len(chosen) < n_min:
        (told or st).info(f"A second tokenizer makes the comparison; up to {n_max} fit.")
    return chosen


def choose_several(
    field: state.Field[list[str]], *, told: DeltaGenerator | None = None, **arguments: Any
) -> list[Tokenizer]:
    """A searchable picker of several; a model's name that is typed becomes its encoding, or is told of."""
    trained = state.trained_tokenizers()
    options = [*trained, *TOKENIZERS]
    opened, n_max = state.keep(OPENED, str), arguments.get("max_selections") or len(options)
    problem = f"{field.name}.problem"
    if opened in trained:
        # After the first, with which all are compared: another order than the default's, so that the next one
        # that is opened comes beside it.
        new = [*(name for name in state.take(OPENED_BEFORE, list[str]()) if name in trained), opened]
        new = new[-(n_max - 1) :]
        others = [name for name in field.value if name not in new]
        field.put([*others[:1], *new, *others[1:]][:n_max])
        if gone := others[n_max - len(new) :]:
            _note(problem, f"{', '.join(gone)} gave way to {', '.join(new)}: at most {n_max} are shown.")
        one_tokenizer.LATEST.put(opened)  # pages of one tokenizer open with it
        state.put(OPENED, "")
        st.rerun()  # the browser is told at a run's beginning what to keep
    labels = _labels(trained, _BELOW)
    chosen = st.multiselect(
        "Tokenizers",
        options,
        format_func=lambda option: labels.get(option, option),
        filter_mode="contains",
        select_all=False,  # it would stand first, and Enter take all that has what is typed
        accept_new_options=True,
        placeholder="Choose tokenizers",
        on_change=lambda: _note(problem, _put_encodings(field)),
        **arguments,
        **field.some_of(options),
    )
    _tell_noted(problem, (told or st).caption)
    return [trained[option] if option in trained else get_tokenizer(option) for option in chosen]


def _put_encodings(field: state.Field[list[str]]) -> str:
    """Replace what was typed by what it stands for; a sentence about the last name that nothing has.

    A tokenizer may have been kept since the picker was drawn whose change this is.
    """
    options = [*state.trained_tokenizers(), *TOKENIZERS]
    found, problem = [], ""
    for chosen in field.value:
        typed = chosen.split(_BELOW)[0]  # a browser may know a tokenizer's label before its run does
        meant, wrong = _meant(typed, options)
        problem = wrong or problem
        if not wrong:
            found.append(meant if meant in options else encoding_name(meant))
    found = list(dict.fromkeys(found))
    if found != field.value:
        field.put(found)
    return problem


def tokenizers_field(name: str, default: list[str]) -> state.Field[list[str]]:
    """What the picker of several shows; one that nobody has used follows its default."""
    return state.Field(f"tokenizers.{name}", default)


def choose_view(name: str, views: Sequence[str]) -> str:
    """One of several views of a page, in each other's place; the others are not computed."""
    field = state.Field(f"view.{name}", views[0])
    chosen: str = st.segmented_control(
        "View", views, required=True, label_visibility="collapsed", **field.some_of(views)
    )
    return chosen


def default_tokenizers() -> list[str]:
    """What a comparison opens with: two of OpenAI's and a custom one, the last trained or the bundled.

    One that is opened beside the picker comes beside these, and takes no place among them.
    """
    opened = [*state.kept(OPENED_BEFORE, list[str]()), state.kept(OPENED, "")]
    own = (name for name in reversed(state.trained_tokenizers()) if name not in opened)
    custom = next(own, "python_docs_4k")
    return one_tokenizer.latest_first(["gpt2", "cl100k_base", custom])
