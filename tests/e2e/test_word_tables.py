"""Words of a text become a tokenizer: learned on a page, used on it and on others, and kept over a reload."""

import pytest
from playwright.sync_api import expect

from playground.catalog.kept_file import write_kept
from playground.catalog.word_table import learn_table
from playground.server.memory_session import pack_thing
from tests.e2e.conftest import go_to, wait_until_rest
from tests.e2e.editor import Editor
from tests.e2e.kept import wait_until_kept


@pytest.mark.new_visitor
def test_words_are_learned_used_and_kept(editor: Editor) -> None:
    page = editor.page
    editor.set_text("the cat, the mat")
    editor.ids()
    page.get_by_role("button", name="Open a tokenizer").click()
    page.get_by_text("Words and <|unk|>").click()
    page.get_by_role("button", name="Learn", exact=True).click()
    expect(page.get_by_text("my-words: Words of a text")).to_be_visible()
    page.keyboard.press("Escape")
    expect(editor.root).to_have_attribute("data-tokenizer", "my-words")
    assert editor.ids() == [3, 1, 0, 3, 2]
    editor.set_text("the dog")
    assert editor.ids() == [3, 5]
    table = learn_table(["the cat, the mat"], "words", has_unknown=True)
    wait_until_kept(page, "tokenizer/my-words", pack_thing(write_kept(table), "it"))
    page.reload()
    expect(page.get_by_role("combobox", name="Tokenizer", exact=True)).to_have_value(
        "my-words · Words of a text · 6 tokens · others become <|unk|>"
    )
    assert editor.ids() == [3, 5]
    wait_until_rest(page)
    go_to(page, "Merge tree")
    expect(page.get_by_text("It has no row: the text from which")).to_be_visible()
