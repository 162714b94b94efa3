"""Health: the tokens of a vocabulary that a text hardly meets, counted and listed; each opens."""

import secrets
import threading
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
import streamlit as st

from playground.analysis.vocabulary.cache import vocabulary_index
from playground.analysis.vocabulary.health import Health
from playground.core.errors import PlaygroundError
from playground.core.tokenizer import Tokenizer
from playground.core.wording import counted
from playground.render.plain_text import markdown_escape
from playground.ui import state
from playground.ui.merge_tree.token_table import choose_row, token_table
from playground.ui.merge_tree.vocabulary import show_token, show_unmerged_token
from playground.ui.work import Work
from playground.workers import pool

MAX_LISTED = 500
#: What asking about every token may take; o200k_base takes about 5 s.
SECONDS, MEMORY_BYTES = 60.0, 1_500_000_000
#: Seconds that a run of the page waits, for small vocabularies are asked about at once; then it looks again.
_PATIENCE_SECONDS, _REFRESH_SECONDS = 0.4, 0.25
_SENTENCES = {
    "Never produced": "Their text comes back as other tokens, alone and behind a mark, a letter, a digit and "
    "a space: only ids that are typed reach them.",
    "Only parts": "Never produced themselves, but larger tokens are merged from them.",
    "Not UTF-8": "Bytes that are no whole characters: a text has them only beside other such tokens.",
    "Duplicates": "Tokens of one kind that stand for the same bytes: a text gets one of them.",
    "Spelled by text": "Special tokens that ordinary text gives, where special tokens are read as text.",
}
KIND = state.Field("health.kind", "Never produced")


@dataclass(slots=True)
class HealthCheck:
    """The vocabulary that one visitor asks about; asking about another ends it."""

    visitor: str = field(default_factory=lambda: secrets.token_hex(8))
    tokenizer: Tokenizer | None = None
    work: Work[Health] | None = None
    _is_gone: threading.Event = field(default_factory=threading.Event)

    def ask(self, tokenizer: Tokenizer) -> Work[Health]:
        """What is known of this tokenizer, or is being found out in a process of its own."""
        if self.work is None or self.tokenizer is not tokenizer:
            self.end()
            gone = self._is_gone = threading.Event()
            self.tokenizer = tokenizer
            opened = state.trained_tokenizers().get(tokenizer.name)
            model = opened.model if opened is tokenizer else None
            self.work = Work(
                lambda _tell: pool.run(
                    "playground.analysis.vocabulary.health.health_of", tokenizer.name, model,
                    what=f"asking about every token of {tokenizer.name}", visitor=self.visitor,
                    seconds=SECONDS, memory_bytes=MEMORY_BYTES, cancelled=gone,
                )
            )  # fmt: skip
        return self.work

    def end(self) -> None:
        """End the work in hand, and forget it."""
        self._is_gone.set()
        self.work = None


@st.cache_resource(scope="session", on_release=lambda check: check.end(), show_spinner=False)
def health_check() -> HealthCheck:
    """This visitor's; a closed tab ends it."""
    return HealthCheck()


def show_health(tokenizer: Tokenizer) -> None:
    """How many tokens are odd in each way, those of one way, and the tree of the one that is chosen."""
    work = health_check().ask(tokenizer)
    if not work.wait(_PATIENCE_SECONDS):
        st.fragment(_draw_waiting, run_every=_REFRESH_SECONDS)(work, tokenizer)
        return
    try:
        health = work.result()
    except PlaygroundError as error:
        st.error(markdown_escape(str(error)))
        st.button("Ask again", on_click=health_check().end)
        return
    _show_odd_tokens(tokenizer, health)


def _draw_waiting(work: Work[Health], tokenizer: Tokenizer) -> None:
    """Look whether it is known; meanwhile the page can be used."""
    if work.is_over:
        st.rerun()
    n_tokens = counted(len(tokenizer.vocabulary), "token")
    st.progress(0.0, text=f"Asking about {n_tokens} of {markdown_escape(tokenizer.name)} …")


@st.fragment
def _show_odd_tokens(tokenizer: Tokenizer, health: Health) -> None:
    found = dict(
        zip(
            _SENTENCES,
            (
                health.lost,
                health.only_parts,
                health.not_utf8,
                tuple(chain.from_iterable(health.duplicates)),
                health.spelled,
            ),
            strict=True,
        )
    )
    kind: str = st.segmented_control(
        "Tokens that are odd",
        list(found),
        format_func=lambda name: f"{name} · {len(found[name]):,}",
        required=True,
        label_visibility="collapsed",
        **KIND.some_of(list(found)),
    )
    ids = found[kind]
    share = f"**{len(ids):,}** of {counted(health.n_tokens, 'token')}."
    st.write(f"{share} {_SENTENCES[kind]}")
    if not ids:
        return
    if len(ids) > MAX_LISTED:
        st.caption(f"The first {MAX_LISTED}; `python -m playground health --json` lists all.")
    shown = ids[:MAX_LISTED]
    table = token_table(shown, [tokenizer.vocabulary.raw_of(token_id) for token_id in shown])
    chosen = shown[choose_row(table, key=f"health_table {tokenizer.name} {kind}") or 0]
    if tokenizer.merges is None:
        show_unmerged_token(tokenizer, chosen)
        return
    index = vocabulary_index(tokenizer)
    for position in np.flatnonzero(index.ids == chosen).tolist():
        show_token(index, position, tokenizer.merges, file_name=f"{tokenizer.name}-{chosen}")
