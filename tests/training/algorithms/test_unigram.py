"""Unigram against all spellings and SentencePiece's trainer."""

import io
import math
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError
from playground.training.algorithms.learner import TrainingTexts
from playground.training.algorithms.unigram import UNIGRAM, Lattice, UnigramLearner
from playground.training.pretoken_counts import count_pretokens

_WORDS = SplitPattern.typed(r" ?\S+|\s")


def _texts(text: str, held_out: str = "") -> TrainingTexts:
    counted = count_pretokens([text], _WORDS)
    return TrainingTexts(counted, count_pretokens([held_out], _WORDS) if held_out else None, None, _WORDS)


def _learner(text: str, size: int, **options: float | bool) -> UnigramLearner:
    learner = UNIGRAM.start(_texts(text), size, {"byte_fallback": False, **options})
    assert isinstance(learner, UnigramLearner)
    return learner


@given(st.lists(st.text("ab é", min_size=1, max_size=9), min_size=1, max_size=8))
def test_seeds_are_the_repeated_substrings_that_different_characters_follow(words):
    text = "\n".join(words)
    counted = Counter[str]()
    following: dict[str, set[str]] = {}
    pretokens = [(raw.decode().replace(" ", "▁"), n) for raw, n in count_pretokens([text], _WORDS).items()]
    for nth, (word, count) in enumerate(pretokens):
        for start in range(len(word)):
            for end in range(start + 2, len(word) + 1):
                counted[word[start:end]] += count
                following.setdefault(word[start:end], set()).add(word[end : end + 1] or f"end {nth}")
    wholes = {word for word, count in pretokens if count > 1}
    seeds = {p for p, n in counted.items() if n > 1 and (len(following[p]) > 1 or p in wholes)}
    if not seeds:
        with pytest.raises(InvalidInputError, match="occurs twice"):
            _learner(text, 100)
        return
    learner = _learner(text, 100)
    found = {raw.decode().replace(" ", "▁") for raw in learner.token_bytes()}
    assert {piece for piece in found if len(piece) > 1} == seeds


def _paths(word: str, scores: dict[str, float]) -> list[list[str]]:
    """Return all ways to spell a word."""
    if not word:
        return [[]]
    heads = [word[:n] for n in range(1, len(word) + 1) if word[:n] in scores]
    return [[head, *rest] for head in heads for rest in _paths(word[len(head) :], scores)]


@given(
    st.lists(st.text("ab", min_size=1, max_size=7), min_size=1, max_size=4, unique=True),
    st.dictionaries(st.text("ab", min_size=2, max_size=4), st.floats(-9, -1), max_size=8),
)
def test_expected_counts_and_best_paths_are_those_of_all_spellings(words, longer):
    scores = {"a": -2.0, "b": -1.5, **longer}
    lattice = Lattice(words, {piece: n for n, piece in enumerate(scores)})
    counts = np.arange(1, len(words) + 1)
    values = np.array(list(scores.values()))
    expected, total = lattice.expected(values, counts)
    (used,) = lattice.count_best(values, counts)
    slow, likelihood, best = defaultdict[str, float](float), 0.0, 0.0
    for word, count in zip(words, counts.tolist(), strict=True):
        paths = _paths(word, scores)
        chances = [math.exp(sum(scores[piece] for piece in path)) for path in paths]
        likelihood += count * math.log(sum(chances))
        best += count * math.log(max(chances))
        for path, chance in zip(paths, chances, strict=True):
            for piece in path:
                slow[piece] += count * chance / sum(chances)
    assert expected == pytest.approx([slow[piece] for piece in scores])
    assert total == pytest.approx(likelihood)
    assert used @ values == pytest.approx(best)


def _log_likelihood(pieces: dict[str, float], text: str) -> float:
    """Return the log-likelihood of a text's words, with the pieces' probabilities scaled to a sum of 1."""
    scale = math.log(sum(math.exp(score) for score in pieces.values()))
    chances = {piece: math.exp(score - scale) for piece, score in pieces.items()}
    total = 0.0
    for raw, count in count_pretokens([text], _WORDS).items():
        word = raw.decode().replace(" ", "▁")
        before = [1.0] + [0.0] * len(word)
        for start in range(len(word)):
            for end in range(start + 1, min(len(word), start + 16) + 1):
                before[end] += before[start] * chances.get(word[start:end], 0.0)
        total += count * math.log(before[-1]) if word != "\n" else 0.0
    return total


def test_the_likelihood_is_at_least_that_of_sentencepieces_trainer(corpora):
    import sentencepiece

    text = corpora["english"][:60_000]
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(text.split("\n")), model_writer=written, vocab_size=1000,
        model_type="unigram", character_coverage=1.0, normalization_rule_name="identity",
        remove_extra_whitespaces=False, add_dummy_prefix=False, num_threads=1, minloglevel=2,
    )  # fmt: skip
    theirs = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
    pieces = {theirs.id_to_piece(n): theirs.get_score(n) for n in range(3, theirs.get_piece_size())}
    learner = _learner(text, len(pieces) + 1)
    learner.advance()
    ours = dict(learner.pieces())
    assert len(ours) == len(pieces)
    assert _log_likelihood(ours, text) > _log_likelihood(pieces, text)


def test_a_vocabulary_shrinks_to_its_size_and_its_tokenizer_gives_the_tokens_of_the_curve(corpora):
    text, held_out = corpora["english"][:40_000], corpora["languages"][:3_000]
    learner = UNIGRAM.start(_texts(text, held_out), 900, {})
    learner.advance()
    curve = learner.curve()
    assert (np.diff(curve[:, 0]) <= 0).all()
    assert curve[-1, 0] == 900
    assert len(learner.changes()) == curve[0, 0] - 900
    tokenizer = learner.tokenizer("mine", ("<|end|>",))
    assert len(tokenizer.vocabulary) == 901
    assert len(tokenizer.encode(text)) == curve[-1, 1]
    assert len(tokenizer.encode(held_out)) == curve[-1, 2]
    assert tokenizer.decode(tokenizer.encode(held_out)) == held_out
    cut = learner.cutter().cut(" particularly é", learner.n_steps)
    assert sum(n_bytes for pretoken in cut for _id, n_bytes in pretoken) == len(" particularly é".encode())


@pytest.mark.parametrize(
    ("text", "size", "message"),
    [
        ("word", 300, "occurs twice"),
        ("", 300, "occurs twice"),
        ("many different characters, many", 260, "needs at least"),
        ("word" * 501, 300, "2,004 characters, and .* choose a split pattern"),
    ],
)
def test_a_text_that_cannot_be_learned_from_gets_a_sentence(text, size, message):
    with pytest.raises(InvalidInputError, match=message):
        UNIGRAM.start(_texts(text), size, {})


def test_equal_letters_and_too_large_vocabularies_end_with_a_reason():
    learner = _learner("a" * 1500, 1000)
    learner.advance()
    assert learner.stop_reason.startswith("The text holds only")
    assert len(learner.tokenizer("mine").encode("a" * 160)) == 10


def test_a_word_of_many_rare_characters_is_learned_beside_a_frequent_one():
    none = SplitPattern.named("none")
    word = "".join(map(chr, range(0x4E00, 0x4E00 + 60)))  # the product of its probabilities is no number
    counts = count_pretokens([["the"], [word]], none)
    counts = replace(counts, counts={b"the": 10_000_000, word.encode(): 1})
    learner = UNIGRAM.start(TrainingTexts(counts, None, None, none), 330, {})
    learner.advance()
    assert np.isfinite(next(iter(learner.lines().values()))).all()
    assert len(learner.tokenizer("x").encode(word)) == 60
