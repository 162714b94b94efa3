"""A kept tokenizer gets another name: pickers, the browser, links and its chat template follow."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from playground.catalog.opened import tokenizer_of, with_config
from playground.files.tokenizer_config import TokenizerConfig
from playground.server.memory_session import CHOICES
from playground.ui import kept_tokenizers
from playground.ui import page as page_frame
from playground.ui.kept_tokenizers import MAX_NAME
from tests.ui.test_opened_tokenizer import RANKS
from tests.ui.train.tokenizer_file_visits import read_files
from tests.ui.visits import learned, visit

OWN, OTHER = learned("mine", "low lower lowest " * 3), learned("other", "the cat the mat")


@pytest.fixture(autouse=True)
def renamed_first(monkeypatch):
    """The runner of tests runs a page alone, without the frame that ends a renaming."""
    open_page = page_frame.open_page

    def finish_and_open(*args, **kwargs):
        kept_tokenizers.finish_renaming()
        return open_page(*args, **kwargs)

    monkeypatch.setattr(page_frame, "open_page", finish_and_open)


def kept():
    return {"keep.trained_tokenizers": {"mine": OWN, "other": OTHER}}


def rename(page, old, new):
    """Choose a tokenizer from the menu, type a name and press Rename."""
    page.menu_button(key="kept.rename").click(old).run()
    assert page.text_input(key="kept.new_name").value == old
    page.text_input(key="kept.new_name").set_value(new)
    page.button(key="kept-rename").click().run()
    assert list(page.exception) == []
    return page


def names(page):
    return [*page.session_state["keep.trained_tokenizers"]]


@pytest.mark.parametrize("name", ["tokenize", "compare", "merge_tree", "formats", "train"])
def test_it_is_chosen_by_its_new_name_on_every_page_and_keeps_its_place(name):
    chosen = {
        "tokenizer.latest": "mine", "tokenizer.own": ["tokenize", "merge_tree"],
        "tokenizer.tokenize": "mine", "tokenizer.merge_tree": "mine", "tokenizer.merge_tree_other": "mine",
        "tokenizers.compare": ["gpt2", "mine", "other"], "tokenizers.race": ["mine", "gpt2"],
        "formats.tokenizers": ["mine", "gpt2"], "compare.first_vocabulary": "mine", "own_special": "mine",
    }  # fmt: skip
    page = rename(visit(name, {**kept(), **chosen}), "mine", "low__er.2")
    assert names(page) == ["low__er.2", "other"]
    after = json.loads(json.dumps(chosen).replace('"mine"', '"low__er.2"')) | {"own_special": "mine"}
    assert {key: page.session_state[key] for key in chosen} == after
    assert page.session_state["keep.trained_tokenizers"]["low__er.2"].encode("lower") == OWN.encode("lower")
    things = page.session_state["keep.memory"].things
    assert {"tokenizer/low__er.2", "tokenizer/other"} <= set(things)
    assert "tokenizer/mine" not in things
    assert b'"low__er.2"' in things[CHOICES].make()
    for other in ("compare", "merge_tree", "tokenize", "formats"):
        page.switch_page(f"articles/{other}.py").run()
        assert list(page.exception) == []
        assert {key: page.session_state[key] for key in chosen} == after, other
    assert page.session_state["keep.editor"].base_tokenizer.name == "low__er.2"


def test_it_is_renamed_again_and_back():
    page = visit("compare", {**kept(), "tokenizers.compare": ["gpt2", "mine"]})
    for old, new in (("mine", "first"), ("first", "second"), ("second", "mine")):
        assert names(rename(page, old, new)) == [new, "other"]
        assert page.session_state["tokenizers.compare"] == ["gpt2", new]
        assert "kept-rename" not in [button.key for button in page.button], "the field is put away"
    rename(page, "mine", "mine")
    assert names(page) == ["mine", "other"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("other", "is kept already: choose another name, or remove that one first"),
        ("gpt2", "gpt2 is the name of a known tokenizer"),
        ("gpt-4o", "gpt-4o is the name of a known tokenizer"),
        ("x" * (MAX_NAME + 1), "A name has 1 to 60 letters"),
        ("", "this one has 0 characters"),
        ("__", ""),
        ("a b", "this one has ' ' at place 2"),
        ("ü/1", "this one has '/' at place 2"),
        (".a", "with . and - not first"),
    ],
)
def test_a_name_that_cannot_be_is_told_and_nothing_changes(name, words):
    page = rename(visit("merge_tree", {**kept(), "tokenizer.merge_tree": "mine"}), "mine", name)
    told = [error.value.replace("\\", "") for error in page.error]
    assert len(told) == bool(words)
    assert all(words in error for error in told)
    stays = "mine" if words else name
    assert (names(page), page.session_state["tokenizer.merge_tree"]) == ([stays, "other"], stays)
    if words:
        page.button(key="kept-rename-cancel").click().run()
        assert list(page.error) == []
        assert names(rename(page, "mine", "free")) == ["free", "other"]


def test_a_run_that_was_ended_leaves_the_rest_to_the_next():
    page = visit("compare", {**kept(), "tokenizers.compare": ["gpt2", "mine"]})
    tokenizers = page.session_state["keep.trained_tokenizers"]
    tokenizers["new"] = tokenizer_of("new", tokenizers.pop("mine").model)  # and not yet in pickers
    page.session_state[f"keep.{kept_tokenizers._RENAMING}"] = "mine", "new"
    page.run()
    assert page.session_state["tokenizers.compare"] == ["gpt2", "new"]


def test_a_chat_stays_in_its_template():
    config = TokenizerConfig({"default": "{{ messages[0].content }}", "tool_use": "t"}, {}, ())
    page = visit("tokenize", {"keep.trained_tokenizers": {"mine": with_config(OWN, config)}})
    session = page.session_state["keep.editor"]
    session.change(mode="chat", template_name="mine · tool_use")
    page.run()
    rename(page, "mine", "new")
    assert session.template_name == "new · tool_use"
    assert session.template is not None
    assert session.shown_tokenizer.name == "new"


def test_what_is_told_of_its_file_names_it_anew():
    page = read_files(visit("tokenize"), ("mine.tiktoken", RANKS))
    rename(page, "mine", "new")
    assert [success.value for success in page.success] == ["mine is new now."]


def test_what_is_removed_while_its_new_name_is_typed_is_gone():
    page = visit("tokenize", kept())
    page.menu_button(key="kept.rename").click("mine").run()
    page.menu_button(key="kept.remove").click("mine").run()
    assert list(page.exception) == []
    assert "kept.new_name" not in [field.key for field in page.text_input]


@pytest.mark.parametrize("name", ["tokenize", "merge_tree", "compare"])
def test_what_is_removed_while_it_is_chosen_leaves_no_name_behind(name):
    chosen = {
        "tokenizer.latest": "mine", "tokenizer.tokenize": "mine", "tokenizer.merge_tree": "mine",
        "tokenizers.compare": ["cl100k_base", "mine", "other"],
    }  # fmt: skip
    page = visit(name, {**kept(), **chosen})
    page.menu_button(key="kept.remove").click("mine").run()
    assert list(page.exception) == []
    assert list(page.error) == []
    assert names(page) == ["other"]
    for field in ("tokenizer.latest", f"tokenizer.{name}", f"tokenizers.{name}"):
        held = field in page.session_state
        value = page.session_state[field] if held else ""
        assert "mine" not in value


def put_and_renamed():
    import streamlit as st

    from playground.ui import choices, state

    compared = state.Field("tokenizers.compare", ["gpt2"])
    compared.put(["gpt2", "mine"])
    st.session_state["tokenizers.compare"] = ["gpt2"]  # said by a browser that has not drawn it
    choices.rename_tokenizer("mine", "new")
    st.session_state["shown"] = compared.value


def test_it_is_renamed_where_the_browser_does_not_yet_show_that_it_is_chosen():
    page = AppTest.from_function(put_and_renamed).run()
    assert page.session_state["shown"] == ["gpt2", "new"]
