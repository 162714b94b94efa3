"""The Train page, driven through Streamlit's own test runner."""

import time
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def page():
    app = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=60)
    app.switch_page("pages/train.py")
    return app.run()


def test_bad_wishes_are_told_and_the_page_stays_alive(page):
    page.number_input(key="train-vocab-size").set_value(100).run()
    assert "choose 257" in page.error[0].value
    assert page.button(key="train-start").disabled
    page.number_input(key="train-vocab-size").set_value(300).run()
    assert not page.error
    page.selectbox(key="train-pattern").set_value("my own expression").run()
    page.text_input(key="train-typed-pattern").set_value("(").run()
    assert "does not compile" in page.error[0].value
    assert page.text_input(key="train-typed-pattern").value == "("


def test_an_empty_pasted_text_is_told(page):
    page.selectbox(key="train-corpus").set_value("Paste a text").run()
    page.text_area(key="train-paste").set_value("").run()
    assert "the text is empty" in page.error[0].value


def test_a_pasted_text_is_learned_and_kept(page):
    page.selectbox(key="train-corpus").set_value("Paste a text").run()
    page.number_input(key="train-vocab-size").set_value(259).run()
    page.selectbox(key="train-pattern").set_value("none").run()
    page.number_input(key="train-min-count").set_value(1).run()
    page.select_slider(key="train-speed").set_value("full speed").run()
    page.button(key="train-start").click().run()
    deadline = time.monotonic() + 30
    while not any("Export" in part.value for part in page.markdown) and time.monotonic() < deadline:
        time.sleep(0.2)
        page.run()
        if any(group.key == "train-panel" for group in page.button_group):
            page.button_group(key="train-panel").set_value("Keep and export").run()
    keep = next(button for button in page.button if button.label == "Keep")
    keep.click().run()
    assert "in every picker" in page.success[0].value
    page.switch_page("pages/tokenize.py").run()
    assert "my-tokenizer" in page.selectbox[0].options
