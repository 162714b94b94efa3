"""The Merge tree page: the race and its verdict."""

import pytest

from playground.analysis.traces import text_trees, trace_text
from playground.catalog.registry import get_tokenizer
from playground.render.merge_race import Runner
from playground.ui.merge_tree.race import built_svgs, verdict, why_no_race
from tests.catalog import sentencepiece_models
from tests.ui.visits import learned, markdown_of, visit

NAME = "my__own__one"
SMALL = get_tokenizer("python_docs_4k")


@pytest.fixture(scope="module")
def own():
    return learned(NAME, "tokenization tokenization <b> " * 9)


@pytest.fixture
def page(own):
    names = [NAME, "python_docs_4k", "utf8_bytes"]
    kept = {"keep.trained_tokenizers": {NAME: own}, "keep.race": names, "view.merge_tree": "Merge race"}
    return visit("merge_tree", kept | {"keep.tokenizer": ["python_docs_4k"]})


def test_the_race_names_who_has_the_word_first_as_text(page, own):
    rank = own.vocabulary.entry(own.encode(" tokenization")[0]).rank
    assert len(SMALL.encode(" tokenization")) > 1
    assert f"my\\_\\_own\\_\\_one has it as one token at the lowest rank, {rank}" in markdown_of(page)
    assert "utf8\\_bytes is not in the race: it has no merges with known ranks." in markdown_of(page)


def test_the_race_takes_the_first_word_of_the_pages_text(page):
    page.session_state["keep.merge_tree.session"].follow("<b> tokenization")
    assert "It is one byte" not in markdown_of(page.run())
    page.session_state["keep.merge_tree.session"].follow("b tokenization")
    assert "It is one byte" in markdown_of(page.run())


@pytest.mark.parametrize(
    ("tokenizer", "why", "drawn"),
    [
        (get_tokenizer("bert_uncased"), "it takes the longest piece that fits", "probes"),
        (sentencepiece_models.opened("unigram, nmt_nfkc, symbols"), "best total score", "lattice"),
    ],
)
def test_a_tokenizer_without_merges_is_drawn_beside_the_race(tokenizer, why, drawn):
    assert why in why_no_race(tokenizer, " word")
    assert [f'class="tree {drawn}"' in svg for svg in built_svgs(tokenizer, " word")] == [True]
    kept = {"keep.trained_tokenizers": {"opened": tokenizer}, "keep.race": ["gpt2", "opened"]}
    page = visit("merge_tree", {**kept, "view.merge_tree": "Merge race", "keep.tokenizer": ["gpt2"]})
    assert list(page.exception) == []
    said = markdown_of(page)
    assert said.index("gpt2 comes closest") < said.index(why)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("x", "It is one byte, which every tokenizer has from the start."),
        (" the", "gpt2 and r50k_base have it as one token at the lowest rank, 262."),
        (
            "qjzz",
            "No tokenizer has it as one token. gpt2 and r50k_base come closest: 3 tokens, the last at rank "
            "3,019.",
        ),
    ],
)
def test_equally_early_tokenizers_share_the_first_place(word, said):
    runners = [
        Runner(name, "#000", tuple(text_trees(trace_text(tokenizer, word), tokenizer.vocabulary)))
        for name in ("gpt2", "python_docs_4k", "r50k_base")
        for tokenizer in [get_tokenizer(name)]
    ]
    assert verdict(runners) == said


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("안", "Nothing merges: the tokenizers have these bytes and characters from the start."),
        ("tokens", "mistral\\_v1"),
    ],
)
def test_pieces_race_too(word, said):
    tokenizer = get_tokenizer("mistral_v1")
    trees = tuple(text_trees(trace_text(tokenizer, word), tokenizer.vocabulary))
    assert said.replace("\\", "") in verdict([Runner(tokenizer.name, "#000", trees)])
