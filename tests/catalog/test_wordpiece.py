"""BERT's WordPiece equals the library's, and words are cut the same way."""

import json

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers.implementations.bert_wordpiece import BertWordPieceTokenizer

from playground.analysis.live_document import LiveDocument
from playground.analysis.shown_tokens import show_document
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.opened import open_files, tokenizer_of
from playground.catalog.registry import encoding_name, get_tokenizer
from playground.catalog.wordpiece import MAX_PROBED_CHARS, WordPieceTokenizer, cut_longest_first
from playground.core.building import Given, Pretoken, Probed
from playground.core.errors import VocabularyFileError
from playground.core.tokenizer import segment
from playground.render.probes import MAX_ROWS
from playground.server.merge_tree.data import draw_merge_trees
from tests.catalog.kinds import bert_library
from tests.render.test_merge_tree import nodes_of

TEXTS = st.text(st.sampled_from("Unable Éé\u0301中ßĳ1!\t\x00\u200b🙂 [UNK]##"), max_size=14).filter(
    lambda text: "[UNK]" not in text  # there the library's is a special token, here it is text unless allowed
)


@given(text=TEXTS)
@settings(max_examples=30, deadline=None)
def test_positions_equal_the_librarys_and_are_shown(text):
    bert = get_tokenizer("bert_uncased")
    encoding = bert.encode(text)
    found = bert_library().encode(text)
    said = [(len(text[:start].encode()), len(text[:end].encode())) for start, end in found.offsets[1:-1]]
    assert list(zip(encoding.starts.tolist(), encoding.ends.tolist(), strict=True)) == said
    assert [token.id for token in segment(bert, text).tokens] == list(encoding)
    assert draw_merge_trees(text, bert)["problem"] == ""
    document = LiveDocument(bert, "", honours_special=True)
    document.edit(0, 0, text)
    assert json.loads(show_document(document).snippet("json"))["count"] == document.totals().n_tokens


def test_tokens_have_their_known_ids_kinds_and_names():
    bert = get_tokenizer("bert_uncased")
    assert bert.encode("Hello, World!") == [7592, 1010, 2088, 999]
    entries = [bert.vocabulary.entry(token_id) for token_id in bert.encode("unaffable")]
    assert [(entry.spelled, entry.kind) for entry in entries] == [
        ("una", "piece"), ("##ffa", "continuation"), ("##ble", "continuation"),
    ]  # fmt: skip
    for n in (100, 101):
        assert list(bert.encode("x" * n)) == bert_library().encode("x" * n, add_special_tokens=False).ids
    assert isinstance(bert, WordPieceTokenizer)
    assert list(bert.encode_batch(["a\ud83d"])[0]) == list(bert.encode("a\ufffd"))
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
def test_a_file_that_is_no_vocabulary_is_refused(raw, words):
    with pytest.raises(VocabularyFileError, match=words):
        open_files({"x.txt": raw}, SplitPattern.named("gpt2"))


ID_OF = {"[UNK]": 0, "a": 1, "ab": 2, "##b": 3, "##bc": 4, "c": 5, "##a": 6, "abca": 7}
LIBRARY = tokenizers.models.WordPiece(ID_OF, unk_token="[UNK]", max_input_chars_per_word=12)


@given(word=st.text("abc", min_size=1, max_size=14))
@settings(max_examples=30, deadline=None)
def test_tries_go_from_long_to_short_until_the_librarys_piece(word):
    built = cut_longest_first(word, ID_OF, 0, prefix="##", n_max_chars=12)
    assert list(built.ids) == [token.id for token in LIBRARY.tokenize(word)]
    if len(word) > 12:
        assert isinstance(built, Given)
        return
    assert isinstance(built, Probed)
    start, end = 0, len(word)
    for probe in built.probes:
        assert (probe.start, probe.end) == (start, end)
        assert probe.spelled == ("##" if start else "") + word[start:end]
        assert probe.is_found == (probe.spelled in ID_OF)
        start, end = (end, len(word)) if probe.is_found else (start, end - 1)
    is_unknown = not built.probes[-1].is_found
    assert (start == end) == is_unknown or start == len(word)
    assert (built.ids == (0,)) == is_unknown


def test_every_try_is_drawn_and_described():
    data = draw_merge_trees("unaffable", get_tokenizer("bert_uncased"))
    (drawn,) = data["new"].values()
    nodes = nodes_of(drawn["svg"])
    taken = [node.get("data-text") for node in nodes if node.get("class").endswith("best")]
    assert taken == ["una", "##ffa", "##ble"]
    assert len(nodes) == data["n_tries"] == 12
    assert nodes[0].get("data-said") == "try 1 of 12:  “unaffable”  is no piece: refused"
    assert nodes[6].get("data-said") == "try 7 of 12:  “una”  is a piece: taken"
    assert [f">{token_id}</text>" in drawn["svg"] for token_id in (14477, 20961, 3468)] == [True] * 3


def test_a_word_with_an_unknown_end_is_one_unknown_token():
    (drawn,) = draw_merge_trees("a\u2603", get_tokenizer("bert_uncased"))["new"].values()
    assert "best" not in drawn["svg"]
    assert "the whole word is unknown" in drawn["svg"]
    assert ">100</text>" in drawn["svg"]


@pytest.mark.parametrize("n_chars", [MAX_PROBED_CHARS, MAX_PROBED_CHARS + 1])
def test_a_long_word_has_few_rows_and_a_longer_one_says_why_it_has_none(n_chars):
    bert = get_tokenizer("bert_uncased")
    data = draw_merge_trees("internationalisation" * 3 + "x" * (n_chars - 60), bert)
    (drawn,) = data["new"].values()
    assert (data["why"] == "") == (n_chars == MAX_PROBED_CHARS)
    assert drawn["svg"].count('<rect class="span"') <= MAX_ROWS
    assert ("more refused" in drawn["svg"]) == (n_chars == MAX_PROBED_CHARS)
    assert isinstance(bert.build(Pretoken("x" * 101, 0, 101)), Given)
    assert isinstance(bert.build(Pretoken("x" * 100, 0, 100)), Given)
