"""PickyBPE against a plain loop, and tokenizers that encode as training left the text."""

from collections import Counter
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.bpe.lecture import get_stats, merge
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import CannotHoldError, InvalidInputError
from playground.files.registry import FILE_FORMATS
from playground.training.algorithms.learner import Learner, TrainingTexts
from playground.training.algorithms.picky import PICKY
from playground.training.pretoken_counts import count_pretokens

_GPT2 = SplitPattern.named("gpt2")
_TEXTS = st.lists(st.text("abc", min_size=1, max_size=8), min_size=1, max_size=12).map(" ".join)


def _learner(text: str, size: int, **options: float) -> Learner:
    counted = count_pretokens([text], _GPT2)
    learner = PICKY.start(TrainingTexts(counted, counted, None, _GPT2), size, {"min_count": 1, **options})
    learner.advance()
    return learner


def _n_shared(model: BpeModel) -> int:
    """Return how many merges make a token that another merge makes."""
    return len(model.merges) - len({new for _left, _right, new in model.merges})


def _learn_slowly(words: Mapping[bytes, int], vocab_size: int, threshold: float) -> set[bytes]:
    """Return the tokens that PickyBPE learns from counted words, counting everything anew each time."""
    ids = {word: list(word) for word in words}
    raw_of = {byte: bytes([byte]) for byte in range(256)}
    parts: dict[int, tuple[int, int]] = {}
    live = set(raw_of)

    def tokens() -> Counter[int]:
        return Counter([n for word, count in words.items() for n in ids[word] * count])

    def expand(n: int) -> list[int]:
        return [n] if n in live else [each for part in parts[n] for each in expand(part)]

    while len(live) < vocab_size:
        pairs = Counter[tuple[int, int]]()
        for word, count in words.items():
            pairs.update({pair: n * count for pair, n in get_stats(ids[word]).items()})
        pair = min(pairs, key=lambda each: (-pairs[each], each), default=None)
        if pair is None:
            break
        raw = raw_of[pair[0]] + raw_of[pair[1]]
        new = next((n for n in raw_of if raw_of[n] == raw), len(raw_of))
        raw_of[new] = raw
        parts.setdefault(new, pair)
        live.add(new)
        before = tokens()
        ids = {word: merge(ids[word], pair, new) for word in words}
        for part in dict.fromkeys(pair):
            after = tokens()
            if part >= 256 and part in live and before[part] - after[part] >= threshold * before[part]:
                live.discard(part)
                ids = {word: [each for n in ids[word] for each in expand(n)] for word in words}
    return {raw_of[n] for n in live}


@settings(max_examples=60, deadline=None)
@given(_TEXTS, st.sampled_from([0.5, 0.75, 1.0]), st.integers(256, 275))
def test_the_tokens_are_those_of_a_plain_loop(text, threshold, size):
    tokenizer = _learner(text, size, threshold=threshold).tokenizer("mine")
    slow = _learn_slowly(dict(count_pretokens([text], _GPT2).items()), size, threshold)
    assert {tokenizer.vocabulary.raw_of(n) for n in range(len(slow))} == slow
    assert len(tokenizer.vocabulary) == len(slow)


@settings(max_examples=60, deadline=None)
@given(_TEXTS, st.integers(256, 275))
def test_the_tokenizer_encodes_as_training_left_the_text(text, size):
    learner = _learner(text, size, threshold=0.6)
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
    costs = [c.count * (len(c.parts) - 1) for c in learner.changes() if c.kind == "removed"]
    assert removals.n_more == sum(costs)
    balance = Counter(change.id for change in learner.changes() if change.kind == "added")
    balance.subtract(change.id for change in learner.changes() if change.kind == "removed")
    assert 256 + sum(balance.values()) == n_vocab


def test_no_file_holds_removals():
    tokenizer = _learner("abcd abcd abcd", 259, threshold=0.6).tokenizer("mine")
    assert isinstance(tokenizer, TrainedTokenizer)
    model = tokenizer.model
    assert model.removals
    for entry in FILE_FORMATS.values():
        with pytest.raises(CannotHoldError, match="training removed tokens"):
            entry.write(model, "mine")


def test_a_threshold_that_is_no_share_is_refused():
    with pytest.raises(InvalidInputError, match=r"threshold 3 is not a share"):
        _learner("abc", 258, threshold=3)
