"""LiteToken: which tokens are residues, and tokenizers and films that encode without them."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError
from playground.training.algorithms.learner import Removals, TrainingTexts
from playground.training.algorithms.litetoken import LITETOKEN, LiteTokenLearner, encode_slowly
from playground.training.pretoken_counts import count_pretokens

_GPT2 = SplitPattern.named("gpt2")
_TEXTS = st.lists(st.text("abc", min_size=1, max_size=8), min_size=1, max_size=12).map(" ".join)


def _learner(text: str, size: int, **options: float) -> LiteTokenLearner:
    counted = count_pretokens([text], _GPT2)
    learner = LITETOKEN.start(TrainingTexts(counted, counted, None, _GPT2), size, {"min_count": 1, **options})
    assert isinstance(learner, LiteTokenLearner)
    return learner


def _residues_slowly(
    words: dict[bytes, int], merges: list[tuple[int, int, int]], max_share: float, max_entropy: float
) -> set[int]:
    """Merge each word, and count each token when it is merged further and when it is left."""
    final, merged = Counter[int](), defaultdict[int, Counter[tuple[int, bool]]](Counter)
    for word, count in words.items():
        ids = list(word)
        for left, right, new in merges:
            n = 0
            while n + 1 < len(ids):
                if (ids[n], ids[n + 1]) == (left, right):
                    ids[n : n + 2] = [new]
                    merged[left][right, True] += count
                    merged[right][left, False] += count
                n += 1
        for token_id in ids:
            final[token_id] += count
    residues = set()
    for token_id, neighbours in merged.items():
        shares = np.array([*neighbours.values()]) / neighbours.total()
        entropy = -(shares * np.log2(shares)).sum()
        is_rare = final[token_id] <= max_share * (final[token_id] + neighbours.total())
        if token_id >= 256 and is_rare and entropy <= max_entropy:
            residues.add(token_id)
    return residues


@settings(max_examples=30, deadline=None)
@given(_TEXTS, st.integers(258, 280), st.sampled_from([0.0, 0.3, 1.0]), st.sampled_from([0.0, 1.01, 20.0]))
def test_residues_are_those_counted_slowly_and_each_state_encodes_as_the_slow_form(
    text, size, share, entropy
):
    learner = _learner(text, size, max_share=share, max_entropy=entropy)
    film = learner.film(text)
    words = dict(count_pretokens([text], _GPT2).items())
    gone, merges = set[int](), list[tuple[int, int, int]]()
    while learner.advance(1):
        gone = {change.id for change in learner.changes() if change.kind == "removed"}
        added = [change for change in learner.changes() if change.kind == "added"]
        merges = [(change.parts[0], change.parts[1], change.id) for change in added]
        slow = [raw for word in words for raw in encode_slowly(word, merges, gone)]
        raws = learner.token_bytes()
        tokenizer = learner.tokenizer("mine", ("<|end|>",))
        ours = [
            tokenizer.vocabulary.raw_of(n) for word in words for n in tokenizer.encode_pretoken(word.decode())
        ]
        assert ours == [raws[token_id] for token_id in slow]
        n_vocab, n_tokens, n_held_out = learner.curve()[-1].tolist()
        ids = list(tokenizer.encode(text))
        assert (len(ids), n_held_out) == (n_tokens, n_tokens)
        assert tokenizer.special_tokens["<|end|>"] == n_vocab == 256 + len(merges) - len(gone)
        n_before = sum(len(encode_slowly(word, merges, set())) * n for word, n in words.items())
        assert learner.removals() == Removals(len(gone), n_tokens - n_before)
        film.follow()
        shown = sorted((t.start, t.end) for t in film.tokens if t.gone_at is None)
        assert [film.raw[a:b] for a, b in shown] == [tokenizer.vocabulary.raw_of(n) for n in ids]
    assert learner.stop_reason
    assert learner.n_steps == learner.n_steps_wanted == film.n_steps
    assert gone == _residues_slowly(words, merges, share, entropy)
    assert all(film.tree(place).raw == film.raw[t.start : t.end] for place, t in enumerate(film.tokens))


def test_an_impossible_share_is_refused():
    with pytest.raises(InvalidInputError, match="choose a share from 0 to 1"):
        _learner("abc", 258, max_share=3)
