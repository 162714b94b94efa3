"""A tokenizer that is opened beside a picker is chosen there, on every page that has one."""

import base64

import pytest

from playground.server.memory_session import CHOICES
from playground.ui.controls import OPENED
from tests.catalog.sentencepiece_models import model_bytes
from tests.ui.train.tokenizer_file_visits import read_files
from tests.ui.visits import visit

#: A small file, which is read within the run that takes it.
RANKS = b"\n".join(base64.b64encode(bytes([byte])) + b" %d" % byte for byte in range(256))


@pytest.mark.parametrize(
    ("page", "key"),
    [
        ("tokenize", "tokenizer.tokenize"),
        ("merge_tree", "tokenizer.merge_tree"),
        ("compare", "tokenizers.compare"),
    ],
)
def test_it_is_chosen_once_and_another_choice_stands(page, key):
    shown = read_files(visit(page), ("mine.model", model_bytes("bpe, bytes")))
    chosen = shown.session_state[key]
    assert "mine" in chosen if isinstance(chosen, list) else chosen == "mine"
    other = ["gpt2", "o200k_base"] if isinstance(chosen, list) else "o200k_base"
    shown.session_state[key] = other
    shown.run()
    assert shown.session_state[key] == other


def test_the_next_run_chooses_it_where_the_run_that_read_it_was_ended_before_its_picker():
    shown = read_files(visit("merge_tree"), ("mine.model", model_bytes("bpe, bytes")))
    shown.session_state["tokenizer.merge_tree"] = "gpt2"
    shown.session_state[f"keep.{OPENED}"] = "mine"
    shown.run()
    assert shown.session_state["tokenizer.merge_tree"] == "mine"


@pytest.mark.parametrize("page", ["tokenize", "merge_tree"])
def test_the_browser_keeps_what_is_chosen_so(page):
    shown = read_files(visit(page), ("mine.model", model_bytes("bpe, bytes")))
    assert b'"mine"' in shown.session_state["keep.memory"].things[CHOICES].make()


@pytest.mark.parametrize("page", ["compare", "formats"])
def test_the_browser_is_told_of_it_in_the_run_that_has_read_it(page):
    shown = visit(page)
    uploader = shown.file_uploader(key="train-import")
    uploader.set_value([("mine.tiktoken", RANKS, "text/plain")]).run()
    assert "mine" in shown.session_state["keep.trained_tokenizers"]
    things = shown.session_state["keep.memory"].things
    assert "tokenizer/mine" in things
    assert b'"mine"' in things[CHOICES].make()


def test_what_is_opened_on_compare_stands_on_the_next_page_until_one_chooses_there():
    shown = read_files(visit("compare"), ("mine.model", model_bytes("bpe, bytes")))
    shown.switch_page("articles/merge_tree.py").run()
    assert shown.session_state["tokenizer.merge_tree"] == "mine"


def test_on_compare_each_comes_beside_the_others():
    shown = visit("compare")
    for name in ("one.tiktoken", "two.tiktoken"):
        read_files(shown, (name, RANKS + b"\nYWE= 256" * (name == "two.tiktoken")))
    beside = ["cl100k_base", "python_docs_4k"]
    assert shown.session_state["tokenizers.compare"] == ["gpt2", "two", "one", *beside]


def test_on_compare_what_gives_way_to_a_seventh_is_told():
    six = ["gpt2", "cl100k_base", "o200k_base", "p50k_base", "r50k_base", "utf8_bytes"]
    shown = read_files(visit("compare", {"tokenizers.compare": six}), ("one.tiktoken", RANKS))
    assert shown.session_state["tokenizers.compare"] == ["gpt2", "one", *six[1:-1]]
    assert any("gave way to one: at most 6" in line.value.replace("\\", "") for line in shown.caption)


def test_of_several_at_once_the_good_ones_open_and_each_broken_one_is_told_by_name():
    two = RANKS + b"\nYWE= 256"
    merges = b"minbpe v1\n\n0\n97 97\n"
    shown = read_files(
        visit("compare"), ("one.tiktoken", RANKS), ("empty.tiktoken", b""), ("three.model", merges),
        ("two.tiktoken", two), ("odd.json", b"{"), ("three.vocab", b"for people"), ("notes.txt", b""),
    )  # fmt: skip
    beside = ["cl100k_base", "python_docs_4k"]
    assert [*shown.session_state["keep.trained_tokenizers"]] == ["one", "three", "two"]
    assert shown.session_state["tokenizers.compare"] == ["gpt2", "one", "three", "two", *beside]
    told = shown.error[0].value.replace("\\", "")
    for name in ("empty.tiktoken", "odd.json", "notes.txt"):
        assert told.count(name) == 1, told
    for name in ("one", "three", "two"):
        assert f"{name}: byte-level BPE" in shown.success[0].value


def test_several_broken_ones_are_each_told_by_name():
    shown = read_files(visit("formats"), ("empty.tiktoken", b""), ("odd.json", b"{"))
    assert not shown.session_state["keep.trained_tokenizers"]
    told = shown.error[0].value.replace("\\", "")
    assert "empty.tiktoken" in told
    assert "odd.json" in told


def test_two_of_one_name_both_open_where_each_is_whole():
    two = RANKS + b"\nYWE= 256"
    shown = read_files(visit("compare"), ("mine.tiktoken", RANKS), ("mine.tiktoken", two))
    assert [*shown.session_state["keep.trained_tokenizers"]] == ["mine", "mine-257"]
    assert not shown.error
