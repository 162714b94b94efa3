"""BoundlessBPE against its slow form, which learns both kinds of merges in one loop."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.core.errors import CannotHoldError, InvalidInputError
from playground.core.tokenizer import segment
from playground.files.registry import FILE_FORMATS
from playground.training.algorithms.boundless import BOUNDLESS, BoundlessLearner, learn_slowly
from playground.training.algorithms.learner import TrainingTexts
from playground.training.corpora import Corpus, split_held_out
from playground.training.pretoken_counts import count_pretokens

_GPT2 = SplitPattern.named("gpt2")


def _learner(text: str, size: int, *, held_out_share: float = 0, **options: int) -> BoundlessLearner:
    corpus = Corpus("", (text,))
    (training,), held_out = split_held_out(corpus, held_out_share)
    counts = count_pretokens([training], _GPT2), count_pretokens(held_out, _GPT2)
    texts = TrainingTexts(*counts, corpus, _GPT2, held_out_share)
    learner = BOUNDLESS.start(texts, size, {"min_count": 1, **options})
    assert isinstance(learner, BoundlessLearner)
    return learner


@settings(max_examples=80)
@given(st.text("ab '.1é\n", min_size=1, max_size=60), st.integers(258, 290))
def test_merges_are_those_of_the_slow_form_and_the_tokenizer_encodes_as_learned(text, size):
    learner = _learner(text, size)
    while learner.advance(3):
        n_ids = len(learner.token_bytes())
        assert all(max(pair.left, pair.right) < n_ids for pair in learner.candidates())
    pretokens = [pretoken for pretoken, _is_match in iter_pretokens(text, _GPT2)]
    raws = learner.token_bytes()
    ours = [("across" if across else "inside", raws[a], raws[b]) for a, b, _new, across in learner.merges()]
    # The slow form gives each merge a new id, so it is followed until two merges spell the same.
    joined = [left + right for _kind, left, right in ours]
    n_same = next((n for n, raw in enumerate(joined) if raw in joined[:n]), len(joined))
    assert ours[:n_same] == learn_slowly([pretokens], n_same)
    ids = learner.tokenizer("mine").encode(text)
    if n_same == len(joined):
        assert len(ids) == learner.curve()[-1, 1]
        film = learner.film(text)
        assert [token.id for token in film.tokens_at(film.n_steps)] == ids


def test_superwords_shorten_a_novel_and_a_text_with_longer_words_is_not_joined(corpora):
    whole = corpora["english"][:80_000]
    (training,), held_out_texts = split_held_out(Corpus("", (whole,)), 0.25)
    learner = _learner(whole, 1000, held_out_share=0.25, min_count=2)
    assert learner.advance(1) == 1
    next_one = learner.candidates(1)[0]
    learner.advance()
    assert learner.stop_reason
    (change,) = learner.changes(1, 2)
    assert ((next_one.left, next_one.right), next_one.count) == (change.parts, change.count)
    counts = [change.count for change in learner.changes()]
    assert counts == sorted(counts, reverse=True)
    _size, n_tokens, n_held_out = learner.curve()[-1].tolist()
    tokenizer = learner.tokenizer("mine", ("<|end|>",))
    assert len(tokenizer.encode("".join(training))) == n_tokens
    assert sum(len(tokenizer.encode(text)) for text in held_out_texts) == n_held_out
    shown = [token.raw for token in segment(tokenizer, " of the, of thexyz").tokens]
    assert shown[:3] == [b" of the", b",", b" of"]
    for entry in FILE_FORMATS.values():
        with pytest.raises(CannotHoldError, match="join pretokens only if each"):
            entry.write(tokenizer.model, "mine")


@pytest.mark.parametrize("text", ["a" * 5000, "word", "語" * 200, ""])
def test_one_word_equal_letters_and_no_white_space_end_with_a_reason(text):
    learner = _learner(text, 300)
    learner.advance()
    assert learner.stop_reason
    assert len(learner.tokenizer("mine").encode(text)) == learner.curve()[-1, 1]


def test_counts_alone_are_refused():
    counted = count_pretokens(["to be"], _GPT2)
    with pytest.raises(InvalidInputError, match="learns from texts"):
        BOUNDLESS.start(TrainingTexts(counted, None, None, _GPT2), 300, {})
