"""What can be done with a result: see what was learned, compare runs, keep and export it."""

import pandas as pd
import regex
import streamlit as st

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.registry import TOKENIZERS
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import PlaygroundError
from playground.files.table import FORMATS, read_model
from playground.files.tiktoken_ranks import tiktoken_snippet
from playground.render.plain_text import markdown_escape
from playground.render.shown_bytes import shown_bytes
from playground.render.training_charts import compression_chart
from playground.training.curve import curve_csv, curve_points
from playground.training.learned_tokens import LearnedToken, learned_tokens
from playground.training.run import TrainingRun
from playground.ui import page, state
from playground.ui.save_chart import save_chart_buttons
from playground.ui.train.session import TrainingSession
from playground.ui.train.view import LIVE_CHART

PANELS = ["What was learned", "All merges", "A against B", "Keep and export"]

_COMPARED_CHART = "train-compared-chart"
#: Characters of a tokenizer's name.
MAX_NAME = 60
_LISTED = 200  # tokens a list


def show_panels(session: TrainingSession) -> None:
    """One panel at a time, so that only what is looked at is computed."""
    run = session.run
    if run is None or not run.n_merges or run.is_active:
        return
    chosen = st.segmented_control(
        "Look at", PANELS, default=state.keep("train.panel", lambda: PANELS[0]), key="train-panel",
        label_visibility="collapsed",
    ) or PANELS[0]  # fmt: skip
    state.put("train.panel", chosen)
    if chosen == PANELS[0]:
        _learned(run)
    elif chosen == PANELS[1]:
        _all_merges(run)
    elif chosen == PANELS[2]:
        _compare(session)
    else:
        _keep(run)


def _all_merges(run: TrainingRun) -> None:
    wanted = st.text_input("Search tokens", key="train-search", placeholder="part of a token, such as ing")
    raw_of = run.token_bytes()
    rows = [
        (m.rank + 1, shown_bytes(raw_of[m.left]), shown_bytes(raw_of[m.right]), shown_bytes(m.raw), m.new_id,
         m.pair_count, m.n_tokens, m.n_held_out_tokens)
        for m in run.merges()
    ]  # fmt: skip
    columns = ["merge", "left", "right", "new token", "id", "count", "tokens left", "held-out tokens left"]
    frame = pd.DataFrame(rows, columns=columns)
    if wanted:
        frame = frame[frame["new token"].str.contains(wanted.replace(" ", "·"), regex=False)]
    st.dataframe(frame, hide_index=True, width="stretch", height=380)
    st.caption(f"{len(frame):,} of {len(rows):,} merges.")


def _learned(run: TrainingRun) -> None:
    learned = learned_tokens(run.tokenizer("this run"), run.merges(), run.held_out_texts)
    crossing = "With a split pattern few do; train with none to see “dog.” and “dog!” become tokens."
    lists = [
        ("Longest tokens", learned.longest, "What the text repeats word for word."),
        ("Cross categories", learned.crossing, crossing),
        (
            "Never in the held-out text",
            learned.unused,
            "Too rare to learn from: SolidGoldMagikarp was such a token."
            if run.held_out_texts
            else "Nothing was held out to look in.",
        ),
        ("Swallowed by longer tokens", learned.swallowed, "Steps on the way; they hardly ever stand alone."),
    ]
    for column, (title, tokens, remark) in zip(st.columns(4), lists, strict=True):
        with column:
            st.markdown(f"**{title}** · {len(tokens):,}")
            st.caption(remark)
            st.dataframe(
                _token_frame(tokens[:_LISTED]),
                hide_index=True,
                width="stretch",
                height=min(300, 38 + 35 * max(1, len(tokens))),
            )


def _token_frame(tokens: tuple[LearnedToken, ...]) -> pd.DataFrame:
    rows = [(shown_bytes(token.raw), token.id, token.pair_count) for token in tokens]
    return pd.DataFrame(rows, columns=["token", "id", "count"])


def _compare(session: TrainingSession) -> None:
    runs = session.runs()
    if len(runs) < 2:
        st.info("Start a second run, with another split pattern or corpus, and both stand here on one chart.")
    chosen = st.multiselect(
        "Runs", list(runs), default=list(runs)[-3:], key=f"train-compare-{session.n_started}"
    )
    if not chosen:
        return
    compared = {title: runs[title] for title in chosen}
    points = {title: curve_points(run) for title, run in compared.items()}
    with st.container(key=_COMPARED_CHART):
        chart = compression_chart(
            points, {}, n_merges_wanted=1, height=300, theme=page.theme(), type_scale=page.type_scale()
        )
        st.altair_chart(chart, width="stretch", key="train-ab")
    save_chart_buttons(_COMPARED_CHART, file_name="runs-compared")
    texts = {title: run.held_out_texts or run.training_texts for title, run in compared.items()}
    rows = {}
    for title, run in compared.items():
        tokenizer = run.tokenizer(title)
        rows[title] = [_bytes_per_token(tokenizer, texts[other]) for other in chosen]
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=[f"text of {title}" for title in chosen])
    st.dataframe(frame.style.format("{:.2f}"), width="stretch")
    st.caption(
        "Bytes a token: each run's tokenizer (row) on each run's held-out text (column). More is shorter."
    )


def _bytes_per_token(tokenizer: TrainedTokenizer, texts: tuple[str, ...]) -> float:
    n_tokens = sum(len(tokenizer.encode(text)) for text in texts)
    return sum(len(text.encode()) for text in texts) / n_tokens if n_tokens else 0.0


def _keep(run: TrainingRun) -> None:
    keep, read = st.columns([2, 3], gap="medium")
    with keep:
        st.markdown("**Keep it in this session**")
        name = st.text_input(
            "Name", value=state.keep("train.name", lambda: "my-tokenizer"), key="train-name"
        ).strip()
        state.put("train.name", name)
        problem = _problem_with_name(name)
        if problem:
            st.error(markdown_escape(problem))
        elif st.button("Keep", type="primary", icon=":material/bookmark_add:", key="train-keep"):
            state.trained_tokenizers()[name] = run.tokenizer(name)
            st.success(f"{markdown_escape(name)} is now in every picker of this session.")
    with read:
        st.markdown("**Read a tokenizer file**")
        _read_files()
    if not problem:
        _export(run, name)


def _export(run: TrainingRun, name: str) -> None:
    st.markdown("**Export**")
    model = run.model()
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        for entry in FORMATS.values():
            try:
                files = entry.write(model, name)
            except PlaygroundError as error:
                st.warning(markdown_escape(str(error)))
                continue
            for file_name, text in files.items():
                st.download_button(file_name, text, file_name, icon=":material/download:", on_click="ignore")
        st.download_button(
            f"{name}.curve.csv", curve_csv(run), f"{name}.curve.csv", icon=":material/show_chart:",
            on_click="ignore",
        )  # fmt: skip
    save_chart_buttons(LIVE_CHART, file_name=f"{name}-curve")
    st.caption("In plain Python, with the .tiktoken file beside it:")
    st.code(tiktoken_snippet(model, name), language="python")


def _read_files() -> None:
    patterns = ["gpt2", "cl100k", "o200k", "llama3", "none"]
    pattern = st.selectbox("Split pattern, where the file holds none", patterns, key="train-import-pattern")
    files = st.file_uploader(
        ".model, .tiktoken, tokenizer.json, or encoder.json with vocab.bpe",
        accept_multiple_files=True,
        key="train-import",
    )
    if not files:
        return
    try:
        model = read_model({file.name: file.getvalue() for file in files}, SplitPattern.named(pattern))
    except PlaygroundError as error:
        st.error(markdown_escape(str(error)))
        return
    name = regex.sub(r"[^\w.-]+", "-", files[0].name.split(".")[0]).strip("-")[:MAX_NAME] or "uploaded"
    name = f"{name}-file" if name in TOKENIZERS else name
    state.trained_tokenizers()[name] = TrainedTokenizer(name, model)
    st.success(
        f"{markdown_escape(name)}: {len(model.merges):,} merges. It is now in every picker of this session."
    )


def _problem_with_name(name: str) -> str:
    if not regex.fullmatch(rf"[\w.-]{{1,{MAX_NAME}}}", name):
        return f"A name has 1 to {MAX_NAME} letters, digits, and the marks . - _"
    if name in TOKENIZERS:
        return f"{name} is the name of a known tokenizer; choose another."
    return ""
