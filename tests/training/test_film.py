"""The film of a text shows, after any number of merges, the tokens of the tokenizer at that point."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.bpe import lecture
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.trained import TrainedTokenizer
from playground.training.algorithms.bpe import BpeLearner
from playground.training.algorithms.piece_film import MergedPieces, PieceFilm
from playground.training.film import MergeFilm
from playground.training.pretoken_counts import count_pretokens

TEXT = "A dog. The dog! aaa aaaa, 안녕 dogs and cats; the dog's aaaaa 🙂\n\n  dog\n"


def learned(text, pattern, *, ties="first-seen", n_merges=80):
    trainer = BpeLearner(count_pretokens([text], pattern), vocab_size=256 + n_merges, ties=ties)
    trainer.advance()
    return [tuple(row) for row in trainer.columns()[:, :3].tolist()]


def film_of(text, pattern, merges):
    film = MergeFilm(text, pattern)
    film.advance(merges)
    return film


@pytest.mark.parametrize("pattern", ["none", "gpt2", "o200k"])
@pytest.mark.parametrize("ties", ["first-seen", "lowest-pair", "hugging-face"])
def test_each_frame_equals_the_tokenizer_after_as_many_merges(pattern, ties):
    split = SplitPattern.named(pattern)
    merges = learned(TEXT * 3, split, ties=ties)
    film = film_of(TEXT, split, merges)
    for k in range(len(merges) + 1):
        so_far = TrainedTokenizer("x", BpeModel(split, tuple(merges[:k])))
        assert [token.id for token in film.tokens_at(k)] == so_far.encode(TEXT)


@settings(max_examples=30, deadline=None)
@given(st.text(alphabet="ab c.", max_size=40), st.text(alphabet="ab c.", min_size=2, max_size=60))
def test_frames_of_random_texts_equal_the_lectures_code(text, corpus):
    merges = [(*pair, new) for pair, new in lecture.train([corpus.encode()], 12).items()]
    film = film_of(text, SplitPattern.named("none"), merges)
    for k in range(len(merges) + 1):
        ids = lecture.encode(text.encode(), {(left, right): new for left, right, new in merges[:k]})
        shown = film.tokens_at(k)
        assert [token.id for token in shown] == ids
        assert all(a.color != b.color for a, b in pairwise(shown))


def test_no_merge_crosses_a_cut():
    # "'ss" is cut between its letters, "miss" is not.
    film = film_of("'ss miss", SplitPattern.named("gpt2"), [(115, 115, 256)])
    assert [film.raw[token.start : token.end] for token in film.tokens_at(1)] == [
        *(b"'", b"s", b"s", b" ", b"m", b"i", b"ss")
    ]


def test_merges_can_be_added_in_several_calls():
    split = SplitPattern.named("gpt2")
    merges = learned(TEXT * 2, split)
    film = MergeFilm(TEXT, split)
    for n in range(0, len(merges), 7):
        film.advance(merges[n : n + 7])
    assert film.tokens == film_of(TEXT, split, merges).tokens


def test_a_tree_spells_its_token_and_counts_its_merges():
    film = film_of("aaab", SplitPattern.named("none"), [(97, 97, 256), (256, 97, 257), (257, 98, 258)])
    tree = film.tree(len(film.tokens) - 1)
    assert (tree.raw, tree.rank, tree.step) == (b"aaab", 258, 3)
    assert [node.raw for node in tree.iter_nodes()] == [b"aaab", b"aaa", b"aa", b"a", b"a", b"a", b"b"]


def test_an_empty_text_and_a_partial_character_have_frames():
    assert film_of("", SplitPattern.named("gpt2"), [(97, 97, 256)]).tokens_at(1) == []
    assert MergeFilm("\ud800", SplitPattern.named("none")).text == "\N{REPLACEMENT CHARACTER}"


def shown(film):
    """Return the tokens of each step."""
    steps = range(film.n_steps + 1)
    living = [
        [t for t in film.tokens if t.made_at <= step and (t.gone_at is None or t.gone_at > step)]
        for step in steps
    ]
    return [sorted((t.start, t.end, t.id) for t in tokens) for tokens in living]


@given(
    merges=st.lists(st.tuples(st.integers(97, 102), st.integers(97, 102)), max_size=40), text=st.text("abcd ")
)
def test_pieces_after_merges_are_the_same_at_once_and_step_by_step(merges, text):
    rows = [(left, right, 97 + n % 6) for n, (left, right) in enumerate(merges)]

    def cut_slowly(pretoken, step):
        ids = [(byte, 1) for byte in pretoken.encode()]
        for left, right, new_id in rows[:step]:
            joined = []
            while ids:
                first, *ids = ids
                if ids and (first[0], ids[0][0]) == (left, right):
                    second, *ids = ids
                    first = (new_id, first[1] + second[1])
                joined.append(first)
            ids = joined
        return ids

    pieces = MergedPieces()
    pieces.add(rows)
    n_made = 0
    pattern = SplitPattern.named("gpt2")
    slow = PieceFilm(text, pattern, cut_slowly, lambda: n_made, can_return=True)
    for n_made in range(len(rows) + 1):  # noqa: B007
        slow.follow()
    fast = PieceFilm(
        text,
        pattern,
        lambda p, step: pieces.after(tuple((b, 1) for b in p.encode()), step),
        lambda: len(rows),
    )
    assert shown(fast) == shown(slow)
    for film in (fast, slow):
        ends = sorted((t for t in film.tokens if t.gone_at is None), key=lambda t: t.start)
        assert [t.end for t in ends] == [t.start for t in ends[1:]] + [len(text)] * bool(ends)
