"""The Formats page: messages about any data, which leave the rest of the page in place."""

import csv
import io
import re
import threading
from collections.abc import Callable
from html import unescape

import pytest
from streamlit.testing.v1 import AppTest

from playground.catalog.registry import get_tokenizer
from playground.formats import costs
from playground.formats.costs import measure
from playground.formats.offloading import iter_conversions
from playground.formats.registry import FORMATS
from playground.server.formats import session as session_module
from playground.server.formats.session import FormatSession
from playground.ui.formats.views import _table_csv
from tests.ui.visits import choose, html_of, learned, places_of, visit
from tests.waiting import run_until

VIEWS = ["Cost", "Where the tokens go", "Side by side", "How it scales"]


class FormatsPage:
    """A visit to the page; the text is edited through the session's route."""

    def __init__(self, app: AppTest, session: FormatSession) -> None:
        self.app, self.session = app, session
        self.settle()

    def settle(self) -> None:
        """Run the page until nothing is computed any more."""
        run_until(self.app, lambda: not self.app.get("progress"))

    def type(self, text: str) -> None:
        """Replace the text as typing does, then run the page as the browser requests."""
        n_units = len(self.session.text.encode("utf-16-le")) // 2
        self.session.edit(version=self.session.version, start=0, n_deleted=n_units, inserted=text)
        self.app.run()
        self.settle()

    def choose_view(self, name: str) -> None:
        self.app.button_group(key="view.formats").set_value(name).run()
        self.settle()

    def press(self, label: str) -> None:
        next(button for button in self.app.button if button.label == label).click().run()
        self.settle()

    @property
    def data(self) -> object:
        assert self.session.latest is not None
        return self.session.latest.document.data

    @property
    def html(self) -> str:
        return html_of(self.app)

    @property
    def words(self) -> str:
        return unescape(re.sub("<.*?>", " ", self.html))

    @property
    def messages(self) -> list[str]:
        return [item.value.replace("\\", "") for item in (*self.app.info, *self.app.error)]


Opener = Callable[..., FormatsPage]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Opener:
    """Return a function that opens the page with a text; `kept` has other values of the session."""

    def open_page(text: str, **kept: object) -> FormatsPage:
        session = FormatSession(text=text)
        monkeypatch.setattr(session_module, "FormatSession", lambda: session)
        return FormatsPage(visit("formats", {key.replace("__", "."): kept[key] for key in kept}), session)

    return open_page


@pytest.mark.parametrize("text", ["1", "[]", '[""]', "[[1], [2]]", "1: a\n2001-01-01: .nan"])
def test_any_data_is_shown_in_each_view(opened, text):
    page = opened(text)
    for view in VIEWS:
        page.choose_view(view)
        assert page.messages == []


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("[" * 10_000, "100 levels"),
        ("&a [*a]", "contains itself"),
        ('{"a" 1}', "line 1, column 6"),
        ("<!DOCTYPE r [<!ENTITY a 'b'>]><r>&a;</r>", "entities"),
        ("", "or open a file"),
    ],
)
def test_data_that_cannot_be_read_says_why_and_the_previous_results_stay(opened, text, part):
    page = opened('[{"a": "x"}]')
    advice = "the cheapest format"
    assert advice in page.html
    assert "for the previous data" not in page.html
    page.type(text)
    assert [part in message for message in page.messages] == [True]
    assert len(page.app.error) == bool(text), "an empty field is no error"
    for view in VIEWS:
        page.choose_view(view)
        assert advice in page.html
        assert "These results are for the previous data." in page.html
    page.type("b: 1")
    assert page.messages == []
    assert "for the previous data" not in page.html


def test_previous_results_name_their_file(opened):
    page = opened("n: 1")
    given = {"inserted": "name,price\nx,7\n", "name": "small.csv"}
    page.session.edit(version=page.session.version, start=0, n_deleted=4, **given)
    page.app.run()
    page.settle()
    assert page.data == [{"name": "x", "price": 7}]
    page.type("[1, 2")
    assert "These results are for the previous data, small.csv." in page.html


@pytest.mark.parametrize("text", ["Dear all, see you at noon.", "Dear team,\n\nNote: it is late.\nThanks"])
def test_prose_is_asked_about(opened, text):
    page = opened(text)
    assert ["looks like prose" in message for message in page.messages] == [True]
    assert "A guess: YAML reads almost any text, even prose." in page.words
    assert "loses nothing" not in page.html
    page.press("Read it as YAML")
    assert page.app.selectbox(key="formats.read.yaml").value == "YAML"
    assert not page.app.info


def test_a_format_is_chosen_for_texts_of_one_kind_and_another_text_is_detected_anew(opened):
    page = opened('{"a": {"b": 1}}')
    read_as = page.app.selectbox(key="formats.read.json")
    assert read_as.options[0] == "JSON (detected)"
    assert "Certain: it is valid JSON." in page.words
    read_as.set_value("TOML").run()
    assert "Not valid TOML" in page.messages[0]
    page.type("a: 1")
    assert page.messages == []
    assert page.data == {"a": 1}
    page.type('{"a": {"b": 2}}')
    assert "Not valid TOML" in page.messages[0]
    page.app.selectbox(key="formats.read.json").set_value("Detect").run()
    page.settle()
    assert page.data == {"a": {"b": 2}}


def test_an_older_address_chooses_the_format_of_the_text_that_it_brings(opened):
    page = opened("x: 1")
    page.app.query_params["formats.input"] = "CSV"
    page.type("a: 1\nb: 2")
    assert page.data == [{"a: 1": "b: 2"}]
    page.type("[1]")
    assert page.data == [1]


def test_how_it_scales_draws_what_is_chosen_and_names_what_it_cannot_draw(opened):
    page = opened('[{"a": {}}]')
    page.choose_view("How it scales")
    grown = page.app.multiselect(key="formats.grown")
    grown.set_value(["yaml", "csv", "markdown"]).run()
    page.settle()
    assert "Part of your data is lost in CSV and Markdown table; “Cost” says which." in page.words
    grown.set_value([]).run()
    assert "No format is chosen." in page.words
    page.type("5")
    grown.set_value(["csv", "yaml"]).run()
    page.settle()
    assert "Without a line, because they cannot hold this data: CSV." in page.words


def test_a_page_without_a_tokenizer_says_which_counts(opened):
    page = opened('{"a": 1}')
    choose(page.app, [], picker="tokenizers")
    assert "No tokenizer is chosen; o200k_base is used." in [
        c.value.replace("\\", "") for c in page.app.caption
    ]
    assert "In o200k_base" in page.html


def test_a_tokenizer_that_was_trained_here_counts(opened):
    mine = learned("mine", '[{"name": "Ada", "city": "Oslo"}]' * 9, vocab_size=290)
    page = opened('[{"name": "Ada"}]', keep__trained_tokenizers={"mine": mine})
    choose(page.app, ["mine", "gpt2"], picker="tokenizers")
    for view in VIEWS:
        page.choose_view(view)
    answer = page.session.latest
    counts = answer.table([mine]).n_tokens["mine"]
    assert counts == {c.format_name: len(mine.encode(c.text)) for c in answer.conversions if c.text}
    assert "In mine, " in page.html


@pytest.mark.parametrize(
    ("price", "part"),
    [
        (-3.0, "The price is below 0; a price is 0, which is free, or more."),
        (0.0, "1,000 calls cost nothing: the price is 0."),
        (2.0, "1,000 calls cost $"),
    ],
)
def test_the_price_of_calls_is_shown_or_what_is_wrong_with_it(opened, price, part):
    page = opened('[{"a": 1}]')
    page.app.number_input(key="formats.price").set_value(price).run()
    assert part in page.words


def test_a_message_moves_no_chart(opened):
    page = opened('[{"a": 1}]')
    kinds = ("vega_lite_chart", "selectbox", "code")
    before = [places_of(page.app, kind) for kind in kinds]
    assert [len(places) for places in before] == [1, 2, 1]
    for text, part in (('[{"é": "ä"}]', "Escapes"), ('{"a": {"b": [1, 2, null]}}', "lose"), ("[1", "")):
        page.type(text)
        assert part in page.html
        assert [places_of(page.app, kind) for kind in kinds] == before


def test_a_csv_does_not_lose_the_types_that_a_csv_has_not(opened):
    page = opened("at,n\n2026-03-14,1\n2026-03-15,2\n")
    assert re.search(
        "(CSV|TSV)( and (CSV|TSV) tie as| is) the cheapest formats? that loses? nothing", page.html
    )
    assert "cheaper still" not in page.html


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ('[{"a": 1, "a": 2}]', "The key &#x27;a&#x27; is repeated in an object; the last value is used."),
        ("| a |\n|---|\n| 1 |\n\n<b>more</b>", "Text after the table was left out (lines: 1)."),
    ],
)
def test_what_was_not_read_is_said_above_the_chart_as_text(opened, text, part):
    page = opened(text)
    places = zip(places_of(page.app, "html"), page.app.main.get("html"), strict=True)
    notes = [place for place, item in places if part in item.proto.body]
    assert len(notes) == 1
    assert notes[0] < places_of(page.app, "vega_lite_chart")[0]
    assert "<b>more</b>" not in page.html


def test_the_text_shown_is_in_the_cheapest_format_or_the_chosen_one(opened):
    page = opened('[{"a": 1, "b": 2}, {"a": 3, "b": 4}]')
    assert page.app.code[0].value == "a,b\n1,2\n3,4"
    page.type("own: data")
    assert page.app.code[0].value == "own: data"
    page.app.selectbox(key="formats.converted").set_value("python").run()
    page.type("own: other")
    assert page.app.code[0].value == "{'own': 'other'}"


def test_a_shown_text_says_what_it_has_lost_or_why_there_is_none(opened):
    lost = "CSV leaves out “page” and drops or changes the name “users”."
    page = opened(
        '{"page": {"n": 1}, "users": [{"id": 1}, {"id": 2}]}',
        formats__converted="csv", formats__right="csv",
    )  # fmt: skip
    for view in ("Cost", "Side by side"):
        page.choose_view(view)
        assert page.html.count(lost) == 1
    page.type('{"a": {"b": [1]}}')
    for view, key in (("Side by side", "formats.right"), ("Cost", "formats.converted")):
        page.choose_view(view)
        assert page.app.selectbox(key=key).value == "csv", "it stays chosen"
        assert "CSV is left out: " in page.html


def test_of_a_long_text_only_the_beginning_is_drawn_as_tokens(opened, monkeypatch):
    monkeypatch.setattr("playground.ui.formats.views._TOKEN_CHARACTERS", 3)
    page = opened('{"zz": [1, 2, 3]}', view__formats="Side by side")
    shown = unescape(re.sub(r"<[^>]*>", "", page.html))
    assert '{"z' in shown
    assert '{"zz' not in shown


def test_options_change_what_is_written_and_escapes_are_counted(opened):
    page = opened('[{"b": "é", "a": "ü"}]')
    before = {found.format_name: found.text for found in page.session.latest.conversions}
    plain, escaped = (
        len(get_tokenizer("o200k_base").encode(text))
        for text in ('[{"b":"é","a":"ü"}]', '[{"b":"\\u00e9","a":"\\u00fc"}]')
    )
    assert f"would cost {escaped - plain} tokens more in compact JSON" in page.html
    for label in ("Sort keys", "Escape é as \\u00e9, where a format can"):
        next(box for box in page.app.checkbox if box.label == label).check()
    page.app.run()
    page.settle()
    after = {found.format_name: found.text for found in page.session.latest.conversions}
    assert {name for name in FORMATS if before[name] == after[name]} == set()
    assert after["json_compact"] == '[{"a":"\\u00fc","b":"\\u00e9"}]'


def test_work_shows_its_progress_is_stopped_and_goes_on(opened, monkeypatch):
    gate = threading.Event()

    def gated(*what, on_wait, **how):
        for n_done, found in enumerate(iter_conversions(*what, **how)):
            while n_done == 3 and not gate.wait(0.01):
                on_wait()
            yield found

    page = opened('[{"a": 1}]')
    monkeypatch.setattr(costs, "iter_conversions", gated)
    page.session.edit(version=page.session.version, start=0, n_deleted=0, inserted=" ")
    page.app.run()
    (bar,) = page.app.get("progress")
    assert bar.proto.text.replace("\\", "").startswith("3 of 18 formats written and read back: JSON, pretty")
    assert "These results are for the previous data." in page.html
    page.press("Stop")
    assert ["Stopped at: 3 of 18 formats" in message for message in page.messages] == [True]
    page.app.number_input(key="formats.price").set_value(3.0).run()
    assert page.messages, "another setting does not start it again"
    gate.set()
    page.press("Go on")
    assert page.messages == []
    assert "for the previous data" not in page.html


def test_a_table_for_a_spreadsheet_has_prices_of_a_thousand_calls():
    gpt2 = get_tokenizer("gpt2")
    table = measure([{"a": 1, "b": "x"}], [gpt2], formats=["json_pretty", "json_compact", "csv"])
    counts = table.n_tokens["gpt2"]
    rows = {row["format"]: row for row in csv.DictReader(io.StringIO(_table_csv(table, 2.5)))}
    assert [*rows] == ["json_pretty", "json_compact", "csv"]
    for name, row in rows.items():
        assert row["gpt2 tokens"] == str(counts[name])
        assert float(row["gpt2 $ per 1,000 calls"]) == pytest.approx(counts[name] * 1_000 * 2.5 / 1_000_000)
        change = counts[name] / counts["json_compact"] - 1
        assert float(row["gpt2 vs compact"]) == pytest.approx(change, abs=1e-4)
