import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.analysis.comparison import (
    ComparisonRow,
    agreement,
    aligned_columns,
    byte_boundaries,
    comparison_rows,
    count_agreements,
    shared_boundaries,
    utf16_offsets,
)
from playground.catalog.openai import load_openai
from playground.catalog.registry import get_tokenizer

NAMES = ("gpt2", "cl100k_base", "o200k_base", "utf8_bytes", "characters", "p50k_base")
TEXTS = st.text(max_size=40) | st.sampled_from(
    ["안녕하세요 👩‍👩‍👧 hi", "def f(x):\n    return x + 1", "नमस्ते", "a\r\n\t b", "🇺🇳🇳🇴", "e\u0301é"]
)


def rows_of(text: str, names: tuple[str, ...] = NAMES) -> list[ComparisonRow]:
    tokenizers = [get_tokenizer(name) for name in names]
    cuts = [tokenizer.segment(text) for tokenizer in tokenizers]
    return comparison_rows(cuts, n_vocabs=[tokenizer.n_vocab for tokenizer in tokenizers])


def test_counts_are_tiktokens():
    text = "Hello world, 안녕하세요! .DefaultCellStyle  x"
    for row in rows_of(text, NAMES[:3]):
        encoding = load_openai(row.tokenizer_name).encoding
        assert row.n_tokens == len(encoding.encode(text, disallowed_special=()))
        assert row.bytes_per_token == pytest.approx(len(text.encode()) / row.n_tokens)
        assert row.tokens_per_word == row.n_tokens / 5
        assert row.n_vocab == encoding.n_vocab


def test_the_first_row_shares_all_with_itself_and_saves_nothing():
    first, second = rows_of(".DefaultCellStyle", ("gpt2", "cl100k_base"))
    assert (first.shared_boundaries, first.tokens_saved) == (1.0, 0)
    assert (second.shared_boundaries, second.tokens_saved) == (0.0, 3)


def test_an_empty_text_has_rows_of_zeros():
    for row in rows_of(""):
        assert (row.n_tokens, row.bytes_per_token, row.characters_per_token, row.tokens_per_word) == (
            0,
            0,
            0,
            0,
        )
        assert row.shared_boundaries == 1.0
    assert aligned_columns([get_tokenizer(name).segment("") for name in NAMES]) == []


@settings(max_examples=150, deadline=None)
@given(text=TEXTS)
def test_columns_tile_the_text_and_cells_cover_it(text):
    cuts = [get_tokenizer(name).segment(text) for name in NAMES]
    columns = aligned_columns(cuts)
    assert "".join(cuts[0].text[column.char_start : column.char_end] for column in columns) == cuts[0].text
    for column in columns:
        assert column.char_start < column.char_end
        assert column.n_starts == sum(cell.starts_token for cell in column.cells) >= 1
        for cut, cell in zip(cuts, column.cells, strict=True):
            covering = cut.tokens[cell.first_token : cell.last_token]
            assert covering[0].char_start <= column.char_start
            assert column.char_end <= covering[-1].char_end
            starts = [token.char_start for token in cut.tokens if token.char_start == column.char_start]
            assert cell.starts_token <= bool(starts)
    for row, cut in enumerate(cuts):
        # every boundary between characters of every row starts a column
        edges = {column.char_start for column in columns if column.cells[row].starts_token}
        offsets = {len(cut.text[:n].encode()): n for n in range(len(cut.text) + 1)}
        whole = {offsets[b] for b in byte_boundaries(cut) if b in offsets}
        assert edges == whole | ({0} if cut.text else set())


@settings(max_examples=60, deadline=None)
@given(text=TEXTS)
def test_agreements_count_each_boundary_once(text):
    cuts = [get_tokenizer(name).segment(text) for name in NAMES]
    assert sum(count_agreements(cuts).values()) == len(frozenset().union(*map(byte_boundaries, cuts)))


def test_shares_and_agreement():
    assert shared_boundaries(frozenset(), frozenset()) == 1.0
    assert shared_boundaries(frozenset({1}), frozenset()) == 0.0
    assert agreement(1, 1) == "all"
    assert agreement(1, 2) == "one"


@given(text=st.text(max_size=20))
def test_utf16_offsets_end_at_the_length_that_browsers_see(text):
    assert utf16_offsets(text)[-1] == len(text.encode("utf-16-le", "surrogatepass")) // 2
