"""Share: a link restores what is chosen on its page, and what it lacks is told."""

import random
from urllib.parse import parse_qs

import pytest
import streamlit as st

from playground.server.formats.session import FormatSession
from playground.server.train.session import TrainSession
from playground.training.corpora import Corpus
from playground.training.run import RunSettings
from playground.ui import choices
from playground.ui import share as ui_share
from tests.ui.visits import learned, visit

NOISE = "".join(map(chr, random.Random(1).choices(range(0x4E00, 0x9F00), k=20_000)))


def share(page, **shown):
    """Press Share; gives what is told and the link's parameter."""
    page.session_state["keep.share.asked"] = {"n": 7, "shown": shown}
    page.run()
    assert list(page.exception) == []
    answer = page.session_state["keep.share.answer"]
    assert answer["n"] == 7
    return answer["told"], parse_qs(answer["query"]).get("share", [None])[0]


def open_link(name, link, kept=()):
    page = visit(name, dict(kept), link=link)
    assert "share" not in page.query_params
    return page


def told_of_link(page):
    """The quiet sentences about the link by which a page was opened."""
    return [item.value for item in page.caption if "This link" in item.value]


def test_a_press_whose_run_is_ended_is_answered_by_the_next(monkeypatch):
    answer_press = ui_share.answer_press
    ended: list[bool] = []

    def end_once(*given):
        if not ended:
            ended.append(True)
            st.stop()
        return answer_press(*given)

    monkeypatch.setattr(ui_share, "answer_press", end_once)
    page = visit("compare", {})
    page.session_state["keep.share.asked"] = {"n": 7, "shown": {}}
    page.run()
    assert ended
    page.run()
    assert page.session_state["keep.share.answer"]["n"] == 7
    assert "keep.share.asked" not in page.session_state


@pytest.fixture
def training(monkeypatch):
    """The trainings of who opens the page, here with a smaller example."""
    session = TrainSession()
    monkeypatch.setattr("playground.ui.train.view.train_session", lambda: session)
    session.start(Corpus("Example", ("the cat sat on the mat\n" * 99,)), RunSettings(vocab_size=260))
    yield session
    session.close()


def test_train_comes_back_with_its_corpus_and_settings_and_learns(training):
    page = visit("train", {
        "train.corpus": choices.PASTE, "train.pasted": "low lower lowest " * 9, "train.vocab_size": 260,
        "train.pattern": "cl100k", "train.min_count": 1, "train.held_out": 0, "train.special": "<|a|>",
        "train.speed": "full speed", "train.pause_at": 3, "train.panel": "All merges",
    })  # fmt: skip
    told, link = share(page)
    assert "Whoever has it can read the pasted text." in told
    assert "Left out" not in told
    other = open_link("train", link)
    for name in (
        "corpus",
        "pasted",
        "vocab_size",
        "pattern",
        "min_count",
        "held_out",
        "panel",
    ):
        assert other.session_state[f"train.{name}"] == page.session_state[f"train.{name}"], name
    assert training.title == "2 · Pasted text · 260 tokens · cl100k"
    assert (training.run.settings.vocab_size, training.earlier) == (260, {}), "the example gave way"
    assert (training.speed, training.pause_at) == ("full speed", 3)


def test_a_long_text_to_learn_from_is_told_to_both(training):
    page = visit("train", {"train.corpus": choices.PASTE, "train.pasted": NOISE, "train.min_count": 1})
    told, link = share(page)
    assert "Left out: the pasted text, for a link over" in told
    other = open_link("train", link)
    assert told_of_link(other)[0].startswith("This link has no room for the pasted text, which its sender")
    assert other.session_state["train.min_count"] == 1


def test_formats_comes_back_with_view_options_tokenizers_and_data():
    page = visit("formats", {
        "keep.formats": FormatSession(text='{"é": [1, 2]}'), "view.formats": "Side by side",
        "formats.sorted": True,
        "formats.tokenizers": ["gpt2"], "formats.price": 7.5, "formats.left": "toml", "formats.dimmed": True,
        "formats.indent": 4,
    })  # fmt: skip
    _, link = share(page)
    other = open_link("formats", link)
    assert other.session_state["keep.formats"].text == '{"é": [1, 2]}'
    for name in ("view.formats", "formats.sorted", "formats.tokenizers", "formats.price",
                 "formats.left", "formats.dimmed", "formats.indent"):  # fmt: skip
        assert other.session_state[name] == page.session_state[name], name


def test_merge_tree_comes_back_with_race_search_and_step():
    page = visit("merge_tree", {
        "keep.tokenizer": ["python_docs_4k"], "view.merge_tree": "Vocabulary", "race.word": " lower",
        "keep.race": ["gpt2", "python_docs_4k"], "vocabulary.text": "low", "vocabulary.from_bytes": 4,
        "vocabulary.case": True,
    })  # fmt: skip
    page.session_state["keep.merge_tree.session"].text = "low lowest"
    told, link = share(page, step=2, height_by="order")
    assert "Left out" not in told
    other = open_link("merge_tree", link)
    session = other.session_state["keep.merge_tree.session"]
    assert (session.text, session.step, session.height_by) == ("low lowest", 2, "order")
    assert session.tokenizer.name == "python_docs_4k"
    for name in ("view.merge_tree", "race.word", "keep.race", "vocabulary.text",
                 "vocabulary.from_bytes", "vocabulary.case"):  # fmt: skip
        assert other.session_state[name] == page.session_state[name], name


def test_compare_comes_back_with_view_and_tokenizers():
    page = visit("compare", {"keep.tokenizers": ["utf8_bytes", "gpt2"], "view.compare": "Vocabularies"})
    page.session_state["keep.compare"].set_text("a b")
    _, link = share(page, layout="cards")
    other = open_link("compare", link)
    session = other.session_state["keep.compare"]
    assert (session.text, session.layout) == ("a b", "cards")
    assert [tokenizer.name for tokenizer in session.tokenizers] == ["utf8_bytes", "gpt2"]
    assert other.session_state["view.compare"] == "Vocabularies"


def test_tokenize_comes_back_and_a_long_text_is_left_out_and_told():
    page = visit("tokenize", {"keep.tokenizer": ["gpt2"], "budget": True, "budget.size": 5})
    session = page.session_state["keep.editor"]
    session.document.replace("a short one")
    told, link = share(page, view={"pane": {"marks": True}, "settings": {}})
    assert "Left out" not in told
    opened = open_link("tokenize", link)
    assert told_of_link(opened) == []
    other = opened.session_state
    assert other["keep.editor"].document.text == "a short one"
    assert other["keep.editor"].view["pane"] == {"marks": True}
    assert (other["keep.editor"].base_tokenizer.name, other["budget.size"]) == ("gpt2", 5)

    session.document.replace(NOISE)
    told, link = share(page)
    assert "Left out: the text, for a link over 8,000 characters breaks in mail and chat." in told
    opened = open_link("tokenize", link)
    assert told_of_link(opened) == [
        "This link has no room for the text, which its sender has and you do not. The rest is shown. Ask the "
        "sender for a file."
    ]
    assert told_of_link(opened.run()), "it stays for as long as the page"
    other = opened.session_state
    assert other["keep.editor"].document.text not in (NOISE, "")
    assert other["keep.editor"].base_tokenizer.name == "gpt2"

    session.document.replace("a short one")
    session.compare_with("a longer one")
    assert "Whoever has it can read the text and the earlier version." in share(page)[0]
    session.compare_with(NOISE)
    told, link = share(page)
    assert told.startswith("Whoever has it can read the text. Left out: the earlier version, for a link over")
    other = open_link("tokenize", link).session_state
    assert (other["keep.editor"].document.text, other["keep.editor"].earlier) == ("a short one", None)


@pytest.mark.parametrize(
    ("chosen", "opened"),
    [("gpt-4o", "o200k_base"), ("gpt-4o-2024-05-13", "o200k_base"), ("no such", "cl100k_base")],
)
def test_a_link_of_tokenize_names_the_tokenizer_of_the_model_that_was_chosen(chosen, opened):
    _, link = share(visit("tokenize", {"keep.tokenizer": [chosen]}))
    other = open_link("tokenize", link)
    assert other.session_state["keep.tokenizer"] == [opened]
    assert not other.error
    assert other.session_state["keep.editor"].base_tokenizer.name == opened


def test_a_tokenizer_of_ones_own_is_told_to_both():
    own = learned("my__own", "a text of some words")
    kept = {"keep.trained_tokenizers": {"my__own": own}}
    page = visit("merge_tree", kept | {"keep.tokenizer": ["my__own"], "keep.race": ["my__own", "gpt2"]})
    told, link = share(page)
    assert (
        "Left out: my__own, trained or opened here. Send the file too: its row under “Your tokenizers” "
        "saves it." in told
    )

    other = open_link("merge_tree", link)
    (warning,) = [item.value for item in other.warning if "This link names" in item.value]
    assert "my\\_\\_own" in warning
    assert "Ask the sender for its file, drop it on this page" in warning
    assert list(other.error) == [], "once is enough"
    other.run()
    assert any("This link names" in item.value for item in other.warning), "it stays for as long as the page"
    other.switch_page("articles/compare.py")
    assert not any("This link names" in item.value for item in other.run().warning)

    has_it = open_link("merge_tree", link, kept)
    assert not any("This link names" in item.value for item in has_it.warning)
    assert has_it.session_state["keep.merge_tree.session"].tokenizer is own


@pytest.mark.parametrize(
    ("name", "value"),
    [("train.held_out", 51), ("train.corpus", "mine"), ("train.weight.English", 0), ("train.speed", "7"),
     ("budget.size", 0), ("formats.price", -1), ("formats.price", "1"), ("vocabulary.from_id", -1),
     ("race.word", "x" * 301), ("tokenizers.race", ["gpt2"] * 5), ("nothing", 1), ("keep.editor", 1),
     ("train.weight", 1), ("formats.sorted", 1)],
)  # fmt: skip
def test_choices_that_do_not_fit_are_left_as_they_were(name, value):
    for page in choices.CHOICES:
        assert choices.checked(page, {name: value}) == {}


def test_what_a_link_of_train_lacks_is_told(training):
    page = visit("train", {"train.corpus": choices.UPLOAD})
    told, link = share(page)
    assert told == "Left out: the uploaded files; send them too."
    assert open_link("train", link).session_state["train.corpus"] == choices.UPLOAD
    assert training.title.startswith("1 · Example")


def test_the_names_of_tokenizers_are_found():
    chosen = {"tokenizers.race": ["a", "b"], "formats.tokenizers": ["c"], "tokenizer.merge_tree_other": "d"}
    assert sorted(choices.tokenizer_names(chosen)) == ["a", "b", "c", "d"]
