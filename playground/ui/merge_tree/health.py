"""Health: tokens that ordinary text never or hardly produces, counted, listed and shown as trees."""

from functools import partial
from itertools import chain

import numpy as np
import streamlit as st

from playground.analysis.vocabulary_health import Health
from playground.analysis.vocabulary_index import vocabulary_index
from playground.core.glossary import GLOSSARY
from playground.core.tokenizer import Tokenizer
from playground.core.wording import counted
from playground.server.work import Work
from playground.ui import state
from playground.ui.merge_tree.token_table import choose_row, token_table
from playground.ui.merge_tree.tokenizer_work import TokenizerWork, show_when_known
from playground.ui.merge_tree.vocabulary import show_token, show_unmerged_token

MAX_LISTED = 500
#: Limits of the check; o200k_base takes about 5 s.
SECONDS, MEMORY_BYTES = 60.0, 1_500_000_000
_SENTENCES = {
    "Never produced": "Encoding the token's own text gives other tokens, alone and after a mark, a letter, a "
    "digit or a space.",
    "Only parts": "Tokens that are never produced themselves, but are merged into longer tokens.",
    "Not UTF-8": "Tokens with incomplete characters, which occur only beside other such tokens.",
    "Duplicates": "Tokens of the same kind with the same bytes; encoding produces only one of them.",
    "Spelled by text": "Special tokens that text produces even when special tokens are read as plain text.",
}
KIND = state.Field("health.kind", "Never produced")


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
    st.caption(
        "Tokens that ordinary text hardly ever produces. A model sees them rarely in training, so it may "
        "learn little about them; some become glitch tokens.",
        help=GLOSSARY["glitch token"],
    )
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
        "Kind of unusual token",
        list(found),
        format_func=lambda name: f"{name} · {len(found[name]):,}",
        required=True,
        label_visibility="collapsed",
        **KIND.some_of(list(found)),
    )
    ids = found[kind]
    share = f"**{f'{len(ids):,}' if ids else 'None'}** of {counted(health.n_tokens, 'token')}."
    st.write(f"{share} {_SENTENCES[kind]}")
    if not ids:
        return
    if len(ids) > MAX_LISTED:
        st.caption(f"Showing the first {MAX_LISTED}. `python -m playground health --json` lists all.")
    shown = ids[:MAX_LISTED]
    table = token_table(shown, [tokenizer.vocabulary.raw_of(token_id) for token_id in shown])
    chosen = shown[choose_row(table, key=f"health_table {tokenizer.name} {kind}") or 0]
    if tokenizer.merges is None:
        show_unmerged_token(tokenizer, chosen)
        return
    index = vocabulary_index(tokenizer)
    for position in np.flatnonzero(index.ids == chosen).tolist():
        show_token(index, position, tokenizer.merges, file_name=f"{tokenizer.name}-{chosen}")
