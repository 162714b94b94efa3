"""BERT's WordPiece is the library's own, and its words are cut here as it cuts them."""

import json
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from playground.analysis.live_document import LiveDocument
from playground.analysis.shown_tokens import show_document
from playground.catalog.registry import encoding_name, get_tokenizer
from playground.core.tokenizer import segment
from playground.server.forest.data import draw_forest
from tests.catalog.kinds import bert_library

UDHR = json.loads((Path(__file__).resolve().parents[2] / "assets/texts/udhr.json").read_text())
TEXTS = st.text(st.sampled_from("Unable Éé\u0301中ßĳ1!\t\x00\u200b🙂 [UNK]##"), max_size=14)


def test_ids_and_buildings_of_the_declaration_are_the_librarys():
    bert = get_tokenizer("bert_uncased")
    for entry in UDHR:
        text = " ".join(entry["articles"][:2])
        ids = bert_library().encode(text).ids[1:-1]
        assert bert.encode(text) == ids
        assert [n for word in bert.iter_pretokens(text) for n in bert.build(word).ids] == ids


@given(text=TEXTS)
@settings(max_examples=60, deadline=None)
def test_places_are_the_librarys_and_views_show_it(text):
    bert = get_tokenizer("bert_uncased")
    encoding = bert.encode(text)
    found = bert_library().encode(text)
    told = [(len(text[:start].encode()), len(text[:end].encode())) for start, end in found.offsets[1:-1]]
    assert list(zip(encoding.starts.tolist(), encoding.ends.tolist(), strict=True)) == told
    assert [token.id for token in segment(bert, text).tokens] == list(encoding)
    assert draw_forest(text, bert)["problem"] == ""
    document = LiveDocument(bert, "", honours_special=True)
    document.edit(0, 0, text)
    assert json.loads(show_document(document).snippet("json"))["count"] == document.totals().n_tokens


def test_known_ids_kinds_and_names():
    bert = get_tokenizer("bert_uncased")
    assert bert.encode("Hello, World!") == [7592, 1010, 2088, 999]
    entries = [bert.vocabulary.entry(token_id) for token_id in bert.encode("unaffable")]
    assert [(entry.spelled, entry.kind) for entry in entries] == [
        ("una", "piece"), ("##ffa", "continuation"), ("##ble", "continuation"),
    ]  # fmt: skip
    assert bert.encode("x" * 101) == [100]
    assert bert.encode("[CLS]hi[SEP]", allowed_special=frozenset({"[CLS]", "[SEP]"})) == [101, 7632, 102]
    assert bert.decode(bert.encode("Unaffable, indeed")) == "unaffable , indeed"
    assert encoding_name("bert-base-uncased") == encoding_name("BAAI/bge-small-en-v1.5") == "bert_uncased"
