"""Results of a run: panels, names, comparisons and exports."""

import pytest
from streamlit.testing.v1 import AppTest

from playground.catalog.trained import TrainedTokenizer
from tests.ui.train.conftest import CATS


def test_merges_can_be_searched_and_a_run_without_held_out_text_shows_none(page):
    page.learn(CATS, vocab_size=270, held_out=0)
    titles = [item.value for item in page.app.markdown if "·" in item.value]
    assert [title.split("**")[1] for title in titles] == ["Longest tokens", "Cross categories"]
    page.panel("All changes")
    for searched, is_found in (("at", True), (" th", True), (".", False)):
        page.app.text_input(key="train.search").set_value(searched).run()
        found = page.app.dataframe[-1].value["token"]
        assert (len(found) > 0) == is_found
        assert all(searched.replace(" ", "·") in token for token in found)
    assert "held-out tokens left" not in page.app.dataframe[-1].value
    page.panel("A against B")
    assert any("without held-out text" in caption for caption in page.captions)
    page.learn(CATS, vocab_size=270, held_out=10).panel("All changes")
    assert "held-out tokens left" in page.app.dataframe[-1].value


def test_a_valid_name_is_kept_for_every_page_and_an_invalid_one_is_refused(page):
    page.learn("aaabdaaabac", vocab_size=259, min_count=1).panel("Keep and export")
    for bad, problem in (
        ("gpt2", "gpt2 is the name of a known tokenizer; choose another"),
        ("atlas v1", "this one has ' ' at place 6. The files below are named my-tokenizer."),
        ("_*x*" * 2_500, "this one has 10,000 characters"),
    ):
        page.app.text_input(key="train.name").set_value(bad).run()
        page.press("Keep")
        assert problem in page.errors[0]
        assert list(page.app.success) == []
        assert "my-tokenizer.tiktoken" in [file.proto.label for file in page.app.get("download_button")]
    page.app.text_input(key="train.name").set_value("__my__name__").run()
    page.press("Keep")
    assert page.app.success[0].value.replace("\\", "") == "__my__name__ is now in every picker."
    kept = page.app.session_state["keep.trained_tokenizers"]["__my__name__"]
    assert kept.encode("aaab") == page.session.run.tokenizer("x").encode("aaab")


def test_a_tokenizer_that_another_replaced_can_be_brought_back(page):
    page.learn("aaabdaaabac", vocab_size=259, min_count=1).panel("Keep and export").press("Keep")
    kept = page.app.session_state["keep.trained_tokenizers"]
    first = kept["my-tokenizer"]
    page.press("Keep")
    second = kept["my-tokenizer"]
    assert "in place of the previous one" in page.app.success[0].value
    for expected in (first, second):
        page.press("Bring the previous one back")
        assert kept == {"my-tokenizer": expected}
    page.app.text_input(key="train.name").set_value("other").run()
    assert not any(button.label.startswith("Bring") for button in page.app.button)


def test_runs_with_different_texts_are_compared_on_the_same_ones(page):
    dogs = "the dog sat on the log\n" * 90
    page.learn(CATS, vocab_size=260).learn(CATS, vocab_size=262).learn(dogs, vocab_size=260)
    page.panel("A against B")
    first, second, third = [*page.session.runs()][-3:]
    runs = next(field for field in page.app.multiselect if field.label == "Runs")
    for chosen, differ in (([first, third], True), ([first, second], False)):
        runs.set_value(chosen).run()
        assert any("different texts" in caption for caption in page.captions) == differ
        assert page.app.get("arrow_vega_lite_chart") or page.app.get("vega_lite_chart")
        assert page.app.dataframe[-1].value.columns.tolist() == [f"text of {title}" for title in chosen]


@pytest.mark.parametrize("name", ["__a__ <b>*x*</b> 👋.txt", "x" * 10_000])
def test_a_run_of_a_file_of_any_name_can_be_compared_and_kept(page, name):
    page.upload((name, CATS.encode())).set(vocab_size=270).press("Start").finish()
    assert page.session.title == f"2 · BPE · {name} · 270 tokens · none"
    page.panel("A against B").panel("Keep and export")
    assert page.errors == []


@pytest.mark.parametrize(
    ("special", "sentence"),
    [
        ((), "The tokenizer has 260 ids."),
        (("<|end|>",), "The tokenizer has 261 ids: a vocabulary of 260 and 1 special token."),
    ],
)
def test_the_number_of_exported_ids_is_explained(page, special, sentence):
    page.learn("aaabdaaabac", vocab_size=260, min_count=1, special="\n".join(special)).panel(
        "Keep and export"
    )
    assert any(sentence in caption for caption in page.captions)
    assert len(page.session.run.tokenizer("x").vocabulary) == 260 + len(special)


# ---- exports


def show(expression):
    import streamlit as st

    from playground.bpe.split_pattern import SplitPattern
    from playground.training.corpora import Corpus
    from playground.training.run import RunSettings, TrainingRun
    from playground.ui.train.results import _show_exports

    if "run" not in st.session_state:
        settings = RunSettings(
            vocab_size=270,
            pattern=SplitPattern.parse(expression),
            special_tokens=("<|end|>",),
            held_out_share=0,
        )
        st.session_state.run = TrainingRun(Corpus("Toy", ("the cat sat on the mat\n" * 20,)), settings)
        st.session_state.run.wait()
    _show_exports(st.session_state.run, "mine")


def export_page(expression):
    app = AppTest.from_function(show, args=(expression,), default_timeout=60).run()
    assert not app.exception
    lines = [item.value.replace("\\", "") for item in app.markdown if "**For " in item.value]
    return app, labels(app), lines


def labels(app):
    return [getattr(button, "label", "") for button in app.get("download_button")]


def test_a_known_pattern_is_proven_in_every_format_and_once(monkeypatch):
    app, names, lines = export_page("gpt2")
    assert names == [
        "mine.model", "mine.vocab", "mine.tiktoken", "mine.json", "mine.encoder.json", "mine.vocab.bpe",
        "mine.curve.csv",
    ]  # fmt: skip
    libraries = ("minbpe", "tiktoken", "tokenizers", "tokenizers")
    assert all(f": Equal in {library}" in line for line, library in zip(lines, libraries, strict=False))
    assert "tiktoken.Encoding(" in app.code[0].value
    monkeypatch.setattr(TrainedTokenizer, "export", None)
    assert labels(app.run()) == names
    assert not app.exception


def test_an_export_without_proof_has_a_reason_and_no_button():
    app, names, lines = export_page(r"\p{L}+")
    assert names == ["mine.json", "mine.encoder.json", "mine.vocab.bpe", "mine.curve.csv"]
    assert all("cannot be exported" in line and "leaves out text" in line for line in lines[:2])
    assert not app.code  # there is no .tiktoken file for the program
