"""The session of Formats: how a browser changes its data, and the work on it."""

import gc
import threading
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.catalog.registry import get_tokenizer
from playground.core.errors import InvalidInputError, PlaygroundError
from playground.expect import model_file
from playground.expect.reading import Model
from playground.formats import costs
from playground.formats.costs import measure
from playground.formats.limits import MAX_INPUT_BYTES
from playground.formats.offloading import iter_conversions, open_document
from playground.formats.registry import FORMATS
from playground.formats.values import WriteOptions
from playground.server.formats import session as session_module
from playground.server.formats.session import FormatSession
from tests.analysis.edits import texts
from tests.expect.models import write_tiny_model
from tests.server.browser_side import post, post_raw
from tests.waiting import wait_until

GPT2, O200K = get_tokenizer("gpt2"), get_tokenizer("o200k_base")
OPTIONS = WriteOptions()
#: Formats that are done before the work pauses.
N_KEPT = 3


def answered(session, instead=MappingProxyType({}), options=OPTIONS, tokenizers=(GPT2,)):
    """Wait for the answer to the current data, and return it."""
    return found(session.answer(instead, options, tokenizers))


def found(work):
    assert work.wait(60)
    if work.error is not None:
        raise work.error
    return work.found


# ---- the text and its file


def edit(session, **how):
    body = {"version": session.version, "start": 0, "n_deleted": 0, "inserted": "", **how}
    return post(session, "edit", body)


@given(text=texts, inserted=texts, data=st.data())
def test_an_edit_replaces_utf16_units(text, inserted, data):
    session = FormatSession(text=text)
    units = text.encode("utf-16-le", "surrogatepass")
    start = data.draw(st.integers(0, len(units) // 2))
    end = data.draw(st.integers(start, len(units) // 2))
    response = edit(session, start=start, n_deleted=end - start, inserted=inserted)
    assert response.json() == {"version": session.version}
    expected = units[: 2 * start] + inserted.encode("utf-16-le", "surrogatepass") + units[2 * end :]
    assert session.text.encode("utf-16-le", "surrogatepass") == expected
    version = session.version
    assert post(session, "open", {"text": session.text}).json()["version"] == version
    assert post(session, "open", {"text": "{}", "name": "a.json"}).json()["version"] == version + 1
    assert (session.text, session.text_name) == ("{}", "a.json")


def test_an_edit_of_another_version_or_beyond_the_limit_is_refused_and_the_text_stays():
    session = FormatSession(text="a: 1")
    assert edit(session, version=session.version + 1, inserted="b").status_code == 409
    assert edit(session, inserted="é" * (MAX_INPUT_BYTES // 2)).status_code == 413
    assert session.text == "a: 1"


def send_file(session, raw):
    return post_raw(session, "file", raw, **{"Content-Type": "application/octet-stream"})


def test_the_text_of_a_file_is_sent_back_from_utf_8_and_utf_16():
    session = FormatSession(text="own: 1")
    for raw in ("n\né\n".encode(), "\ufeffn\né\n".encode(), "n\né\n".encode("utf-16")):
        assert send_file(session, raw).json() == {"text": "n\né\n", "note": ""}
    guessed = send_file(session, "n\né\n".encode("latin-1")).json()
    assert guessed["text"] == "n\né\n"
    assert "Windows-1252 (Latin-1)" in guessed["note"]
    assert session.text == "own: 1", "the browser puts it there, so that it can bring the own text back"


@pytest.mark.parametrize(
    ("raw", "status", "part"),
    [
        (b"\xc3\xa9 na\xefve: 1\n", 400, "offset 5 (line 1, column 5). Save it as UTF-8"),
        (b"PAR1\xc8\x00", 400, "Parquet"),
        (b"\xff\xfea", 400, "UTF-16"),
        (b"x" * (MAX_INPUT_BYTES + 1), 413, "the limit of 1,000,000 bytes"),
    ],
)
def test_a_file_that_cannot_be_read_says_why_and_replaces_nothing(raw, status, part):
    session = FormatSession(text="own: 1")
    response = send_file(session, raw)
    assert (response.status_code, part in response.json()["error"]) == (status, True)
    assert session.text == "own: 1"


def test_a_text_from_a_file_that_is_named_a_table_is_read_as_one():
    session = FormatSession(text="")
    edit(session, inserted="plz\n01067\n", name="one.csv")
    assert answered(session).document.data == [{"plz": "01067"}]
    session = FormatSession(text="")
    edit(session, inserted="id,name\n1,a,extra\n2\n", name="ragged.csv")
    with pytest.raises(PlaygroundError, match="record 2 has 3 cells, and the first line has 2"):
        answered(session)


# ---- results


def test_results_are_those_that_are_measured_and_the_same_for_the_same_request():
    session = FormatSession(text='[{"a": 1, "b": "x"}]')
    answer = answered(session, tokenizers=[O200K, GPT2])
    assert answer.table([O200K, GPT2]) == measure([{"a": 1, "b": "x"}], [O200K, GPT2])
    assert answered(session, tokenizers=[O200K, GPT2]) is answer
    for division in found(session.format_roles(answer, O200K)):
        assert sum(division.parts.values()) == answer.counts["o200k_base"][1][division.format_name]
    growth = found(session.growth(answer, O200K, ["csv", "yaml"], "rows"))
    assert found(session.growth(answer, O200K, ["csv", "yaml"], "rows")) is growth
    assert {point.format_name for point in growth.points} == {"csv", "yaml"}
    assert found(session.growth(answer, O200K, ["yaml"], "depth")) != growth


def test_another_tokenizer_converts_nothing_and_other_options_do():
    session = FormatSession(text='[{"a": 1}]')
    answer = answered(session)
    assert answered(session, tokenizers=[O200K, GPT2]) is answer
    assert [*answer.table([O200K, GPT2]).n_tokens] == ["o200k_base", "gpt2"]
    assert answered(session, options=WriteOptions(is_sorted=True)) is not answer
    assert answered(session, {"JSON": "YAML"}).document.input_format == "YAML"


@pytest.mark.parametrize("is_ascii", [False, True])
def test_the_cost_of_escapes_is_known_if_there_are_any(is_ascii):
    options = WriteOptions(is_ascii=is_ascii)
    answer = answered(FormatSession(text='["日本"]'), options=options)
    expected = len(GPT2.encode('["日本"]')), len(GPT2.encode(r'["\u65e5\u672c"]'))
    assert answer.escape_counts(GPT2) == expected
    for text in ('["a"]', r'["\\u00e9"]'):
        assert answered(FormatSession(text=text), options=options).escape_counts(GPT2) is None


def test_an_error_stays_until_the_data_changes():
    session = FormatSession(text='{"a" 1}')
    for _ in range(2):
        with pytest.raises(PlaygroundError, match="line 1, column 6"):
            answered(session)
    edit(session, start=4, inserted=":")
    assert answered(session).document.data == {"a": 1}


# ---- work that takes long


class Gate(threading.Event):
    """An event, with lists of the requested data and formats."""

    def __init__(self):
        super().__init__()
        self.asked = []


@pytest.fixture
def gate(monkeypatch):
    """Pause converting after N_KEPT formats until it is set."""

    def gated(data, options=None, *, formats, visitor, on_wait, **_limits):
        formats = list(formats)
        opened.asked.append((data, formats))
        for n_done, conversion in enumerate(
            iter_conversions(data, options, formats=formats, visitor=visitor)
        ):
            while n_done == N_KEPT and not opened.wait(0.01):
                on_wait()
            yield conversion

    opened = Gate()
    monkeypatch.setattr(costs, "iter_conversions", gated)
    yield opened
    opened.set()


def reaches(work, part):
    wait_until(lambda: part in work.what)


def test_stopped_work_continues_where_it_was(gate, monkeypatch):
    n_read = []

    def noted(*what, **how):
        n_read.append(1)
        return open_document(*what, **how)

    monkeypatch.setattr(session_module, "open_document", noted)
    session = FormatSession(text="[1]")
    work = session.answer({}, OPTIONS, [GPT2])
    reaches(work, f"{N_KEPT} of {len(FORMATS)} formats written and read back: JSON, pretty; JSON, pr")
    assert 0 < work.part < 1
    work.stop()
    assert session.answer({}, OPTIONS, [GPT2]) is work, "it is not begun again by itself"
    assert work.is_stopped
    work.start()
    wait_until(lambda: len(gate.asked) == 2)
    gate.set()
    assert found(work).table([GPT2]) == measure([1], [GPT2])
    assert [formats for _, formats in gate.asked[:2]] == [list(FORMATS), list(FORMATS)[N_KEPT:]]
    assert n_read == [1]
    work.stop()
    assert not work.is_stopped, "nothing is left to stop"


def test_newer_data_and_a_closed_tab_stop_the_work(gate):
    session = FormatSession(text="[1]")
    first = session.answer({}, OPTIONS, [GPT2])
    reaches(first, "3 of")
    edit(session, start=1, n_deleted=1, inserted="2")
    second = session.answer({}, OPTIONS, [GPT2])
    assert first.is_stopped
    reaches(second, "3 of")
    del session
    gc.collect()
    assert second.is_stopped


def test_each_format_is_read_by_the_model_of_this_machine(tmp_path, monkeypatch):
    monkeypatch.setattr(model_file, "data_folder", lambda: tmp_path)
    session = FormatSession(text='[{"the": 1}, {"the": 2}]')
    answer = session.answer({}, WriteOptions(), [get_tokenizer("gpt2")]).result()
    with pytest.raises(InvalidInputError, match="the model is not on this machine"):
        session.bits(answer).result()
    session = FormatSession(text=session.text)
    model_file.use_own(write_tiny_model(tmp_path / "tiny.gguf", context=40))
    expected = session.bits(answer).result()
    assert [each.format_name for each in expected] == [each.format_name for each in answer.conversions]
    assert {each.model for each in expected} == {"tiny"}
    reading = Model(tmp_path / "own" / "tiny.gguf", (0, 0)).read("a", ["the\n1\n2"], 64)
    bits = [each.bits for each in reading.expected[1:-1]]
    [costs] = [each.costs for each in expected if each.format_name == "csv"]
    assert costs is not None
    assert [*costs] == [len(reading.ids), pytest.approx(sum(bits), abs=0.001), 0.0]
    assert any(each.costs is None for each in expected), "some formats are longer than this model reads"
