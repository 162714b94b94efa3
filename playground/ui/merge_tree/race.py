"""Merge race: one word's merge trees in two to four tokenizers, on one axis of ranks."""

from collections.abc import Sequence

import regex
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground.analysis.traces import text_trees, trace_text
from playground.core.building import Lattice, Probed
from playground.core.glossary import GLOSSARY
from playground.core.tokenizer import Tokenizer
from playground.core.wording import listed
from playground.render.building import building_svg
from playground.render.merge_race import MAX_WIDTH, Runner, merge_race_svg
from playground.render.palette import tokenizer_colors
from playground.render.visible_text import markdown_escape
from playground.ui import page, picker
from playground.ui.merge_tree.trees import show_trees

MAX_WORD_CHARS = 60
_EXAMPLE = " tokenization"
#: OpenAI's encodings in the order of their publication; all of them merge.
_RUNNERS = ("gpt2", "cl100k_base", "o200k_base")


def first_word(text: str) -> str:
    """Return the first word of a text with the space before it; the example's word if none is short enough.

    >>> first_word(" lower case"), first_word("x" * 99 + " case"), first_word("")
    (' lower', ' case', ' tokenization')
    """
    found = regex.search(rf"(?: |(?<!\S))\S{{1,{MAX_WORD_CHARS - 1}}}+(?!\S)", text)
    return found.group() if found else _EXAMPLE


def choose_runners(*, messages: DeltaGenerator) -> list[Tokenizer]:
    """Draw the picker of the race and return two to four tokenizers."""
    return picker.choose_tokenizers(picker.RACE, default=_RUNNERS, n_min=2, n_max=4, messages=messages)


def show_race(text: str, tokenizers: Sequence[Tokenizer]) -> None:
    """Draw the race for the first word of a text."""
    st.markdown(
        "When did each tokenizer learn the first word, and from which pieces? Lower joints came earlier.",
        help=GLOSSARY["rank"],
    )
    _show_answer(first_word(text), tokenizers)


def _show_answer(word: str, tokenizers: Sequence[Tokenizer]) -> None:
    runners, others = [], []
    colors = tokenizer_colors((tokenizer.name for tokenizer in tokenizers), theme=page.theme())
    for tokenizer, color in zip(tokenizers, colors, strict=True):
        if tokenizer.merges is None:
            others.append(tokenizer)
            continue
        trees = tuple(text_trees(trace_text(tokenizer, word), tokenizer.vocabulary))
        runners.append(Runner(tokenizer.name, color, trees))
    if runners:
        scale = page.type_scale()
        max_width = (MAX_WIDTH - 70 * (scale - 1)) / scale  # the margins grow as well
        race = merge_race_svg(runners, max_width=max_width)
        show_trees([race], key="merge_race", file_name="merge-race")
        st.write(markdown_escape(verdict(runners)))
    columns = st.columns(min(len(others), 2)) if others else []
    for place, tokenizer in enumerate(others):
        with columns[place % 2]:
            st.write(f"{markdown_escape(tokenizer.name)} is not in the race: {why_no_race(tokenizer, word)}")
            show_trees(built_svgs(tokenizer, word), key=f"race_beside_{place}", file_name="race-beside")


def built_svgs(tokenizer: Tokenizer, word: str) -> list[str]:
    """Return a drawing of each pretoken's tokens, as Trees shows it.

    >>> from playground.catalog.registry import get_tokenizer
    >>> (tries,) = built_svgs(get_tokenizer("bert_uncased"), " tokenization")
    >>> "##ization" in tries
    True
    """
    trace = trace_text(tokenizer, word)
    return [
        building_svg(pretoken.text, building, tokenizer.vocabulary)
        for pretoken, building in zip(trace.pretokens, trace.buildings, strict=True)
    ]


def why_no_race(tokenizer: Tokenizer, word: str) -> str:
    """Say why a tokenizer has no ranks to compare."""
    match next(iter(trace_text(tokenizer, word).buildings), None):
        case Probed():
            return "it takes the longest piece that fits, so it has no merges and no ranks."
        case Lattice():
            return "it takes the pieces with the best total score, so it has no merges and no ranks."
        case _:
            return "it has no merges with known ranks."


def verdict(runners: list[Runner]) -> str:
    """Say which tokenizers have the word as one token at the lowest rank, or in the fewest tokens."""
    places = [(len(runner.trees), max(tree.rank for tree in runner.trees)) for runner in runners]
    n_tokens, rank = best = min(places)
    first = [runner.name for runner, place in zip(runners, places, strict=True) if place == best]
    names = listed(first)
    is_one = len(first) == 1
    if all(not tree.children for runner in runners for tree in runner.trees):
        is_byte = sum(len(tree.raw) for tree in runners[0].trees) == 1
        return (
            "It is one byte, which every tokenizer has from the start."
            if is_byte
            else "Nothing merges: the tokenizers have these bytes and characters from the start."
        )
    have = "has" if is_one else "have"
    if n_tokens > 1:
        return (
            f"No tokenizer has it as one token. {names} {'comes' if is_one else 'come'} closest: "
            f"{n_tokens} tokens, the last at rank {rank:,}."
        )
    return f"{names} {have} it as one token at the lowest rank, {rank:,}."
