"""A calculator: the model parameters that a vocabulary needs for its embedding and output matrices."""

import pandas as pd
import streamlit as st

from playground.analysis.model_parameters import KNOWN_SIZES, MODELS, Model
from playground.core.wording import counted
from playground.ui import state

OWN = "own"
_BYTES_PER_PARAMETER = 2  # bfloat16, the usual format

MODEL = state.Field("train.model", next(iter(MODELS)))
WIDTH, N_OTHERS = state.Field("train.model_width", 512), state.Field("train.model_others", 25)
IS_TIED = state.Field("train.model_tied", True)


def show_model_rows(n_chosen: int | None, *, n_learned: int | None = None) -> None:
    """Draw the calculator for a known model or one's own, with several vocabularies to compare.

    `n_chosen` is the chosen vocabulary size, None if it is invalid; `n_learned` is the size that a run for it
    reached.
    """
    with st.popover("Parameters for this vocabulary", width="stretch"):
        names = [*MODELS, OWN]
        st.selectbox(
            "Model",
            names,
            format_func=lambda name: "my own" if name == OWN else _described(MODELS[name]),
            **MODEL.one_of(names),
        )
        if MODEL.value == OWN:
            _show_own()
        model = read_model()
        own = {"learned": n_learned, "chosen": n_chosen}
        sizes = {name: size for name, size in (own | KNOWN_SIZES).items() if size is not None}
        if n_chosen is not None:
            n_rows = n_chosen if n_learned is None else n_learned
            ended = "" if n_rows == n_chosen else f"The run ended with a vocabulary of {n_rows:,}. "
            st.write(f"{ended}{_cost_of(n_rows, model)}")
        st.table(
            pd.DataFrame(
                {
                    "rows": [f"{size:,}" for size in sizes.values()],
                    "parameters": [f"{model.n_in_rows(size):,}" for size in sizes.values()],
                    "of the model": [f"{100 * model.share_of_rows(size):.1f} %" for size in sizes.values()],
                },
                index=pd.Index(sizes, name="vocabulary"),
            )
        )
        st.caption("Each token is a row of the embedding, and one of lm_head where the two are not tied.")


def _cost_of(n_rows: int, model: Model) -> str:
    tables = "one matrix, tied" if model.is_tied else "two matrices"
    return (
        f"{counted(n_rows, 'row')} × {model.width:,} × {tables} = **{model.n_in_rows(n_rows):,}** "
        f"parameters, **{100 * model.share_of_rows(n_rows):.1f} %** of the model, "
        f"{_size(model.n_in_rows(n_rows))} in 16 bits."
    )


def read_model() -> Model:
    """Return the chosen model."""
    if MODEL.value != OWN:
        return MODELS[MODEL.value]
    return Model("my own", WIDTH.value, N_OTHERS.value * 1_000_000, IS_TIED.value)


def _show_own() -> None:
    st.number_input("Width of a row, d_model", min_value=1, max_value=100_000, step=64, **WIDTH.shown())
    st.number_input(
        "All other parameters, in millions", min_value=0, max_value=10_000_000, **N_OTHERS.shown()
    )
    st.toggle("Embedding and lm_head are tied", **IS_TIED.shown())


def _described(model: Model) -> str:
    return f"{model.label}, d_model {model.width:,}{', tied' if model.is_tied else ''}"


def _size(n_parameters: int) -> str:
    n_bytes = n_parameters * _BYTES_PER_PARAMETER
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if n_bytes >= factor:
            return f"{n_bytes / factor:.1f} {unit}"
    return counted(n_bytes, "byte")
