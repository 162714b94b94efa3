"""The film on the training page: which text and which word are shown, and what the browser needs for it."""

from collections.abc import Sequence

import regex
import streamlit as st

from playground.core.errors import PlaygroundError
from playground.render.visible_text import markdown_escape
from playground.training.film import MergeFilm
from playground.training.run import TrainingRun
from playground.ui import state
from playground.ui.train.film_data import (
    MAX_CHARACTERS,
    MAX_TOLD,
    MAX_TOLD_LIVE,
    MAX_WORD_CHARACTERS,
    film_data,
    forest_columns,
    spelled_ids,
    told_merges,
)
from playground.ui.train.film_view import FilmData, ToldFilm, merge_film
from playground.ui.train.session import TrainingSession

SAMPLES = ["Held-out text", "Training text", "My own text"]
SAMPLE = state.Field("train.sample", SAMPLES[0])
OWN_TEXT = state.Field("train.own", "The dog. The dog! A dog? Dogs in 2026 don't dig.")
_KEY = "train_film"
_SAMPLE_CHARACTERS = 2_000
_PAIRS = 8
#: The merge that was chosen elsewhere: of which run, which one, and how many were chosen before.
_WISHED = "train.wished"
_WORD = regex.compile(r" ?\p{L}[\p{L}\p{M}]{3,}")


def show_film(session: TrainingSession, run: TrainingRun, *, chart: str) -> None:
    """Mount the film of a run; `chart` is the key of the container whose chart follows it."""
    text, limit = _choose_sample(run)
    word = _word(session, text)
    try:
        film, forest = _film(session, run, "text", text), _film(session, run, "word", word)
    except PlaygroundError as error:  # a typed pattern that takes too long for this text
        st.error(markdown_escape(str(error)))
        return
    wished: tuple[int, int, int] | None = state.keep(_WISHED, lambda: None)
    last = max(run.n_merges if run.status.is_over else run.n_merges_wanted, 1)
    data: FilmData = {
        **film_data(film, only_now=run.is_active),
        **_told(run, film.n_merges),
        "revision": repr(
            (session.n_started, run.status, run.is_active, film.n_merges, last, wished, text, word)
        ),
        "run": session.n_started,
        "n": film.n_merges,
        "is_live": run.is_active,
        "is_over": run.status.is_over,
        "last": last,
        "chart": chart,
        "wished": wished[1:] if wished and wished[0] == session.n_started else None,
        "limit": limit,
        "word": word,
        "forest": forest_columns(forest, only_now=run.is_active),
    }
    merge_film(key=_KEY, data=data)


def wish_merge(session: TrainingSession, k: int) -> None:
    """Let the film of the run in hand go to its merge `k`, and with it the chart."""
    before: tuple[int, int, int] | None = state.keep(_WISHED, lambda: None)
    state.put(_WISHED, (session.n_started, k, before[2] + 1 if before else 1))


def _choose_sample(run: TrainingRun) -> tuple[str, str]:
    """The text to show, and what to say of its length."""
    has_held_out = any(map(str.strip, run.held_out_texts))
    samples = SAMPLES if has_held_out else SAMPLES[1:]
    kind = st.segmented_control(
        "Text", samples, required=True, label_visibility="collapsed", **SAMPLE.some_of(samples)
    )
    if kind == SAMPLES[2]:
        typed = st.text_area("My own text", height=80, **OWN_TEXT.shown())
        limit = f"Shown are the first {MAX_CHARACTERS:,} characters." if len(typed) > MAX_CHARACTERS else ""
        return typed[:MAX_CHARACTERS], limit
    texts = run.held_out_texts if kind == SAMPLES[0] else run.training_texts
    text = _passages([text.lstrip("\n") for text in texts if text.strip()])
    return text, "" if has_held_out else "Nothing was held out of this text."


def _passages(texts: Sequence[str]) -> str:
    """The beginning and the middle of a corpus, which may be of another language."""
    chosen = [texts[0], texts[len(texts) // 2]] if len(texts) > 1 else list(texts)
    return "\n".join(_beginning(text, _SAMPLE_CHARACTERS // len(chosen)) for text in chosen)


def _beginning(text: str, n_characters: int) -> str:
    """Up to so many characters, to the end of a word where words are spaced."""
    cut = text[:n_characters]
    return cut if cut == text else regex.sub(r"\s?\S{0,30}$", "", cut)


def _word(session: TrainingSession, text: str) -> str:
    """What is typed into the film's field; before that the longest word of the text."""
    typed: str | None = state.component_value(_KEY, "word")
    if typed is not None:
        state.put("train.word", typed)
    word: str | None = state.keep("train.word", lambda: None)
    if word is None:
        longest: tuple[int, str] = state.keep("train.longest_word", lambda: (-1, ""))
        if longest[0] != session.n_started:
            longest = session.n_started, max(_WORD.findall(text), key=len, default=text)[:MAX_WORD_CHARACTERS]
            state.put("train.longest_word", longest)
        word = longest[1]
    return word[:MAX_WORD_CHARACTERS]


def _film(session: TrainingSession, run: TrainingRun, name: str, text: str) -> MergeFilm:
    """The film of a text, up to the newest merge; it is made once and goes on with the run."""
    films: dict[str, tuple[object, MergeFilm]] = state.keep("train.films", dict)
    key = (session.n_started, text)
    if name not in films or films[name][0] != key:
        films[name] = key, MergeFilm(text, run.settings.pattern)
    film = films[name][1]
    film.advance((left, right, new) for left, right, new in run.columns()[film.n_merges :, :3].tolist())
    return film


def _told(run: TrainingRun, n_merges: int) -> ToldFilm:
    """The merges in words, all or of a run that goes on the newest, and the next pairs."""
    merges = run.merges(max(0, n_merges - (MAX_TOLD_LIVE if run.is_active else MAX_TOLD)), n_merges)
    told = told_merges(merges)
    pairs = [(pair.left, pair.right, pair.count) for pair in run.top_pairs(_PAIRS)]
    ids = {token_id for row in (*told["rows"],) for token_id in row[:3]}
    ids |= {token_id for pair in pairs for token_id in pair[:2]}
    return {"told": told, "pairs": pairs, "spelled": spelled_ids(sorted(ids), run.token_bytes())}
