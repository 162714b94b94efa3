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
from playground.formats.registry import FORMATS
from playground.training.pretoken_counts import count_pretokens
from playground.training.trainer import Trainer, model_of
from tests.ui.visits import html_of, visit

ROOT = Path(__file__).resolve().parents[3]
VIEWS = ["Cost", "Where the tokens go", "Side by side", "How it scales"]


@pytest.mark.parametrize("text", ["1", "[]", "null", '[""]', "[[1], [2]]", "1: a\n2001-01-01: .nan"])
def test_no_data_breaks_a_view(text):
    app = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=60)
    app.switch_page("pages/formats.py")
    app.session_state["formats.text"] = text
    app.run()
    for view in VIEWS:
        app.button_group(key="view.formats").set_value(view).run()
        assert list(app.exception) == []
        assert list(app.error) == []
        assert app.text_area[0].value == text


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "empty"),
        ("[" * 10_000, "100 levels"),
        ("&a [*a]", "contains itself"),
        ('{"a" 1}', "line 1, column 6"),
        ("<!DOCTYPE r [<!ENTITY a 'b'>]><r>&a;</r>", "entities"),
    ],
)
def test_bad_data_is_told_and_stays(text, part):
    app = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=60)
    app.switch_page("pages/formats.py")
    app.session_state["formats.text"] = text
    app.run()
    assert list(app.exception) == []
    assert part in app.error[0].value.replace("\\", "")
    assert app.text_area[0].value == text


def test_options_change_the_counts():
    app = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=60)
    app.switch_page("pages/formats.py")
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
    page.file_uploader[0].set_value([("d.json", b'{"zz": [1, 2, 3]}', "application/json")]).run()
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


@pytest.mark.parametrize("pattern", ["gpt2", "none"])
def test_a_tokenizer_that_was_trained_here_is_counted(pattern):
    text = '[{"name": "Ada", "city": "Oslo"}, {"name": "Bo", "city": "Oslo"}]'
    pretokens = count_pretokens([text] * 3, SplitPattern.named(pattern))
    trainer = Trainer(pretokens, vocab_size=290)
    trainer.advance()
    model = model_of(trainer, SplitPattern.named(pattern))
    app = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=60)
    app.switch_page("pages/formats.py")
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
    assert any("For this data and mine, " in getattr(item, "value", "") for item in app.get("html"))
