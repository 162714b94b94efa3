"""Parity-aware BPE makes the merges of a plain loop, and serves every language."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.bpe.lecture import get_stats, merge
from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError
from playground.training.algorithms import parity
from playground.training.algorithms.learner import TrainingTexts
from playground.training.algorithms.parity import ParityLearner
from playground.training.corpora import Corpus, split_held_out, udhr
from playground.training.pretoken_counts import count_pretokens

GPT2 = SplitPattern.named("gpt2")
TEXTS = st.lists(
    st.text("ab ", min_size=1, max_size=60).filter(str.strip), min_size=2, max_size=4, unique=True
)


def _learner(corpus, vocab_size, share=0.0, **options):
    training, held_out = split_held_out(corpus, share)
    counts = count_pretokens(training, GPT2), count_pretokens(held_out, GPT2)
    return ParityLearner(TrainingTexts(*counts, corpus, GPT2, share), vocab_size, options)


def _learn_slowly(texts, n_merges):
    """Serve the text with most tokens, counting everything anew each time."""
    ids = [[list(word) for word in words] for words in texts]
    merges: list[tuple[int, int]] = []
    raw_of = {byte: bytes([byte]) for byte in range(256)}
    while len(merges) < n_merges:
        for words in sorted(ids, key=lambda words: -sum(map(len, words))):
            counts: dict[tuple[int, int], int] = {}
            for word in words:
                get_stats(word, counts)
            if counts:
                break
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        raw = raw_of[pair[0]] + raw_of[pair[1]]
        new_id = next((token_id for token_id, known in raw_of.items() if known == raw), len(raw_of))
        raw_of[new_id] = raw
        merges.append(pair)
        ids = [[merge(word, pair, new_id) for word in words] for words in ids]
    return merges


@given(texts=TEXTS)
def test_merges_are_those_of_a_plain_loop(texts):
    # As for UDHR, the language with most tokens is served.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parity, "_names", lambda texts, _given: (list(texts), True))
        learner = _learner(Corpus("", tuple(texts)), 276, min_count=1)
    learner.advance()
    words = [
        [raw for raw, count in count_pretokens([text], GPT2).items() for _ in range(count)] for text in texts
    ]
    changes = learner.changes()
    assert [change.parts for change in changes] == _learn_slowly(words, len(changes))
    assert learner.stop_reason
    tokenizer = learner.tokenizer("ours")
    n_tokens = [len(tokenizer.encode(text)) for text in texts]
    assert learner.curve()[-1].tolist() == [len(learner.token_bytes()), sum(n_tokens), 0]
    lines = learner.lines()
    assert [lines[text][-1] for text in texts] == [len(t) / n for t, n in zip(texts, n_tokens, strict=True)]


def test_languages_converge_and_the_held_out_text_is_counted_but_not_learned():
    corpus = udhr({"English": 2, "Korean": 1, "Greek (monotonic)": 1})
    learner, all_together = (_learner(corpus, 700, 0.1, hybrid=hybrid) for hybrid in (0.0, 1.0))
    first = learner.candidates(1)[0]
    for each in (learner, all_together):
        each.advance()
    tokenizer = learner.tokenizer("ours")
    assert learner.changes(0, 1)[0].parts == (first.left, first.right)
    assert learner.lines()["Gini"][-1] < all_together.lines()["Gini"][-1] / 3
    training, held_out = split_held_out(corpus, 0.1)
    firsts = [training[0], training[2], training[3]]  # English comes twice
    text_of = {name: "".join(pieces) for name, pieces in zip(learner.languages, firsts, strict=True)}
    for name, text in text_of.items():
        assert learner.lines()[name][-1] == len(text.encode()) / len(tokenizer.encode(text))
    parts = (["".join(pieces) for pieces in training], held_out)
    assert learner.curve()[-1, 1:].tolist() == [
        sum(len(tokenizer.encode(text)) for text in texts) for texts in parts
    ]


def test_in_a_window_no_language_gets_more_than_twice_its_share():
    learner = _learner(
        udhr({"English": 1, "Korean": 1, "Greek (monotonic)": 1, "Burmese": 1}), 400, window=12
    )
    learner.advance()
    served = np.array(learner.served)
    assert max(np.bincount(served[n : n + 12]).max() for n in range(len(served) - 11)) == 7


@pytest.mark.parametrize("texts", [("one text",), ("equal", "equal"), ("", " "), tuple(map(str, range(101)))])
def test_a_corpus_without_languages_is_one_clear_sentence(texts):
    with pytest.raises(InvalidInputError, match="takes each text as a language, and this corpus has"):
        _learner(Corpus("", texts), 300)


def test_counts_without_texts_are_one_clear_sentence():
    with pytest.raises(InvalidInputError, match="needs the texts of each language"):
        ParityLearner(TrainingTexts(count_pretokens(["a"], GPT2), None, None, GPT2), 300, {})
