"""What can be done with a result: look at a text merge by merge, compare runs, keep and export it."""

import time

import pandas as pd
import streamlit as st

from playground.analysis.learned_tokens import LearnedToken, learned_tokens
from playground.analysis.training_curve import curve_csv, curve_points
from playground.analysis.training_run import TrainingRun
from playground.bpe.files import FORMATS, read_model
from playground.bpe.rank_files import tiktoken_snippet
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.registry import TOKENIZERS
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import PlaygroundError
from playground.render.highlight import highlight_html, visible
from playground.render.training_charts import compression_chart
from playground.ui import state
from playground.ui.training_session import TrainingSession

PANELS = ["Text at merge k", "All merges", "What was learned", "A against B", "Keep and export"]
_SAMPLE_CHARACTERS = 1200
_FILM_SECONDS = 12


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
        st.fragment(_text_at_merge, run_every=0.3 if state.keep("train.film", lambda: False) else None)(
            session, run
        )
    elif chosen == PANELS[1]:
        _all_merges(run)
    elif chosen == PANELS[2]:
        _learned(run)
    elif chosen == PANELS[3]:
        _compare(session)
    else:
        _keep(run)


def _text_at_merge(session: TrainingSession, run: TrainingRun) -> None:
    choice, slider, film = st.columns([2, 5, 1.2], vertical_alignment="bottom")
    with choice:
        kinds = ["held-out text", "training text", "my own text"]
        kind = st.selectbox(
            "Sample",
            kinds,
            index=kinds.index(state.keep("train.sample", lambda: kinds[0])),
            key="train-sample",
        )
        state.put("train.sample", kind)
    is_playing = state.keep("train.film", lambda: False)
    n_merges = run.n_merges
    kept = f"train.k.{session.n_started}"  # each run begins with all its merges
    k = min(state.keep(kept, lambda: n_merges), n_merges)
    if is_playing:
        started_at, first = state.keep("train.film_from", lambda: (time.monotonic(), 0))
        k = min(n_merges, first + int((time.monotonic() - started_at) / _FILM_SECONDS * n_merges) + 1)
        slider.progress(k / n_merges, text=f"{k:,} of {n_merges:,} merges")
        state.put(kept, k)
    else:
        k = slider.slider("Merges done", 0, n_merges, value=k)
        state.put(kept, k)
    if film.button("Pause" if is_playing else "Play", icon=":material/movie:", width="stretch") or (
        is_playing and k >= n_merges
    ):
        state.put("train.film", not is_playing)
        state.put("train.film_from", (time.monotonic(), 0 if k >= n_merges else k))
        st.rerun()
    text = _sample(run, kind)
    if not text:
        st.info("There is no such text. Choose another sample.")
        return
    whole = _whole_tokenizer(session, run)
    cut = whole.at_merge(k).segment(text)
    newest = whole.model.merges[k - 1][2] if k else -1
    mark = _choose_mark(run, k)
    places: set[int] = {n for n, token in enumerate(cut.tokens) if token.id == newest}
    if mark is not None:
        ids = cut.ids
        starts = [n for n in range(len(ids) - 1) if (ids[n], ids[n + 1]) == mark]
        places = {n for start in starts for n in (start, start + 1)}
    st.html(highlight_html(cut, marked=places, is_dark=st.context.theme.type == "dark"))
    outlined = f"the pair stands {len(places) // 2} times" if mark else "the newest token is outlined"
    st.caption(f"{len(cut.tokens):,} tokens, {cut.bytes_per_token:.2f} bytes a token; {outlined}.")


def _choose_mark(run: TrainingRun, k: int) -> tuple[int, int] | None:
    if k != run.n_merges:
        return None
    raw_of = run.token_bytes()
    pairs = {
        f"{visible(raw_of[p.left])} + {visible(raw_of[p.right])} ({p.count:,})": (p.left, p.right)
        for p in run.top_pairs(8)
    }
    chosen = st.pills("Mark a pair of the next step", list(pairs), key="train-mark")
    return pairs.get(chosen) if chosen else None


def _sample(run: TrainingRun, kind: str) -> str:
    if kind == "my own text":
        typed = st.text_area(
            "Text", value=state.keep("train.own", lambda: "The dog. The dog! A dog?"), key="train-own"
        )
        state.put("train.own", typed)
        return typed[:20_000]
    texts = run.held_out_texts if kind == "held-out text" else run.training_texts
    return next((text[:_SAMPLE_CHARACTERS] for text in texts if text), "")


def _whole_tokenizer(session: TrainingSession, run: TrainingRun) -> TrainedTokenizer:
    key = (session.n_started, run.n_merges)
    known: tuple[tuple[int, int], TrainedTokenizer] | None = state.keep("train.whole", lambda: None)
    if known is None or known[0] != key:
        known = (key, run.tokenizer("this run"))
        state.put("train.whole", known)
    return known[1]


def _all_merges(run: TrainingRun) -> None:
    wanted = st.text_input("Search tokens", key="train-search", placeholder="part of a token, such as ing")
    raw_of = run.token_bytes()
    rows = [
        (m.rank + 1, visible(raw_of[m.left]), visible(raw_of[m.right]), visible(m.raw), m.new_id,
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
            "Too rare to learn from: SolidGoldMagikarp was such a token.",
        ),
        ("Swallowed by longer tokens", learned.swallowed, "Steps on the way; they hardly ever stand alone."),
    ]
    for column, (title, tokens, remark) in zip(st.columns(4), lists, strict=True):
        with column:
            st.markdown(f"**{title}** · {len(tokens):,}")
            st.caption(remark)
            st.dataframe(_token_frame(tokens[:200]), hide_index=True, width="stretch", height=300)


def _token_frame(tokens: tuple[LearnedToken, ...]) -> pd.DataFrame:
    rows = [(visible(token.raw), token.id, token.pair_count) for token in tokens]
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
    st.altair_chart(
        compression_chart(points, {}, n_merges_wanted=1, height=300), width="stretch", key="train-ab"
    )
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
    keep, export, read = st.columns([2, 3, 3])
    with keep:
        st.markdown("**Keep it in this session**")
        name = st.text_input(
            "Name", value=state.keep("train.name", lambda: "my-tokenizer"), key="train-name"
        ).strip()
        state.put("train.name", name)
        problem = _problem_with_name(name)
        if problem:
            st.error(problem)
        elif st.button("Keep", type="primary", icon=":material/bookmark_add:"):
            state.trained_tokenizers()[name] = run.tokenizer(name)
            st.success(f"{name} is now in every picker of this session.")
    with export:
        st.markdown("**Export**")
        model = run.model()
        for entry in FORMATS.values():
            try:
                files = entry.write(model, name or "tokenizer")
            except PlaygroundError as error:
                st.warning(str(error))
                continue
            for file_name, text in files.items():
                st.download_button(file_name, text, file_name, icon=":material/download:", on_click="ignore")
        st.download_button(
            "curve.csv", curve_csv(run), "curve.csv", icon=":material/show_chart:", on_click="ignore"
        )
        st.code(tiktoken_snippet(model, name or "tokenizer"), language="python")
    with read:
        st.markdown("**Read a tokenizer file**")
        _read_files()


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
        st.error(str(error))
        return
    name = files[0].name.split(".")[0]
    name = f"{name}-file" if name in TOKENIZERS else name
    state.trained_tokenizers()[name] = TrainedTokenizer(name, model)
    st.success(f"{name}: {len(model.merges):,} merges. It is now in every picker of this session.")


def _problem_with_name(name: str) -> str:
    if not name or len(name) > 60 or "/" in name or "\\" in name:
        return "A name has 1 to 60 characters and no slash."
    if name in TOKENIZERS:
        return f"{name} is the name of a known tokenizer; choose another."
    return ""
