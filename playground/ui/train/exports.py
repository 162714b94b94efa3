"""A result as files, each with the library that it is for and its proof, or the reason why it cannot be."""

import weakref

import streamlit as st

from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import CannotHoldError
from playground.files.proof import TEST_TEXT, Export
from playground.files.registry import FILE_FORMATS, FileFormat
from playground.files.tiktoken_ranks import tiktoken_snippet
from playground.render.visible_text import markdown_escape
from playground.training.curve import curve_csv
from playground.training.run import TrainingRun
from playground.ui import state
from playground.ui.save_chart import save_chart_buttons
from playground.ui.train.chart import LIVE_CHART

Exports = list[tuple[FileFormat, Export | str]]
_NOTHING: tuple[object, Exports] = (None, [])


def show_exports(run: TrainingRun, name: str) -> None:
    """A row for each library: its files where they are proven, and the proof or the reason."""
    st.markdown("**Export**", help=f"The test text: {TEST_TEXT}.")
    exports = _exports(run, name)
    for entry, export in exports:
        files, told = st.columns([2, 3], vertical_alignment="center")
        with files, st.container(horizontal=True, gap="small"):
            proven = export.files.items() if isinstance(export, Export) else ()
            for n_file, (file_name, text) in enumerate(proven):  # a press outlives a new name: the key stays
                st.download_button(
                    file_name, text, file_name, icon=":material/download:", on_click="ignore",
                    key=f"train.export.{entry.title}.{n_file}",
                )  # fmt: skip
        told.markdown(_line(entry, export))
    files, told = st.columns([2, 3], vertical_alignment="center")
    with files, st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.download_button(
            f"{name}.curve.csv", curve_csv(run), f"{name}.curve.csv", icon=":material/show_chart:",
            on_click="ignore", key="train.export.curve",
        )  # fmt: skip
        save_chart_buttons(LIVE_CHART, file_name=f"{name}-curve", key="save-curve")
    told.markdown(
        "**For a spreadsheet or a slide**: every merge as a line, and the chart as it is drawn above."
    )
    if any(entry is FILE_FORMATS["tiktoken"] and isinstance(export, Export) for entry, export in exports):
        st.caption("In plain Python, with the .tiktoken file beside it:")
        st.code(tiktoken_snippet(run.model(), name), language="python")


def _line(entry: FileFormat, export: Export | str) -> str:
    if isinstance(export, Export):
        return f"**For {entry.library}**: {markdown_escape(export.proof.sentence)}"
    return f":material/block: **For {entry.library}** it cannot be exported: {markdown_escape(export)}"


def _exports(run: TrainingRun, name: str) -> Exports:
    """All formats of a run as it stands; they are kept until it goes on or is named anew."""
    wanted = (weakref.ref(run), run.n_merges, name)
    made, exports = state.keep("train.exports", lambda: _NOTHING)
    if made != wanted:
        tokenizer = run.tokenizer(name)
        exports = [(entry, _export(tokenizer, entry)) for entry in FILE_FORMATS.values()]
        state.put("train.exports", (wanted, exports))
    return exports


def _export(tokenizer: TrainedTokenizer, entry: FileFormat) -> Export | str:
    try:
        return tokenizer.export(entry)
    except CannotHoldError as error:
        return str(error)
