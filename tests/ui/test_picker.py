"""The tokenizer picker on its pages: one choice goes from page to page, and the address has it."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.visits import APP, ROOT, choose, learned, visit

MINE = learned("mine", "low lower lowest")


def go(page, name):
    page.switch_page(str(ROOT / f"pages/{name}.py"))
    page.run()
    assert list(page.exception) == []
    return page


def used(page, name="tokenize"):
    """The names of the tokenizers that a page works with."""
    session = page.session_state[
        {"tokenize": "keep.editor", "merge_tree": "keep.merge_tree.session"}.get(name, f"keep.{name}")
    ]
    if name == "tokenize":
        return session.base_tokenizer.name
    return session.tokenizer.name if name == "merge_tree" else [one.name for one in session.tokenizers]


def address(page):
    """What the picker in the bar puts into the address."""
    data = next(
        part.proto.json for part in page.get("bidi_component") if "picker" in part.proto.component_name
    )
    return {name: value for name, value in json.loads(data)["address"].items() if value}


def test_a_choice_on_one_page_is_the_choice_on_the_next():
    page = visit("tokenize")
    assert used(page) == "o200k_base"
    assert address(page) == {}, "nothing was chosen"
    choose(page, "python_docs_4k")
    assert address(page) == {"tokenizer": "python_docs_4k"}
    assert used(go(page, "merge_tree"), "merge_tree") == "python_docs_4k"
    choose(page, "r50k_base")
    assert used(go(page, "tokenize")) == "r50k_base"


def test_a_comparison_starts_with_what_was_chosen_and_what_is_the_visitors_own():
    page = visit("tokenize", {"keep.trained_tokenizers": {"mine": MINE}, "keep.tokenizer": ["p50k_base"]})
    assert used(go(page, "compare"), "compare") == ["p50k_base", "claude_4_8", "mine"]
    choose(page, ["utf8_bytes", "mine"], picker="tokenizers")
    assert used(page, "compare") == ["utf8_bytes", "mine"]
    assert address(page) == {"tokenizers": "utf8_bytes,mine"}


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("gpt2", "gpt2"),
        ("phi-4", "phi4"),
        ("GPT3", "r50k_base"),
        ("grok-4", "o200k_base"),
        ("mine", "o200k_base"),
    ],
)
def test_a_new_visitor_gets_the_choice_of_the_address(asked, name):
    app = AppTest.from_file(str(APP), default_timeout=60)
    app.query_params["tokenizer"] = asked
    app.run()
    assert list(app.exception) == []
    assert used(app) == name
    assert address(app) == {"tokenizer": {"GPT3": "davinci"}.get(asked, asked)}


def test_pages_of_one_and_of_several_begin_with_each_others_choice():
    page = visit("compare", {"keep.tokenizers": ["phi-4", "qwen3-8b"]})
    assert used(page, "compare") == ["phi4", "qwen3"]
    assert used(go(page, "tokenize")) == "phi4"


def test_two_models_with_one_tokenizer_are_compared_once():
    assert used(visit("compare", {"keep.tokenizers": ["gpt-4o", "gpt-5", "gpt2"]}), "compare") == [
        "o200k_base",
        "gpt2",
    ]


def test_an_own_tokenizer_that_comes_after_the_page_is_used_as_the_address_says():
    app = AppTest.from_file(str(APP), default_timeout=60)
    app.query_params["tokenizer"] = "mine"
    app.run()
    app.session_state["keep.picker"].add(MINE)
    assert used(app.run()) == "mine"


def test_a_choice_follows_a_tokenizer_to_its_new_name_and_falls_back_once_it_is_removed():
    page = visit("tokenize", {"keep.trained_tokenizers": {"mine": MINE}, "keep.tokenizer": ["mine"]})
    page.session_state["keep.picker"].rename("mine", "theirs")
    assert used(page.run()) == "theirs"
    assert address(page) == {"tokenizer": "theirs"}
    page.session_state["keep.picker"].remove("theirs")
    assert used(page.run()) == "o200k_base"


def test_a_chat_is_counted_for_the_model_of_the_picker():
    page = visit("tokenize", {"keep.tokenizer": ["claude-sonnet-4-5"]})
    session = page.session_state["keep.editor"]
    assert session.chat_model.name == "Claude Sonnet 4.5"


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("merge_tree", [["p50k_base"], ["gpt2", "utf8_bytes"], str(ROOT / "pages/merge_tree.py")]),
        ("compare", [["gpt2"], ["p50k_base", "gpt2", "utf8_bytes"], str(ROOT / "pages/compare.py")]),
        ({"page": "compare"}, [["gpt2"], ["gpt2", "utf8_bytes"], ""]),
    ],
)
def test_a_token_is_looked_at_on_another_page_in_the_tokenizer_that_showed_it(asked, found):
    def open_it(asked):
        import streamlit as st

        from playground.catalog.registry import get_tokenizer
        from playground.server.editor.session import EditorSession
        from playground.ui import picker, state
        from playground.ui.tokenize.editor import open_elsewhere

        picker.choose(picker.ONE, ["gpt2"])
        picker.choose(picker.SEVERAL, ["gpt2", "utf8_bytes"])
        open_elsewhere(EditorSession(get_tokenizer("p50k_base")), asked)
        one, several = picker.chosen_names(picker.ONE), picker.chosen_names(picker.SEVERAL)
        st.session_state["found"] = [one, several, state.pop("tokenize.elsewhere", "")]

    app = AppTest.from_function(open_it, args=(asked,), default_timeout=60).run()
    assert list(app.exception) == []
    assert app.session_state["found"] == found
