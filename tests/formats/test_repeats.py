"""Repeated rows are written, read and compared once, with the same result as one by one."""

import pickle
from contextlib import contextmanager

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from playground.catalog.registry import get_tokenizer
from playground.core.errors import CannotHoldError
from playground.formats import roles, rows, tables
from playground.formats.conversion import Job, find_losses, write
from playground.formats.reading import read_document
from playground.formats.registry import FORMATS
from playground.formats.roles import count_tokens_by_role, divide, rounded_parts
from playground.formats.rows import is_repetitive, read_rows, share_rows
from playground.formats.values import WriteOptions
from tests.formats.any_data import OPTIONS
from tests.formats.strategies import JSON_SCALARS, RECORDS, TEXTS

#: What stands between the rows of some format, within a cell.
SEPARATORS = st.sampled_from(
    ["},{", "}, {", "\n- ", "\n\n[[rows]]\n", "</item>\n  <item>", '"/>\n  <item ', "}\n{", "\n  - ",
     "</tr><tr>", "| |\n| a", "'}, {'", '"},{"', "0.a = 1\n1.a", "&a", "*a", "[2]:", "\x00", "\\"]
)  # fmt: skip
FLAT_ROWS = st.lists(
    st.dictionaries(st.sampled_from(["id", "a b", "é"]), SEPARATORS | JSON_SCALARS, min_size=1, max_size=3),
    min_size=1,
    max_size=3,
)
NULL, BLOCK_KEY, CLOSING = {"id": None}, {"id": {"0\n": None}}, {"id": "},{"}
#: Many rows from few: the same objects, at drawn places.
REPEATED = (FLAT_ROWS | RECORDS).flatmap(
    lambda rows: st.lists(st.sampled_from(rows), min_size=2 * len(rows), max_size=10)
)


@contextmanager
def few_rows_are_many():
    with pytest.MonkeyPatch.context() as patch:
        for module in (roles, rows, tables):
            patch.setattr(module, "MIN_ROWS", 2)
        patch.setattr(rows, "_ROWS_AT_ONCE", 2)
        yield


def each_by_itself(data):
    """Return the same data with every row as a separate object."""
    return [pickle.loads(pickle.dumps(row)) for row in data]


@settings(max_examples=8)
@given(data=REPEATED, options=OPTIONS)
@example(
    data=[NULL, NULL, NULL, NULL, NULL, NULL, BLOCK_KEY, {"id": "\n"}, BLOCK_KEY, NULL],
    options=WriteOptions(),
)
def test_repeated_rows_are_converted_like_others(data, options):
    for name in FORMATS:
        expected = Job(each_by_itself(data), options).convert(name)
        with few_rows_are_many():
            found = Job(data, options).convert(name)
        assert (name, found.text) == (name, expected.text)
        assert (found.fidelity, found.reason, found.part_left_out) == (
            expected.fidelity,
            expected.reason,
            expected.part_left_out,
        )
        assert losses_of(found) == losses_of(expected), name


def losses_of(found):
    return {loss.kind: (set(loss.places), loss.n_places, loss.n_values) for loss in found.losses}


# A row of a damaged text may have more cells than the header; pandas drops those cells, and no row.
@pytest.mark.filterwarnings("ignore:Length of header:pandas.errors.ParserWarning")
@settings(max_examples=8)
@given(data=REPEATED, options=OPTIONS, damage=st.none() | st.tuples(st.integers(0, 200), TEXTS | SEPARATORS))
@example(data=[{"a": "},{"}] * 4, options=WriteOptions(), damage=None)
@example(data=[{"a": "'}, {'"}] * 4, options=WriteOptions(), damage=None)
@example(data=[{"id": None}] * 2, options=WriteOptions(), damage=(8, "\n  0"))
def test_a_text_is_read_as_its_format_reads_it(data, options, damage):
    """Damaged texts, too: text that is not a row by itself is left to the reader of the whole."""
    for entry in FORMATS.values():
        check_reading(entry, data, options, damage)


def check_reading(entry, data, options, damage):
    try:
        text = write(each_by_itself(data), entry, options)
    except Exception:  # the format cannot hold it
        return
    if damage is not None:
        place, piece = damage
        text = text[:place] + piece + text[place:]
    with few_rows_are_many():
        found = outcome(lambda: read_rows(text, entry.row_frames(options), entry.read))
    assert (entry.name, found) == (entry.name, outcome(lambda: entry.read(text)))


def outcome(read):
    try:
        return repr(read())
    except Exception as error:
        return type(error)


@settings(max_examples=30)
@given(data=REPEATED, values=st.lists(st.none() | st.sampled_from([1, True, 1.0, "1", "x"]), max_size=3))
def test_losses_of_repeated_rows_are_counted_for_each_row(data, values):
    changed = {id(row): {**row, **dict(zip(row, values, strict=False))} for row in data}
    after = [changed[id(row)] for row in data][: len(data) - len(values) // 3]
    expected = find_losses(each_by_itself(data), each_by_itself(after))
    with few_rows_are_many():
        assert find_losses(data, after) == expected


def test_rows_are_shared_where_they_are_equal_in_type_too():
    rows = [{"a": n % 3} for n in range(6_000)] + [{"a": True}, {"a": 1.0}, {"a": "1"}]
    shared = share_rows({"rows": rows, "n": [1]})
    assert repr(shared) == repr({"rows": rows, "n": [1]})
    assert len({id(row) for row in shared["rows"]}) == 6
    assert share_rows([{"a": n} for n in range(6_000)])[5_999] == {"a": 5_999}


def test_a_csv_of_many_rows_is_read_as_rows_that_repeat():
    text = "a,b\n" + "1,x\n2,\n" * 5_000
    document = read_document(text)
    assert is_repetitive(document.data)
    assert document.data == [{"a": 1, "b": "x"}, {"a": 2, "b": None}] * 5_000
    assert document.notes == ("Empty cells (5,000) were read as null.",)


def test_a_text_of_rows_has_a_limit_before_it_is_made():
    data = share_rows([{"a": "x" * 6_000}] * 10_000)
    with pytest.raises(
        CannotHoldError, match=r"it has 60,\d{3},\d{3} characters; at most 50,000,000 are kept"
    ):
        write(data, FORMATS["json_compact"], WriteOptions())


@settings(max_examples=8)
@given(data=REPEATED, options=OPTIONS, tokenizer=st.sampled_from(["gpt2", "o200k_base", "utf8_bytes"]))
@example(data=[CLOSING, CLOSING, CLOSING, {"id": "="}], options=WriteOptions(), tokenizer="gpt2")
def test_tokens_of_repeated_rows_are_divided_like_those_of_the_whole_text(data, options, tokenizer):
    for name, entry in FORMATS.items():
        text = Job(data, options).convert(name).text
        if text is not None:
            with few_rows_are_many():
                found = divide(text, entry, options, get_tokenizer(tokenizer))
            parts = count_tokens_by_role(text, entry.iter_roles(text), get_tokenizer(tokenizer))
            assert (name, found) == (name, rounded_parts(parts))
