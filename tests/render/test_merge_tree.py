"""Drawings of merges as SVG: trees of tokens, and the race of several tokenizers."""

import xml.etree.ElementTree as ElementTree
from itertools import combinations
from typing import Any

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.analysis.traces import text_trees, trace_text
from playground.bpe.merging import ByRank, token_tree
from playground.catalog.openai import load_openai
from playground.catalog.registry import get_tokenizer
from playground.core.building import MergeNode
from playground.render.merge_race import (
    ASCENT,
    CHARACTER_WIDTH,
    DESCENT,
    Box,
    Runner,
    describe_race,
    merge_race_svg,
)
from playground.render.merge_tree import leaf_characters, merge_tree_svg
from playground.render.visible_text import shown_bytes

SVG = "{http://www.w3.org/2000/svg}"


def parse(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def nodes_of(svg: str) -> list[Any]:
    return [group for group in parse(svg).iter(f"{SVG}g") if "node" in group.get("class", "").split()]


@pytest.mark.parametrize("height_by", ["depth", "order"])
@settings(max_examples=40, deadline=None)
@given(
    text=st.text(min_size=1, max_size=12) | st.sampled_from(["<script>alert(1)</script>", "\"&'", "👩‍👩‍👧"])
)
def test_every_text_gives_well_formed_svg_with_a_group_for_each_node(height_by, text):
    gpt2 = load_openai("gpt2")
    for tree in text_trees(trace_text(gpt2, text), gpt2.vocabulary):
        svg = merge_tree_svg(tree, height_by=height_by)
        groups = nodes_of(svg)
        # children first: each subtree is a node and the groups before it
        expected = list(tree.iter_nodes())[::-1]
        assert [int(group.get("data-rank")) for group in groups] == [node.rank for node in expected]
        assert [int(group.get("data-n")) for group in groups] == [
            len(list(node.iter_nodes())) for node in expected
        ]
        assert "<script" not in svg


def test_a_character_is_drawn_above_its_bytes():
    raw = "a안".encode()
    assert [tuple(c) for c in leaf_characters(raw)] == [("a", 1, False), ("안", 3, False)]
    assert [tuple(c) for c in leaf_characters(raw, 2, 4)] == [("안", 2, True)]
    svg = merge_tree_svg(MergeNode(b"\xec", 5, 5), characters=leaf_characters(raw, 1, 2))
    assert "안" in svg
    assert ">EC<" in svg
    assert "partial" in svg


def test_a_token_that_no_merge_makes_is_drawn_differently():
    tree = token_tree(3, ByRank({b"a": 0, b"b": 1, b"c": 2, b"abc": 3}))
    svg = merge_tree_svg(tree)
    assert nodes_of(svg)[-1].get("class") == "node root whole"
    assert "no merge makes it" in parse(svg).get("aria-label", "")


def test_a_token_without_merges_is_one_box():
    svg = merge_tree_svg(MergeNode("안".encode(), 50504))
    (node,) = nodes_of(svg)
    assert node.get("data-rank") is None
    assert parse(svg).get("aria-label") == 'token "안", id 50504, nothing inside'
    assert node.findtext(f"{SVG}text") == "EC 95 88"
    assert [float(r.get("width", 0)) for r in node.iter(f"{SVG}rect")] == [3 * 28 - 3]


@settings(max_examples=40, deadline=None)
@given(
    text=st.text(min_size=1, max_size=12)
    | st.sampled_from([" tokenization", "안녕하세요", "👩‍👩‍👧", "\x00\x01"])
)
def test_each_joint_shows_its_piece_above_its_bytes(text):
    gpt2 = load_openai("gpt2")
    for tree in text_trees(trace_text(gpt2, text), gpt2.vocabulary):
        svg = merge_tree_svg(tree)
        raw_of = {shown_bytes(node.raw): node.raw for node in tree.iter_nodes()}
        for group in nodes_of(svg):
            joint, pieces = (
                group.find(f"{SVG}rect[@class='joint']"),
                group.findall(f"{SVG}text[@class='piece']"),
            )
            assert len(pieces) == (joint is not None)
            if joint is None:
                continue
            raw = raw_of[group.get("data-text")]
            is_text = raw.decode(errors="ignore").encode() == raw
            assert pieces[0].text == (group.get("data-text") if is_text else raw.hex(" ").upper())
            n_bytes = (int(group.get("data-n")) + 1) // 2
            assert float(joint.get("width")) <= n_bytes * 28 - 2
            assert float(joint.get("x")) >= 0
            assert float(joint.get("x")) + float(joint.get("width")) <= float(parse(svg).get("width", "0"))


def test_the_caption_shows_the_id_and_a_joint_the_rank():
    ranks = {b"a": 0, b"b": 1, b"ab": 2}
    tree = token_tree(1002, ByRank(ranks, ids={raw: 1000 + rank for raw, rank in ranks.items()}))
    texts = [(text.get("class"), text.text) for text in parse(merge_tree_svg(tree)).iter(f"{SVG}text")]
    assert ("caption", "id 1002") in texts
    assert ("rank", "rank 2") in texts
    narrow = token_tree(11_000, ByRank({b"a": 0, b"b": 1, b"ab": 11_000}))
    assert ">11000<" in merge_tree_svg(narrow), "without room for the word"


NAMES = ("gpt2", "cl100k_base", "o200k_base", "python_docs_4k")
WORDS = (" tokenization", "Hello world", " internationalization", "supercalifragilisticexpialidocious",
         "안녕하세요", "नमस्ते", "👨‍👩‍👧", "1234567890", "        return",
         "counterrevolutionaries misunderstood")  # fmt: skip


def run(name: str, word: str) -> Runner:
    tokenizer = get_tokenizer(name)
    return Runner(name, "#000000", tuple(text_trees(trace_text(tokenizer, word), tokenizer.vocabulary)))


@pytest.mark.parametrize("word", WORDS)
def test_no_label_covers_another(word):
    runners = [run(name, word) for name in NAMES]
    svg = merge_race_svg(runners)
    rows = svg.split("<g ")[1:]
    labels = [
        (n, *found)
        for n, row in enumerate(rows)
        for found in regex.findall(r'class="dot-rank" x="([\d.]+)" y="([\d.]+)">([\d,]+)<', row)
    ]
    n_joints = sum(
        bool(node.children) for runner in runners for tree in runner.trees for node in tree.iter_nodes()
    )
    assert len(labels) == n_joints
    boxes = [
        Box(
            float(x),
            400 * n + float(y) - ASCENT,
            float(x) + CHARACTER_WIDTH * len(label),
            400 * n + float(y) + DESCENT,
        )
        for n, x, y, label in labels
    ]
    assert not any(one.overlap(other) for one, other in combinations(boxes, 2))


def test_names_titles_and_summaries_stay_text():
    """Markup in a token or in a tokenizer's name is escaped."""
    svg_name = "{http://www.w3.org/2000/svg}"
    left, right = MergeNode(b"</text>", 7, 7), MergeNode(b'<img src="x">&', 8, 8)
    tree = MergeNode(left.raw + right.raw, 9, 9, (left, right), step=1)
    name = 'mine"><script>alert(1)</script>&amp;'
    root = ElementTree.fromstring(merge_race_svg([Runner(name, '#000"><b>', (tree,))]))
    texts = {kind: [t.text for t in root.iter(f"{svg_name}text") if t.get("class") == kind] for kind in
             ("name", "summary")}  # fmt: skip
    assert texts["name"] == [name]
    assert texts["summary"][1] == 'first merge: </text> + <img·src="x">&, rank 9'
    assert [title.text for title in root.iter(f"{svg_name}title")] == ['</text><img·src="x">&, rank 9']
    assert root.get("aria-label") == f"{name}: one token, complete at rank 9"
    assert {element.tag.removeprefix(svg_name) for element in root.iter()} == {
        *("svg", "g", "text", "rect", "line", "path", "circle", "title")
    }
    assert 'fill="#000&quot;&gt;&lt;b&gt;"' in merge_race_svg([Runner(name, '#000"><b>', (tree,))])


def test_the_summary_of_a_race_names_the_last_token():
    trees = tuple(MergeNode(raw, rank, rank) for raw, rank in ((b"a", 64), (b"bc", 1300), (b"d", 67)))
    assert describe_race(trees) == "3 tokens, the last at rank 1,300"
    assert describe_race(trees[1:2]) == "one token, complete at rank 1,300"
    assert describe_race(()) == "nothing to merge"


def test_a_character_split_by_tokens_is_drawn_once():
    word = "👨‍👩‍👧 é"
    for name in NAMES:
        runner = run(name, word)
        texts = ElementTree.fromstring(merge_race_svg([runner])).iter("{http://www.w3.org/2000/svg}text")
        found = [(text.get("class"), text.text) for text in texts]
        glyphs = [text for kind, text in found if kind == "glyph"]
        assert glyphs == ["👨", "200D", "👩", "200D", "👧", "·", "é"]
        bytes_below = "".join(text or "" for kind, text in found if kind == "hex")
        assert sorted(bytes.fromhex(bytes_below)) == sorted(word.replace(" ", "").encode())
