"""The choice of the field that has the text, for JSON Lines, CSV, TSV and Parquet on Train and Compare."""

from collections.abc import Sequence
from typing import Literal

import streamlit as st

from playground.corpora.sources import DEFAULT_FIELD
from playground.ui import state

#: Reads the whole file as text, for a CSV without a header or to include the syntax.
WHOLE_FILE = "The whole file, as text"


def chosen_field(field: state.Field[str], names: Sequence[str], *, is_text_too: bool) -> str | None:
    """Return the field to read, "" for the whole file, or None while nothing is chosen.

    A field named `text`, or the only one, is the default.
    """
    chosen = _chosen(field, names, is_text_too=is_text_too)
    return "" if chosen == WHOLE_FILE and chosen not in names else chosen or None


def show_field(
    field: state.Field[str],
    names: Sequence[str],
    *,
    is_text_too: bool,
    width: int | Literal["stretch"] = "stretch",
) -> None:
    """Draw the choice of a field or, if `is_text_too`, the whole file."""
    chosen, known = _chosen(field, names, is_text_too=is_text_too), _known(names, is_text_too=is_text_too)
    if chosen and chosen != field.value:
        field.put(chosen)
    options = known if chosen else ["", *known]
    st.selectbox(
        "Field with the text",
        options,
        format_func=lambda name: name or "Choose a field",
        width=width,
        **field.one_of(options),
    )


def what_to_choose(names: Sequence[str]) -> str:
    """Return the options as a phrase for "Choose …"."""
    if names:
        return "the field with the text"
    return "the whole file (none of its fields has text)"


def _chosen(field: state.Field[str], names: Sequence[str], *, is_text_too: bool) -> str:
    if field.value in _known(names, is_text_too=is_text_too):
        return field.value
    if DEFAULT_FIELD in names:
        return DEFAULT_FIELD
    return names[0] if len(names) == 1 else ""


def _known(names: Sequence[str], *, is_text_too: bool) -> list[str]:
    return [*dict.fromkeys([*names, *([WHOLE_FILE] if is_text_too else [])])]
