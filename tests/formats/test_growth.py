"""The work for any input, as counted by Python, grows no faster than the input.

A trace counts calls and lines; what runs in C is bounded by a process that may take so much of the processor.
"""

import json
import sys
from collections.abc import Callable
from functools import partial

import pytest

from playground.core.errors import CannotHoldError, DataSyntaxError, PlaygroundError
from playground.formats.conversion import Job
from playground.formats.limits import (
    MAX_CELLS,
    MAX_CELLS_PER_FILLED,
    MAX_COLUMNS,
    MAX_SPARSE_CELLS,
    MAX_TEXT_CHARACTERS,
    check_table,
    size_of,
)
from playground.formats.reading import read_document
from playground.formats.registry import FORMATS
from playground.formats.values import WriteOptions
from playground.formats.yaml_reading import MAX_KEYS_OF_A_HASH

TABLES = ["csv", "tsv", "markdown", "html"]
#: What once took quadratic time or worse, by a number of parts.
INPUTS: dict[str, Callable[[int], str]] = {
    "rows with different keys": lambda n: json.dumps([{f"k{i}": 1} for i in range(n)]),
    "duplicate keys": lambda n: "{" + ",".join(f'"k{i}":1' for i in [*range(n), n - 1]) + "}",
    "duplicate columns": lambda n: ",".join(f"c{i}" for i in [*range(n), n - 1]) + "\n" + "1," * n + "1",
    "duplicate keys in each line": lambda n: '{"a":1,"a":2}\n' * n,
    "columns": lambda n: ",".join(f"c{i}" for i in range(n)) + "\n" + ",".join("1" * n),
    "merge keys": lambda n: (
        "".join(f"k{i}: &k{i} {{y{i}: 1}}\n" for i in range(n))
        + "z:\n  <<: ["
        + ",".join(f"*k{i}" for i in range(n))
        + "]"
    ),
    "deep values": lambda n: "[" * 90 + ",".join("1" * n) + "]" * 90,
    "deep objects": lambda n: '{"a":' * 90 + json.dumps({f"k{i}": i for i in range(n)}) + "}" * 90,
    "objects in a column": lambda n: json.dumps([{"a": {"b": [1, {"c": 2}]}, "d": None} for _ in range(n)]),
    "TOML tables": lambda n: "".join(f"[t{i}.x]\ny = 1\n" for i in range(n)),
    "XML children": lambda n: "<a>" + "<b c='1'/>x" * n + "</a>",
}


def n_steps(work: Callable[[], object]) -> int:
    """Return the number of executed lines of Python and calls into C."""
    found = 0

    def local(_frame, event, _argument):
        nonlocal found
        found += event == "line"
        return local

    def called(_frame, event, _argument):
        nonlocal found
        found += event == "c_call"

    sys.settrace(lambda _frame, _event, _argument: local)
    sys.setprofile(called)
    try:
        work()
    finally:
        sys.settrace(None)
        sys.setprofile(None)
    return found


def read_and_convert(text: str) -> None:
    try:
        data = read_document(text).data
    except PlaygroundError:
        return
    job = Job(data, WriteOptions())
    for name in FORMATS:
        job.convert(name)


@pytest.mark.parametrize("name", INPUTS)
def test_twice_the_input_takes_twice_the_steps(name):
    make = INPUTS[name]
    read_and_convert(make(3))  # what is done once
    sizes = (300, 600) if name == "rows with different keys" else (60, 120)
    few, many = (n_steps(partial(read_and_convert, make(n))) for n in sizes)
    assert many < 2.6 * few


def test_a_table_is_refused_by_its_size_and_the_other_formats_go_on():
    data = [{f"k{n}": 1} for n in range(300)]
    found = {name: Job(data, WriteOptions()).convert(name) for name in FORMATS}
    for name in TABLES:
        assert found[name].fidelity == "cannot"
        assert found[name].reason == (
            "a table of this data has 300 rows and 300 columns, and fills 300 of its 90,000 cells; "
            "at most 3,000,000 are written, and 20 for one that is filled"
        )
    assert {c.fidelity for name, c in found.items() if name not in TABLES} <= {"equal", "lossy"}


@pytest.mark.parametrize(
    ("n_rows", "n_columns", "n_filled"),
    [(1, 2_000, 2_000), (3_000, 1_000, 150_000), (1, 50_000 // 40, 1), (1_500_000, 2, 3_000_000)],
)
def test_both_sides_of_a_tables_limits(n_rows, n_columns, n_filled):
    check_table(n_rows, n_columns, n_filled)
    with pytest.raises(CannotHoldError):
        check_table(n_rows, MAX_COLUMNS + 1, n_filled)
    with pytest.raises(CannotHoldError):
        check_table(MAX_CELLS // n_columns + 1, n_columns, MAX_CELLS)
    if n_rows * n_columns > MAX_SPARSE_CELLS:
        with pytest.raises(CannotHoldError, match="20 for one that is filled"):
            check_table(n_rows, n_columns, n_rows * n_columns // MAX_CELLS_PER_FILLED - 1)


def test_what_a_format_repeats_is_counted_before_it_is_written():
    deep = json.loads("[" * 98 + ",".join("1" * 300_000) + "]" * 98)
    assert "indentation alone would take" in Job(deep, WriteOptions()).convert("json_pretty").reason
    long = {"k" * 100_000: dict.fromkeys(map(str, range(1_000)), 1)}
    for name in ("properties", "toml"):
        assert (
            f"at most {MAX_TEXT_CHARACTERS:,} are written" in Job(long, WriteOptions()).convert(name).reason
        )
    assert "the name of a column would have" in Job([long], WriteOptions()).convert("csv").reason
    assert Job(long, WriteOptions()).convert("json_compact").fidelity == "equal"


@pytest.mark.parametrize("data", [{"a": [1, {"b": 2}], "c": {}}, [[1, 2], []], {"a": {"b": {"c": "x"}}}])
def test_estimated_sizes_equal_those_of_the_texts(data):
    """Pretty texts differ by their indentation; paths are the names of properties."""
    found = size_of(data)
    pretty, wider = (json.dumps(data, indent=n) for n in (1, 2))
    n_closing = len(wider) - len(pretty) - found.n_levels  # brackets are indented too, by one level less
    assert 0 <= n_closing <= found.n_levels
    lines = (Job(data, WriteOptions(is_minified=True)).convert("properties").text or "").split("\n")
    names = [line.split("=")[0] for line in lines]
    assert (
        sum(map(len, names)) <= found.n_path_characters <= sum(len(name) + 2 for name in names) + len(names)
    )


MODULUS = sys.hash_info.modulus


def test_number_keys_with_one_hash_are_limited():
    """Merged keys, too: an input that the server reads itself must not block its interpreter."""
    keys = [MODULUS * n for n in range(1, MAX_KEYS_OF_A_HASH + 2)]
    few, many = (", ".join(f"{key}: 1" for key in some) for some in (keys[:-1], keys))
    assert read_document(f"x: {{{few}, {few}}}", "YAML").data["x"] == dict.fromkeys(keys[:-1], 1)
    floats = "".join(f"? {2.0**n!r}\n" for n in range(0, 1_000, 61)).replace("e+", "0e+")
    assert len(read_document(floats, "YAML").data) == 17
    half = len(keys) // 2
    halves = (", ".join(f"{key}: 1" for key in some) for some in (keys[:half], keys[half:]))
    merged = "".join(f"- &{name} {{{some}}}\n" for name, some in zip("ab", halves, strict=True))
    for text in (f"{{{many}}}", f"{merged}- {{<<: [*a, *b]}}", f"{merged}- {{<<: *a, <<: *b}}"):
        with pytest.raises(DataSyntaxError, match=f"more than {MAX_KEYS_OF_A_HASH} numbers for keys"):
            read_document(text, "YAML")
