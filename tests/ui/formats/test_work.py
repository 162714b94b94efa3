"""Work that takes long: it goes on while the page runs again, tells how far it is, and can be stopped."""

import gc
import json
import threading
import time

import pytest
from streamlit.testing.v1 import AppTest

from playground.catalog.registry import get_tokenizer
from playground.core.errors import PlaygroundError
from playground.formats import costs, offloading
from playground.formats.costs import measure
from playground.formats.division import divide
from playground.formats.offloading import iter_conversions, open_document
from playground.formats.registry import FORMATS
from playground.formats.values import WriteOptions
from playground.ui.formats import session as session_module
from playground.ui.formats.session import FormatSession, StoppedError
from playground.ui.work import Work
from playground.workers import pool
from playground.workers.process import CancelledError
from tests.ui.visits import html_of, visit

GPT2, O200K = get_tokenizer("gpt2"), get_tokenizer("o200k_base")
N_KEPT = 3


class Interrupted(BaseException):
    """What Streamlit raises in a run of a page for which a newer one has come."""


def interrupt(_work):
    raise Interrupted


def until(is_so, seconds=30):
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


class Gate(threading.Event):
    def __init__(self):
        super().__init__()
        self.asked = []
        self.seconds = []


@pytest.fixture
def gate(monkeypatch):
    """Converting pauses after N_KEPT formats until it is set; it lists what was asked, in order."""
    opened = Gate()

    def gated(data, options=None, *, formats, visitor, on_wait, seconds):
        formats = list(formats)
        opened.asked.append((data, formats))
        opened.seconds.append(seconds)
        for n_done, found in enumerate(iter_conversions(data, options, formats=formats, visitor=visitor)):
            while n_done == N_KEPT and not opened.wait(0.01):
                on_wait()
            yield found

    monkeypatch.setattr(costs, "iter_conversions", gated)
    yield opened
    opened.set()


def table(session, text="[1]", tokenizers=(GPT2,), **how):
    return session.table(text, None, WriteOptions(), tokenizers, **how)


def test_a_newer_run_of_the_page_waits_for_the_same_work(gate):
    session = FormatSession()
    with pytest.raises(Interrupted):
        table(session, on_wait=interrupt)
    with pytest.raises(Interrupted):  # another tokenizer is another control: it ends nothing
        table(session, tokenizers=[GPT2, O200K], on_wait=interrupt)
    gate.set()
    found = table(session, tokenizers=[GPT2, O200K])
    assert gate.asked == [([1], list(FORMATS))]
    assert found == measure([1], [GPT2, O200K])
    assert session.begun is None
    assert offloading.CONVERT_SECONDS < gate.seconds[0] <= offloading.READ_AND_CONVERT_SECONDS <= 27


def test_other_data_ends_the_work(gate):
    session = FormatSession()
    with pytest.raises(Interrupted):
        table(session, on_wait=interrupt)
    assert session.begun is not None
    before = session.begun.work
    with pytest.raises(Interrupted):
        table(session, "[2]", on_wait=interrupt)
    with pytest.raises(CancelledError):
        before.result()
    until(lambda: before.is_over)
    gate.set()
    assert table(session, "[2]") == measure([2], [GPT2])
    assert [data for data, _ in gate.asked] == [[1], [2], [2]]


def test_data_that_is_there_already_ends_the_work_on_others(gate):
    gate.set()
    session = FormatSession()
    first = table(session)
    gate.clear()
    with pytest.raises(Interrupted):
        table(session, "[2]", on_wait=interrupt)
    assert session.begun is not None
    work = session.begun.work
    assert table(session) == first
    until(lambda: work.is_over)
    assert session.begun is None


def test_what_is_stopped_stays_so_and_goes_on_where_it_was(gate):
    session = FormatSession()
    said = []

    def stop(work):
        if f"{N_KEPT} of {len(FORMATS)}" in work.what:
            said.append((work.part, work.what))
            session.stop()

    with pytest.raises(StoppedError, match=rf"{N_KEPT} of {len(FORMATS)} formats .*: JSON, pretty; JSON, pr"):
        table(session, on_wait=stop)
    ((part, what),) = said
    assert 0 < part < 1
    assert [FORMATS[name].label in what for name in FORMATS][: N_KEPT + 1] == [True] * N_KEPT + [False]
    for tokenizers in ([GPT2], [O200K]):
        with pytest.raises(StoppedError):
            table(session, tokenizers=tokenizers)
    session.go_on()
    gate.set()
    assert table(session) == measure([1], [GPT2])
    assert [formats for _, formats in gate.asked[:2]] == [list(FORMATS), list(FORMATS)[N_KEPT:]]
    session.stop()  # nothing is left to stop
    assert table(session) == measure([1], [GPT2])


def test_dividing_tokens_is_stopped_and_goes_on_too(monkeypatch):
    session = FormatSession()
    table(session)
    divided, go = [], threading.Event()

    def gated(text, *how):
        divided.append(text)
        while len(divided) > N_KEPT and not go.wait(0.01):
            pass
        return divide(text, *how)

    monkeypatch.setattr(offloading, "divide", gated)

    def stop(work):
        if len(divided) > N_KEPT:
            session.stop()

    n_written = len([found for found in session.conversions if found.text is not None])
    with pytest.raises(StoppedError, match=f"Tokens of {N_KEPT} of {n_written} formats divided"):
        session.roles(GPT2, on_wait=stop)
    with pytest.raises(StoppedError):
        session.roles(GPT2)
    n_divided = len(divided)
    go.set()
    assert session.begun is not None
    until(lambda: session.begun is None or session.begun.work.is_over)
    assert len(divided) == n_divided < n_written, "it ends before the next format"
    assert table(session) == measure([1], [GPT2]), "the table is there all the same"
    session.go_on()
    divisions = session.roles(GPT2)
    assert len(divided) == n_written, "none is divided twice"
    counts = {found.format_name: sum((found.parts or {}).values()) for found in divisions}
    assert counts == table(session).n_tokens["gpt2"]


def test_reading_is_not_repeated_by_going_on(gate, monkeypatch):
    n_read = []

    def noted(*what, **how):
        n_read.append(1)
        return open_document(*what, **how)

    monkeypatch.setattr(session_module, "open_document", noted)
    session = FormatSession()

    def stop(work):
        if "3 of" in work.what:
            session.stop()

    with pytest.raises(StoppedError):
        table(session, on_wait=stop)
    session.go_on()
    gate.set()
    table(session)
    assert session.document is not None
    assert session.document.data == [1]
    assert n_read == [1]


def test_errors_of_the_work_are_raised_and_other_data_is_taken():
    session = FormatSession()
    for _ in range(2):
        with pytest.raises(PlaygroundError, match="line 1, column 6"):
            table(session, '{"a" 1}')
        assert session.begun is None
    table(session)


def test_stop_ends_the_processes(monkeypatch):
    own = pool.Pool()
    monkeypatch.setattr(pool, "_POOL", own)
    monkeypatch.setattr(offloading, "MAX_BYTES_HERE", 0)
    monkeypatch.setattr(pool, "run", lambda _function, *_a, **how: run("time.sleep", 600, **how))
    session = FormatSession()
    at_work = []

    def stop(work):
        alive = [process for process in own.busy if process.is_alive]
        if alive and work.what:  # how far it is, is told a moment after a process has begun
            at_work.extend(alive)
            session.stop()

    with pytest.raises(StoppedError, match="Reading the data"):
        table(session, on_wait=stop)
    until(lambda: not own.busy)
    assert at_work
    assert not any(process.is_alive for process in at_work)
    own.close()


run = pool.run


def test_no_other_text_is_counted_after_an_end(monkeypatch):
    begun = []
    go = threading.Event()

    class Counter:
        def __init__(self, tokenizer):
            self.tokenizer = tokenizer

        def count(self, text):
            begun.append(text)
            go.wait(60)
            return 1

    monkeypatch.setattr(costs, "TokenCounter", Counter)

    def stop(part, what):
        if "texts counted" in what:
            raise Interrupted

    with pytest.raises(Interrupted):
        measure([{"a": 1}], [GPT2], on_progress=stop)
    go.set()
    time.sleep(0.1)
    assert len(begun) <= costs._N_THREADS < len(FORMATS)


def test_a_work_that_nobody_wants_ends_where_it_tells(gate):
    told = []

    def do(tell):
        for n in range(1_000_000):
            tell(0.5, f"{n}")
            told.append(n)
            time.sleep(0.001)

    work = Work(do)
    until(lambda: told)
    work.cancel()
    with pytest.raises(CancelledError):
        work.result()
    until(lambda: work.is_over)
    n_told = len(told)
    gc.collect()
    assert len(told) == n_told < 1_000_000


def test_the_page_says_how_far_it_is_with_a_button_that_stops():
    def script():
        import streamlit as st

        from playground.ui.formats import waiting

        class At:
            part, what = 0.5, "6 of 17 formats: CSV, *TSV*"

        class Session:
            def stop(self):
                st.session_state["stopped"] = True

        waiting._PATIENCE_SECONDS = st.session_state.get("patience", 0.0)
        for name in st.session_state.get("waits", ("table",)):
            wait = waiting._Wait(name, Session(), st.empty())  # type: ignore[arg-type]
            for _ in range(3):
                wait.draw(At())  # type: ignore[arg-type]

    app = AppTest.from_function(script)
    app.session_state["patience"] = 100.0
    app.run()
    assert not app.button, "short work shows nothing of itself"
    app.session_state["patience"] = 0.0
    app.run()
    (bar,) = app.get("progress")
    assert (bar.proto.value, bar.proto.text.replace("\\", "")) == (50, "6 of 17 formats: CSV, *TSV*")
    (button,) = app.button
    assert button.label == "Stop"
    button.click().run()
    assert app.session_state["stopped"]
    app.session_state["waits"] = ("table", "roles")  # one run may wait twice
    app.run()
    assert len(app.button) == 2
    assert not app.exception


def test_a_page_that_is_stopped_keeps_the_data_and_goes_on(gate, monkeypatch):
    text = json.dumps([{"a": 1}, {"a": 2}])
    wait = Work.result

    def stopping(work, on_wait):
        def stop(waiting):
            on_wait(waiting)
            if "3 of" in waiting.what:
                page_session[0].stop()

        return wait(work, stop)

    page_session: list[FormatSession] = []
    init = FormatSession._begin

    def begin(self, *what):
        page_session[:] = [self]
        return init(self, *what)

    monkeypatch.setattr(FormatSession, "_begin", begin)
    monkeypatch.setattr(Work, "result", stopping)
    page = visit("formats", {"formats.text": text})
    (said,) = page.info
    assert said.value.replace("\\", "").startswith(
        "Stopped at: 3 of 17 formats written and read back: JSON, pretty"
    )
    assert page.text_area(key="formats.text").value == text
    assert "loses nothing" not in html_of(page)
    page.number_input(key="formats.price").set_value(3.0).run()
    assert [info.value for info in page.info] == [said.value], "another control does not begin it again"
    gate.set()
    page.button(key="formats.go_on.table").click().run()
    assert not page.info
    assert not page.exception
    assert "loses nothing" in html_of(page)
    assert page.text_area(key="formats.text").value == text
    assert gate.asked[1][1] == list(FORMATS)[N_KEPT:]


def test_the_chart_of_roles_shows_what_is_divided_before_all_is(monkeypatch):
    page = visit("formats", {"formats.text": json.dumps([{"a": 1}, {"a": 2}])})
    go = threading.Event()
    page_session: list[FormatSession] = []
    begin = FormatSession._begin

    def noted_begin(self, *what):
        page_session[:] = [self]
        return begin(self, *what)

    divided = []

    def gated(text, *how):
        divided.append(text)
        if len(divided) > N_KEPT:
            assert go.wait(60)
        return divide(text, *how)

    wait = Work.result

    def stopping(work, on_wait):
        def stop(waiting):
            on_wait(waiting)
            if len(page_session[0].divisions_so_far()) == N_KEPT:
                page_session[0].stop()

        return wait(work, stop)

    monkeypatch.setattr(FormatSession, "_begin", noted_begin)
    monkeypatch.setattr(offloading, "divide", gated)
    monkeypatch.setattr(Work, "result", stopping)
    page.button_group(key="view.formats").set_value("Where the tokens go").run()
    go.set()
    assert not page.exception
    assert page.info[0].value.replace("\\", "").startswith("Stopped at: Tokens of 3 of")
    labels = [FORMATS[name].label for name in list(FORMATS)[:N_KEPT]]
    (chart,) = page.get("arrow_vega_lite_chart") or page.get("vega_lite_chart")
    assert all(label in str(chart.proto) for label in labels)
    assert FORMATS["yaml"].label not in str(chart.proto)
