"""The tokenizer follows from page to page, until one changes it there."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.visits import learned, visit


def go(page, name):
    page.switch_page(f"articles/{name}.py")
    page.run()
    assert list(page.exception) == []
    return page


def picked(page, name):
    return page.selectbox(key=f"tokenizer.{name}").value


def choose(page, name, tokenizer):
    page.selectbox(key=f"tokenizer.{name}").set_value(tokenizer).run()
    assert list(page.exception) == []


def test_a_tokenizer_follows_until_a_page_has_its_own():
    page = visit("merge_tree")
    assert picked(page, "merge_tree") == "gpt2"
    assert picked(go(page, "tokenize"), "tokenize") == "cl100k_base"
    choose(page, "tokenize", "python_docs_4k")
    assert page.session_state["keep.editor"].base_tokenizer.name == "python_docs_4k"
    assert picked(go(page, "merge_tree"), "merge_tree") == "python_docs_4k"
    assert page.session_state["keep.merge_tree.session"].tokenizer.name == "python_docs_4k"
    choose(page, "merge_tree", "r50k_base")
    assert picked(go(page, "tokenize"), "tokenize") == "python_docs_4k", "it keeps its own"
    choose(page, "tokenize", "gpt2")
    assert picked(go(page, "merge_tree"), "merge_tree") == "r50k_base", "and so does this"


def test_the_tokenizer_that_a_typed_text_is_shown_in_follows_with_it():
    page = visit("tokenize")
    assert picked(go(page, "merge_tree"), "merge_tree") == "gpt2", "nothing was typed"
    page = visit("tokenize")
    page.session_state["keep.editor"].is_fresh = False
    assert picked(go(page, "merge_tree"), "merge_tree") == "cl100k_base"
    go(page, "tokenize")
    assert go(page, "formats").multiselect(key="formats.tokenizers").value == ["o200k_base", "gpt2"]
    go(page, "merge_tree")
    choose(page, "merge_tree", "r50k_base")
    assert go(page, "compare").multiselect(key="tokenizers.compare").value[0] == "r50k_base", "it was chosen"


def test_a_forest_keeps_its_tokenizer_though_its_text_was_looked_at_in_tokenize():
    page = visit("merge_tree")
    forest = page.session_state["keep.merge_tree.session"]
    forest.draw("Hello world!", height_by="depth", step=2, epoch="")
    go(page, "tokenize")
    page.session_state["keep.editor"].is_fresh = False  # the text stands there, too
    assert picked(go(page, "merge_tree"), "merge_tree") == "gpt2"
    page = visit("merge_tree")
    page.session_state["keep.merge_tree.session"].set_text("of a link")
    go(page, "tokenize")
    page.session_state["keep.editor"].is_fresh = False
    assert picked(go(page, "merge_tree"), "merge_tree") == "gpt2"
    page = visit("merge_tree")
    forest = page.session_state["keep.merge_tree.session"]
    forest.draw(forest.text, height_by="depth", step=2, epoch="")
    go(page, "tokenize")
    page.session_state["keep.editor"].is_fresh = False
    assert picked(go(page, "merge_tree"), "merge_tree") == "cl100k_base", "an example was there"


def test_pickers_of_several_open_with_what_was_chosen_last():
    kept = {"keep.trained_tokenizers": {"mine": learned("mine", "a text")}}
    page = visit("tokenize", kept)
    choose(page, "tokenize", "text-davinci-003")  # a model: pickers of several have its encoding
    assert go(page, "compare").multiselect(key="tokenizers.compare").value == [
        "p50k_base",
        "cl100k_base",
        "mine",
    ]
    assert go(page, "formats").multiselect(key="formats.tokenizers").value == ["p50k_base", "gpt2"]
    page.multiselect(key="formats.tokenizers").set_value(["utf8_bytes"]).run()
    choose(go(page, "tokenize"), "tokenize", "mine")
    compared = go(page, "compare").multiselect(key="tokenizers.compare").value
    assert compared == ["gpt2", "cl100k_base", "mine"], "it is there already"
    assert go(page, "formats").multiselect(key="formats.tokenizers").value == ["utf8_bytes"]


def test_what_names_no_tokenizer_is_followed_by_none_of_several():
    page = visit("compare", {"tokenizer.latest": "no such thing"})
    assert page.multiselect(key="tokenizers.compare").value[0] == "gpt2"


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("merge_tree", ["p50k_base", ["gpt2", "utf8_bytes"], "articles/merge_tree.py"]),
        ("compare", ["gpt2", ["p50k_base", "gpt2", "utf8_bytes"], "articles/compare.py"]),
        ("https://example.com", ["gpt2", ["gpt2", "utf8_bytes"], ""]),
        ({"page": "compare"}, ["gpt2", ["gpt2", "utf8_bytes"], ""]),
    ],
)
def test_a_token_is_looked_at_on_another_page_in_the_tokenizer_that_showed_it(asked, found):
    def open_it(asked):
        import streamlit as st

        from playground.catalog.registry import get_tokenizer
        from playground.server.editor.session import EditorSession
        from playground.ui import controls, one_tokenizer, state
        from playground.ui.tokenize.editor import open_elsewhere

        compared = controls.tokenizers_field("compare", controls.default_tokenizers())
        compared.put(["gpt2", "utf8_bytes"])
        open_elsewhere(EditorSession(get_tokenizer("p50k_base")), asked)
        picked = one_tokenizer.picker_field("merge_tree", "gpt2").value
        st.session_state["found"] = [picked, compared.value, state.take("tokenize.elsewhere", "")]

    app = AppTest.from_function(open_it, args=(asked,), default_timeout=60).run()
    assert list(app.exception) == []
    assert app.session_state["found"] == found
