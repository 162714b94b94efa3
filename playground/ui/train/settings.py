"""How a run learns: its fields, and the settings that they name as they stand."""

import streamlit as st

from playground.bpe.split_pattern import SPLIT_PATTERNS, SplitPattern
from playground.core.errors import InvalidInputError, PlaygroundError
from playground.core.wording import counted
from playground.training.kernel.tie_rules import TIE_RULES
from playground.training.run import RunSettings, TrainingRun
from playground.training.trainer import MAX_VOCAB_SIZE
from playground.ui import state
from playground.ui.train.model_rows import show_model_rows
from playground.ui.train.session import EXAMPLE_SPECIAL

N_BYTES = 256  # ids that a vocabulary has before any merge
#: What the one number is; the other follows from it.
SIZES = ["Vocabulary size", "Merges"]
TYPED = "my own expression"
PATTERNS = [*SPLIT_PATTERNS, "none", TYPED]
_TIE_CAPTIONS = {
    "first-seen": "the one seen first (minbpe)",
    "lowest-pair": "the lowest ids (rustbpe)",
    "hugging-face": "as in Hugging Face tokenizers",
}

SIZE_BY = state.Field("train.size_by", SIZES[0])
VOCAB_SIZE, N_MERGES = state.Field("train.vocab_size", N_BYTES + 1000), state.Field("train.n_merges", 1000)
PATTERN = state.Field("train.pattern", PATTERNS[0])
TYPED_PATTERN = state.Field("train.typed_pattern", r" ?\w+|\s+|[^\w\s]+")
TIES = state.Field("train.ties", next(iter(TIE_RULES)))
MIN_COUNT = state.Field("train.min_count", 2)
HELD_OUT = state.Field("train.held_out", 10)
SPECIAL = state.Field("train.special", EXAMPLE_SPECIAL)


def show_settings(run: TrainingRun | None) -> None:
    """Draw the fields: size, pattern and the finer choices; what `run` learned stands beside it."""
    _show_size()
    n_chosen, n_learned = _vocab_size(), None
    if run is not None and run.status.is_over and run.n_merges and run.settings.vocab_size == n_chosen:
        n_learned = N_BYTES + run.n_merges
    show_model_rows(None if size_problem() else n_chosen, n_learned=n_learned)
    st.selectbox(
        "Split pattern",
        PATTERNS,
        help="Where a text is cut before any merge, into pretokens; no token crosses a cut.",
        **PATTERN.one_of(PATTERNS),
    )
    if PATTERN.value == TYPED:
        st.text_input("Regular expression", **TYPED_PATTERN.shown())
        with st.empty():
            if not TYPED_PATTERN.value:
                st.caption("The field is empty: no text is cut, as with none.")
    elif PATTERN.value in SPLIT_PATTERNS:
        expression = SplitPattern.named(PATTERN.value).expression
        st.caption(f"`{expression[:60]}…`", help=f"`{expression}`")
    with st.popover("Ties, counts, special tokens", width="stretch"):
        _show_finer()


def read_settings() -> RunSettings:
    """The settings as the fields stand. Raises InvalidInputError."""
    if problem := size_problem():
        raise InvalidInputError(problem)
    is_typed = PATTERN.value == TYPED
    return RunSettings(
        _vocab_size(),
        _typed_pattern(TYPED_PATTERN.value) if is_typed else SplitPattern.named(PATTERN.value),
        TIES.value,
        MIN_COUNT.value,
        tuple(dict.fromkeys(line for line in SPECIAL.value.splitlines() if line)),
        HELD_OUT.value / 100,
    )


def size_problem() -> str:
    """Why so much cannot be learned, which is told at its field; "" where it can."""
    if N_BYTES < (vocab_size := _vocab_size()) <= MAX_VOCAB_SIZE:
        return ""
    if SIZE_BY.value == SIZES[1]:
        return f"{N_MERGES.value:,} merges cannot be learned; choose 1 to {MAX_VOCAB_SIZE - N_BYTES:,}"
    return (
        f"a vocabulary of {vocab_size:,} cannot be learned: {N_BYTES} bytes come first, so choose "
        f"{N_BYTES + 1} to {MAX_VOCAB_SIZE:,}"
    )


def _vocab_size() -> int:
    return N_BYTES + N_MERGES.value if SIZE_BY.value == SIZES[1] else VOCAB_SIZE.value


def _typed_pattern(expression: str) -> SplitPattern:
    """The pattern of an expression; a bad one may take seconds to try, so it is tried once."""
    tried = state.keep("train.tried_patterns", dict[str, SplitPattern | PlaygroundError])
    if expression not in tried:
        tried.clear()
        try:
            tried[expression] = SplitPattern.parse(expression)
        except PlaygroundError as error:
            tried[expression] = error
    found = tried[expression]
    if isinstance(found, PlaygroundError):
        raise found
    return found


def _show_size() -> None:
    """One number, as the vocabulary's size or as merges: two fields that follow each other could disagree."""
    st.segmented_control(
        "How much to learn",
        SIZES,
        required=True,
        on_change=_convert_size,
        label_visibility="collapsed",
        **SIZE_BY.some_of(SIZES),
    )
    is_merges = SIZE_BY.value == SIZES[1]
    number = N_MERGES if is_merges else VOCAB_SIZE
    st.number_input(SIZE_BY.value, step=500, label_visibility="collapsed", **number.shown())
    if problem := size_problem():
        st.error(problem)
    elif is_merges:
        st.caption(f"With {N_BYTES} bytes a vocabulary of {_vocab_size():,}.")
    else:
        st.caption(f"{N_BYTES} bytes and {counted(_vocab_size() - N_BYTES, 'merge')}.")


def _convert_size() -> None:
    if SIZE_BY.value == SIZES[1]:
        N_MERGES.put(VOCAB_SIZE.value - N_BYTES)
    else:
        VOCAB_SIZE.put(N_MERGES.value + N_BYTES)


def _show_finer() -> None:
    rules = list(TIE_RULES)
    st.radio(
        "Of pairs with the same count, merge first",
        rules,
        captions=[_TIE_CAPTIONS[rule] for rule in rules],
        **TIES.one_of(rules),
    )
    st.number_input("Minimum count of a pair", min_value=1, **MIN_COUNT.shown())
    st.slider("Held-out part, never learned from", 0, 50, format="%d %%", **HELD_OUT.shown())
    st.text_area(
        "Special tokens, one a line",
        height=80,
        help="Their ids follow the vocabulary; nothing is merged into or out of them.",
        **SPECIAL.shown(),
    )
