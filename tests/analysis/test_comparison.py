"""Comparing tokenizers: counts, shared boundaries, and figures that stay exact after each edit."""

import operator
from unittest.mock import patch

import numpy as np
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from playground.analysis import live_document
from playground.analysis.comparison import (
    Agreement,
    ComparisonRow,
    TextCut,
    comparison_rows,
    count_agreement,
    cut_text,
    shared_boundaries,
)
from playground.analysis.live_comparison import MAX_ROWS, LiveComparison
from playground.analysis.live_document import MAX_TEXT_BYTES
from playground.analysis.text_counts import count_text
from playground.catalog.baselines import ByteTokenizer
from playground.catalog.extended import with_own_special_tokens
from playground.catalog.openai import load_openai
from playground.catalog.registry import get_tokenizer
from playground.core.errors import InvalidInputError, TextTooLongError
from playground.core.tokenizer import segment
from playground.core.tokens import Segmentation
from tests.analysis.edits import draw_edit, texts
from tests.wordpieces import Wordpieces

NAMES = ("gpt2", "cl100k_base", "o200k_base", "utf8_bytes", "characters", "p50k_base")
COMPARED_TEXTS = st.text(max_size=40) | st.sampled_from(
    [
        "안녕하세요 👩‍👩‍👧 hi",
        "def f(x):\n    return x + 1",
        "नमस्ते",
        "a\r\n\t b",
        "🇺🇳🇳🇴",
        "e\u0301é",
        "a\ud83d",
    ]
)


def rows_of(text: str, names: tuple[str, ...] = NAMES) -> list[ComparisonRow]:
    return comparison_rows(text, [cut_text(get_tokenizer(name), text) for name in names])


def boundaries(segmentation: Segmentation) -> set[int]:
    return {token.byte_start for token in segmentation.tokens} - {0}


def test_counts_equal_those_of_tiktoken():
    text = "Hello world, 안녕하세요! .DefaultCellStyle  x"
    for row in rows_of(text, NAMES[:3]):
        encoding = load_openai(row.tokenizer_name).encoding
        assert row.n_tokens == len(encoding.encode(text, disallowed_special=()))
        assert row.bytes_per_token == pytest.approx(len(text.encode()) / row.n_tokens)
        assert row.characters_per_token == pytest.approx(len(text) / row.n_tokens)
        assert row.tokens_per_word == row.n_tokens / 5
        assert row.n_vocab == encoding.n_vocab


def test_an_empty_text_has_rows_of_zeros():
    for row in rows_of(""):
        assert (row.n_tokens, row.bytes_per_token, row.tokens_per_word) == (0, 0, 0)
        assert row.shared_boundaries == 1.0
    cuts = [cut_text(get_tokenizer(name), "") for name in NAMES]
    assert count_agreement(cuts) == Agreement(0, 0, 0)


@given(text=COMPARED_TEXTS)
def test_boundaries_equal_those_of_whole_segmentations(text):
    segmentations = [segment(get_tokenizer(name), text) for name in NAMES]
    cuts = [cut_text(get_tokenizer(name), text) for name in NAMES]
    sets = [boundaries(segmentation) for segmentation in segmentations]
    for cut, segmentation, own in zip(cuts, segmentations, sets, strict=True):
        assert cut.ids.tolist() == list(segmentation.ids)
        assert set(cut.byte_starts[1:].tolist()) == own
        either = sets[0] | own
        assert shared_boundaries(cuts[0], cut) == (len(sets[0] & own) / len(either) if either else 1.0)
    every = set().union(*sets)
    n_found = [sum(position in own for own in sets) for position in every]
    n_all, n_one = n_found.count(len(NAMES)), n_found.count(1)
    assert count_agreement(cuts) == Agreement(n_all, len(every) - n_all - n_one, n_one)


class CutAnywhere(ByteTokenizer):
    """A byte tokenizer that can be cut anywhere except between CR and LF."""

    safe_cut = regex.compile(r"(?s)(?<=.)(?!(?<=\r)\n)(?=.)")


#: Cut everywhere, cut by their patterns, or around special tokens; the last inserts and drops.
TOKENIZERS = [
    *map(get_tokenizer, ["gpt2", "cl100k_base", "o200k_base", "utf8_bytes", "characters"]),
    with_own_special_tokens(get_tokenizer("o200k_base"), ("a b", "\n ", "hello world and")),
    CutAnywhere(),
    Wordpieces(),
]
some_tokenizers = st.lists(st.sampled_from(TOKENIZERS), max_size=4, unique_by=id)


def check(comparison, text, tokenizers):
    """Compare with the encoding of the whole text in each tokenizer."""
    assert comparison.text == text
    assert comparison.tokenizers == tuple(tokenizers)
    cuts = []
    for tokenizer, document in zip(tokenizers, comparison.documents, strict=True):
        encoding = tokenizer.encode(text)
        ids, lengths = encoding.ids, encoding.lengths
        if not text:  # no tokens are inserted into an empty live text
            ids, lengths = ids[:0], lengths[:0]
        assert document.ids == ids.tolist()
        starts = (np.cumsum(lengths) - lengths).astype(np.uint32)
        cuts.append(TextCut(tokenizer.name, tokenizer.vocabulary.n_vocab, ids, starts))
    assert comparison.rows() == comparison_rows(text, cuts)
    assert comparison.agreement() == (count_agreement(cuts) if cuts else Agreement(0, 0, 0))
    assert comparison.text_counts() == count_text(text)


@given(data=st.data())
def test_figures_after_any_edits_equal_those_of_the_whole_text(data):
    with patch.object(live_document, "PIECE_CHARS", data.draw(st.sampled_from([1, 4, 30, 1_000]))):
        text, tokenizers = data.draw(texts), data.draw(some_tokenizers)
        comparison = LiveComparison(text, tokenizers)
        check(comparison, text, tokenizers)
        for _ in range(data.draw(st.integers(1, 5))):
            version = comparison.version
            match data.draw(st.sampled_from(["edit", "edit", "edit", "use", "replace"])):
                case "use":
                    tokenizers = data.draw(some_tokenizers)
                    comparison.use(tokenizers)
                case "replace":
                    text = data.draw(texts)
                    comparison.replace(text)
                case _ if not tokenizers:
                    continue
                case _:
                    start, n_deleted, inserted = draw_edit(data, text)
                    units = text.encode("utf-16-le")
                    head, tail = units[: 2 * start], units[2 * (start + n_deleted) :]
                    try:
                        edited = head.decode("utf-16-le") + inserted + tail.decode("utf-16-le")
                    except UnicodeDecodeError:
                        with pytest.raises(InvalidInputError):
                            comparison.edit(start, n_deleted, inserted)
                        assert comparison.version == version
                        continue
                    comparison.edit(start, n_deleted, inserted)
                    text = edited
            assert comparison.version > version
            check(comparison, text, tokenizers)


@pytest.mark.parametrize(
    ("text", "start", "key"), [(".DefaultCellStyl", 16, "e"), ("DefaultCellStyle", 0, ".")]
)
def test_boundaries_are_right_if_an_edit_changes_more_in_one_tokenizer_than_in_another(text, start, key):
    """In cl100k_base ".DefaultCellStyle" is one token; in bytes, only the typed character is new."""
    tokenizers = [CutAnywhere(), get_tokenizer("cl100k_base")]
    with patch.object(live_document, "PIECE_CHARS", 1):
        comparison = LiveComparison(text, tokenizers)
        assert len(comparison.documents[0].pieces) == 16
        comparison.edit(start, 0, key)
        assert len(comparison.documents[1].ids) == 1
        check(comparison, ".DefaultCellStyle", tokenizers)
        comparison.edit(start, 1, "")
        check(comparison, text, tokenizers)


def test_without_tokenizers_the_text_is_kept():
    comparison = LiveComparison("a\ud83d", [])
    assert (comparison.text, comparison.rows()) == ("a\ufffd", [])
    with pytest.raises(TextTooLongError, match=r"1,000,001 bytes.*1,000,000"):
        comparison.replace("x" * (MAX_TEXT_BYTES + 1))
    comparison.use(TOKENIZERS[:2])
    check(comparison, "a\ufffd", TOKENIZERS[:2])
    comparison.use([])
    assert comparison.text == "a\ufffd"


def test_more_tokenizers_than_rows_are_refused():
    comparison = LiveComparison("x", TOKENIZERS[:2])
    with pytest.raises(InvalidInputError, match="9 tokenizers are too many; compare up to 8"):
        comparison.use([Wordpieces() for _ in range(MAX_ROWS + 1)])
    eight = [Wordpieces() for _ in range(MAX_ROWS)]
    comparison.use(eight)
    check(comparison, "x", eight)


class Panics(Wordpieces):
    """A tokenizer whose encoder panics on a word, as a compiled one may."""

    def encode(self, text, **options):
        if "boom" in text:
            raise BaseException("the encoder panics")
        return super().encode(text, **options)


def pieces_of(comparison):
    return [piece for document in comparison.documents for piece in document.pieces]


def test_if_one_encoder_fails_all_rows_keep_the_old_text():
    tokenizers = TOKENIZERS[:2]
    tokenizers.insert(1, Panics())
    text = "the unable\n" * 300
    comparison = LiveComparison(text, tokenizers)
    for change in (lambda: comparison.edit(5, 2, "boom"), lambda: comparison.replace("boom")):
        version, pieces = comparison.version, pieces_of(comparison)
        with pytest.raises(BaseException, match="panics"):
            change()
        check(comparison, text, tokenizers)
        is_same = all(map(operator.is_, pieces, pieces_of(comparison)))
        assert is_same or comparison.version > version, "a browser must know that its pieces are no longer"
    comparison.edit(5, 2, "fine")
    check(comparison, text[:5] + "fine" + text[7:], tokenizers)
