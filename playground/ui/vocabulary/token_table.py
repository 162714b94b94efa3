"""A table of tokens, of which one row can be chosen."""

from collections.abc import Iterable, Sequence

import pandas as pd
import streamlit as st

from playground.render.visible_text import shown_bytes

_ROW_PIXELS, _HEIGHT = 35, 280
_NARROW = {name: st.column_config.Column(width="small") for name in ("id", "bytes")}


def token_table(
    ids: Iterable[int],
    raws: Sequence[bytes],
    *,
    spelled: Iterable[str] | None = None,
    scripts: Iterable[str] | None = None,
) -> pd.DataFrame:
    """Return a row for each token; its spelling in the file and its script are optional."""
    columns = {
        "id": list(ids),
        "token": [shown_bytes(raw) for raw in raws],
        "bytes": [len(raw) for raw in raws],
        "hex": [raw[:16].hex(" ").upper() + (" …" if len(raw) > 16 else "") for raw in raws],
    }
    given = {"in its file": spelled, "script": scripts}
    return pd.DataFrame(
        columns | {name: list(values) for name, values in given.items() if values is not None}
    )


def choose_row(table: pd.DataFrame, *, key: str) -> int | None:
    """Draw the table and return the index of the selected row, or None."""
    event = st.dataframe(
        table,
        hide_index=True,
        height=min(_ROW_PIXELS * (len(table) + 1) + 3, _HEIGHT),
        on_select="rerun",
        selection_mode="single-row",
        key=key,
        column_config=_NARROW,
    )
    rows = event["selection"]["rows"]
    return rows[0] if rows and rows[0] < len(table) else None
