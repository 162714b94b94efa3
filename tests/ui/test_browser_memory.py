"""A reload gives the page back what the browser has kept; what came with a link stays as the link says."""

import json

import pytest
import streamlit as st

from playground.catalog.kept_file import write_kept
from playground.server.memory_session import pack_thing
from playground.server.share_link import pack
from playground.ui import browser_memory, choices
from playground.ui import page as page_frame
from tests.server.browser_side import post
from tests.ui.visits import learned, visit

OWN = learned("mine", "low lower lowest " * 3)


@pytest.fixture(autouse=True)
def taken_back_first(monkeypatch):
    """The runner of tests runs a page alone, without the frame that takes back what was given."""
    open_page = page_frame.open_page

    def take_back_and_open(*args, **kwargs):
        browser_memory.take_back()
        return open_page(*args, **kwargs)

    monkeypatch.setattr(page_frame, "open_page", take_back_and_open)


def kept_of(page):
    """What the browser has fetched of a visit, by name."""
    session = page.session_state["keep.memory"]
    return {name: post(session, "thing", {"name": name}).json()["packed"] for name in session.things}


def reload(name, kept, *, link=None):
    """A new visit in the same tab: what was kept is given back before its second run."""
    page = visit(name, link=link)
    session = page.session_state["keep.memory"]
    assert session.is_fresh
    for thing, packed in kept.items():
        assert post(session, "give_back", {"name": thing, "digest": "d", "packed": packed}).status_code == 200
    page.session_state["keep.memory.given_back"] = True
    page.run()
    assert list(page.exception) == []
    return page


def test_tokenizers_choices_and_data_come_back():
    page = visit("formats", {
        "keep.trained_tokenizers": {"mine": OWN},
        "formats.tokenizers": ["mine", "gpt2"], "own_special": "<|a|>",
        "tokenizer.latest": "mine", "tokenizer.own": ["tokenize"],
        "tokenizer.tokenize": "mine", "race.word": " lower", "tokenizers.race": ["mine", "gpt2"],
        "train.pasted": "a b", "train.weight.Korean": 3, "tokenizers.compare": ["utf8_bytes", "mine"],
        "view.compare": "Languages",
    })  # fmt: skip
    kept = kept_of(page)
    assert set(kept) == {"choices", "tokenizer/mine"}
    other = reload("formats", kept)
    assert other.session_state["keep.trained_tokenizers"]["mine"].model == OWN.model
    for name in ("formats.tokenizers", "own_special", "race.word", "train.pasted",
                 "train.weight.Korean", "view.compare", "tokenizer.tokenize", "tokenizers.race",
                 "tokenizers.compare", "tokenizer.own"):  # fmt: skip
        assert other.session_state[name] == page.session_state[name], name
    assert other.session_state["keep.memory"].things["tokenizer/mine"].digest == "d", "it is not fetched anew"
    other.switch_page("articles/merge_tree.py").run()
    assert other.session_state["keep.merge_tree.session"].tokenizer.name == "mine"


def test_what_a_link_says_stays_and_other_pages_come_back():
    page = visit("formats", {"formats.price": 9.0, "race.word": " lower"})
    link = pack({"text": '{"shared": 1}', "chosen": {"formats.price": 3.0}})
    there = reload("formats", kept_of(page), link=link)
    other = there.session_state
    assert (other["keep.formats"].text, other["formats.price"]) == ('{"shared": 1}', 3.0)
    assert other["race.word"] == " lower"


def test_a_link_that_waits_for_a_kept_tokenizer_is_taken_once_it_has_come():
    kept = {"tokenizer/mine": pack_thing(write_kept(OWN.model), "mine")}
    page = reload("merge_tree", kept, link=pack({"tokenizer": "mine", "text": "low"}))
    page.run()
    assert not any("This link names" in item.value for item in page.warning)
    assert page.session_state["keep.merge_tree.session"].tokenizer.name == "mine"


def test_a_change_of_anything_kept_changes_its_digest():
    page = visit("formats")

    def digest():
        page.run()
        return page.session_state["keep.memory"].things["choices"].digest

    first = digest()
    page.number_input(key="formats.price").set_value(8.0)
    assert digest() != first


HOSTILE = [b"", b"[]", b"{", b"\xff", b'{"formats": 7}', b'{"formats": {"formats.price": -1}}', json.dumps(
    {page: {name.replace("*", "English"): value for name in {**choices.CHOICES[page], **choices.KEPT[page]}}
     for page in choices.CHOICES for value in ["<b>\udc00"]}).encode()]  # fmt: skip


@pytest.mark.parametrize("said", HOSTILE, ids=range(len(HOSTILE)))
def test_choices_that_make_no_sense_leave_the_page_alive(said):
    page = reload("formats", {"choices": pack_thing(said, "it")})
    assert page.session_state["keep.formats"].text


#: Values of every kind, the likeliest to break a widget first.
VALUES = ["no option", ["no option"], 10**9, 1e12, 50, 4, True]


@pytest.mark.parametrize("page", choices.CHOICES)
def test_any_choice_that_passes_is_one_that_its_page_can_show(page):
    names = [name.replace("*", "English") for name in {**choices.CHOICES[page], **choices.KEPT[page]}]
    said: dict[str, object] = {}
    for name in names:
        fits = (choices.checked(page, {name: value}, kept=True) for value in VALUES)
        said |= next(filter(None, fits), {})
    assert len(said) > len(names) / 2
    kept = {"choices": pack_thing(json.dumps({page: said}).encode(), "it")}
    shown = reload(page, kept)
    for group in shown.button_group:
        for view in ("Vocabulary", "Vocabularies", "How it scales"):
            if group.key == f"view.{page}" and view in group.options:
                shown.button_group(key=group.key).set_value(view).run()
                assert list(shown.exception) == []


def test_a_run_that_is_ended_while_it_takes_back_leaves_that_to_the_next(monkeypatch):
    kept = kept_of(visit("formats", {"keep.trained_tokenizers": {"mine": OWN}, "tokenizer.tokenize": "mine"}))
    choose = choices.choose
    ended: list[bool] = []

    def end_once(*args, **kwargs):
        if not ended:
            ended.append(True)
            st.stop()
        return choose(*args, **kwargs)

    monkeypatch.setattr(choices, "choose", end_once)
    other = reload("formats", kept)
    assert ended
    other.run()
    assert other.session_state["tokenizer.tokenize"] == "mine"
    assert other.session_state["keep.memory.given_back"] is False
