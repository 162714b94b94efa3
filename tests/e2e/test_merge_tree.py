"""Merge tree: how a token was made, and who made it first."""

from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import (
    choose_tokenizer,
    download,
    go_to,
    key,
    press,
    text_field,
    type_text,
)


@pytest.fixture
def merge_tree(page: Page) -> Page:
    page.goto("/merge_tree")
    expect(page.get_by_text("2 tokens, 11 merges")).to_be_visible()
    return page


def test_the_encoding_is_stepped_through_and_each_kind_of_tokenizer_has_a_drawing(
    merge_tree: Page,
) -> None:
    type_text(merge_tree, "strawberry")
    expect(merge_tree.get_by_text("3 tokens, 7 merges")).to_be_visible()
    player = merge_tree.get_by_role("region", name="Step through the encoding")
    press(player.get_by_role("button", name="One step forward"))
    press(player.get_by_role("button", name="One step forward"))
    expect(player).to_contain_text("2 of 7 merges done")
    press(player.get_by_role("button", name="Last step"))
    expect(player).to_contain_text("7 of 7 merges done")
    press(player.get_by_role("button", name="One step back"))
    expect(player).to_contain_text("6 of 7 merges done")
    go_to(merge_tree, "Tokenize")
    go_to(merge_tree, "Merge tree")
    expect(text_field(merge_tree)).to_have_value("strawberry")
    expect(player).to_contain_text("6 of 7 merges done")
    choose_tokenizer(merge_tree, "mistral_v1")
    expect(merge_tree.get_by_text("2 tokens, 9 merges")).to_be_visible()
    choose_tokenizer(merge_tree, "bert_uncased")
    expect(merge_tree.get_by_text("1 token, 1 try")).to_be_visible()


def test_trees_are_walked_by_arrow_keys_saved_as_a_picture_and_raced(merge_tree: Page) -> None:
    trees = merge_tree.get_by_role("application", name="Merge trees")
    press(trees)
    key(merge_tree, "ArrowDown")
    expect(merge_tree.get_by_text("rank").first).to_be_visible()
    press(merge_tree.get_by_role("radio", name="by merge order"))
    expect(trees.get_by_role("img")).to_have_count(2)
    picture = download(merge_tree, merge_tree.get_by_role("button", name="SVG"))
    assert "11241" in "".join(ElementTree.parse(picture).getroot().itertext())
    press(merge_tree.get_by_role("radio", name="Merge race"))
    expect(
        merge_tree.get_by_text("cl100k_base comes closest: 2 tokens, the last at rank 4,037")
    ).to_be_visible()
    type_text(merge_tree, " the")
    expect(merge_tree.get_by_text("has it as one token at the lowest rank, 262")).to_be_visible()
