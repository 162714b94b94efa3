"""Merge tree: how a token was made, who made it first, what the vocabulary holds, and other file formats."""

import base64
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from playground.catalog.trained import load_python_docs
from tests.e2e.conftest import choose_tokenizer, download, expect_tokenizer, go_to, text_field, type_text


@pytest.fixture
def merge_tree(page: Page) -> Page:
    page.goto("/merge_tree")
    expect(page.get_by_text("2 tokens, 11 merges")).to_be_visible()
    return page


def test_the_encoding_is_stepped_through_and_the_step_is_there_when_one_comes_back(merge_tree: Page) -> None:
    type_text(merge_tree, "strawberry")
    expect(merge_tree.get_by_text("3 tokens, 7 merges")).to_be_visible()
    player = merge_tree.get_by_role("region", name="Step through the encoding")
    player.get_by_role("button", name="One step forward").click()
    player.get_by_role("button", name="One step forward").click()
    expect(player).to_contain_text("2 of 7 merges done")
    player.get_by_role("button", name="Last step").click()
    expect(player).to_contain_text("7 of 7 merges done")
    player.get_by_role("button", name="One step back").click()
    expect(player).to_contain_text("6 of 7 merges done")
    go_to(merge_tree, "Tokenize")
    go_to(merge_tree, "Merge tree")
    expect(text_field(merge_tree)).to_have_value("strawberry")
    expect(player).to_contain_text("6 of 7 merges done")


def test_trees_are_walked_by_arrow_keys_and_saved_as_a_picture(merge_tree: Page) -> None:
    trees = merge_tree.get_by_role("application", name="Merge trees")
    trees.click()
    merge_tree.keyboard.press("ArrowDown")
    expect(merge_tree.get_by_text("rank").first).to_be_visible()
    merge_tree.get_by_role("radio", name="by merge order").click()
    expect(trees.get_by_role("img")).to_have_count(2)
    picture = download(merge_tree, merge_tree.get_by_role("button", name="SVG"))
    said = "".join(ElementTree.parse(picture.path()).getroot().itertext())
    assert "11241" in said


def test_another_kind_of_tokenizer_has_its_own_drawing(merge_tree: Page) -> None:
    choose_tokenizer(merge_tree, "mistral_v1")
    expect(merge_tree.get_by_role("application", name="Merge trees")).to_contain_text("6029")
    choose_tokenizer(merge_tree, "bert_uncased")
    expect(merge_tree.get_by_text("##").first).to_be_visible()


def test_the_race_says_who_made_a_word_first(merge_tree: Page) -> None:
    merge_tree.get_by_role("radio", name="Merge race").click()
    expect(
        merge_tree.get_by_text("cl100k_base has the fewest tokens, 2, of rank 4,037 at most")
    ).to_be_visible()
    word = merge_tree.get_by_role("textbox", name="Word")
    word.fill(" the")
    word.press("Enter")
    expect(merge_tree.get_by_text("has it as one token at the lowest rank, 262")).to_be_visible()


def test_the_vocabulary_is_searched_and_a_token_opened(merge_tree: Page) -> None:
    merge_tree.get_by_role("radio", name="Vocabulary").click()
    pattern = merge_tree.get_by_role("textbox", name="Regular expression")
    pattern.fill("SolidGold")
    pattern.press("Enter")
    expect(merge_tree.get_by_role("heading", name="Token 43,453 ·SolidGoldMagikarp")).to_be_visible()
    pattern.fill("(")
    pattern.press("Enter")
    expect(merge_tree.get_by_role("alert")).to_be_visible()


def test_the_health_of_a_vocabulary_is_measured(merge_tree: Page) -> None:
    choose_tokenizer(merge_tree, "python_docs_4k")
    merge_tree.get_by_role("radio", name="Health").click()
    expect(
        merge_tree.get_by_text("never produced", exact=False)
        .or_(merge_tree.get_by_text("Never produced"))
        .first
    ).to_be_visible()


def test_a_tokenizer_is_converted_with_a_proof(merge_tree: Page) -> None:
    choose_tokenizer(merge_tree, "python_docs_4k")
    merge_tree.get_by_role("radio", name="Convert").click()
    expect(merge_tree.get_by_text("Equal in tiktoken")).to_be_visible()
    file = download(merge_tree, merge_tree.get_by_role("button", name="python_docs_4k.tiktoken"))
    lines = Path(file.path()).read_text().splitlines()
    ranks = {base64.b64decode(token): int(rank) for token, rank in map(str.split, lines)}
    assert ranks == {raw: token_id for token_id, raw in load_python_docs().model.token_bytes().items()}
    merge_tree.get_by_role("radio", name=re.compile("^minbpe")).click()
    expect(merge_tree.get_by_role("button", name="python_docs_4k.vocab")).to_be_visible()
    expect_tokenizer(merge_tree, "python_docs_4k")
