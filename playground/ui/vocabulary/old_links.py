"""Open addresses of views that Merge tree and Compare had before the Vocabulary page."""

from collections.abc import Mapping, Sequence

import streamlit as st

from playground.ui import state
from playground.ui.page import PAGES
from playground.ui.vocabulary.search import IGNORES_CASE, NO_SPACE, PARTIAL, SPACE, UTF8

Query = Mapping[str, Sequence[str]]
_VIEWS = {"Vocabulary": "Search", "Health": "Health", "Convert": "Convert", "Vocabularies": "Compare"}
#: The chip of each old field and value.
_CHIPS = {
    ("vocabulary.case", "true"): IGNORES_CASE,
    ("vocabulary.space", "yes"): SPACE,
    ("vocabulary.space", "no"): NO_SPACE,
    ("vocabulary.utf8", "yes"): UTF8,
    ("vocabulary.utf8", "no"): PARTIAL,
}
_KINDS = {
    "Never produced": "Unreachable",
    "Only parts": "Unreachable",
    "Not UTF-8": "Partial UTF-8",
    "Spelled by text": "Special tokens in text",
}


def follow_old_link() -> None:
    """Switch to Vocabulary if the page's address names one of its views."""
    if query := vocabulary_query(state.query_parameters()):
        st.switch_page(PAGES / "vocabulary.py", query_params=query)


def vocabulary_query(old: Query) -> dict[str, list[str]]:
    """Return the parameters of Vocabulary for an address of Merge tree or Compare; empty for other views.

    >>> vocabulary_query({"view.merge_tree": ["Vocabulary"], "vocabulary.pattern": ["^ing"]})
    {'view.vocabulary': ['Search'], 'vocabulary.query': ['/^ing/']}
    """
    view = _VIEWS.get(_first(old, "view.merge_tree") or _first(old, "view.compare"))
    if view is None:
        return {}
    new = {"view.vocabulary": [view]}
    names = _first(old, "tokenizers").split(",") if view == "Compare" else []
    first, second = (
        _first(old, f"compare.{place}_vocabulary") or name
        for place, name in zip(("first", "second"), (*names, "", ""), strict=False)
    )
    pattern = _first(old, "vocabulary.pattern")
    for name, value in (
        ("tokenizer", first or _first(old, "tokenizer")),
        ("other", second or _first(old, "other")),
        ("convert.target", _first(old, "convert.target")),
        ("health.kind", _KINDS.get(_first(old, "health.kind"), _first(old, "health.kind"))),
        ("vocabulary.query", f"/{pattern}/" if pattern else _first(old, "vocabulary.text")),
        *((f"vocabulary.{name}", _first(old, f"vocabulary.{name}")) for name in _KEPT),
    ):
        if value:
            new[name] = [value]
    if chips := [chip for (name, value), chip in _CHIPS.items() if _first(old, name) == value]:
        new["vocabulary.only"] = chips
    return new


_KEPT = ("order", "script", "page", "from_id", "to_id", "from_bytes", "to_bytes")


def _first(query: Query, name: str) -> str:
    """Return a parameter's first value, or an empty string."""
    return next(iter(query.get(name, ())), "")
