"""All views work with a tokenizer that normalizes, drops white space and inserts tokens."""

import json
import tracemalloc
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given, settings

from playground.analysis.categories import Category
from playground.analysis.comparison import (
    comparison_rows,
    count_agreement,
    cut_text,
)
from playground.analysis.live_comparison import LiveComparison
from playground.analysis.live_document import LiveDocument
from playground.analysis.pasted_ids import decode_ids
from playground.analysis.shown_tokens import show_document, show_ids
from playground.analysis.token_budget import cut_into_chunks
from playground.analysis.traces import text_trees, trace_text
from playground.analysis.vocabulary_index import vocabulary_index
from playground.catalog.extended import with_own_special_tokens
from playground.catalog.registry import get_tokenizer
from playground.core.building import Given
from playground.core.tokenizer import segment
from playground.formats.roles import count_tokens_by_role
from playground.server.merge_tree.data import draw_merge_trees
from tests.catalog.test_contract import PIECES
from tests.wordpieces import PIECES as ID_OF
from tests.wordpieces import SPECIAL, Wordpieces

TEXT = "  Unáffable  the 中?\n"
IDS = [SPECIAL["[CLS]"], *(ID_OF[piece] for piece in ("un", "##aff", "##able", "the")), 0, SPECIAL["[SEP]"]]


def test_tokens_have_positions_in_the_typed_text():
    tokens = segment(Wordpieces(), TEXT).tokens
    assert [token.id for token in tokens] == IDS
    touched = [TEXT[token.char_start : token.char_end] for token in tokens]
    assert touched == ["", "Un", "áff", "able", "the", "中?", ""]
    assert [token.raw for token in tokens] == [b"[CLS]", b"un", b"aff", b"able", b"the", b"[UNK]", b"[SEP]"]
    runs = segment(Wordpieces(), TEXT).segments
    assert [run.text for run in runs] == ["  ", "Un", "áff", "able  ", "the ", "中?\n", ""]


@given(text=PIECES)
@settings(max_examples=50, deadline=None)
def test_a_live_text_keeps_its_ids_and_its_lengths_fill_the_text(text):
    tokenizer = Wordpieces()
    document = LiveDocument(tokenizer, text)
    if text:
        document.edit(0, 1, "Éa ")
        text = "Éa " + text[1:]
    assert document.ids == list(tokenizer.encode(text)) if text else document.ids == []
    assert sum(int(piece.lengths.sum()) for piece in document.pieces) == len(text.encode())
    assert document.totals().n_tokens == len(document.ids)
    shown = show_document(document)
    for index, token_id in enumerate(document.ids):
        details = shown.describe(index)
        assert (details.id, details.rank) == (token_id, None)
        assert bytes.fromhex(details.hex) == tokenizer.vocabulary.raw_of(token_id)
        json.dumps(asdict(details))
    assert sum(shown.categories()) == len(document.ids)
    assert shown.categories()[Category.SPECIAL] >= 2 * bool(text)


def test_the_memory_of_a_live_text_does_not_follow_the_largest_id():
    tokenizer = Wordpieces()
    tokenizer.encode("un!")
    tracemalloc.start()
    document = LiveDocument(tokenizer, "unable!")
    assert ID_OF["##!"] == 2**31 - 1 in document.ids
    show_document(document).categories()
    vocabulary_index(tokenizer).script_counts()
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000_000  # tables of all characters; one of all ids would take 100 times as much


@given(text=PIECES)
@settings(max_examples=25, deadline=None)
def test_a_comparison_has_boundaries_within_the_text(text):
    cuts = [cut_text(tokenizer, text) for tokenizer in (Wordpieces(), get_tokenizer("gpt2"))]
    rows = comparison_rows(text, cuts)
    assert [row.n_tokens for row in rows] == [len(cut.ids) for cut in cuts]
    between = [{int(start) for start in cut.byte_starts[1:]} - {0} for cut in cuts]
    either = between[0] | between[1]
    assert rows[1].shared_boundaries == (len(between[0] & between[1]) / len(either) if either else 1.0)
    agreement = count_agreement(cuts)
    assert agreement.in_all == len(between[0] & between[1])
    assert agreement.in_one == len(between[0] ^ between[1])
    live = LiveComparison(text, [Wordpieces(), get_tokenizer("gpt2")])
    if text:  # an empty live text has no tokens, not even inserted ones
        assert live.rows() == rows
        assert live.agreement() == agreement


@given(text=PIECES)
@settings(max_examples=25, deadline=None)
def test_trees_show_pieces_with_nothing_inside_and_no_false_alarm(text):
    data = draw_merge_trees(text, Wordpieces())
    drawn = sum(data["new"][number]["svg"].count("<svg") for number in data["pretokens"])
    assert drawn == data["n_tokens"] == len(Wordpieces().encode(text)) - 2
    assert data["n_inserted"] == 2
    assert (data["n_merges"], data["problem"]) == (0, "")
    json.dumps(data)


def test_trees_that_differ_from_the_encoder_are_reported_despite_inserted_tokens():
    class Misbuilt(Wordpieces):
        def build(self, pretoken):
            return Given(super().build(pretoken).ids[::-1])

    problem = draw_merge_trees("the unable", Misbuilt())["problem"]
    assert "from token 2 on: the encoder gives id 10 (“un”), the trees id 30 (“able”)" in problem


def test_trees_ids_and_chunks_agree():
    tokenizer = Wordpieces()
    trace = trace_text(tokenizer, TEXT)
    assert [pretoken.text for pretoken in trace.pretokens] == ["unaffable", "the", "中?"]
    assert [tree.id for tree in text_trees(trace, tokenizer.vocabulary)] == IDS[1:-1]
    decoded = decode_ids(tokenizer, IDS)
    assert decoded.raw == b"[CLS]unaffablethe[UNK][SEP]"
    assert show_ids(tokenizer, decoded).describe(1).text == "un"
    chunks = [*cut_into_chunks(tokenizer, "the the the the", n_tokens=4)]
    assert [chunk.text for chunk in chunks] == ["the the ", "the the"]
    assert "".join(chunk.text for chunk in chunks) == "the the the the"


def test_roles_share_the_tokens_that_cover_text():
    parts = count_tokens_by_role("the the", iter([(0, 3, "keys")]), Wordpieces())
    assert {role: float(part) for role, part in parts.items() if part} == {
        "keys": 0.75,
        "whitespace": 0.25,
        "punctuation": 1.0,
    }


def test_a_vocabulary_with_gaps_is_searched():
    index = vocabulary_index(Wordpieces())
    assert len(index.raws) == len(ID_OF)
    assert index.ids.tolist() == sorted(ID_OF.values())
    assert sum(index.script_counts().values()) == len(ID_OF)


@pytest.mark.parametrize("allowed", [(), ("<user>",)])
def test_own_special_tokens_work_beside_inserted_ones(allowed):
    tokenizer = with_own_special_tokens(Wordpieces(), ["<user>"])
    text = "a<user>the"
    encoding = tokenizer.encode(text, allowed_special=frozenset(allowed))
    own = encoding.ids[encoding.ends > encoding.starts].tolist()
    if not allowed:
        assert own == Wordpieces().encode(text).ids[1:-1].tolist()
        return
    assert own == [ID_OF["a"], tokenizer.special_tokens["<user>"], ID_OF["the"]]
    spans = zip(encoding.starts.tolist(), encoding.ends.tolist(), strict=True)
    assert [text[a:b] for a, b in spans if b > a] == ["a", "<user>", "the"]
    assert tokenizer.decode(own) == "a<user>the"
    assert np.array_equal(tokenizer.vocabulary.raws_of(np.array(own, np.uint32)), [b"a", b"<user>", b"the"])
