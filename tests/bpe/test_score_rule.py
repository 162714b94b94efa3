"""SentencePiece's BPE merges like a plain loop, and gives the library's ids."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sentencepiece import sentencepiece_model_pb2

from playground.bpe.character_merging import ByScore, Scored
from playground.bpe.merging import merge_trees, token_tree
from playground.catalog.registry import get_tokenizer
from playground.catalog.shipped_vocabularies import read_vocabulary
from playground.core.building import Merged
from playground.core.errors import UnknownTokenError
from tests.catalog import sentencepiece_models

OPENED = ["bpe, bytes", "bpe, nothing normalized", "bpe, symbols, space behind", "bpe over spaces"]
WORDS = st.lists(
    st.sampled_from(
        ["the", " ", "cat", "中", "é", "🙂", "mat", "<user>", "\u2581", "x", "don't", "\0", "안녕"]
    ),
    max_size=7,
).map("".join) | st.text(max_size=8)


def model_of(name: str) -> Any:
    """Read the model's own file with the library's protobuf alone."""
    raw = sentencepiece_models.model_bytes(name) if name in OPENED else read_vocabulary(f"{name}.model.gz")
    model: Any = vars(sentencepiece_model_pb2)["ModelProto"]()
    model.ParseFromString(raw)
    return model


def tokenizer_of(name: str) -> Any:
    return sentencepiece_models.opened(name) if name in OPENED else get_tokenizer(name)


def merged_slowly(word: str, scores: dict[str, float], symbols: set[str]) -> list[tuple[str, int]]:
    """Return what each merge makes, and where: each time the best of all neighbours."""
    parts: list[str] = []
    while word:
        found = [symbol for symbol in symbols if word.startswith(symbol)]
        parts.append(max(found, key=len) if found else word[0])
        word = word.removeprefix(parts[-1])
    made: list[tuple[str, int]] = []
    while True:
        able = [
            (-scores[a + b], n)
            for n, (a, b) in enumerate(pairwise(parts))
            if a + b in scores and not {a, b} & symbols
        ]
        if not able:
            return made
        _score, n = min(able)
        made.append((parts[n] + parts[n + 1], sum(map(len, parts[:n]))))
        parts[n : n + 2] = [parts[n] + parts[n + 1]]


@pytest.mark.parametrize("name", OPENED)
@given(text=WORDS)
@example("mat\u2581x<user> mat")
@settings(max_examples=20, deadline=None)
def test_merges_come_in_the_order_of_their_scores(name, text):
    tokenizer, model = tokenizer_of(name), model_of(name)
    kinds = model.SentencePiece
    pieces = [p for p in model.pieces if p.type in (kinds.NORMAL, kinds.USER_DEFINED)]
    scores = {piece.piece.replace("\u2581", " "): piece.score for piece in pieces}
    symbols = {p.piece.replace("\u2581", " ") for p in pieces if p.type == kinds.USER_DEFINED}
    for word in tokenizer.iter_pretokens(text):
        built = tokenizer.build(word)
        assert isinstance(built, Merged), "none is given without its merges"
        made = [(built.raw[a:c].decode(), len(built.raw[:a].decode())) for _rank, a, _b, c in built.steps]
        assert made == merged_slowly(word.text, scores, symbols)
        trees = merge_trees(built)
        assert [tree.id for tree in trees] == list(built.ids)
        for tree in trees:
            for node in tree.iter_nodes():
                assert not node.children or b"".join(child.raw for child in node.children) == node.raw


@pytest.mark.parametrize("name", OPENED)
def test_the_tree_of_each_token_is_how_its_text_merges(name):
    tokenizer = tokenizer_of(name)
    rule, vocabulary = tokenizer.merges, tokenizer.vocabulary
    own = {entry.id: entry for entry in map(vocabulary.entry, vocabulary.ids.tolist())}
    for token_id, entry in own.items():
        if entry.kind in ("special", "unknown"):
            with pytest.raises(UnknownTokenError):
                rule.inside(token_id)
            continue
        tree = token_tree(token_id, rule)
        assert (tree.id, tree.raw) == (token_id, entry.raw)
        assert rule.parts_of(token_id) == tuple(child.id for child in tree.children)
        assert (entry.rank is None) == (rule.rank_of(token_id) < 0) == (not tree.children)


def test_a_character_without_a_piece_can_be_merged():
    """A file may lack a character's piece; its neighbours can still be merged across it."""
    rule = ByScore({b"ab": Scored(1, -1.0), b"a": Scored(2, -2.0)}, unknown_id=0)
    assert rule.build(b"abb").ids == (1, 0)
    assert [child.id for child in token_tree(1, rule).children] == [2, 0]
