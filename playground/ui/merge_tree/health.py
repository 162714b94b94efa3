"""Health: the tokens of a vocabulary that a text hardly meets, counted and listed; each opens."""

from functools import partial
from itertools import chain

import numpy as np
import streamlit as st

from playground.analysis.vocabulary_health import Health
from playground.analysis.vocabulary_index import vocabulary_index
from playground.core.tokenizer import Tokenizer
from playground.core.wording import counted
from playground.server.work import Work
from playground.ui import state
from playground.ui.merge_tree.token_table import choose_row, token_table
from playground.ui.merge_tree.tokenizer_work import TokenizerWork, show_when_known
from playground.ui.merge_tree.vocabulary import show_token, show_unmerged_token

MAX_LISTED = 500
#: What asking about every token may take; o200k_base takes about 5 s.
SECONDS, MEMORY_BYTES = 60.0, 1_500_000_000
_SENTENCES = {
    "Never produced": "Tokens whose text comes back as others, alone and behind a mark, a letter, a digit "
    "and a space: only ids that are typed reach them.",
    "Only parts": "Tokens that are never produced themselves, but larger ones are merged from them.",
    "Not UTF-8": "Bytes that are no whole characters: a text has them only beside other such tokens.",
    "Duplicates": "Tokens of one kind that stand for the same bytes: a text gets one of them.",
    "Spelled by text": "Special tokens that ordinary text gives, where special tokens are read as text.",
}
KIND = state.Field("health.kind", "Never produced")


@st.cache_resource(scope="session", on_release=lambda check: check.end(), show_spinner=False)
def health_check() -> TokenizerWork[Health]:
    """This visitor's; a closed tab ends it."""
    return new_check()


def new_check() -> TokenizerWork[Health]:
    """Nothing is asked yet."""
    return TokenizerWork("playground.analysis.vocabulary_health.health_of")


def ask(check: TokenizerWork[Health], tokenizer: Tokenizer) -> Work[Health]:
    """What is known of this tokenizer, or is being found out."""
    return check.ask(
        tokenizer,
        what=f"asking about every token of {tokenizer.name}",
        seconds=SECONDS,
        memory_bytes=MEMORY_BYTES,
    )


def show_health(tokenizer: Tokenizer) -> None:
    """How many tokens are odd in each way, those of one way, and the tree of the one that is chosen."""
    check = health_check()
    show_when_known(
        check,
        ask(check, tokenizer),
        meanwhile=f"Asking about {counted(len(tokenizer.vocabulary), 'token')} of {tokenizer.name} …",
        show=partial(_show_odd_tokens, tokenizer),
    )


def _show_odd_tokens(tokenizer: Tokenizer, health: Health) -> None:
    st.caption(
        "Is this vocabulary healthy? Its odd tokens stand here: a text hardly meets most of them, so a model "
        "learns little about them."
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
        "Tokens that are odd",
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
