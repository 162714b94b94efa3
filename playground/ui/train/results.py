"""The results of a run: its tokens, all changes, a comparison of runs, and exports."""

import weakref
from collections.abc import Callable, Sequence
from heapq import nlargest
from typing import Any

import pandas as pd
import streamlit as st

from playground.catalog import exports as catalog_exports
from playground.catalog.opened import OpenedTokenizer
from playground.core.errors import LimitExceededError
from playground.core.wording import counted
from playground.files.proof import TEST_TEXT, Export
from playground.files.registry import FILE_FORMATS
from playground.files.tiktoken_ranks import tiktoken_snippet
from playground.render.training_charts import runs_chart
from playground.render.visible_text import markdown_escape, shown_bytes
from playground.server.picker_session import problem_with_name
from playground.server.train.session import TrainSession
from playground.training.algorithms.learner import Change
from playground.training.algorithms.registry import get_algorithm
from playground.training.curve import curve_csv, curve_points
from playground.training.learned_tokens import LearnedToken, learned_tokens
from playground.training.run import TrainingRun
from playground.ui import page, state
from playground.ui.picker import replaced_by
from playground.ui.save_chart import save_chart_buttons
from playground.ui.train.view import choose_merge

PANELS = ["What was learned", "All changes", "A against B", "Keep and export"]
PANEL = state.Field("train.panel", PANELS[0])
SEARCH = state.Field("train.search", "")
NAME = state.Field("train.name", "my-tokenizer")
_N_LISTED = 200  # tokens per list
_N_CHANGES = 10_000  # rows of the table of changes
_CHANGES_KEY, _COMPARED_KEY = "train-all-changes", "train-compared-chart"
#: The last valid name that was typed, and the tokenizer that Keep replaced last.
_VALID_NAME, _REPLACED = "train.good_name", "train.replaced"

_NOTHING: tuple[object, catalog_exports.Exports] = (None, [])


def show_results(session: TrainSession) -> None:
    """Draw the chosen panel; the others are not computed."""
    run = session.run
    if run is None or run.learned is None or not run.n_steps:
        return
    if cost := run.removals.sentence:
        st.markdown(cost)
    match st.segmented_control(
        "Look at", PANELS, required=True, label_visibility="collapsed", **PANEL.some_of(PANELS)
    ):
        case "All changes":
            _show_all_changes(session, run)
        case "A against B":
            _show_compared(session)
        case "Keep and export":
            _show_keep(session, run)
        case _:
            _show_learned(run)


# ---- what was learned


def _show_learned(run: TrainingRun) -> None:
    """Draw lists of remarkable tokens; two of the lists need held-out text."""
    merges = run.merges()
    learned = learned_tokens(run.tokenizer("this run"), merges, run.held_out_texts)
    crossing = "Tokens that mix letters, digits or punctuation. Most split patterns prevent them."
    lists = [
        ("Longest tokens", learned.longest, "Passages that the corpus repeats exactly."),
        ("Cross categories", learned.crossing, crossing),
    ]
    if run.has_held_out:
        rare = "Learned from the training text, but absent from the held-out text's tokens and their parts."
        steps = "In the held-out text they occur only inside longer tokens."
        lists += [
            ("Unused in the held-out text", learned.unused, rare),
            *([("Swallowed by longer tokens", learned.swallowed, steps)] if merges else []),
        ]
    else:
        st.caption("Hold out part of the corpus to list the tokens that held-out text never uses.")
    for column, (title, tokens, remark) in zip(st.columns(len(lists)), lists, strict=True):
        with column:
            st.markdown(f"**{title}** ·\N{NO-BREAK SPACE}{len(tokens):,}")
            st.caption(remark)
            st.dataframe(
                _token_frame(tokens[:_N_LISTED], "count" if merges else "count in the held-out text"),
                hide_index=True,
                width="stretch",
                height=min(300, 38 + 35 * max(1, len(tokens))),
                column_config=_localized("count", "count in the held-out text"),
            )


def _token_frame(tokens: tuple[LearnedToken, ...], count_name: str) -> pd.DataFrame:
    rows = [
        (shown_bytes(token.raw), token.id, token.pair_count if count_name == "count" else token.n_held_out)
        for token in tokens
    ]
    return pd.DataFrame(rows, columns=["token", "id", count_name])


def _show_all_changes(session: TrainSession, run: TrainingRun) -> None:
    """Draw the tokens that the steps added or removed; choosing a row shows its step in the film."""
    wanted = st.text_input("Search tokens", placeholder="part of a token, such as ing", **SEARCH.shown())
    changes = [each for each in run.changes() if wanted.replace(" ", "·") in shown_bytes(each.raw)]
    listed = sorted(nlargest(_N_CHANGES, changes, key=lambda each: each.count), key=lambda each: each.step)
    frame = changes_frame(run, listed)

    def choose() -> None:
        selected = state.component_value(_CHANGES_KEY, "selection")
        if selected and selected["rows"] and selected["rows"][0] < len(listed):
            choose_merge(session, listed[selected["rows"][0]].step + 1)

    st.dataframe(
        frame,
        hide_index=True,
        width="stretch",
        height=380,
        column_config=_localized(frame.columns[0], "count", "tokens left", "held-out tokens left"),
        key=_CHANGES_KEY,
        on_select=choose,
        selection_mode="single-row",
    )
    shown = f"{len(listed):,} of {counted(len(changes), 'change')}"
    of_many = ", those with the highest counts" if len(listed) < len(changes) else ""
    st.caption(f"{shown}{of_many}. Choose a row to see it in film and curve.")


def changes_frame(run: TrainingRun, changes: Sequence[Change]) -> pd.DataFrame:
    """Return changes as a table, without the columns that say nothing about this run."""
    raw_of, states = run.token_bytes(), run.curve()
    is_merges = all(each.kind == "added" and len(each.parts) == 2 for each in changes)
    steps = [each.step + 1 for each in changes]
    parts = [[shown_bytes(raw_of[part]) for part in each.parts] for each in changes]
    columns: dict[str, Sequence[object]] = {get_algorithm(run.settings.algorithm).step: steps}
    if is_merges:
        columns |= {side: [pair[n] for pair in parts] for n, side in enumerate(("left", "right"))}
    elif any(each.kind == "removed" for each in changes):
        columns["change"] = [each.kind for each in changes]
    columns["token"] = [shown_bytes(each.raw) for each in changes]
    if not is_merges and any(parts):
        columns["parts"] = [" + ".join(each) for each in parts]
    columns["id"] = [each.id for each in changes]
    columns["count"] = [each.count for each in changes]
    if any(each.score != each.count for each in changes) and run.prepared is not None:
        columns[run.prepared.score_name] = [each.score for each in changes]
    columns["tokens left"] = states[steps, 1].tolist()
    if run.has_held_out:
        columns["held-out tokens left"] = states[steps, 2].tolist()
    return pd.DataFrame(columns)


def _localized(*columns: str) -> Any:
    """Return a configuration that writes these columns with thousands separators."""
    return dict.fromkeys(columns, st.column_config.NumberColumn(format="localized"))


# ---- runs compared


def _show_compared(session: TrainSession) -> None:
    """Draw a comparison of this session's runs: their curves, and each tokenizer on each run's text."""
    runs = session.runs()
    if len(runs) < 2:
        st.info("Start a second run, with another split pattern or corpus, to compare both on one chart.")
    field = state.Field(f"train.compared.{session.n_started}", list(runs)[-3:])
    chosen = st.multiselect("Runs", list(runs), **field.some_of(list(runs)))
    if not chosen:
        return
    compared = {title: runs[title] for title in chosen}
    points = {title: curve_points(run) for title, run in compared.items()}
    with st.container(horizontal=True, horizontal_alignment="right"):
        save_chart_buttons(_COMPARED_KEY, file_name="runs-compared")
    with st.container(key=_COMPARED_KEY):
        chart = runs_chart(points, theme=page.theme(), type_scale=page.type_scale())
        st.altair_chart(chart, width="stretch", key="train-ab")
    texts = {title: run.held_out_texts or run.training_texts for title, run in compared.items()}
    if len(set(texts.values())) > 1:
        st.caption(
            "These runs have different texts, and each line is measured on its own run's text. The table "
            "measures all tokenizers on the same texts."
        )
    rows = {}
    for title, run in compared.items():
        tokenizer = run.tokenizer(title)
        rows[title] = [_bytes_per_token(tokenizer, texts[other]) for other in chosen]
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=[f"text of {title}" for title in chosen])
    frame.index.name = "tokenizer of"
    st.dataframe(frame.style.format("{:.2f}"), width="stretch")
    holds_out = all(run.held_out_texts for run in compared.values())
    st.caption(
        "Bytes per token: each run's tokenizer (row) on each run's held-out text (column). More means fewer "
        "tokens." + ("" if holds_out else " For a run without held-out text the column is its training text.")
    )


def _bytes_per_token(tokenizer: OpenedTokenizer, texts: tuple[str, ...]) -> float:
    n_tokens = sum(len(tokenizer.encode(text)) for text in texts)
    return sum(len(text.encode()) for text in texts) / n_tokens if n_tokens else 0.0


# ---- keep and export


def _show_keep(session: TrainSession, run: TrainingRun) -> None:
    """Draw the name field, and the buttons that add the tokenizer to every page or export it."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name of the tokenizer", width=320, **NAME.shown()).strip()
        st.button(
            "Keep",
            type="primary",
            icon=":material/bookmark_add:",
            help="Add it to the tokenizers of every page",
            key="train-keep",
            on_click=lambda: _keep(NAME.value.strip(), run.tokenizer),
        )
        before: OpenedTokenizer | None = state.get(_REPLACED, None)
        if before is not None and before.name == name and name in state.trained_tokenizers():
            st.button(
                "Bring the previous one back",
                help=markdown_escape(f"Use {name} ({before.about}) on every page again"),
                on_click=lambda: _keep(before.name, lambda _name: before),
            )
    problem = problem_with_name(name)
    valid_name = state.get(_VALID_NAME, NAME.default) if problem else name
    state.put(_VALID_NAME, valid_name)
    with st.empty():  # so that the elements below keep their places
        if problem:
            st.error(markdown_escape(f"{problem} The files below are named {valid_name}."))
        elif not _show_what_was_kept() and name in state.trained_tokenizers():
            st.caption(markdown_escape(replaced_by(name, "Keep")))
    source = markdown_escape(session.learned_from)
    st.caption(f"Learned from “{source}”. {sizes_in_words(run)}")
    _show_exports(run, valid_name)


def sizes_in_words(run: TrainingRun) -> str:
    """Say how many ids the exported tokenizer has, and why: special tokens come after the vocabulary."""
    n_ids, special = len(run.tokenizer("this run").vocabulary), run.settings.special_tokens
    if not special:
        return f"The tokenizer has {n_ids:,} ids."
    tokens = counted(len(special), "special token")
    return f"The tokenizer has {n_ids:,} ids: a vocabulary of {n_ids - len(special):,} and {tokens}."


def _keep(name: str, make: Callable[[str], OpenedTokenizer]) -> None:
    if problem_with_name(name):
        return  # the field shows the problem
    before = state.trained_tokenizers().get(name)
    instead = ", in place of the previous one" if before else ""
    try:
        state.picker_session().add(make(name))
    except LimitExceededError as error:
        state.put("train.kept", (st.error, markdown_escape(str(error))))
    else:
        state.put("train.kept", (st.success, f"{markdown_escape(name)} is now in every picker{instead}."))
        state.put(_REPLACED, before)


def _show_what_was_kept() -> bool:
    show, text = state.pop("train.kept", (None, ""))
    if show is not None:
        show(text)
    return show is not None


def _show_exports(run: TrainingRun, name: str) -> None:
    """Draw a row for each library: the files with their proof, or why the run cannot be exported."""
    st.markdown("**Export**", help=f"The test text: {TEST_TEXT}.")
    exports = exports_of(run, name)
    for library, export in exports:
        files, proof = st.columns([2, 3], vertical_alignment="center")
        with files, st.container(horizontal=True, gap="small"):
            proven = export.every_file.items() if isinstance(export, Export) else ()
            for n_file, (file_name, text) in enumerate(proven):
                st.download_button(
                    file_name, text, file_name, icon=":material/download:", on_click="ignore",
                    key=f"train.export.{library}.{n_file}",
                )  # fmt: skip
        if isinstance(export, Export):
            proof.markdown(f"**For {library}**: {markdown_escape(export.proof.sentence)}")
        else:
            reason = markdown_escape(export)
            proof.markdown(f":material/block: **For {library}** it cannot be exported: {reason}")
    files, about = st.columns([2, 3], vertical_alignment="center")
    files.download_button(
        f"{name}.curve.csv", curve_csv(run), f"{name}.curve.csv", icon=":material/show_chart:",
        on_click="ignore", key="train.export.curve",
    )  # fmt: skip
    about.markdown("**For a spreadsheet**: the curve, with a line for every step.")
    ranks = FILE_FORMATS["tiktoken"].library
    if any(library == ranks and isinstance(export, Export) for library, export in exports):
        st.caption("In plain Python, with the .tiktoken file beside it:")
        st.code(tiktoken_snippet(run.model(), name), language="python")


def exports_of(run: TrainingRun, name: str) -> catalog_exports.Exports:
    """Return the files for each library, or why there are none; cached for each run and name."""
    wanted = (weakref.ref(run), name)
    made, exports = state.get_or_make("train.exports", lambda: _NOTHING)
    if made != wanted:
        exports = catalog_exports.exports_of(run.tokenizer(name))
        state.put("train.exports", (wanted, exports))
    return exports
