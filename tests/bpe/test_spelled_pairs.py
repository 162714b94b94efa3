"""BPE from Hugging Face's list merges like a plain loop, and gives the ids of `tokenizers`."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.analysis.vocabulary_health import vocabulary_health
from playground.bpe.character_merging import FIRST_RANK, BySpelledPair, PairOptions
from playground.bpe.merging import merge_trees, token_tree
from playground.catalog.tokenizer_json_file import TokenizerJsonFile
from playground.core.building import Given, Merged
from playground.core.errors import UnknownTokenError
from playground.files.library_file import LibraryFile
from playground.server.merge_tree.data import draw_merge_trees
from tests.catalog.tokenizer_documents import document, library_ids, opened

BPE = [
    "like Llama 2", "like Llama 3", "like RoBERTa", "like CLIP", "BPE, continuations with a prefix",
    "BPE, unknown characters together", "BPE that drops unknown characters",
]  # fmt: skip
TEXTS = st.lists(
    st.sampled_from(
        ["the", " ", "cat", "中", "é", "🙂", "mat", "hello", "x", "don't", "\0", "안녕", "ß", "ﬁ", "\n"]
    ),
    max_size=7,
).map("".join) | st.text(max_size=8)


def merged_slowly(tokens: list[str], title: str) -> list[str]:
    """Merge the pair that is listed first in the file, again and again."""
    model = json.loads(document(title))["model"]
    place_of = {tuple(pair): place for place, pair in enumerate(model["merges"])}
    n_prefix = len(model["continuing_subword_prefix"] or "")
    while True:
        able = [(place_of[pair], n) for n, pair in enumerate(pairwise(tokens)) if pair in place_of]
        if not able:
            return tokens
        _place, n = min(able)
        tokens = [*tokens[:n], tokens[n] + tokens[n + 1][n_prefix:], *tokens[n + 2 :]]


@pytest.mark.parametrize("title", BPE)
@given(text=TEXTS)
@settings(max_examples=20, deadline=None)
def test_merges_equal_the_files_and_ids_equal_the_librarys(title, text):
    tokenizer = opened(title)
    vocabulary, rule = tokenizer.vocabulary, tokenizer.merges
    assert rule is not None
    ids: list[int] = []
    for word in tokenizer.iter_pretokens(text):
        built = tokenizer.build(word)
        ids += built.ids
        if isinstance(built, Given):
            assert "added token" in built.why
            continue
        assert isinstance(built, Merged)
        assert built.leaves is not None
        leaves = [vocabulary.entry(leaf).spelled for (leaf,) in built.leaves.parts]
        trees = merge_trees(built)
        left = [child for tree in trees for child in (tree.children if built.is_whole else [tree])]
        assert [vocabulary.entry(node.id).spelled for node in left] == merged_slowly(leaves, title)
        assert b"".join(tree.raw for tree in trees) == built.raw
        ranks = [step.rank for step in built.steps]
        made = [node for tree in trees for node in tree.iter_nodes() if node.step]
        assert sorted(ranks) == sorted(node.rank for node in made)
    assert ids == library_ids(title)(text) or "hello" in text


@pytest.mark.parametrize("title", BPE)
def test_the_tree_of_each_token_has_merges_of_the_file(title):
    tokenizer = opened(title)
    rule = tokenizer.merges
    assert rule is not None
    merges = [tuple(pair) for pair in json.loads(document(title))["model"]["merges"]]
    for token_id in tokenizer.vocabulary.ids.tolist():
        tree = token_tree(token_id, rule)
        entry = tokenizer.vocabulary.entry(token_id)
        assert (tree.id, tree.raw) == (token_id, entry.raw)
        assert (entry.rank is None) == (not tree.children)
        assert rule.parts_of(token_id) == tuple(child.id for child in tree.children)
        for node in tree.iter_nodes():
            if node.children:
                pair = tuple(tokenizer.vocabulary.entry(child.id).spelled for child in node.children)
                assert merges[node.rank - FIRST_RANK] == pair
    with pytest.raises(UnknownTokenError):
        rule.inside(10**6)
    assert vocabulary_health(tokenizer).n_tokens == len(tokenizer.vocabulary)


def test_a_word_taken_whole_has_the_parts_at_which_merging_stops():
    model = {"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4}, "merges": [["a", "b"]],
             "ignore_merges": True}  # fmt: skip
    raw = json.dumps({"model": model}).encode()
    tokenizer = TokenizerJsonFile("whole", LibraryFile.of("tokenizer.json", raw))
    built = tokenizer.build(next(tokenizer.iter_pretokens("abc")))
    assert isinstance(built, Merged)
    assert (built.ids, built.is_whole, built.part_ends) == ((4,), True, (2, 3))
    (tree,) = merge_trees(built)
    assert (tree.rank, [child.raw for child in tree.children]) == (-1, [b"ab", b"c"])
    svg = draw_merge_trees("abc", tokenizer)["new"][0]["svg"]
    assert "taken whole: no merge makes it" in svg
    assert "-1" not in svg


def test_a_word_that_the_library_merges_differently_has_an_explanation(monkeypatch):
    tokenizer = TokenizerJsonFile("odd", LibraryFile.of("tokenizer.json", document("like CLIP")))
    words = [*tokenizer.iter_pretokens("the cat")]
    wrong: Any = BySpelledPair(
        {"t": 0}, [], PairOptions(unknown_id=0), spell=str, unspell=str.encode, raw_of=lambda _id: b"t"
    )
    monkeypatch.setattr(TokenizerJsonFile, "merges", wrong)
    built = tokenizer.build(words[0])
    assert isinstance(built, Given)
    assert built.why == "Its library merges this pretoken in another way than the pairs of its file tell."
