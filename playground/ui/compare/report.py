"""Report: measurements of each tokenizer, each with one sentence on its meaning and its source."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from playground.analysis.report import FIGURES, ReportColumn, TokenizerFigures, report_column
from playground.core.errors import PlaygroundError
from playground.core.tokenizer import Tokenizer
from playground.core.wording import counted
from playground.render.report_text import notes, report_csv, report_json, report_markdown, shown_value
from playground.render.visible_text import markdown_escape
from playground.server.compare_session import CompareSession
from playground.server.work import Work
from playground.ui import state
from playground.ui.picker import input_price
from playground.ui.save_file import save_file
from playground.ui.vocabulary.tokenizer_work import TokenizerWork

#: Limits for one tokenizer; o200k_base takes about 6 s.
SECONDS, MEMORY_BYTES = 90.0, 1_500_000_000
_PATIENCE_SECONDS, _REFRESH_SECONDS = 0.4, 0.25
_PRICE: state.Field[float | None] = state.Field("report.price", None)


class Measurements:
    """One visitor's measurements, a worker for each compared tokenizer; text figures are not part of them."""

    def __init__(self) -> None:
        self._checks: dict[str, TokenizerWork[TokenizerFigures]] = {}

    def ask(self, tokenizers: Sequence[Tokenizer]) -> list[Work[TokenizerFigures]]:
        """Return the work on each tokenizer, finished or running; work on other tokenizers is cancelled."""
        names = {tokenizer.name for tokenizer in tokenizers}
        for name in self._checks.keys() - names:
            self._checks.pop(name).end()
        return [
            self._checks.setdefault(
                tokenizer.name, TokenizerWork("playground.analysis.report.figures_of")
            ).ask(
                tokenizer,
                what=f"measuring {tokenizer.name}",
                seconds=SECONDS,
                memory_bytes=MEMORY_BYTES,
            )
            for tokenizer in tokenizers
        ]

    def end(self) -> None:
        """Cancel all work and forget it."""
        for check in self._checks.values():
            check.end()
        self._checks.clear()


@st.cache_resource(scope="session", on_release=lambda found: found.end(), show_spinner=False)
def measurements() -> Measurements:
    """Return this visitor's measurements; closing the tab cancels them."""
    return Measurements()


def show_report(session: CompareSession) -> None:
    """Draw the table of figures, its files, and the meaning of each figure."""
    tokenizers = session.tokenizers
    works = measurements().ask(tokenizers)
    works[-1].wait(_PATIENCE_SECONDS)
    if not all(work.is_over for work in works):
        st.fragment(lambda: _draw_waiting(works), run_every=_REFRESH_SECONDS)()
        return
    text = session.text
    price: float | None = st.number_input(
        "Price of a million tokens, $",
        placeholder="each model's own",
        min_value=0.0,
        max_value=1e6,
        step=0.5,
        format="%g",
        width=220,
        **_PRICE.shown(),
    )
    columns: list[ReportColumn] = []
    for tokenizer, work in zip(tokenizers, works, strict=True):
        try:
            own_price = price if price is not None else input_price(tokenizer)
            columns.append(report_column(tokenizer, text, work.result(), price=own_price))
        except PlaygroundError as error:
            st.error(f"{markdown_escape(tokenizer.name)}: {markdown_escape(str(error))}")
            st.button("Try again", key=f"report.again {tokenizer.name}", on_click=measurements().end)
    if columns:
        _show_columns(columns, text)


def report_table(columns: Sequence[ReportColumn]) -> pd.DataFrame:
    """Return a row for each figure: its title, and a column for each tokenizer."""
    return pd.DataFrame(
        {
            "figure": [figure.title for figure in FIGURES],
            **{
                column.tokenizer_name: [shown_value(figure, column.values[figure.name]) for figure in FIGURES]
                for column in columns
            },
        }
    )


def _show_columns(columns: Sequence[ReportColumn], text: str) -> None:
    n_bytes = len(text.encode(errors="surrogatepass"))
    with st.container(horizontal=True):
        for label, write, ending in (("Markdown", report_markdown, "md"), ("JSON", report_json, "json")):
            written = partial(write, columns, text_name="text of the page", n_bytes=n_bytes)
            save_file(label, f"tokenizer-report.{ending}", written)
        save_file("CSV", "tokenizer-report.csv", partial(report_csv, columns))
    st.dataframe(
        report_table(columns),
        hide_index=True,
        height="content",
        column_config={"figure": st.column_config.TextColumn(pinned=True)},
    )
    for sentence in notes(columns):
        st.caption(markdown_escape(sentence))
    st.caption(
        f"Text figures are those of the {counted(n_bytes, 'byte')} above; paste text that no tokenizer was "
        "trained on. The figures contradict each other, so no score combines them."
    )
    st.markdown(
        "\n".join(
            f"- **{figure.title}**: {figure.sentence} *{figure.source}*".replace("$", "\\$")
            for figure in FIGURES
        )
    )


def _draw_waiting(works: Sequence[Work[TokenizerFigures]]) -> None:
    n_over = sum(work.is_over for work in works)
    if n_over == len(works):
        st.rerun()
    st.progress(n_over / len(works), text=f"Measured {n_over} of {counted(len(works), 'tokenizer')}")
