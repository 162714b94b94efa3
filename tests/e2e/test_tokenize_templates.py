"""The chat template of a tokenizer that one opens: on the Tokenize page, and after what one does next."""

import json
import re

import pytest
from playwright.sync_api import expect

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.kept_file import write_kept
from playground.catalog.opened import open_files
from playground.server.memory_session import pack_thing
from tests.e2e.editor import Editor
from tests.e2e.kept import wait_until_kept
from tests.e2e.test_open_tokenizer import drop

MINBPE = b"minbpe v1\n\n1\n<s> 256\n"
CONFIG = {
    "bos_token": "<s>",
    "chat_template": "{% for m in messages %}{{ bos_token + m.role + m.content }}{% endfor %}",
}
SYSTEM = [256, *b"systemYou are a helpful assistant", 256, *b"user"]


@pytest.mark.new_visitor
def test_a_file_opened_in_chat_brings_its_template_and_a_reload_and_a_second_tab_have_it(
    editor: Editor, app_url: str
) -> None:
    page = editor.page
    editor.choose_mode("chat")
    before = editor.ids()
    expect(page.locator(".open-tokenizer[data-listens]")).to_be_attached()
    drop(page, "mine.model", MINBPE)
    expect(page.get_by_text("has no chat template")).to_be_visible()
    page.keyboard.press("Escape")
    assert editor.ids() == before
    drop(page, "tokenizer_config.json", json.dumps(CONFIG).encode())  # goes with what was opened before
    template = page.get_by_label("Chat template")
    expect(template).to_have_value("mine")
    page.keyboard.press("Escape")
    assert editor.ids() == SYSTEM
    expect(page.locator(".message .cost").first).to_have_text("34 tokens, 7 of them the template’s")
    expect(page.locator(".extras")).to_contain_text("The model’s own chat template")
    page.locator(".message textarea").last.fill("hi <s>")
    assert editor.ids() == [*SYSTEM, *b"hi ", 256]
    expect(page.locator(".extras")).to_contain_text("A message spells <s>: that becomes the special token")

    files = {"mine.model": MINBPE, "tokenizer_config.json": json.dumps(CONFIG).encode()}
    kept = write_kept(open_files(files, SplitPattern.named("gpt2")))
    wait_until_kept(page, "tokenizer/mine", pack_thing(kept, "it"))
    page.reload()
    expect(page.locator(".message textarea").last).to_have_value("hi <s>")
    expect(page.locator(".share-of-template")).to_contain_text("in mine")
    assert editor.ids() == [*SYSTEM, *b"hi ", 256]
    expect(template).to_have_value("mine")

    other = page.context.new_page()
    other.goto(app_url)
    second = Editor(other).wait_until_open()
    second.choose_mode("chat")
    other.get_by_label("Chat template").select_option("mine")
    assert second.ids() == SYSTEM
    check_that_one_that_fails_is_one_sentence_and_others_go_on(second)
    other.close()


def check_that_one_that_fails_is_one_sentence_and_others_go_on(editor: Editor) -> None:
    page = editor.page
    expect(page.locator(".open-tokenizer[data-listens]")).to_be_attached()
    drop(page, "mine.model", MINBPE)
    expect(page.get_by_text("has no chat template")).to_be_visible()
    drop(page, "fails.jinja", b"{{ messages[9].content.nothing }}")
    expect(editor.root.locator(".notes")).to_contain_text("the chat template fails")
    page.keyboard.press("Escape")
    page.locator(".message textarea").last.fill("not lost")
    page.get_by_label("Chat template").select_option("Qwen3")
    expect(editor.root.locator(".notes")).to_have_text("")
    expect(page.locator(".message textarea").last).to_have_value("not lost")
    page.get_by_label("The assistant answers next").uncheck()
    expect(page.locator(".ids")).to_have_text(re.compile(r"151645\s+198\s*$"))  # <|im_end|> and a line feed
    page.get_by_label("Variables").fill("[1]")
    expect(editor.root.locator(".notes")).to_contain_text("the template’s variables are no JSON object")
    page.get_by_label("Variables").fill('{"enable_thinking": false}')
    page.get_by_label("The assistant answers next").check()
    expect(page.locator(".tokens")).to_contain_text("<think>")
