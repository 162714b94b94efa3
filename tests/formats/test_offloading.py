"""Large data is processed in worker processes with limits, with the same results."""

import json
from datetime import date

import pytest

from playground.catalog.registry import get_tokenizer
from playground.core.errors import DataSyntaxError, LimitExceededError, TextTooLongError
from playground.formats import offloading
from playground.formats.advice import advise
from playground.formats.conversion import Job
from playground.formats.costs import CostTable, measure
from playground.formats.offloading import (
    iter_conversions,
    iter_format_roles,
    measure_growth,
    open_document,
    write_data,
)
from playground.formats.reading import read_document
from playground.formats.registry import FORMATS
from playground.formats.tasks import Packed
from playground.formats.values import WriteOptions
from playground.workers import pool
from tests.ui.visits import learned

DATA = {"page": 1, "rows": [{"id": n, "é": "x\ud83d", "at": date(2026, 3, 1), "n": None} for n in range(9)]}
LARGE_TEXT = json.dumps([{"id": n, "zip": f"{n:05}"} for n in range(3_000)])


@pytest.fixture(scope="module")
def kept_pool():
    own = pool.Pool()
    yield own
    own.close()


@pytest.fixture(autouse=True)
def own_pool(kept_pool, monkeypatch):
    """Share one pool for all tests here, because its processes start slowly."""
    monkeypatch.setattr(pool, "_POOL", kept_pool)
    yield kept_pool
    assert not kept_pool.running


@pytest.fixture
def all_data_is_large(monkeypatch):
    monkeypatch.setattr(offloading, "MAX_WORK_HERE", 0)
    monkeypatch.setattr(offloading, "MAX_BYTES_HERE", 0)


@pytest.fixture
def requests(monkeypatch):
    """Record the requests to the pool, as (function, visitor)."""
    asked = []
    run = pool.run

    def noted_run(function, *arguments, **how):
        asked.append((function.rsplit(".", 1)[1], how["visitor"]))
        return run(function, *arguments, **how)

    monkeypatch.setattr(pool, "run", noted_run)
    return asked


def test_worker_processes_convert_like_this_process(all_data_is_large, requests):
    options = WriteOptions(is_sorted=True, indent=4)
    found = {c.format_name: c for c in iter_conversions(DATA, options, visitor="me")}
    assert found == {name: Job(DATA, options).convert(name) for name in FORMATS}
    assert requests == [("convert_packed", "me")] * len(FORMATS)
    table = measure({"a": 1}, [get_tokenizer("gpt2")])
    assert [c.format_name for c in table.conversions] == list(FORMATS)
    assert write_data(Packed.of(DATA), "json_compact", options) == found["json_compact"].text


def test_worker_processes_read_like_this_process(requests):
    found = open_document(LARGE_TEXT, visitor="me")
    expected = read_document(LARGE_TEXT)
    assert isinstance(found.data, Packed)
    assert found.data.unpack() == expected.data
    assert (found.input_format, found.notes) == (expected.input_format, expected.notes)
    assert requests == [("read_packed", "me")]
    table = measure(found.data, [get_tokenizer("gpt2")], formats=["csv"])
    assert table == measure(expected.data, [get_tokenizer("gpt2")], formats=["csv"])


def test_small_data_needs_no_process(requests):
    assert [c.format_name for c in iter_conversions(DATA)] == list(FORMATS)
    assert open_document("a: 1").data == {"a": 1}
    assert requests == []


def test_a_small_text_with_much_work_in_it_is_large(requests):
    """YAML aliases, and paths of deep data: kilobytes that become megabytes."""
    text = "a: &a [xxxxxxxx,xxxxxxxx,xxxxxxxx,xxxxxxxx]\n" + "".join(
        f"{name}: &{name} [{','.join(['*' + before] * 8)}]\n"
        for before, name in zip("abcd", "bcde", strict=True)
    )
    assert isinstance(open_document(text).data, Packed)
    deep = "[" * 99 + ",".join("1" * 3_000) + "]" * 99
    assert len(deep) < offloading.MAX_BYTES_HERE
    assert isinstance(open_document(deep).data, Packed)
    next(iter_conversions(json.loads(deep), formats=["json_compact"]))
    assert requests[-1][0] == "convert_packed"


def test_errors_of_reading_come_with_their_place():
    with pytest.raises(DataSyntaxError) as caught:
        open_document(LARGE_TEXT[:-1] + "!", "JSON")
    assert (caught.value.line, caught.value.column) == (1, len(LARGE_TEXT))
    with pytest.raises(TextTooLongError):
        open_document(b"x" * 1_000_001)


def test_exceeded_limits_are_reported(all_data_is_large, monkeypatch):
    monkeypatch.setattr(offloading, "READ_SECONDS", 0.0)
    with pytest.raises(LimitExceededError, match="reading this data took more than 0 s, the limit"):
        open_document(LARGE_TEXT)
    monkeypatch.setattr(offloading, "CONVERT_SECONDS", 0.0)
    found = list(iter_conversions(DATA))
    assert {c.format_name for c in found} == set(FORMATS)
    assert {c.reason for c in found} == {
        "writing all formats took longer than the limit of 0 s; try fewer rows"
    }
    assert all(c.is_over_limit for c in found)
    reason = "writing all formats took longer than the limit of 0 s"
    table = measure(DATA, [get_tokenizer("gpt2")])
    assert advise(table, "gpt2") == (
        "In gpt2, no format was finished.",
        f"{reason[0].upper()}{reason[1:]}; try fewer rows.",
    )
    some = [*(Job([{"a": 1}], WriteOptions()).convert(name) for name in ("csv", "yaml")), *found[:2]]
    sentence, rest = advise(CostTable(tuple(some), {"gpt2": {"csv": 1, "yaml": 2}}), "gpt2")
    assert sentence.startswith(
        "In gpt2, of the 2 formats that were finished, CSV is the cheapest format that loses nothing"
    )
    assert (
        rest.startswith(f"Not compared, because {reason}: ") or f" Not compared, because {reason}: " in rest
    )
    assert rest.partition(f"{reason}: ")[2].count(", ") == 1, "two are named"
    monkeypatch.undo()


def test_a_format_that_exceeds_its_memory_is_reported_and_the_others_succeed(all_data_is_large, monkeypatch):
    monkeypatch.setattr(offloading, "MEMORY_BYTES", 45_000_000)
    rows = [{f"k{(n + i) % 60}": f"{n}" for i in range(4)} for n in range(20_000)]  # 1,200,000 cells
    found = {c.format_name: c for c in iter_conversions(rows, formats=["csv", "json_compact"])}
    assert "45 MB of memory, the limit" in found["csv"].reason
    assert found["json_compact"].fidelity == "equal"


def test_texts_together_have_a_limit(all_data_is_large, monkeypatch):
    text = Job(DATA, WriteOptions()).convert("json_compact").text
    assert text is not None
    monkeypatch.setattr(offloading, "MAX_KEPT_CHARACTERS", len(text))
    names = ["json_compact", "json_pretty"]
    found = {c.format_name: c for c in iter_conversions(DATA, formats=names)}
    assert found["json_compact"].text == text
    assert found["json_pretty"].text is None
    assert found["json_pretty"].reason.endswith(f"have more than {len(text):,} characters, the limit")


def test_a_closed_tab_ends_the_work(all_data_is_large, own_pool):
    def stop(*_progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure(DATA, [get_tokenizer("gpt2")], on_progress=stop)
    with pytest.raises(KeyboardInterrupt):
        open_document("a: [" + "x: y, " * 100_000 + "]", on_wait=stop)
    assert not own_pool.busy
    assert not own_pool.waiting
    assert len(list(iter_conversions(DATA))) == len(FORMATS)


ROWS = [{"id": n, "é": "x y"} for n in range(9)]
TOKENIZERS = [get_tokenizer("o200k_base"), learned("mine", "a b c" * 9)]


@pytest.mark.parametrize("tokenizer", TOKENIZERS, ids=lambda tokenizer: tokenizer.name)
def test_worker_processes_divide_tokens_like_this_process(tokenizer, requests, monkeypatch):
    tokenizer.vocabulary.entry(0), tokenizer.encode("a b")  # what it keeps for the next use need not travel
    options = WriteOptions(indent=4)
    conversions = list(iter_conversions(ROWS, options, formats=["yaml", "csv"]))
    expected = [*iter_format_roles(conversions, tokenizer)]
    assert requests == []
    monkeypatch.setattr(offloading, "MAX_CHARACTERS_HERE", 0)
    found = [*iter_format_roles(conversions, tokenizer, visitor="me")]
    assert requests == [("text_tokens_by_role", "me")] * 2
    assert sorted(found) == sorted(expected)
    for division in found:
        text = next(c.text for c in conversions if c.format_name == division.format_name)
        assert division.parts is not None
        assert sum(division.parts.values()) == len(tokenizer.encode(text))


@pytest.mark.parametrize("grow", ["rows", "depth"])
def test_growth_of_large_data_is_measured_by_a_process(grow, requests, monkeypatch):
    data = [{"a": n, "b": "x"} for n in range(20)]
    how = TOKENIZERS[1], ["csv", "json_compact"], WriteOptions(), grow
    packed = Packed.of(data)
    expected = measure_growth(packed.sample, *how)
    assert requests == []
    assert measure_growth(packed, *how, visitor="me") == expected
    assert requests == [("measure_growth", "me")]

    def too_long(*_work, what, seconds, **_how):
        raise LimitExceededError(f"{what} took {seconds:.0f} s")

    monkeypatch.setattr(pool, "run", too_long)
    with pytest.raises(LimitExceededError, match="writing more rows in each format took 25 s"):
        measure_growth(packed, *how)
