"""What a training has learned: its tokens by what is remarkable in them, and all merges to search."""

from typing import Any

import pandas as pd
import streamlit as st

from playground.core.wording import counted
from playground.render.visible_text import shown_bytes
from playground.training.learned_tokens import LearnedToken, learned_tokens
from playground.training.run import TrainingRun
from playground.ui import state
from playground.ui.train.film import wish_merge
from playground.ui.train.session import TrainingSession

SEARCH = state.Field("train.search", "")
_LISTED = 200  # tokens a list
_MERGES_KEY = "train-all-merges"


def show_learned(run: TrainingRun) -> None:
    """Lists of tokens, each with what it tells; two of them look into the held-out text, if there is any."""
    learned = learned_tokens(run.tokenizer("this run"), run.merges(), run.held_out_texts)
    crossing = "With a split pattern few do; train with none to see “dog.” and “dog!” become tokens."
    lists = [
        ("Longest tokens", learned.longest, "What the text repeats word for word."),
        ("Cross categories", learned.crossing, crossing),
    ]
    if run.has_held_out:
        rare = "Too rare to learn from: SolidGoldMagikarp was such a token."
        steps = "Steps on the way; they hardly ever stand alone."
        lists += [
            ("Never in the held-out text", learned.unused, rare),
            ("Swallowed by longer tokens", learned.swallowed, steps),
        ]
    else:
        st.caption("Hold out a part of the text, and the tokens that it never needs are listed too.")
    for column, (title, tokens, remark) in zip(st.columns(len(lists)), lists, strict=True):
        with column:
            st.markdown(f"**{title}** ·\N{NO-BREAK SPACE}{len(tokens):,}")
            st.caption(remark)
            st.dataframe(
                _token_frame(tokens[:_LISTED]),
                hide_index=True,
                width="stretch",
                height=min(300, 38 + 35 * max(1, len(tokens))),
                column_config=_numbers("count"),
            )


def _token_frame(tokens: tuple[LearnedToken, ...]) -> pd.DataFrame:
    rows = [(shown_bytes(token.raw), token.id, token.pair_count) for token in tokens]
    return pd.DataFrame(rows, columns=["token", "id", "count"])


def show_all_merges(session: TrainingSession, run: TrainingRun) -> None:
    """Every merge as a row, found by what its token holds; a row that is chosen moves the film."""
    wanted = st.text_input("Search tokens", placeholder="part of a token, such as ing", **SEARCH.shown())
    raw_of = run.token_bytes()
    rows = [
        (m.rank + 1, shown_bytes(raw_of[m.left]), shown_bytes(raw_of[m.right]), shown_bytes(m.raw), m.new_id,
         m.pair_count, m.n_tokens, m.n_held_out_tokens)
        for m in run.merges()
    ]  # fmt: skip
    columns = ["merge", "left", "right", "new token", "id", "count", "tokens left", "held-out tokens left"]
    frame = pd.DataFrame(rows, columns=columns)
    if not run.has_held_out:
        frame = frame.drop(columns=columns[-1])
    if wanted:
        frame = frame[frame["new token"].str.contains(wanted.replace(" ", "·"), regex=False)]
    numbers = _numbers("merge", "count", "tokens left", "held-out tokens left")
    listed = frame["merge"].tolist()

    def choose() -> None:
        selected = state.component_value(_MERGES_KEY, "selection")
        if selected and selected["rows"] and selected["rows"][0] < len(listed):
            wish_merge(session, listed[selected["rows"][0]])

    st.dataframe(
        frame,
        hide_index=True,
        width="stretch",
        height=380,
        column_config=numbers,
        key=_MERGES_KEY,
        on_select=choose,
        selection_mode="single-row",
    )
    st.caption(f"{len(frame):,} of {counted(len(rows), 'merge')}. Choose one, and film and chart go there.")


def _numbers(*columns: str) -> Any:
    """These columns are written with separators of thousands."""
    return dict.fromkeys(columns, st.column_config.NumberColumn(format="localized"))
