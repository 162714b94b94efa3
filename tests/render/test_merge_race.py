"""The race's labels can be read: none covers another, on words that crowd their first merges."""

import xml.etree.ElementTree as ElementTree
from itertools import combinations

import pytest
import regex

from playground.analysis.traces import text_trees, trace_text
from playground.catalog.registry import get_tokenizer
from playground.core.building import MergeNode
from playground.render.merge_race import (
    ASCENT,
    CHARACTER_WIDTH,
    DESCENT,
    Box,
    Dot,
    Runner,
    describe_first_merge,
    describe_race,
    merge_race_svg,
    place_labels,
)

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
        bool(node.children) for runner in runners for tree in runner.forest for node in tree.iter_nodes()
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


def test_where_there_is_no_room_a_label_covers_as_little_as_it_can():
    boxes = place_labels([Dot(10, 10, "1,000")] * 40, Box(0, 0, 60, 30))
    assert len(boxes) == 40
    assert place_labels([], Box(0, 0, 1, 1)) == []


def test_the_first_merge_is_the_lowest_rank():
    assert describe_first_merge(run("gpt2", " tokenization").forest) == "first merge: · + t, rank 256"
    assert describe_first_merge(run("gpt2", "!").forest) == ""


def test_names_titles_and_summaries_stay_text():
    """A token or a tokenizer's name may hold markup; what is read back from the SVG is that text."""
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


def test_a_race_of_several_tokens_ends_with_the_last():
    forest = tuple(MergeNode(raw, rank, rank) for raw, rank in ((b"a", 64), (b"bc", 1300), (b"d", 67)))
    assert describe_race(forest) == "3 tokens, the last at rank 1,300"
    assert describe_race(forest[1:2]) == "one token, complete at rank 1,300"
    assert describe_race(()) == "nothing to merge"


@pytest.mark.parametrize("word", [*WORDS, "seaweed", "!"])
def test_no_line_reaches_into_the_next_runner(word):
    """Letters have 0.6 of the size of their type."""
    runners = [run("cl100k_base", word)._replace(name="n" * 60), *(run(name, word) for name in NAMES)]
    root = ElementTree.fromstring(merge_race_svg(runners))
    for row in root.findall("{http://www.w3.org/2000/svg}g"):
        texts = list(row.iter("{http://www.w3.org/2000/svg}text"))
        starts = [float(text.get("x", 0)) for text in texts if text.get("class") == "name"]
        for text in texts:
            size = {"name": 13, "summary": 11}.get(text.get("class", ""))
            if size is not None:
                left = float(text.get("x", 0))
                right = left + 0.6 * size * len(text.text or "")
                assert right < min(
                    [start for start in starts if start > left], default=float(root.get("width", 0))
                )


@pytest.mark.parametrize("word", WORDS)
def test_runners_that_do_not_fit_beside_each_other_stand_below_and_nothing_is_made_smaller(word):
    runners = [run(name, word) for name in NAMES]
    root = ElementTree.fromstring(merge_race_svg(runners))
    rows = root.findall("{http://www.w3.org/2000/svg}g")
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    assert float(root.get("height", 0)) == 400 * len(rows)
    longest = len(word.encode())
    assert float(root.get("width", 0)) <= max(1190, longest * (24 + 10) + 130)
    svg = ElementTree.tostring(root, encoding="unicode")
    assert [svg.count(f">{name}<") for name in NAMES] == [1] * len(NAMES)
    assert svg.count("rank of the merge (log scale)") == len(rows), "each row has its axis with a title"


def test_a_character_that_tokens_split_stands_once_over_its_bytes():
    word = "👨‍👩‍👧 é"
    for name in NAMES:
        runner = run(name, word)
        texts = ElementTree.fromstring(merge_race_svg([runner])).iter("{http://www.w3.org/2000/svg}text")
        found = [(text.get("class"), text.text) for text in texts]
        glyphs = [text for kind, text in found if kind == "glyph"]
        assert glyphs == ["👨", "200D", "👩", "200D", "👧", "·", "é"]
        bytes_below = "".join(text or "" for kind, text in found if kind == "hex")
        assert sorted(bytes.fromhex(bytes_below)) == sorted(word.replace(" ", "").encode())
