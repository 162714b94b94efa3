"""Health: glitch, under-trained, unreachable and other unusual tokens, counted, listed and shown as trees."""

from functools import partial
from itertools import chain

import numpy as np
import streamlit as st

from playground.analysis.vocabulary_health import Health
from playground.analysis.vocabulary_index import vocabulary_index
from playground.core.glossary import GLOSSARY
from playground.core.tokenizer import Tokenizer
from playground.core.wording import counted, listed
from playground.render.visible_text import markdown_escape, shown_bytes
from playground.server.work import Work
from playground.ui import state
from playground.ui.vocabulary.search import show_token, show_unmerged_token
from playground.ui.vocabulary.token_table import choose_row, token_table
from playground.ui.vocabulary.tokenizer_work import TokenizerWork, show_when_known

MAX_LISTED = 500
#: Limits of the check; o200k_base takes about 5 s.
SECONDS, MEMORY_BYTES = 60.0, 1_500_000_000
GLITCH, UNDER_TRAINED, UNREACHABLE, PARTIAL, DUPLICATES, SPECIAL = KINDS = (
    *("Glitch tokens", "Under-trained", "Unreachable", "Partial UTF-8", "Duplicates"),
    "Special tokens in text",
)
_SENTENCES = {
    GLITCH: "Published as glitch tokens: models with this vocabulary failed to repeat them.",
    UNDER_TRAINED: "Merged into a longer token right after they were learned, so text hardly has them alone. "
    "Holds where ranks follow frequency, as BPE training leaves them.",
    UNREACHABLE: "Never produced by the encoder: it gives other tokens for their own text, alone and beside "
    "marks, letters, digits and spaces.",
    PARTIAL: "Only a part of a character, so the token decodes to � unless the rest follows.",
    DUPLICATES: "Same kind and same bytes as another token; the encoder produces only one of them.",
    SPECIAL: "Special tokens that a user's text produces even if it is encoded as plain text.",
}
_N_EXAMPLES = 3
KIND = state.Field("health.kind", GLITCH)


@st.cache_resource(scope="session", on_release=lambda check: check.end(), show_spinner=False)
def health_check() -> TokenizerWork[Health]:
    """Return this visitor's check; closing the tab cancels it."""
    return new_check()


def new_check() -> TokenizerWork[Health]:
    """Return a check that has not started."""
    return TokenizerWork("playground.analysis.vocabulary_health.health_of")


def ask(check: TokenizerWork[Health], tokenizer: Tokenizer) -> Work[Health]:
    """Return the check of a tokenizer, finished or running."""
    return check.ask(
        tokenizer,
        what=f"checking every token of {tokenizer.name}",
        seconds=SECONDS,
        memory_bytes=MEMORY_BYTES,
    )


def show_health(tokenizer: Tokenizer) -> None:
    """Draw the number of unusual tokens of each kind, a list of one kind, and the chosen token."""
    check = health_check()
    show_when_known(
        check,
        ask(check, tokenizer),
        meanwhile=f"Checking {counted(len(tokenizer.vocabulary), 'token')} of {tokenizer.name} …",
        show=partial(_show_odd_tokens, tokenizer),
    )


def _show_odd_tokens(tokenizer: Tokenizer, health: Health) -> None:
    raw_of = tokenizer.vocabulary.raw_of
    ids_of = ids_by_kind(health)
    found = {kind: ids for kind, ids in ids_of.items() if ids}
    nothing = [kind.lower() for kind in KINDS if kind not in found]
    name, n_tokens = markdown_escape(tokenizer.name), counted(health.n_tokens, "token")
    st.caption(
        f"All {n_tokens} of {name} were checked."
        + (f" {name} has none of these: {listed(nothing)}." if nothing else "")
        + (" A model behaves oddly when it reads a token that it hardly saw in training." if found else ""),
        help=GLOSSARY["glitch token"],
    )
    if not found:
        return
    if KIND.value not in found:
        KIND.put(next(iter(found)))
    kinds, tokens = st.columns([2, 3], gap="medium")
    kind: str = kinds.radio(
        "Findings",
        list(found),
        format_func=lambda name: f"**{name} · {len(found[name]):,}**",
        captions=[_caption(kind, [raw_of(token_id) for token_id in ids]) for kind, ids in found.items()],
        label_visibility="collapsed",
        **KIND.one_of(list(found)),
    )
    ids = found[kind]
    shown = ids[:MAX_LISTED]
    with tokens:
        table = token_table(shown, [raw_of(token_id) for token_id in shown])
        if kind == UNDER_TRAINED:
            longer = [shown_bytes(raw_of(health.under_trained[token_id])) for token_id in shown]
            table.insert(2, "merged into", longer)
        chosen = shown[choose_row(table, key=f"health_table {tokenizer.name} {kind}") or 0]
        st.caption(
            f"Showing the first {MAX_LISTED}. `tessera health --json` lists all."
            if len(ids) > MAX_LISTED
            else "Select a row to see its token."
        )
    if tokenizer.merges is None:
        show_unmerged_token(tokenizer, chosen)
        return
    index = vocabulary_index(tokenizer)
    for position in np.flatnonzero(index.ids == chosen).tolist():
        show_token(index, position, tokenizer.merges, file_name=f"{tokenizer.name}-{chosen}")


def ids_by_kind(health: Health) -> dict[str, tuple[int, ...]]:
    """Return the ids of each kind of unusual token, in the order in which the page lists the kinds."""
    duplicates = tuple(chain.from_iterable(health.duplicates))
    under_trained = tuple(health.under_trained)
    ids = (health.glitch, under_trained, health.lost, health.not_utf8, duplicates, health.spelled)
    return dict(zip(KINDS, ids, strict=True))


def _caption(kind: str, raws: list[bytes]) -> str:
    """Return the sentence of a kind with its first tokens, those with most letters first."""
    examples = sorted(raws, key=lambda raw: -len(raw))[:_N_EXAMPLES] if kind == UNDER_TRAINED else raws
    names = [f"“{shown_bytes(raw)}”" for raw in examples[:_N_EXAMPLES]]
    return markdown_escape(f"{_SENTENCES[kind]} For example {listed(names)}.")
