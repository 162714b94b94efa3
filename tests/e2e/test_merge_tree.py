"""Merge tree: how a token was made, and who made it first."""

from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import choose_tokenizer, download, go_to, text_field, type_text


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
        merge_tree.get_by_text("cl100k_base comes closest: 2 tokens, the last at rank 4,037")
    ).to_be_visible()
    type_text(merge_tree, " the")
    expect(merge_tree.get_by_text("has it as one token at the lowest rank, 262")).to_be_visible()
