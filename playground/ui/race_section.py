"""The merge race: the same word in two to four tokenizers, on one axis of ranks."""

import streamlit as st

from playground.bpe.encode import encode_with_trace, merge_forest
from playground.core.tokenizer import Tokenizer
from playground.render.merge_race import Runner, merge_race_svg
from playground.render.palette import tokenizer_color
from playground.ui import state
from playground.ui.merge_forest import show_trees

MAX_WORD_CHARS = 60
_DEFAULT_WORD = " tokenization"


def show_race(tokenizers: list[Tokenizer]) -> None:
    """A word field and the race of its trees."""
    kept = state.keep("race.word", lambda: _DEFAULT_WORD)
    word = st.text_input("Word", kept, max_chars=MAX_WORD_CHARS, help="A space before it counts.") or ""
    state.put("race.word", word)
    if not word:
        st.info("Type a word to see who learnt it first.")
        return
    runners = []
    for tokenizer in tokenizers:
        ranks = getattr(tokenizer, "mergeable_ranks", None)
        if not ranks:
            st.info(f"{tokenizer.name} does not merge, so it does not take part.")
            continue
        trace = encode_with_trace(word, ranks, split_pattern=getattr(tokenizer, "split_pattern", ""))
        runners.append(Runner(tokenizer.name, tokenizer_color(tokenizer.name), merge_forest(trace, ranks)))
    if not runners:
        return
    show_trees([merge_race_svg(runners)], key="merge_race", file_name="merge-race")
    st.write(_verdict(runners))


def _verdict(runners: list[Runner]) -> str:
    ranked = sorted(
        (len(runner.forest), max(tree.rank for tree in runner.forest), runner) for runner in runners
    )
    n_tokens, rank, first = ranked[0]
    if n_tokens > 1:
        return f"None has it as one token. {first.name} makes its {n_tokens} parts first, by rank {rank:,}."
    return f"{first.name} has it whole first, at rank {rank:,}. A lower joint was learnt earlier."
