"""What a run learns from: its fields, and the corpus that they name as they stand."""

from collections.abc import Sequence

import streamlit as st

from playground.core.errors import InvalidInputError
from playground.training.corpora import BUNDLED, LANGUAGES, Corpus, udhr, udhr_languages
from playground.training.counted_corpus import CountedCorpus
from playground.ui import state
from playground.ui.choices import PASTE, UPLOAD
from playground.ui.train.session import TrainingSession
from playground.ui.train.uploaded import read_files, show_files

CORPUS = state.Field("train.corpus", next(iter(BUNDLED)))
PASTED = state.Field("train.pasted", "aaabdaaabac")
CHOSEN_LANGUAGES = state.Field("train.languages", ["English", "Korean"])


def show_corpus(session: TrainingSession) -> None:
    """Draw the fields: a bundled corpus, a text to paste or files to upload."""
    st.selectbox("Corpus", options := [*BUNDLED, PASTE, UPLOAD], **CORPUS.one_of(options))
    if CORPUS.value == PASTE:
        st.text_area("Text to learn from", height=140, **PASTED.shown())
    elif CORPUS.value == UPLOAD:
        show_files(session)
    elif CORPUS.value == LANGUAGES:
        st.multiselect(
            "Languages", languages := list(udhr_languages()), **CHOSEN_LANGUAGES.some_of(languages)
        )
        with st.popover("Weigh the languages", width="stretch"):
            for name in CHOSEN_LANGUAGES.value:
                st.number_input(name, min_value=1, max_value=50, **_weight(name).shown())


def corpus_texts(session: TrainingSession) -> Sequence[str]:
    """The texts of the corpus as the fields stand. Raises InvalidInputError."""
    corpus = read_corpus(session)
    if isinstance(corpus, CountedCorpus):
        raise InvalidInputError("this corpus was counted elsewhere, and has no text; choose another corpus")
    return ["".join(text) for text in corpus.iter_texts()]


def read_corpus(session: TrainingSession) -> Corpus | CountedCorpus:
    """The corpus as the fields stand. Raises InvalidInputError."""
    name = CORPUS.value
    if name == UPLOAD:
        return read_files(session)
    session.uploaded = None
    if name == PASTE:
        if not PASTED.value:
            raise InvalidInputError("the text is empty; paste one, or choose a bundled corpus")
        return Corpus("Pasted text", (PASTED.value,))
    if name == LANGUAGES:
        if not CHOSEN_LANGUAGES.value:
            raise InvalidInputError("no language is chosen; choose one or more")
        return udhr({language: _weight(language).value for language in CHOSEN_LANGUAGES.value})
    return BUNDLED[name]()


def _weight(language: str) -> state.Field[int]:
    return state.Field(f"train.weight.{language}", 1)
