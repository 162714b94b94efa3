"""What a training is started with: the corpus and the settings, each kept for the session."""

from functools import partial
from typing import TypeVar

import streamlit as st

from playground.bpe.pretokenize import SPLIT_PATTERNS
from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError, PlaygroundError
from playground.render.plain_text import markdown_escape
from playground.training.corpora import BUNDLED, Corpus, udhr, udhr_languages
from playground.training.kernel.tie_rules import TIE_RULES
from playground.training.run import RunSettings
from playground.training.trainer import MAX_VOCAB_SIZE
from playground.training.utf8_files import read_text
from playground.ui import state
from playground.ui.train.session import StartRun, TrainingSession

PASTE, UPLOAD = "Paste a text", "Upload text files"
LANGUAGES = "Many languages: human rights"
T = TypeVar("T")

TYPED = "my own expression"
MAX_UPLOAD_MB = 256
N_BYTES = 256  # ids that a vocabulary has before any merge


def choose_run(session: TrainingSession) -> StartRun | None:
    """Corpus and settings; what begins a run with them, or None with a message at what cannot be used."""
    session.chosen = settings = None
    try:
        session.chosen = choose_corpus(session)
    except PlaygroundError as error:
        st.error(markdown_escape(str(error)))
    try:
        settings = choose_settings()
    except PlaygroundError as error:
        st.error(markdown_escape(str(error)))
    if session.chosen is None or settings is None:
        return None
    return partial(session.start, settings)


def choose_corpus(session: TrainingSession) -> Corpus | None:
    """A bundled corpus, a pasted text or uploaded files; None until a file is chosen.

    Raises InvalidInputError.
    """
    options = [*BUNDLED, PASTE, UPLOAD]
    chosen = st.selectbox(
        "Corpus", options, index=options.index(_kept("corpus", options[0])), key="train-corpus"
    )
    state.put("train.corpus", chosen)
    if chosen == PASTE:
        text = st.text_area(
            "Text to learn from", value=_kept("paste", "aaabdaaabac"), height=140, key="train-paste"
        )
        state.put("train.paste", text)
        if not text:
            raise InvalidInputError("the text is empty; paste one, or choose a bundled corpus")
        return Corpus("Pasted text", (text,))
    if chosen == UPLOAD:
        return _choose_files(session)
    session.uploaded = None
    if chosen == LANGUAGES:
        return _choose_languages()
    return BUNDLED[chosen]()


def _choose_files(session: TrainingSession) -> Corpus | None:
    limit = f"{MAX_UPLOAD_MB} MB"
    files = st.file_uploader(
        f"UTF-8 text files, together up to {limit}",
        accept_multiple_files=True,
        max_upload_size=MAX_UPLOAD_MB,
        key="train-files",
    )
    if not files:
        session.uploaded = None
        st.info(f"Choose one or more UTF-8 text files of up to {limit}. A file marked red was not taken.")
        return None
    n_bytes = sum(file.size for file in files)
    if n_bytes > MAX_UPLOAD_MB * 1_000_000:
        raise InvalidInputError(
            f"these files have {n_bytes / 1e6:,.0f} MB together; at most {limit} can be learned from here. "
            "For more, train in a shell: python -m playground train FILE"
        )
    names = tuple(file.file_id for file in files)
    if session.uploaded is None or session.uploaded[0] != names:  # read once, not at every click
        texts = tuple(read_text(file, file.name) for file in files)
        if not any(texts):
            raise InvalidInputError(f"{files[0].name} is empty; choose a file with text in it")
        title = f"{files[0].name}" if len(files) == 1 else f"{len(files)} files"
        session.uploaded = names, Corpus(title, texts)
    return session.uploaded[1]


def choose_settings() -> RunSettings:
    """Size, pattern and the finer choices. Raises InvalidInputError."""
    vocab_size = _choose_size()
    if not 257 <= vocab_size <= MAX_VOCAB_SIZE:
        raise InvalidInputError(
            f"a vocabulary of {vocab_size:,} cannot be learned: 256 bytes come first, so choose 257 "
            f"to {MAX_VOCAB_SIZE:,}"
        )
    names = ["gpt2", "cl100k", "o200k", "llama3", "none", TYPED]
    name = st.selectbox(
        "Split pattern",
        names,
        index=names.index(_kept("pattern", "gpt2")),
        key="train-pattern",
        help="Where a text is cut before any merge; no token crosses a cut.",
    )
    state.put("train.pattern", name)
    if name == TYPED:
        typed = st.text_input(
            "Regular expression",
            value=_kept("typed_pattern", r" ?\w+|\s+|[^\w\s]+"),
            key="train-typed-pattern",
        )
        state.put("train.typed_pattern", typed)
        pattern = SplitPattern.typed(typed)
    else:
        pattern = SplitPattern.named(name)
        if name in SPLIT_PATTERNS:
            st.caption(f"`{pattern.expression[:60]}…`", help=f"`{pattern.expression}`")
    return _choose_finer(int(vocab_size), pattern)


def _choose_size() -> int:
    """The vocabulary's size, or the number of merges: each field follows the other."""
    left, right = st.columns(2, gap="small")
    vocab_size = left.number_input(
        "Vocabulary size",
        step=500,
        on_change=_follow,
        args=("train.vocab_size", "train.n_merges", -N_BYTES),
        help="256 bytes and one token for each merge.",
        **state.kept("train.vocab_size", lambda: N_BYTES + 1000),
    )
    right.number_input(
        "Merges",
        step=500,
        on_change=_follow,
        args=("train.n_merges", "train.vocab_size", N_BYTES),
        **state.kept("train.n_merges", lambda: 1000),
    )
    return int(vocab_size)


def _follow(changed: str, other: str, difference: int) -> None:
    value = state.widget_value(changed)
    if isinstance(value, int):
        state.put_widget(other, value + difference)


def _choose_finer(vocab_size: int, pattern: SplitPattern) -> RunSettings:
    with st.popover("Ties, counts, special tokens", width="stretch"):
        rules = list(TIE_RULES)
        ties = st.radio(
            "Of pairs with the same count, merge first",
            rules,
            index=rules.index(_kept("ties", rules[0])),
            captions=[
                "the one seen first (minbpe)",
                "the lowest ids (rustbpe)",
                "as in Hugging Face tokenizers",
            ],
            key="train-ties",
        )
        state.put("train.ties", ties)
        min_count = st.number_input(
            "Minimum count of a pair", min_value=1, value=_kept("min_count", 2), key="train-min-count"
        )
        state.put("train.min_count", min_count)
        held_out = st.slider(
            "Held-out part, never learned from",
            0,
            50,
            value=_kept("held_out", 10),
            format="%d %%",
            key="train-held-out",
        )
        state.put("train.held_out", held_out)
        typed = st.text_area(
            "Special tokens, one a line",
            value=_kept("special", "<|endoftext|>"),
            height=80,
            key="train-special",
            help="Their ids follow the vocabulary; nothing is merged into or out of them.",
        )
        state.put("train.special", typed)
    special_tokens = tuple(dict.fromkeys(line for line in typed.splitlines() if line))
    return RunSettings(vocab_size, pattern, str(ties), int(min_count), special_tokens, held_out / 100)


def _choose_languages() -> Corpus:
    languages = list(udhr_languages())
    chosen = st.multiselect(
        "Languages", languages, default=_kept("languages", ["English", "Korean"]), key="train-languages"
    )
    state.put("train.languages", chosen)
    if not chosen:
        raise InvalidInputError("no language is chosen; choose one or more")
    with st.popover("Weigh the languages", width="stretch"):
        weights = {
            name: st.number_input(
                name, min_value=1, max_value=50, value=_kept(f"weight.{name}", 1), key=f"train-w-{name}"
            )
            for name in chosen
        }
    for name, weight in weights.items():
        state.put(f"train.weight.{name}", weight)
    return udhr(weights)


def _kept(name: str, default: T) -> T:
    return state.keep(f"train.{name}", lambda: default)
