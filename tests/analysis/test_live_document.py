"""The tokens of a live document after any edit equal those of its whole text."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.analysis import live_document
from playground.analysis.categories import CategoryTable, count_categories
from playground.analysis.live_document import MAX_TEXT_BYTES, LiveDocument
from playground.analysis.text_counts import count_text
from playground.analysis.token_marks import marks_of
from playground.catalog.extended import with_own_special_tokens
from playground.catalog.registry import get_tokenizer
from playground.core.errors import InvalidInputError, TextTooLongError
from playground.core.text_units import count_utf16
from playground.core.tokenizer import Tokenizer
from tests.analysis.edits import OWN_SPECIAL, draw_edit, texts, texts_of_short_pieces
from tests.catalog import sentencepiece_models, tokenizer_documents

NAMES = ["gpt2", "cl100k_base", "o200k_base"]


class Checked:
    """A document and a plain text that get the same edits and are compared after each."""

    def __init__(self, tokenizer, text, honours_special):
        self.document = LiveDocument(tokenizer, text, honours_special=honours_special)
        self.text = text
        self.mirror = list(self.document.pieces)
        self.version = self.document.version
        self.table = CategoryTable(tokenizer.vocabulary)

    def edit(self, start, n_deleted, inserted):
        """Edit at UTF-16 offsets; an edit that splits a character must be refused."""
        units = self.text.encode("utf-16-le")
        head, tail = units[: 2 * start], units[2 * (start + n_deleted) :]
        try:
            new = head.decode("utf-16-le") + inserted + tail.decode("utf-16-le")
        except UnicodeDecodeError:
            with pytest.raises(InvalidInputError):
                self.document.edit(start, n_deleted, inserted)
            assert self.document.version == self.version
            return
        update = self.document.edit(start, n_deleted, inserted)
        self.text = new
        self.version += 1
        assert update.version == self.document.version == self.version
        assert 0 <= update.first <= update.first + update.n_removed <= len(self.mirror)
        self.mirror[update.first : update.first + update.n_removed] = update.pieces

    def check(self):
        document, tokenizer, text = self.document, self.document.tokenizer, self.text
        every_special = frozenset(tokenizer.special_tokens)
        plain = tokenizer.encode(text)
        special = tokenizer.encode(text, allowed_special=every_special)
        ids = special if document.honours_special else plain
        assert document.text == text
        assert document.ids == ids
        assert len(self.mirror) == len(document.pieces)
        assert all(mine is its for mine, its in zip(self.mirror, document.pieces, strict=True))
        for piece in document.pieces:
            assert piece.text
            assert piece.n_utf16 == count_utf16(piece.text) == len(piece.text.encode("utf-16-le")) // 2
            raws = [tokenizer.vocabulary.raw_of(token_id) for token_id in piece.ids.tolist()]
            assert piece.lengths.tolist() == list(map(len, raws))
            assert b"".join(raws) == piece.text.encode()
        totals = document.totals()
        assert (totals.n_tokens, totals.n_tokens_plain, totals.n_tokens_special) == (
            len(ids), len(plain), len(special),
        )  # fmt: skip
        assert totals.counts == count_text(text)
        column = np.array(ids, np.uint32)
        lengths = np.array([len(tokenizer.vocabulary.raw_of(token_id)) for token_id in ids], np.int64)
        of_whole = count_categories(column, text, lengths, tokenizer.special_tokens.values(), self.table)
        assert list(totals.categories) == of_whole.tolist()
        longest_first = sorted(every_special, key=len, reverse=True)
        spelled = regex.findall("|".join(map(regex.escape, longest_first)), text) if every_special else []
        assert document.special_spelled() == list(dict.fromkeys(spelled))


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_tokens_after_any_edits_equal_those_of_the_whole_text(name, data):
    tokenizer = with_own_special_tokens(get_tokenizer(name), data.draw(st.sampled_from(OWN_SPECIAL)))
    # Short pieces have more borders: every good place to cut is then one, in turn.
    n_chars = data.draw(st.sampled_from([1, 4, 30, 1_000]))
    whole = texts if n_chars > 30 else texts_of_short_pieces
    with patch.object(live_document, "PIECE_CHARS", n_chars):
        checked = Checked(tokenizer, data.draw(whole), data.draw(st.booleans()))
        checked.check()
        for _ in range(data.draw(st.integers(1, 4))):
            checked.edit(*draw_edit(data, checked.text, whole))
            checked.check()


#: They drop or insert characters: places in the text are compared, for their tokens do not spell it.
NOT_TILING: dict[str, Callable[[], Tokenizer]] = {
    **{name: partial(get_tokenizer, name) for name in ("mistral_v1", "mistral_v3", "bert_uncased")},
    "like Llama 3 and its split": partial(tokenizer_documents.opened, "like Llama 3 and its split"),
    "like Llama 2": partial(sentencepiece_models.opened, "bpe, bytes, nothing normalized"),
}
#: And these normalize too, so that they are cut at spaces alone.
CUT_AT_SPACES: dict[str, Callable[[], Tokenizer]] = {
    **{
        title: partial(tokenizer_documents.opened, title)
        for title in ("Unigram, no space before", "like RoBERTa, now", "like CLIP")
    },
    **{title: partial(sentencepiece_models.opened, title) for title in ("bpe, nmt_nfkc", "bpe, bytes")},
}
#: A text of these is one pretoken.
CUT_BETWEEN_PAIRS = {
    title: partial(tokenizer_documents.opened, title) for title in tokenizer_documents.CUT_BETWEEN_PAIRS
}
#: And the texts of these are encoded whole.
ENCODED_WHOLE: dict[str, Callable[[], Tokenizer]] = {
    **{
        title: partial(sentencepiece_models.opened, title)
        for title in ("unigram, nmt_nfkc, symbols", "unigram, space behind", "unigram over spaces")
    },
    **{
        f"json {title}": partial(tokenizer_documents.opened, title)
        for title in ("words, by a pattern of its own", "like T5")
    },
}
_KINDS = NOT_TILING | CUT_AT_SPACES | CUT_BETWEEN_PAIRS | ENCODED_WHOLE
_JOINED = st.lists(
    st.sampled_from(
        ["the", " ", "  ", "\u2581", "\n", "\r\n", "\r", "é", "e\u0301", "[REFERENCE_DOC_1]", "人"]
    )
    | st.sampled_from(["안", "\ufffd", "\x00", "!", "\u3000", "한글", "É", "x", "\u0301", "\ufeff", "12"]),
    max_size=25,
).map("".join)


@pytest.mark.parametrize("kind", _KINDS)
@given(data=st.data())
@settings(max_examples=8, deadline=None)
def test_tokens_and_spans_stay_exact_if_a_tokenizer_drops_or_inserts_text(kind, data):
    tokenizer = with_own_special_tokens(_KINDS[kind](), data.draw(st.sampled_from(OWN_SPECIAL)))
    honours_special = data.draw(st.booleans())
    with patch.object(live_document, "PIECE_CHARS", data.draw(st.sampled_from([1, 4, 30]))):
        text = data.draw(texts_of_short_pieces | _JOINED)
        document = LiveDocument(tokenizer, text, honours_special=honours_special)
        for _ in range(data.draw(st.integers(1, 4))):
            start, n_deleted, inserted = draw_edit(data, document.text, texts_of_short_pieces)
            try:
                document.edit(start, n_deleted, data.draw(st.sampled_from([inserted]) | _JOINED))
            except InvalidInputError:  # inside a character
                continue
            plain = tokenizer.encode(document.text)
            special = tokenizer.encode(document.text, allowed_special=frozenset(tokenizer.special_tokens))
            whole = special if honours_special else plain
            assert document.ids == whole
            assert [n for piece in document.pieces for n in piece.lengths.tolist()] == whole.lengths.tolist()
            totals = document.totals()
            assert (totals.n_tokens_plain, totals.n_tokens_special) == (len(plain), len(special))
            if kind in ENCODED_WHOLE and document.pieces:
                joined = [piece.marks.tolist() or [0] * (len(piece.ids) + 1) for piece in document.pieces]
                assert not any(marks[0] for marks in joined[1:]), (
                    "dropped text belongs to the token before it"
                )
                marks = [*joined[0][:1], *(n for own in joined for n in own[1:])]
                assert marks == (marks_of(whole, tokenizer.vocabulary).tolist() or [0] * (len(whole) + 1))
            assert totals.counts == count_text(document.text)


def test_a_key_changes_one_piece_even_if_the_whole_text_is_encoded():
    document = LiveDocument(
        sentencepiece_models.opened("unigram, nmt_nfkc, symbols"), "the cat sat on the mat " * 2_000
    )
    assert len(document.pieces) > 40
    before = [*document.pieces]
    update = document.edit(23_000, 0, "x")
    assert (len(update.pieces), update.n_removed) == (1, 1)
    assert update.first > 10
    left = before[: update.first] + before[update.first + 1 :]
    assert len(left) == len(document.pieces) - 1
    assert {*map(id, left), id(update.pieces[0])} == set(map(id, document.pieces))
    assert document.ids == document.tokenizer.encode(document.text)


@pytest.mark.parametrize("kind", ["mistral_v1", "bert_uncased"])
def test_texts_in_all_scripts_are_divided_into_small_pieces(kind):
    """Texts without spaces between words, too."""
    tokenizer = NOT_TILING[kind]()
    entries = json.loads((Path(__file__).resolve().parents[2] / "assets/texts/udhr.json").read_text())
    for entry in entries:
        text = " ".join(entry["articles"])[:5_000]
        document = LiveDocument(tokenizer, text)
        assert document.ids == tokenizer.encode(text)
        assert max(len(piece.text) for piece in document.pieces) < 3_500, entry["name"]


@given(data=st.data())
@settings(max_examples=15, deadline=None)
def test_another_tokenizer_keeps_the_text(data):
    text = data.draw(texts)
    document = LiveDocument(get_tokenizer("gpt2"), text)
    own = data.draw(st.sampled_from(OWN_SPECIAL))
    tokenizer = with_own_special_tokens(get_tokenizer(data.draw(st.sampled_from(NAMES))), own)
    document.configure(tokenizer, honours_special=True)
    assert document.text == text
    assert document.ids == tokenizer.encode(text, allowed_special=frozenset(tokenizer.special_tokens))


def state_of(document):
    return document.version, document.text, document.ids, list(map(id, document.pieces))


@pytest.mark.parametrize(
    ("start", "n_deleted"),
    [(2, 0), (1, 1), (-1, 0), (0, 8), (10**30, 0)],
)
def test_offsets_inside_a_character_or_outside_the_text_are_refused(start, n_deleted):
    document = LiveDocument(get_tokenizer("gpt2"), "a😀b😀c")  # UTF-16 offsets 0, 1, 3, 4, 6, 7
    before = state_of(document)
    with pytest.raises(InvalidInputError):
        document.edit(start, n_deleted, "x")
    assert state_of(document) == before


def test_a_text_over_the_limit_is_refused_and_the_old_one_stays():
    document = LiveDocument(get_tokenizer("gpt2"), "é is one character\n" * 45_000)  # 900,000 bytes
    before = state_of(document)
    with pytest.raises(TextTooLongError, match=r"1,000,001 bytes.*1,000,000"):
        document.edit(10, 0, "x" * (MAX_TEXT_BYTES - 900_000 + 1))
    with pytest.raises(TextTooLongError):
        document.replace("é" * 500_001)
    assert state_of(document) == before
    document.edit(10, 0, "x" * (MAX_TEXT_BYTES - 900_000))
    assert document.totals().counts.n_bytes == MAX_TEXT_BYTES


@pytest.mark.parametrize("half", [0xD83D, 0xDE00])
def test_half_a_surrogate_pair_becomes_one_replacement_character(half):
    document = LiveDocument(get_tokenizer("gpt2"), "ab")
    document.edit(1, 0, chr(half))
    assert document.text == "a\ufffdb"
    document.edit(2, 1, "c")
    assert document.text == "a\ufffdc"


@pytest.mark.parametrize(
    ("text", "edit"),
    [
        ("xb c", (1, 0, "a")),
        ("xb c", (0, 1, "a")),
    ],
)
def test_a_special_token_that_an_edit_completes_across_pieces_is_found(text, edit):
    """An edit may move the boundary of another piece, if a special token crosses it."""
    tokenizer = with_own_special_tokens(get_tokenizer("gpt2"), ("ab c", "ab  c"))
    with patch.object(live_document, "PIECE_CHARS", 1):
        checked = Checked(tokenizer, text, honours_special=True)
        assert len(checked.document.pieces) > 1
        checked.edit(*edit)
        checked.check()


@pytest.mark.parametrize(
    "line",
    [
        "All human beings are born free. ",
        "मान्छे जन्मजात स्वतन्त्र हुन्छन्।\n",
        '"name","size"\r\n"a",""\r\n',
        "มนุษย์ทั้งหลายเกิดมามีอิสระ\r\n\r\n",
    ],
)
def test_an_edit_in_a_long_text_encodes_only_a_few_pieces(line):
    text = line * (40_000 // len(line))
    document = LiveDocument(get_tokenizer("o200k_base"), text)
    assert len(document.pieces) > 20
    middle = len(text) // 2
    for inserted in ["k", " ", "\n", "."]:
        update = document.edit(middle, 0, inserted)
        assert len(update.pieces) <= 5
        assert update.n_removed <= 5
        assert sum(piece.n_utf16 for piece in update.pieces) < 6_000
    assert document.ids == document.tokenizer.encode(document.text)
