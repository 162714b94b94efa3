"""Convert on the Vocabulary page: files with their proof to save, or why a library has none."""

import pytest
import regex

from playground.catalog.convert import why_no_bytes_merge
from playground.catalog.registry import get_tokenizer
from playground.render.visible_text import markdown_escape
from playground.ui.vocabulary import convert
from tests.ui.visits import markdown_of, visit
from tests.waiting import run_until


def open_convert(name, **kept):
    page = visit(
        "vocabulary",
        {
            "keep.tokenizer": [name],
            **kept,
        },
    )
    page.button_group(key="view.vocabulary").set_value("Convert").run()
    return until_made(page)


def until_made(page):
    return run_until(page, lambda: page.error or page.info or regex.search(r"\*\*[Ff]or ", markdown_of(page)))


def files_of(page):
    return [button.proto.label for button in page.get("download_button")]


def test_files_come_with_their_proof_and_another_target_with_its_own():
    page = open_convert("python_docs_4k")
    assert "**For tiktoken**: Equal in tiktoken" in markdown_of(page)
    assert files_of(page) == ["python_docs_4k.tiktoken"]
    assert any(item.value.startswith("Test text: many scripts") for item in page.caption)
    page.button_group(key="convert.target").set_value("minbpe").run()
    until_made(page)
    assert files_of(page) == ["python_docs_4k.model", "python_docs_4k.vocab"]


def test_an_impossible_conversion_has_a_reason_and_no_file():
    page = open_convert("gpt2", **{"convert.target": "minbpe"})
    assert "It cannot be exported **for minbpe**: a " in markdown_of(page)
    assert "numbers bytes 0 to 255" in markdown_of(page)
    assert files_of(page) == []


@pytest.mark.parametrize("name", ["mistral_v3", "characters"])
def test_a_tokenizer_without_byte_merges_is_explained_at_once(name):
    page = open_convert(name)
    assert [item.value for item in page.info] == [
        f"{markdown_escape(why_no_bytes_merge(get_tokenizer(name)))}."
    ]


def test_work_that_takes_too_long_is_reported_and_the_page_still_works(monkeypatch):
    monkeypatch.setattr(convert, "SECONDS", 0.01)
    page = open_convert("gpt2")
    assert "converting gpt2 took more than" in page.error[0].value
    assert list(page.exception) == []
