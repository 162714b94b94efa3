"""BERT's WordPiece is the library's own, and its words are cut here as it cuts them."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers.implementations.bert_wordpiece import BertWordPieceTokenizer

from playground.analysis.live_document import LiveDocument
from playground.analysis.shown_tokens import show_document
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.opened import open_files, tokenizer_of
from playground.catalog.registry import encoding_name, get_tokenizer
from playground.catalog.trained import load_python_docs
from playground.catalog.wordpiece import WordPieceTokenizer
from playground.core.errors import VocabularyFileError
from playground.core.tokenizer import segment
from playground.files.gpt2 import write_gpt2
from playground.server.forest.data import draw_forest
from tests.catalog.kinds import bert_library

UDHR = json.loads((Path(__file__).resolve().parents[2] / "assets/texts/udhr.json").read_text())
TEXTS = st.text(st.sampled_from("Unable Éé\u0301中ßĳ1!\t\x00\u200b🙂 [UNK]##"), max_size=14).filter(
    lambda text: "[UNK]" not in text  # there the library's is a special token, here it is text unless allowed
)


def test_ids_and_buildings_of_the_declaration_are_the_librarys():
    bert = get_tokenizer("bert_uncased")
    for entry in UDHR:
        text = " ".join(entry["articles"][:2])
        ids = bert_library().encode(text).ids[1:-1]
        assert bert.encode(text) == ids
        assert [n for word in bert.iter_pretokens(text) for n in bert.build(word).ids] == ids


@given(text=TEXTS)
@settings(max_examples=30, deadline=None)
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


CASED = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "The",
    "the",
    "##s",
    "##É",
    "É",
    "##é",
    "a",
    "##",
    "中",
]


@pytest.mark.parametrize("pieces", [CASED, [piece.lower() for piece in CASED[:4:-1]] + CASED[:5]])
@given(text=TEXTS | st.text(st.sampled_from("Thesé É中a#"), max_size=12))
@settings(max_examples=20, deadline=None)
def test_an_opened_vocab_is_the_librarys(pieces, text):
    pieces = list(dict.fromkeys(pieces))
    raw = "".join(f"{piece}\r\n" for piece in pieces).encode()
    bert = tokenizer_of("mine", open_files({"vocab.txt": raw}, SplitPattern.named("gpt2")))
    assert isinstance(bert, WordPieceTokenizer)
    text = text.replace("[UNK]", "")  # the library honours it
    vocab = {piece: token_id for token_id, piece in enumerate(pieces)}
    library = BertWordPieceTokenizer(vocab, lowercase="The" not in pieces)
    assert bert.encode(text) == library.encode(text).ids[1:-1]
    assert [n for word in bert.iter_pretokens(text) for n in bert.build(word).ids] == bert.encode(text)
    assert ("capital letters kept" in bert.about) == ("The" in pieces)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"the\n##s\n", r"x.txt has no piece \[UNK\]; BERT's vocab.txt has a piece a line, that one too"),
        (b"[UNK]\nthe\nthe\n", "x.txt, line 3: 'the' is in line 2 already"),
        (b"[UNK]\n\nthe\n", "x.txt, line 2, has 0 characters; a piece has 1 to 200"),
        (b"[UNK]\n" + b"a" * 201, "x.txt, line 2, has 201 characters"),
        (b"[UNK]\n\xff", "x.txt is not UTF-8 text: byte 0xFF at position 6"),
        (b"[UNK]\n" + b"\n" * 300_001, "x.txt has 300,002 lines; the limit is 300,000"),
    ],
)
def test_what_is_no_vocab_is_told(raw, words):
    with pytest.raises(VocabularyFileError, match=words):
        open_files({"x.txt": raw}, SplitPattern.named("gpt2"))


def test_vocab_json_with_merges_txt_is_read_as_gpt2s_two_files():
    model = load_python_docs().model
    two = write_gpt2(model, "x")
    files = {
        name.replace("encoder.json", "vocab.json").replace("vocab.bpe", "merges.txt"): text.encode()
        for name, text in two.items()
    }
    assert open_files(files, model.pattern) == model
