"""Scaffold-BPE and PickyBPE: the slow form, and tokenizers that encode as training left the text."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import CannotHoldError, InvalidInputError
from playground.files.registry import FILE_FORMATS
from playground.training.algorithms.learner import Learner, TrainingTexts
from playground.training.algorithms.registry import ALGORITHMS
from playground.training.algorithms.scaffold import picky_slowly, scaffold_slowly
from playground.training.pretoken_counts import count_pretokens

_GPT2 = SplitPattern.named("gpt2")
_TEXTS = st.lists(st.text("abc", min_size=1, max_size=8), min_size=1, max_size=12).map(" ".join)


def _learner(name: str, text: str, size: int, **options: float) -> Learner:
    counted = count_pretokens([text], _GPT2)
    learner = ALGORITHMS[name].start(
        TrainingTexts(counted, counted, None, _GPT2), size, {"min_count": 1, **options}
    )
    learner.advance()
    return learner


def _n_shared(model: BpeModel) -> int:
    """Return how many merges make a token that another merge makes."""
    return len(model.merges) - len({new for _left, _right, new in model.merges})


@settings(max_examples=60, deadline=None)
@given(_TEXTS, st.sampled_from([0.5, 0.75, 1.0]), st.integers(256, 275))
def test_picky_learns_the_tokens_of_the_slow_form(text, threshold, size):
    tokenizer = _learner("picky", text, size, threshold=threshold).tokenizer("mine")
    slow = picky_slowly(dict(count_pretokens([text], _GPT2).items()), size, threshold)
    assert {tokenizer.vocabulary.raw_of(n) for n in range(len(slow))} == slow
    assert len(tokenizer.vocabulary) == len(slow)


@settings(max_examples=60, deadline=None)
@given(_TEXTS, st.integers(256, 275))
def test_scaffold_learns_the_tokens_of_the_slow_form(text, size):
    tokenizer = _learner("scaffold", text, size).tokenizer("mine")
    slow = scaffold_slowly(dict(count_pretokens([text], _GPT2).items()), size)
    assert {tokenizer.vocabulary.raw_of(n) for n in range(len(slow))} == slow
    assert len(tokenizer.vocabulary) == len(slow)


@settings(max_examples=60, deadline=None)
@given(_TEXTS, st.sampled_from(["scaffold", "picky"]), st.integers(256, 275))
def test_the_tokenizer_encodes_as_training_left_the_text(text, name, size):
    learner = _learner(name, text, size, **({"threshold": 0.6} if name == "picky" else {}))
    tokenizer = learner.tokenizer("mine", ("<|end|>",))
    assert isinstance(tokenizer, TrainedTokenizer)
    ids = list(tokenizer.encode(text))
    raws = [tokenizer.vocabulary.raw_of(n) for n in ids]
    n_vocab, n_tokens, n_held_out = learner.curve()[-1].tolist()
    assert (b"".join(raws), len(ids), n_held_out) == (text.encode(), n_tokens, n_tokens)
    assert max(ids) < n_vocab == tokenizer.special_tokens["<|end|>"]
    built = [n for pretoken in tokenizer.iter_pretokens(text) for n in tokenizer.build(pretoken).ids]
    assert built == ids
    removals = learner.removals()
    assert removals.n_removed == len(tokenizer.model.merges) + 256 - n_vocab - _n_shared(tokenizer.model)
    if name == "picky":
        costs = [c.count * (len(c.parts) - 1) for c in learner.changes() if c.kind == "removed"]
        assert removals.n_more == sum(costs)
    else:
        with_all = TrainedTokenizer("all", BpeModel(_GPT2, tokenizer.model.merges))
        assert removals.n_more == n_tokens - len(with_all.encode(text))
    balance = Counter(change.id for change in learner.changes() if change.kind == "added")
    balance.subtract(change.id for change in learner.changes() if change.kind == "removed")
    assert 256 + sum(balance.values()) == n_vocab


def test_scaffolds_are_left_out_of_a_vocabulary_of_the_size_asked_for():
    learner = _learner("scaffold", "low low low low lot wow wow wow nowhere", 262)
    assert [change.raw for change in learner.changes() if change.kind == "removed"]
    assert len(learner.tokenizer("mine").vocabulary) == 262


def test_no_file_holds_removals():
    tokenizer = _learner("picky", "abcd abcd abcd", 259, threshold=0.6).tokenizer("mine")
    assert isinstance(tokenizer, TrainedTokenizer)
    model = tokenizer.model
    assert model.removals
    for entry in FILE_FORMATS.values():
        with pytest.raises(CannotHoldError, match="training removed tokens"):
            entry.write(model, "mine")


def test_a_threshold_that_is_no_share_is_refused():
    with pytest.raises(InvalidInputError, match=r"threshold 3 is not a share"):
        _learner("picky", "abc", 258, threshold=3)
