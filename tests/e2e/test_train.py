"""Train: a vocabulary is learned, played, compared, kept, used on another page and exported."""

import base64
import json
import re
import shutil
from pathlib import Path

import pytest
import tiktoken
from playwright.sync_api import Page, expect

from tests.e2e.conftest import (
    choose,
    choose_option,
    download,
    fill,
    go_to,
    key,
    press,
    type_text,
    upload,
)


@pytest.fixture
def train(page: Page) -> Page:
    """Open the Train page and wait for its example run."""
    page.goto("/train")
    expect_run(page, "Finished", "1,000 of 1,000", timeout=120_000)
    return page


def expect_run(page: Page, status: str, merges: str, *, timeout: float | None = None) -> None:
    """Expect a run that has learned a number of merges."""
    said = page.get_by_role("status").filter(has_text=re.compile(rf"{status}.*\b{merges}\b"))
    expect(said).to_be_visible(timeout=timeout)


def expect_step(page: Page, shown: str) -> None:
    """Expect the step that is shown."""
    expect(page.get_by_text(shown, exact=True)).to_be_visible()


def start(page: Page, *, vocab_size: int) -> None:
    fill(page.get_by_role("spinbutton", name="How much to learn"), str(vocab_size))
    press(page.get_by_role("button", name="Start", exact=True))


def test_a_run_is_played_stepped_and_scrubbed_and_the_next_merge_is_guessed(train: Page) -> None:
    fill(train.get_by_label("Pause at merge"), "30")
    key(train, "Tab")
    choose(train.get_by_label("Speed"), "full speed")
    start(train, vocab_size=300)
    expect_run(train, "Finished", "44 of 44")
    expect_step(train, "30 of 44")
    for button, shown in (("+1", 31), ("+10", 41), ("+100", 44)):
        press(train.get_by_role("button", name=button, exact=True))
        expect_step(train, f"{shown} of 44")
    text = train.get_by_role("region", name="Text as tokens")
    whole = text.inner_text()
    press(train.get_by_role("button", name="Reset"))
    expect_step(train, "0 of 44")
    assert text.inner_text().replace("\n", "") == whole.replace("\n", ""), "merging changes no text"
    fill(train.get_by_role("slider", name="Steps done"), "20")
    merges = train.get_by_role("listbox", name="All changes")
    press(merges.get_by_role("option", name=re.compile("^merge 21:")))
    expect_step(train, "21 of 44")
    key(train, "ArrowUp")
    selected = merges.get_by_role("option", name=re.compile("^merge 20:"))
    expect(selected).to_have_attribute("aria-selected", "true")
    fill(train.get_by_role("textbox", name="Merge tree of"), " the")
    expect(train.get_by_role("application", name="Merge trees").get_by_role("img")).to_have_count(1)
    press(train.get_by_role("button", name="Guess the next merge"))
    expect(merges.get_by_role("option", name=re.compile("^merge 21:"))).to_have_count(0)
    press(train.get_by_role("listbox", name="Pairs").get_by_role("option").first)
    expect(train.get_by_text(re.compile("is merged next"))).to_be_visible()
    fill(train.get_by_label("Pause at merge"), "")
    press(train.get_by_role("button", name="Play", exact=True))
    expect_step(train, "44 of 44")


def test_a_trained_tokenizer_is_kept_used_and_exported(
    train: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start(train, vocab_size=300)
    expect_run(train, "Finished", "44 of 44")
    press(train.get_by_role("radio", name="Keep and export"))
    file = download(train, train.get_by_role("button", name="my-tokenizer.tiktoken"))
    ranks = {}
    for line in file.read_text().splitlines():
        token, rank = line.split()
        ranks[base64.b64decode(token)] = int(rank)
    assert len(ranks) == 300
    code = train.get_by_role("code").filter(has_text="mergeable_ranks").inner_text()
    shutil.copy(file, tmp_path / "my-tokenizer.tiktoken")
    monkeypatch.chdir(tmp_path)
    names: dict[str, tiktoken.Encoding] = {}
    exec(code, names)
    n_tokens = len(names["encoding"].encode("the dog and the cat"))
    press(train.get_by_role("button", name="Keep", exact=True))
    expect(train.get_by_text("is now in every picker")).to_be_visible()
    go_to(train, "Compare")
    type_text(train, "the dog and the cat")
    row = train.get_by_role("row").filter(has_text="my-tokenizer")
    expect(row.get_by_role("cell").nth(1)).to_have_text(str(n_tokens))


def test_two_runs_are_compared_and_the_chart_is_saved(train: Page) -> None:
    start(train, vocab_size=276)
    expect_run(train, "Finished", "20 of 20")
    choose_option(train, "Split pattern", "none")
    start(train, vocab_size=286)
    expect_run(train, "Finished", "30 of 30")
    press(train.get_by_role("radio", name="A against B"))
    for title in ("276 tokens · gpt2", "286 tokens · none"):
        expect(train.get_by_text(title).first).to_be_visible()
    saved = download(
        train, train.get_by_role("group", name="Save chart as").last.get_by_role("button", name="SVG")
    )
    assert "held-out" in saved.read_text(encoding="utf-8")


def test_a_pasted_text_with_a_special_token_and_a_field_of_an_uploaded_file_are_learned(
    train: Page, tmp_path: Path
) -> None:
    choose_option(train, "Corpus", "Paste a text")
    fill(train.get_by_role("textbox", name="Text to learn from"), "the cat sat on the mat " * 20)
    press(train.get_by_text("Advanced training options"))
    fill(train.get_by_role("textbox", name="Special tokens"), "<|mine|>")
    key(train, "Escape")
    start(train, vocab_size=270)
    expect(train.get_by_text("460 bytes").first).to_be_visible()
    expect(train.get_by_text("Finished").first).to_be_visible()
    press(train.get_by_role("radio", name="All changes"))
    expect(train.get_by_role("button", name="Download as CSV").first).to_be_attached()
    rows = tmp_path / "chats.jsonl"
    rows.write_text(
        "".join(json.dumps({"id": str(n), "said": f"the cat {n} sat on the mat"}) + "\n" for n in range(200))
    )
    choose_option(train, "Corpus", "Upload files")
    upload(train, rows)
    choose_option(train, "Field with the text", "said")
    expect(train.get_by_text("in 200 texts")).to_be_visible()
    start(train, vocab_size=270)
    expect(train.get_by_text("of said of chats.jsonl")).to_be_visible()
    expect(train.get_by_text("Finished").first).to_be_visible()


def test_a_size_that_cannot_be_learned_is_refused_another_outlives_a_reload_and_words_are_learned(
    train: Page,
) -> None:
    start(train, vocab_size=256)
    expect(train.get_by_text("choose 257 to 1,048,576").first).to_be_visible()
    expect_run(train, "Finished", "1,000 of 1,000")
    start(train, vocab_size=300)
    expect_run(train, "Finished", "44 of 44")
    expect(train).to_have_url(re.compile("train.vocab_size=300"))
    train.reload()
    expect_run(train, "Finished", "44 of 44")
    choose_option(train, "Algorithm", "Words")
    start(train, vocab_size=2000)
    finished = train.get_by_role("status").filter(has_text=re.compile("Finished"))
    expect(finished).not_to_contain_text("44 of 44", timeout=60_000)
    press(train.get_by_role("radio", name="Keep and export"))
    fill(train.get_by_label("Name of the tokenizer"), "my-words")
    press(train.get_by_role("button", name="Keep", exact=True))
    expect(train.get_by_text("is now in every picker")).to_be_visible()
    go_to(train, "Compare")
    expect(train.get_by_role("row").filter(has_text="my-words")).to_be_visible()
