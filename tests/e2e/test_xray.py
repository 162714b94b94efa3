"""A person looks into the requests of an agent."""

import json
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.analysis.test_xray import SESSION, lines, request
from tests.e2e.conftest import choose_file, choose_option, expect_page, fill, key, press, text_field


def test_a_log_shows_what_fills_each_turn_and_why_the_cache_missed(page: Page, tmp_path: Path) -> None:
    page.goto("/xray")
    expect(page.get_by_text("The prefix breaks at message 1, system: a date or a time.")).to_be_visible()

    path = tmp_path / "session.jsonl"
    path.write_text(lines(*SESSION))
    choose_file(page, page.get_by_role("button", name="Open a file"), path)
    expect(page.get_by_text("a session of Claude Code, 3 turns")).to_be_visible()
    turns = page.get_by_role("listbox", name="Turns")
    press(turns.get_by_role("option", name="Turn 2"))
    expect(page.get_by_text("The service reported 120 input tokens.")).to_be_visible()
    expect(page.get_by_text("Begins with the whole turn before it")).to_be_visible()
    key(page, "ArrowDown")
    expect(page.get_by_text("The prefix breaks at message 2, assistant")).to_be_visible()

    field = page.get_by_label("A request or a log")
    fill(field, "{oops")
    press(page.get_by_role("button", name="Examine"))
    expect(page.get_by_text("cannot be read as a chat")).to_be_visible()
    expect(turns.get_by_role("option")).to_have_count(3)
    fill(field, json.dumps(request(system="Answer as a pirate.")))
    press(page.get_by_role("button", name="Examine"))
    expect(page.get_by_text("OpenAI’s Chat Completions API, 1 turn")).to_be_visible()
    page.reload()
    expect(page.get_by_text("OpenAI’s Chat Completions API, 1 turn")).to_be_visible()
    press(page.get_by_role("row", name="system").get_by_role("button", name="Tokens").first)
    expect_page(page, "Tokenize")
    expect(text_field(page)).to_have_value("Answer as a pirate.")

    page.goto("/xray?tokenizer=qwen3")
    press(page.get_by_text("Does the chat template of Qwen3 keep its prefix?"))
    choose_option(page, "Compare with", "DeepSeek-V3")
    expect(page.get_by_text("DeepSeek-V3: 144 of 144 turns")).to_be_visible()
    expect(page.get_by_text("Qwen3: 72 of 144 turns")).to_be_visible()
