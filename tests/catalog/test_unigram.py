"""A lattice has the best and second-best paths of the public libraries."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.catalog.unigram import MAX_LATTICE_CHARS
from playground.core.building import Edge, Given, Lattice, Pretoken
from playground.server.merge_tree.data import draw_merge_trees
from tests.catalog import sentencepiece_models, tokenizer_documents
from tests.catalog.sentencepiece_models import OPTIONS
from tests.render.test_merge_tree import nodes_of

PARTS = ["the", "cat", "s", "at", "on", "mat", "<user>", "é", "안", "xyz", "🙂", "ünï", "na", " "]
TEXTS = st.lists(st.sampled_from(PARTS), min_size=1, max_size=5).map("".join)


def all_paths(edges: tuple[Edge, ...], at: int, end: int) -> list[tuple[Edge, ...]]:
    """Return every path over a word, slowly."""
    if at == end:
        return [()]
    return [(edge, *rest) for edge in edges if edge.start == at for rest in all_paths(edges, edge.end, end)]


def scores(lattice: Lattice) -> list[float]:
    paths = [lattice.best, lattice.second] if lattice.second else [lattice.best]
    return [lattice.score_of(path) for path in paths]


@pytest.mark.parametrize("title", [title for title in OPTIONS if title.startswith("unigram")])
@given(text=TEXTS)
@settings(max_examples=30, deadline=None)
def test_both_paths_have_the_scores_of_sentencepieces_two_best(title, text):
    tokenizer = sentencepiece_models.opened(title)
    for pretoken in tokenizer.iter_pretokens(text):
        lattice = tokenizer.build(pretoken)
        assert isinstance(lattice, Lattice)
        said = tokenizer._words.nbest_encode(pretoken.text, nbest_size=2, out_type="proto").nbests
        assert scores(lattice) == pytest.approx([path.score for path in said], abs=1e-3)
        assert lattice.ids == tuple(tokenizer._words.encode(pretoken.text))


@given(text=TEXTS)
@settings(max_examples=30, deadline=None)
def test_both_paths_of_a_tokenizer_json_are_the_best_of_all_that_there_are(text):
    tokenizer = tokenizer_documents.opened("like T5")
    for pretoken in tokenizer.iter_pretokens(text):
        lattice = tokenizer.build(pretoken)
        if isinstance(lattice, Given):
            assert "is an added token" in lattice.why
            continue
        assert isinstance(lattice, Lattice)
        paths = all_paths(lattice.edges, 0, len(lattice.text))
        sums = sorted((sum(edge.score for edge in path) for path in paths), reverse=True)
        assert scores(lattice) == pytest.approx(sums[:2])
        word = [lattice.text[edge.start : edge.end] for edge in map(lattice.edges.__getitem__, lattice.best)]
        assert "".join(word) == lattice.text


def test_what_is_drawn_is_every_piece_with_both_paths_marked():
    tokenizer = sentencepiece_models.opened("unigram, nmt_nfkc, symbols")
    data = draw_merge_trees("the<x", tokenizer)
    (drawn,) = data["new"].values()
    (lattice,) = map(tokenizer.build, tokenizer.iter_pretokens("the<x"))
    assert isinstance(lattice, Lattice)
    nodes = nodes_of(drawn["svg"])
    assert len(nodes) == len(lattice.edges) == data["n_pieces"]
    assert [" best" in node.get("class") for node in nodes] == [
        place in lattice.best for place in range(len(lattice.edges))
    ]
    assert nodes[-1].get("data-said").startswith("“x”  score −")
    assert (data["n_merges"], data["n_tries"], data["why"], "steps" in drawn) == (0, 0, "", False)
    shown = [f"{score:.2f}".replace("-", "−") for score in scores(lattice)]
    assert re.findall(r">(best|next) ([^<]+)<", drawn["svg"]) == [("best", shown[0]), ("next", shown[1])]
    assert "<x" not in drawn["svg"].replace("<xml", "")


def test_unknown_characters_that_stand_together_are_one_bar_of_the_path():
    tokenizer = sentencepiece_models.opened("unigram, nmt_nfkc, symbols")
    (lattice,) = map(tokenizer.build, tokenizer.iter_pretokens("中文"))
    assert isinstance(lattice, Lattice)
    assert [edge.is_known for edge in map(lattice.edges.__getitem__, lattice.best)][-2:] == [False, False]
    assert len(lattice.ids) == len(lattice.best) - 1
    (drawn,) = draw_merge_trees("中文", tokenizer)["new"].values()
    n_bars = drawn["svg"].count('<g class="way best"')
    assert n_bars == len(lattice.ids)


def test_a_long_pretoken_says_why_nothing_is_inside():
    tokenizer = sentencepiece_models.opened("unigram over spaces")
    short, long = (
        tokenizer.build(Pretoken("a" * n, 0, n)) for n in (MAX_LATTICE_CHARS, MAX_LATTICE_CHARS + 1)
    )
    assert isinstance(short, Lattice)
    assert isinstance(long, Given)
    assert (
        draw_merge_trees("a" * 200, tokenizer)["why"]
        == "Paths are drawn for pretokens of up to 80 characters."
    )
