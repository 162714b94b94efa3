"""Counts of the tokens that the editor shows, and facts about their ids."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from playground.analysis.categories import Category, CategoryTable
from playground.analysis.chat_counts import ChatCount
from playground.analysis.live_document import LiveDocument
from playground.analysis.shown_tokens import ShownTokens
from playground.analysis.text_counts import TextCounts, count_text
from playground.catalog.around_text import beside_text
from playground.core.tokenizer import Tokenizer
from playground.core.wording import listed
from playground.server.editor.answers import EditorTotals, SentCounts, TokenFacts


def shown_totals(shown: ShownTokens, version: int, chat: ChatCount | None) -> EditorTotals:
    """Return the counts of a chat or of pasted ids; `chat` is the count of the whole request."""
    totals: EditorTotals = {
        "tokenizer": shown.tokenizer.name,
        "version": version,
        "n_tokens": len(shown.ids),
        "counts": _counts(replace(count_text(shown.text), n_bytes=len(shown.raw))),  # ids may be invalid text
        "categories": shown.categories(),
    }
    if chat is not None:
        without = f", without {listed(chat.unknown)}" if chat.unknown else ""
        totals |= {"n_tokens": chat.n_tokens, "mark": chat.mark, "beside": f"for {chat.name}{without}"}
    return totals


def text_totals(document: LiveDocument) -> EditorTotals:
    """Return the counts of a text."""
    totals = document.totals()
    sent: EditorTotals = {
        "tokenizer": document.tokenizer.name,
        "version": document.version,
        "honours_special": document.honours_special,
        "n_tokens": totals.n_tokens,
        "n_tokens_plain": totals.n_tokens_plain,
        "n_tokens_special": totals.n_tokens_special,
        "counts": _counts(totals.counts),
        "categories": totals.categories,
    }
    if beside := beside_text(document.tokenizer):
        sent["n_around"], sent["around"] = beside
    return sent


def _counts(counts: TextCounts) -> SentCounts:
    return {
        "n_characters": counts.n_characters,
        "n_bytes": counts.n_bytes,
        "n_words": counts.n_words,
        "n_lines": counts.n_lines,
    }


def token_facts(tokenizer: Tokenizer, ids: Sequence[int]) -> TokenFacts:
    """Return the rank and the category of each id."""
    vocabulary, special = tokenizer.vocabulary, frozenset(tokenizer.special_tokens.values())
    column = np.array(ids, np.uint32)
    ranks = vocabulary.ranks[vocabulary.positions_of(column)].tolist()
    codes = CategoryTable(vocabulary).codes_of(column).tolist()
    return {
        "ranks": [None if rank < 0 else rank for rank in ranks],
        "categories": [
            Category.SPECIAL if id in special else code for id, code in zip(ids, codes, strict=True)
        ],
    }
