import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.analysis.traces import text_trees, trace_text
from playground.bpe.merging import ByRank, token_tree
from playground.catalog.openai import load_openai
from playground.core.building import MergeNode
from playground.render.merge_race import Runner, merge_race_svg
from playground.render.merge_tree import TREE_CSS, leaf_characters, merge_tree_svg
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


def test_height_is_by_depth_or_by_merge_order():
    tree = token_tree(11241, load_openai("gpt2").merges)
    heights = {
        how: float(parse(merge_tree_svg(tree, height_by=how)).get("height", 0)) for how in ("depth", "order")
    }
    # " token" has 3 levels, and 5 merges
    assert heights["depth"] == 4 + 14 + 3 * 42 + 24 + 18
    assert heights["order"] == 4 + 14 + 5 * 33 + 24 + 18


def test_parents_stand_above_and_between_their_parts():
    cl100k = load_openai("cl100k_base")
    for raw in (b" token", b" international", "이".encode(), b" " * 128):
        for how in ("depth", "order"):
            pills = re.findall(
                r'<rect class="joint" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"',
                merge_tree_svg(token_tree(cl100k.mergeable_ranks[raw], cl100k.merges), height_by=how),
            )
            boxes = [(float(x), float(y), float(width)) for x, y, width in pills]
            for i, (x, y, width) in enumerate(boxes):
                for other_x, other_y, other_width in boxes[:i]:
                    if abs(other_y - y) < 1:  # on one level, joints do not touch
                        assert x + width <= other_x or other_x + other_width <= x


def test_a_character_stands_over_its_bytes():
    raw = "a안".encode()
    assert [tuple(c) for c in leaf_characters(raw)] == [("a", 1, False), ("안", 3, False)]
    assert [tuple(c) for c in leaf_characters(raw, 2, 4)] == [("안", 2, True)]
    svg = merge_tree_svg(MergeNode(b"\xec", 5, 5), characters=leaf_characters(raw, 1, 2))
    assert "안" in svg
    assert ">EC<" in svg
    assert "partial" in svg


def test_a_token_that_no_merge_makes_is_drawn_apart():
    tree = token_tree(3, ByRank({b"a": 0, b"b": 1, b"c": 2, b"abc": 3}))
    svg = merge_tree_svg(tree)
    assert nodes_of(svg)[-1].get("class") == "node root whole"
    assert "no merge makes it" in parse(svg).get("aria-label", "")


def test_a_token_with_nothing_inside_is_one_box_over_its_bytes():
    svg = merge_tree_svg(MergeNode("안".encode(), 50504))
    (node,) = nodes_of(svg)
    assert node.get("data-rank") is None
    assert parse(svg).get("aria-label") == 'token "안", id 50504, nothing inside'
    assert node.findtext(f"{SVG}text") == "EC 95 88"
    assert [float(r.get("width", 0)) for r in node.iter(f"{SVG}rect")] == [3 * 24 - 3]


@settings(max_examples=40, deadline=None)
@given(
    text=st.text(min_size=1, max_size=12)
    | st.sampled_from([" tokenization", "안녕하세요", "👩‍👩‍👧", "\x00\x01"])
)
def test_each_joint_carries_its_piece_and_stays_over_its_bytes(text):
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
            assert float(joint.get("width")) <= n_bytes * 24 - 2
            assert float(joint.get("x")) >= 0
            assert float(joint.get("x")) + float(joint.get("width")) <= float(parse(svg).get("width", "0"))


def test_a_caption_is_the_id_and_a_joint_the_rank():
    ranks = {b"a": 0, b"b": 1, b"ab": 2}
    tree = token_tree(1002, ByRank(ranks, ids={raw: 1000 + rank for raw, rank in ranks.items()}))
    texts = [(text.get("class"), text.text) for text in parse(merge_tree_svg(tree)).iter(f"{SVG}text")]
    assert ("caption", "1002") in texts
    assert ("rank", "2") in texts


def test_the_race_puts_later_ranks_higher():
    runners = []
    for name in ("gpt2", "cl100k_base"):
        tokenizer = load_openai(name)
        trees = text_trees(trace_text(tokenizer, " tokenization"), tokenizer.vocabulary)
        runners.append(Runner(name, "#000", tuple(trees)))
    root = parse(merge_race_svg(runners))
    dots = [
        (
            int(re.sub(r"\D", "", (circle.findtext(f"{SVG}title") or "").split("rank")[1])),
            float(circle.get("cy", 0)),
        )
        for circle in root.iter(f"{SVG}circle")
    ]
    assert len(dots) == 22
    by_rank = [y for _rank, y in sorted(dots)]
    assert by_rank == sorted(by_rank, reverse=True)


def test_the_css_can_stand_in_a_style_element():
    assert "<" not in TREE_CSS
