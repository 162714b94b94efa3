"""The settings of a run: a form, which Streamlit sends completely with Start, and the choices above it."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground.bpe.split_pattern import SPLIT_PATTERNS, SplitPattern
from playground.core.errors import InvalidInputError, PlaygroundError
from playground.render.visible_text import markdown_escape
from playground.server.train.session import TrainSession, n_learned
from playground.training.algorithms.base import base_of
from playground.training.algorithms.learner import Algorithm, Option, OptionValue
from playground.training.algorithms.registry import ALGORITHMS
from playground.training.algorithms.words import MAX_IDS as MAX_VOCAB_SIZE
from playground.training.corpora import LANGUAGES
from playground.training.run import RunSettings
from playground.ui import picker, state
from playground.ui.train.corpus import (
    CORPUS,
    UPLOAD,
    read_corpus,
    show_corpus,
    show_corpus_fields,
)
from playground.ui.train.model_rows import show_model_rows

N_BYTES = 256  # ids that a vocabulary has before any merge
SIZE_UNITS = ["Vocabulary size", "Merges"]
TYPED = "my own expression"
PATTERNS = [*SPLIT_PATTERNS, "none", TYPED]
SIZE, SIZE_UNIT = state.Field("train.vocab_size", N_BYTES + 1000), state.Field("train.size_by", SIZE_UNITS[0])
PATTERN = state.Field("train.pattern", PATTERNS[0])
TYPED_PATTERN = state.Field("train.typed_pattern", r" ?\w+|\s+|[^\w\s]+")
ALGORITHM = state.Field("train.algorithm", next(iter(ALGORITHMS)))
#: Algorithms of earlier versions, whose addresses may be saved.
GONE = {
    "boundless": "BoundlessBPE", "litetoken": "LiteToken", "mingram": "MinGram", "scaffold": "Scaffold-BPE",
}  # fmt: skip
#: The choice of the tokenizer that Continue and Prune start from.
BASE, DEFAULT_BASE = "train.base", "gpt2"
HELD_OUT = state.Field("train.held_out", 10)
SPECIAL = state.Field("train.special", "<|endoftext|>")
BESIDE = state.Field("train.beside", False)
STARTS_PAUSED = state.Field("train.starts_paused", False)
#: Whether a phone shows the settings above the run; wider windows always show them beside it (frame.css).
IS_OPEN = state.Field("train.settings_shown", False, in_address=False)
#: Why the last press on Start was refused.
_REFUSED = "train.refused"


def foldable_settings() -> DeltaGenerator:
    """Return the container of the settings, and draw the switch above it that a phone has."""
    with st.container(key="train-settings"):
        st.toggle("Settings", **IS_OPEN.shown())
        return st.container(key="train-form")


def show_settings(session: TrainSession) -> None:
    """Draw corpus, settings and Start, and start the run of a first visit.

    Corpus, algorithm and split pattern are outside the form: they decide which fields the form has. What
    has a changing number of elements is in a container, so that the elements below keep their places.
    """
    with st.container():
        show_corpus()
    asked = state.query_parameter(ALGORITHM.name) or ""
    if gone := GONE.get(asked) or next((title for title in GONE.values() if title == asked), ""):
        st.info(f"{gone} is no longer offered; choose another algorithm.")
    st.selectbox(
        "Algorithm",
        [*ALGORITHMS],
        format_func=lambda name: ALGORITHMS[name].title,
        help="  \n".join(f"**{each.title}**: {each.summary}" for each in ALGORITHMS.values()),
        **ALGORITHM.one_of([*ALGORITHMS]),
    )
    algorithm = ALGORITHMS[ALGORITHM.value]
    st.caption(algorithm.summary, help=algorithm.source)
    with st.container():
        if algorithm.needs_languages and CORPUS.value not in (LANGUAGES, UPLOAD):
            st.info(f"{algorithm.title} learns from several languages, each a text of its own.")
            st.button("Use many languages", on_click=lambda: CORPUS.put(LANGUAGES))
    with st.container():
        if algorithm.needs_base:
            _show_base()
        else:
            st.selectbox(
                "Split pattern",
                PATTERNS,
                help="Cuts the text into pretokens before any merge; no token crosses a cut.",
                **PATTERN.one_of(PATTERNS),
            )
    with st.container():
        if PATTERN.value in SPLIT_PATTERNS and not algorithm.needs_base:
            expression = SplitPattern.named(PATTERN.value).expression
            st.caption(f"`{expression[:60]}…`", help=f"`{expression}`")
    with st.form("train.settings", border=False):
        with st.container():
            show_corpus_fields()
        if PATTERN.value == TYPED and not algorithm.needs_base:
            help = "With an empty expression the text is not cut, as with “none”."
            st.text_input("Regular expression", help=help, **TYPED_PATTERN.shown())
        _show_form_fields(algorithm)
        st.form_submit_button(
            "Start", type="primary", icon=":material/play_arrow:", on_click=lambda: _press_start(session)
        )
        with st.container():
            if refused := state.get(_REFUSED, ""):
                st.error(markdown_escape(refused).replace("\n", "  \n"))
        st.toggle(
            "Beside the shown run",
            help="Up to three runs are on the screen. They are played together by the same buttons.",
            **BESIDE.shown(),
        )
        st.toggle("Start paused", help="The run waits before its first step.", **STARTS_PAUSED.shown())
    _show_model_rows(session)
    is_waiting = algorithm.needs_base and picker.missing_names(BASE)  # for the browser to send the base
    if not session.n_started and not state.get("train.is_open", False) and not is_waiting:
        state.put("train.is_open", True)
        if CORPUS.value != UPLOAD:
            start_run(session)


def _press_start(session: TrainSession) -> None:
    """Start a run, and on a phone fold the settings away unless they have an answer to show."""
    start_run(session)
    IS_OPEN.put(bool(state.get(_REFUSED, "")))


def start_run(session: TrainSession) -> None:
    """Start a run with the submitted settings, unless they are invalid."""
    try:
        corpus, settings = read_corpus(), read_settings()
    except PlaygroundError as error:
        state.put(_REFUSED, str(error))
        return
    state.put(_REFUSED, "")
    session.start(corpus, settings, is_paused=STARTS_PAUSED.value, is_beside=BESIDE.value)


def read_settings() -> RunSettings:
    """Return the submitted settings. Raises InvalidInputError."""
    algorithm = ALGORITHMS[ALGORITHM.value]
    base = base_of(picker.chosen_tokenizer(BASE, default=DEFAULT_BASE)) if algorithm.needs_base else None
    if base is not None:
        pattern = SplitPattern.of(base.split_pattern)
    elif PATTERN.value == TYPED:
        pattern = SplitPattern.parse(TYPED_PATTERN.value)
    else:
        pattern = SplitPattern.named(PATTERN.value)
    special = dict.fromkeys(line for line in SPECIAL.value.splitlines() if line)
    return RunSettings(
        _vocab_size(),
        pattern,
        special_tokens=tuple(special) if algorithm.adds_special_tokens else (),
        held_out_share=HELD_OUT.value / 100,
        algorithm=algorithm.name,
        options={option.name: _field_of(option).value for option in algorithm.options},
        base=base,
    )


def _show_base() -> None:
    """Draw the picker of the tokenizer to start from, and say at once if it has no merges of bytes."""
    tokenizer = picker.choose_tokenizer(BASE, label="Start from", default=DEFAULT_BASE)
    try:
        base_of(tokenizer)
    except InvalidInputError as error:
        st.warning(markdown_escape(f"{error}."))
    else:
        st.caption("Its split pattern cuts the text, and its special tokens are kept.")


def _vocab_size() -> int:
    """Return the submitted size. Raises InvalidInputError."""
    algorithm = ALGORITHMS[ALGORITHM.value]
    if not algorithm.has_size:
        return SIZE.default
    n_wanted = SIZE.value
    n_first = N_BYTES if algorithm.begins_with_bytes else 0
    is_merges = n_first > 0 and SIZE_UNIT.value == SIZE_UNITS[1]
    vocab_size = N_BYTES + n_wanted if is_merges else n_wanted
    if n_first < vocab_size <= MAX_VOCAB_SIZE:
        return vocab_size
    if not n_first:
        raise InvalidInputError(
            f"a vocabulary of {n_wanted:,} cannot be learned; choose 1 to {MAX_VOCAB_SIZE:,}"
        )
    if is_merges:
        n_most = MAX_VOCAB_SIZE - N_BYTES
        raise InvalidInputError(f"{n_wanted:,} merges cannot be learned; choose 1 to {n_most:,}")
    raise InvalidInputError(
        f"a vocabulary of {n_wanted:,} cannot be learned: {N_BYTES} bytes come first, so choose "
        f"{N_BYTES + 1} to {MAX_VOCAB_SIZE:,}"
    )


def _show_form_fields(algorithm: Algorithm) -> None:
    st.slider(
        "Held out of the corpus",
        0,
        50,
        format="%d %%",
        help="This part is never learned from; compression is measured on it.",
        **HELD_OUT.shown(),
    )
    with st.container():
        if algorithm.has_size:
            st.number_input(
                "How much to learn",
                step=500,
                help=f"The first {N_BYTES} ids of a vocabulary are the bytes; each merge adds one."
                if algorithm.begins_with_bytes
                else "The number of tokens in the vocabulary.",
                **SIZE.shown(),
            )
        if algorithm.begins_with_bytes:
            st.segmented_control(
                "Unit",
                SIZE_UNITS,
                required=True,
                label_visibility="collapsed",
                **SIZE_UNIT.some_of(SIZE_UNITS),
            )
    with st.expander("Advanced training options"):
        with st.container():
            for option in algorithm.options:
                _show_option(option)
        with st.container():
            if algorithm.adds_special_tokens:
                st.text_area(
                    "Special tokens, one per line",
                    height=80,
                    help="Their ids come after the vocabulary: a vocabulary of 1,256 and one special token "
                    "are exported as 1,257 ids. No merge crosses a special token.",
                    **SPECIAL.shown(),
                )


def _field_of(option: Option) -> state.Field[OptionValue]:
    return state.Field(f"train.{option.name}", option.default)


def _show_option(option: Option) -> None:
    """Draw the widget that `Option` describes."""
    field, default = _field_of(option), option.default
    if option.choices is not None:
        values = [*option.choices]
        st.radio(
            option.label,
            values,
            captions=[*option.choices.values()],
            help=option.help,
            **field.one_of(values),
        )
    elif isinstance(default, bool):
        st.toggle(option.label, help=option.help, **field.shown())
    elif isinstance(default, str):
        st.text_input(option.label, help=option.help, **field.shown())
    else:
        number = type(default)
        lowest, highest = (None if x is None else number(x) for x in (option.lowest, option.highest))
        st.number_input(option.label, lowest, highest, help=option.help, **field.shown())


def _show_model_rows(session: TrainSession) -> None:
    """Draw the calculator of model parameters for the submitted size and, if it differs, the learned one."""
    try:
        n_chosen = _vocab_size()
    except InvalidInputError:
        n_chosen = None
    run, n_reached = session.run, None
    if run is not None and run.learned is not None and run.n_steps and run.settings.vocab_size == n_chosen:
        n_reached = n_learned(run)
    show_model_rows(n_chosen, n_learned=n_reached)
