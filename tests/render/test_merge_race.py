"""The race's labels can be read: none covers another, on words that crowd their first merges."""

from itertools import combinations
from typing import Any

import pytest
import regex

from playground.bpe.merging import encode_with_trace, merge_forest
from playground.catalog.registry import get_tokenizer
from playground.render.label_layout import ASCENT, CHARACTER_WIDTH, DESCENT, Box, Dot, place_labels
from playground.render.merge_race import Runner, describe_first_merge, merge_race_svg

NAMES = ("gpt2", "cl100k_base", "o200k_base", "python_docs_4k")
WORDS = (" tokenization", "Hello world", " internationalization", "supercalifragilisticexpialidocious",
         "안녕하세요", "नमस्ते", "👨‍👩‍👧", "1234567890", "        return",
         "counterrevolutionaries misunderstood")  # fmt: skip


def run(name: str, word: str) -> Runner:
    tokenizer: Any = get_tokenizer(name)
    trace = encode_with_trace(word, tokenizer.mergeable_ranks, split_pattern=tokenizer.split_pattern)
    return Runner(name, "#000000", merge_forest(trace, tokenizer.mergeable_ranks))


@pytest.mark.parametrize("word", WORDS)
def test_no_label_covers_another(word):
    runners = [run(name, word) for name in NAMES]
    svg = merge_race_svg(runners)
    labels = regex.findall(r'class="dot-rank" x="([\d.]+)" y="([\d.]+)">([\d,]+)<', svg)
    n_joints = sum(
        bool(node.children) for runner in runners for tree in runner.forest for node in tree.iter_nodes()
    )
    assert len(labels) == n_joints
    boxes = [
        Box(float(x), float(y) - ASCENT, float(x) + CHARACTER_WIDTH * len(label), float(y) + DESCENT)
        for x, y, label in labels
    ]
    assert not any(one.overlap(other) for one, other in combinations(boxes, 2))


def test_where_there_is_no_room_a_label_covers_as_little_as_it_can():
    boxes = place_labels([Dot(10, 10, "1,000")] * 40, Box(0, 0, 60, 30))
    assert len(boxes) == 40
    assert place_labels([], Box(0, 0, 1, 1)) == []


def test_the_first_merge_is_the_lowest_rank():
    assert describe_first_merge(run("gpt2", " tokenization").forest) == "first merge: · + t, rank 256"
    assert describe_first_merge(run("gpt2", "!").forest) == ""
