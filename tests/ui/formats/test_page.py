"""The formats page with data that leaves charts empty, sentences short or formats out."""

import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.registry import get_tokenizer
from playground.catalog.trained import TrainedTokenizer
from playground.formats.limits import MAX_INPUT_BYTES, MAX_INPUT_MB
from playground.formats.registry import FORMATS
from playground.training.pretoken_counts import count_pretokens
from playground.training.trainer import Trainer, model_of
from playground.ui.formats import controls
from tests.ui.visits import html_of, places_of, visit

ROOT = Path(__file__).resolve().parents[3]
VIEWS = ["Cost", "Where the tokens go", "Side by side", "How it scales"]


@pytest.mark.parametrize("text", ["1", "[]", "null", '[""]', "[[1], [2]]", "1: a\n2001-01-01: .nan"])
def test_no_data_breaks_a_view(text):
    app = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=60)
    app.switch_page("articles/formats.py")
    app.session_state["formats.text"] = text
    app.run()
    for view in [None, *VIEWS[1:]]:  # it opens with the first
        if view:
            app.button_group(key="view.formats").set_value(view).run()
        assert list(app.exception) == []
        assert list(app.error) == []
        assert app.text_area[0].value == text


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("[" * 10_000, "100 levels"),
        ("&a [*a]", "contains itself"),
        ('{"a" 1}', "line 1, column 6"),
        ("<!DOCTYPE r [<!ENTITY a 'b'>]><r>&a;</r>", "entities"),
    ],
)
def test_bad_data_is_told_and_stays(text, part):
    app = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=60)
    app.switch_page("articles/formats.py")
    app.session_state["formats.text"] = text
    app.run()
    assert list(app.exception) == []
    assert part in app.error[0].value.replace("\\", "")
    assert app.text_area[0].value == text


def formats_page(text: str) -> AppTest:
    return visit("formats", {"formats.text": text})


def notes_of(page: AppTest) -> str:
    return unescape(re.sub("<.*?>", " ", html_of(page)))


def test_how_it_scales_draws_what_is_chosen_and_tells_what_it_cannot_draw():
    page = formats_page("5")
    page.button_group(key="view.formats").set_value("How it scales").run()
    assert "Without a line, for they cannot hold this: CSV." in notes_of(page)
    page.multiselect(key="formats.grown").set_value(["csv"]).run()
    assert "cannot hold this: CSV." in notes_of(page)
    page.multiselect(key="formats.grown").set_value([]).run()
    assert "No format is chosen: each one that is has a line." in notes_of(page)
    page.multiselect(key="formats.grown").set_value(["yaml"]).run()
    assert "cannot hold this" not in notes_of(page)
    assert list(page.exception) == []


def test_how_it_scales_tells_which_lines_are_of_texts_that_lose_something():
    page = formats_page('[{"a": {}}]')
    page.button_group(key="view.formats").set_value("How it scales").run()
    page.multiselect(key="formats.grown").set_value(["yaml", "csv", "markdown"]).run()
    assert "Of your data something is lost in CSV and Markdown table; “Cost” says what." in notes_of(page)
    page.multiselect(key="formats.grown").set_value(["yaml"]).run()
    assert "something is lost" not in notes_of(page)


def test_a_page_without_a_tokenizer_says_which_counts():
    page = formats_page('{"a": 1}')
    assert not any("None is chosen" in caption.value for caption in page.caption)
    page.multiselect(key="formats.tokenizers").set_value([]).run()
    told = [caption.value.replace("\\", "") for caption in page.caption]
    assert "None is chosen: o200k_base counts." in told
    assert "In o200k_base" in html_of(page)


@pytest.mark.parametrize(
    ("price", "told"),
    [
        (-3.0, "The price is below 0; a price is 0, which is free, or more."),
        (0.0, "1,000 calls cost nothing: the price is 0."),
        (2.0, "1,000 calls cost $"),
    ],
)
def test_a_price_is_counted_with_or_told_of(price, told):
    page = formats_page('[{"a": 1}]')
    page.number_input(key="formats.price").set_value(price).run()
    assert page.number_input(key="formats.price").min is None, (
        "a browser would send none of it, and say nothing"
    )
    assert told in notes_of(page)


def test_what_is_told_of_data_moves_no_chart():
    page = formats_page('[{"a": 1}]')
    before = [places_of(page, kind) for kind in ("vega_lite_chart", "selectbox", "code")]
    assert [len(places) for places in before] == [1, 3, 1]
    for text, told in (('[{"é": "ä"}]', "Escapes"), ('{"a": {"b": [1, 2, null]}}', "loses")):
        page.text_area(key="formats.text").set_value(text).run()
        assert told in html_of(page)
        assert [places_of(page, kind) for kind in ("vega_lite_chart", "selectbox", "code")] == before


def test_the_data_before_comes_back_in_the_place_of_a_file_that_cannot_be_read():
    page = formats_page('{"read": 1}')
    page.file_uploader(key="formats.uploaded").set_value([("bad.json", b'{"a":', "application/json")]).run()
    assert len(page.error) == 1
    next(button for button in page.button if button.label == "Bring the data before back").click().run()
    assert list(page.error) == []
    assert page.session_state["keep.formats.session"].document.data == {"read": 1}


def test_the_data_before_is_what_was_shown_last_a_file_too():
    page = formats_page('{"old": 1}')
    page.text_area(key="formats.text").set_value('{"a": [1,,').run()
    page.file_uploader(key="formats.uploaded").set_value(
        [("small.csv", b"name,price\nx,7\n", "text/csv")]
    ).run()
    page.file_uploader(key="formats.uploaded").set_value([]).run()  # while another takes its place
    assert "is read (15 bytes)" in notes_of(page)
    next(button for button in page.button if button.label == "Remove the file").click().run()
    assert "What follows is of small.csv, which was read before." in html_of(page)
    next(button for button in page.button if button.label == "Bring the data before back").click().run()
    assert page.text_area(key="formats.text").value == "name,price\nx,7\n"
    assert page.session_state["keep.formats.session"].document.data == [{"name": "x", "price": 7}]


def test_a_file_that_is_read_shows_its_beginning_in_the_place_of_the_text():
    page = formats_page('{"own": 1}')
    n_before = len(page.code)
    text = "name;price\n\xc9lan;7\n"
    page.file_uploader(key="formats.uploaded").set_value(
        [("small.csv", text.encode("utf-16"), "text/csv")]
    ).run()
    assert "The file small.csv is read (38 bytes):" in notes_of(page)
    assert page.code[0].value == text.strip()
    page.file_uploader(key="formats.uploaded").set_value(
        [("long.csv", b"n\n" + 2_000 * b"77\n", "text/csv")]
    ).run()
    assert "The file long.csv is read (6,002 bytes). It begins so:" in notes_of(page)
    assert page.code[0].value.startswith("n\n77\n77\n")
    assert len(page.code[0].value) == 3_000
    next(button for button in page.button if button.label == "Remove the file").click().run()
    assert len(page.code) == n_before
    assert page.session_state["keep.formats.session"].document.data == {"own": 1}


def test_a_file_that_its_name_calls_a_table_is_read_as_one_and_told_what_is_wrong_with_it():
    page = formats_page("")
    file = ("one.csv", b"plz\n01067\n", "text/csv")
    page.file_uploader(key="formats.uploaded").set_value([file]).run()
    assert page.session_state["keep.formats.session"].document.data == [{"plz": "01067"}]
    file = ("ragged.csv", b"id,name\n1,a,extra\n2\n", "text/csv")
    page.file_uploader(key="formats.uploaded").set_value([file]).run()
    (error,) = page.error
    assert "record 2 has 3 cells, and the first line has 2" in error.value


@pytest.mark.parametrize("raw", ["na\xefve: 1\n".encode("latin-1"), b"PAR1\xc8\x00", b"\xff\xfea"])
def test_a_file_that_is_no_text_is_not_told_to_be_read(raw):
    page = formats_page("")
    page.file_uploader(key="formats.uploaded").set_value([("bad.txt", raw, "text/plain")]).run()
    assert f"The file bad.txt cannot be read ({len(raw)} bytes)." in notes_of(page)
    assert not page.code
    assert len(page.error) == 1
    next(button for button in page.button if button.label == "Remove the file").click().run()
    assert not page.error


@pytest.mark.parametrize(
    "raw", [b"n\n" + b"7\n" * 600_000, "n\n\N{LATIN SMALL LETTER E WITH ACUTE}\n".encode("utf-16")]
)
def test_a_file_that_no_field_can_have_is_not_brought_back_as_another(raw):
    assert controls.text_of(raw) is None
    assert controls.text_of("\ufeffn\n7\n".encode()) == "n\n7\n"


@pytest.mark.parametrize(("text", "told"), [("", "or open a file"), ('{"a" 1}', "line 1, column 6")])
def test_what_cannot_be_read_leaves_the_rest_standing(text, told):
    page = formats_page('[{"a": "x"}]')
    advice = "is the cheapest format that loses nothing"
    assert advice in html_of(page)
    assert "which was read before" not in html_of(page)
    page.text_area(key="formats.text").set_value(text).run()
    messages = [item.value.replace("\\", "") for item in (*page.info, *page.error)]
    assert [told in message for message in messages] == [True]
    assert len(page.error) == bool(text), "an empty field is no error"
    assert advice in html_of(page)
    assert "What follows is of the text, which was read before." in html_of(page)
    for view in VIEWS[1:]:
        page.button_group(key="view.formats").set_value(view).run()
        assert list(page.exception) == []
    page.text_area(key="formats.text").set_value("b: 1").run()
    assert "which was read before" not in html_of(page)


@pytest.mark.parametrize(
    "text",
    [
        "Dear all, see you at noon.",
        "It was late.\nWe went home: all of us.",
        "Note: the cat sat on the mat today.",
        "Dear team,\n\nNote: it is late.\nThanks",
    ],
)
def test_prose_is_asked_about(text):
    page = formats_page(text)
    assert not page.error
    assert "looks like prose" in page.info[0].value
    assert "loses nothing" not in html_of(page)
    page.button(key="formats.as_yaml.table").click().run()
    assert page.selectbox(key="formats.input").value == "YAML"
    assert not page.info
    assert "Read as YAML" in html_of(page) or page.error


def test_what_is_refused_in_a_chosen_format_is_read_as_what_it_is_at_a_press():
    page = formats_page('{"a": {"b": 1}}')
    assert "Detect the format" not in [button.label for button in page.button]
    page.selectbox(key="formats.input").set_value("TOML").run()
    assert "Not valid TOML" in page.error[0].value
    next(button for button in page.button if button.label == "Detect the format").click().run()
    assert page.selectbox(key="formats.input").value == "Detect"
    assert list(page.error) == []
    assert page.session_state["keep.formats.session"].document.data == {"a": {"b": 1}}


def test_prices_have_a_currency_and_the_upload_says_its_limit():
    page = formats_page('[{"a": "x"}]')
    assert "1,000 calls cost $" in html_of(page)
    assert page.number_input(key="formats.price").label.endswith(", $")
    uploader = page.file_uploader(key="formats.uploaded")
    n_sent = uploader.proto.max_upload_size_mb * 1_000_000  # Streamlit's megabytes are millions
    assert n_sent >= MAX_INPUT_BYTES, "nobody sees what the uploader refuses"
    assert f"up to {MAX_INPUT_MB} MB" in uploader.label
    assert MAX_INPUT_BYTES >= MAX_INPUT_MB * 1_000_000


def test_a_csv_is_not_told_that_a_csv_has_no_types():
    page = formats_page("zip,n\n01234,1\n00501,2\n")
    said = html_of(page)
    assert re.search("(CSV|TSV) is the cheapest format that loses nothing", said)
    assert "cheaper still" not in said


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[{"a": 1, "a": 2}]', "The key &#x27;a&#x27; stands twice in an object; the last counts."),
        ("| a |\n|---|\n| 1 |\n\n<b>more</b>", "What stands behind the table (lines: 1) was left out."),
    ],
)
def test_what_was_not_read_stands_above_the_chart(text, told):
    """Headline and losses are of what was read."""
    page = formats_page(text)
    chart = places_of(page, "vega_lite_chart")[0]
    notes = [
        place
        for place, said in zip(places_of(page, "html"), page.get("html"), strict=True)
        if told in said.proto.body
    ]
    assert len(notes) == 1
    assert notes[0] < chart
    assert "<b>more</b>" not in html_of(page)


def test_the_text_shown_is_the_cheapest_of_the_data_or_the_chosen_format():
    page = formats_page('[{"a": 1, "b": 2}, {"a": 3, "b": 4}]')
    assert page.code[0].value == "a,b\n1,2\n3,4"
    page.text_area[0].set_value("own: data").run()
    assert page.code[0].value == "own: data"
    shown = page.selectbox(key="formats.converted")
    assert shown.value == "The cheapest that loses nothing"
    shown.set_value("python").run()
    page.text_area[0].set_value("own: other").run()
    assert page.code[0].value == "{'own': 'other'}"


@pytest.mark.parametrize("name", ["json_lines", "csv"])
def test_a_text_that_is_shown_says_what_it_has_lost(name):
    text = '{"page": {"n": 1}, "users": [{"id": 1}, {"id": 2}]}'
    said = f"{FORMATS[name].label} leaves out “page” and drops or changes the name “users”."
    page = visit("formats", {"formats.text": text, "formats.converted": name, "formats.right": name})
    assert html_of(page).count(said) == 1
    page.selectbox(key="formats.converted").set_value("yaml").run()
    assert said not in html_of(page)
    page.button_group(key="view.formats").set_value("Side by side").run()
    assert html_of(page).count(said) == 1


def test_options_change_the_counts():
    app = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=60)
    app.switch_page("articles/formats.py")
    app.session_state["formats.text"] = '[{"b": "é", "a": "ü"}]'
    app.run()
    before = {c.format_name: c.text for c in app.session_state["keep.formats.session"].conversions}
    plain, escaped = (
        len(get_tokenizer("o200k_base").encode(text))
        for text in ('[{"b":"é","a":"ü"}]', '[{"b":"\\u00e9","a":"\\u00fc"}]')
    )
    assert f"would cost {escaped - plain} tokens more in compact JSON" in html_of(app)
    for label in ("Sort keys", "Escape é as \\u00e9, where a format can"):
        next(box for box in app.checkbox if box.label == label).check()
    app.run()
    after = {c.format_name: c.text for c in app.session_state["keep.formats.session"].conversions}
    assert before["json_compact"] == '[{"b":"é","a":"ü"}]'
    assert {name for name in FORMATS if before[name] == after[name]} == set()
    assert after["json_compact"] == '[{"a":"\\u00fc","b":"\\u00e9"}]'
    assert after["csv"] == "a,b\nü,é"


def test_what_is_read_is_what_was_chosen_and_a_file_comes_first(monkeypatch):
    monkeypatch.setattr("playground.ui.formats.views._TOKEN_CHARACTERS", 3)
    page = visit("formats", {"formats.text": '{"a": 1}', "view.formats": "Side by side"})
    page.selectbox(key="formats.input").set_value("TOML").run()
    assert len(page.error) == 1
    page.selectbox(key="formats.input").set_value("Detect").run()
    page.file_uploader(key="formats.uploaded").set_value(
        [("d.json", b'{"zz": [1, 2, 3]}', "application/json")]
    ).run()
    assert page.session_state["keep.formats.session"].document.data == {"zz": [1, 2, 3]}
    assert "The file d.json is read (17 bytes)" in html_of(page)
    assert list(page.exception) == []
    assert list(page.error) == []
    shown = unescape(re.sub(r"<[^>]*>", "", html_of(page)))
    assert '{"z' in shown, "the beginning of a long text"
    assert '{"zz' not in shown


def test_of_a_long_text_only_the_shown_part_is_looked_through(monkeypatch):
    monkeypatch.setattr("playground.ui.formats.views._TOKEN_CHARACTERS", 30)
    entry, seen = FORMATS["json_compact"], []

    def noted(text):
        for span in entry.iter_roles(text):
            seen.append(span)
            yield span

    monkeypatch.setitem(FORMATS, "json_compact", replace(entry, iter_roles=noted))
    page = visit("formats", {"formats.text": json.dumps([1] * 500), "view.formats": "Side by side"})
    assert list(page.exception) == []
    assert 10 < len(seen) <= 30


def test_a_format_that_is_left_out_beside_another_says_so_and_stays_chosen():
    kept = {"formats.text": '{"a": {"b": [1]}}', "view.formats": "Side by side", "formats.right": "csv"}
    page = visit("formats", kept)
    assert page.selectbox(key="formats.right").value == "csv"
    assert "CSV is left out: " in html_of(page)
    assert html_of(page).count("Tokens of ") == 1, "no other format in its place"
    page.text_area(key="formats.text").set_value('[{"a": 1}, {"a": 2}]').run()
    assert page.selectbox(key="formats.right").value == "csv"
    assert "Tokens of CSV" in html_of(page)


def test_a_converted_text_that_is_left_out_says_so_and_stays_chosen():
    page = visit("formats", {"formats.text": '{"a": {"b": [1]}}', "formats.converted": "csv"})
    assert page.selectbox(key="formats.converted").value == "csv"
    assert "CSV is left out: " in html_of(page)
    assert not page.code
    page.text_area(key="formats.text").set_value('[{"a": 1}, {"a": 2}]').run()
    assert "CSV is left out: " not in html_of(page)
    assert page.code[0].value.split() == ["a", "1", "2"]


@pytest.mark.parametrize("pattern", ["gpt2", "none"])
def test_a_tokenizer_that_was_trained_here_is_counted(pattern):
    text = '[{"name": "Ada", "city": "Oslo"}, {"name": "Bo", "city": "Oslo"}]'
    pretokens = count_pretokens([text] * 3, SplitPattern.named(pattern))
    trainer = Trainer(pretokens, vocab_size=290)
    trainer.advance()
    model = model_of(trainer, SplitPattern.named(pattern))
    app = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=60)
    app.switch_page("articles/formats.py")
    app.session_state["formats.text"] = text
    app.session_state["keep.trained_tokenizers"] = {"mine": TrainedTokenizer("mine", model)}
    app.run()
    app.multiselect[0].set_value(["mine", "gpt2"])
    for view in VIEWS:
        app.button_group(key="view.formats").set_value(view).run()
        assert list(app.exception) == []
    session = app.session_state["keep.formats.session"]
    tokenizer = TrainedTokenizer("mine", model)
    counts = session.counts["mine"][1]
    assert counts == {c.format_name: len(tokenizer.encode(c.text)) for c in session.conversions if c.text}
    assert counts["json_compact"] < len(text.encode())
    assert any("In mine, " in getattr(item, "value", "") for item in app.get("html"))


def test_a_tokenizer_that_nothing_has_is_told_below_the_bar():
    sentence = "No tokenizer is called so"
    page = visit("formats", {"keep.formats.tokenizers.problem": (sentence, None)})
    assert list(page.exception) == []
    (told,) = (block for block in page.main.children.values() if block.proto.id.endswith("-bar-told"))
    assert len(told.get("caption")) == 1
    assert page.caption[0].value == sentence
