"""BPE equals the lecture's slow code and `tokenizers`."""

import json
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from playground.bpe import lecture
from playground.bpe.gpt2_bytes import GPT2_BYTE_ORDER, from_gpt2_characters
from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.core.errors import InvalidInputError
from playground.training.algorithms.bpe import BpeLearner
from playground.training.algorithms.merge_learner import StopReason
from playground.training.pretoken_counts import count_pretokens

NONE, GPT2 = SplitPattern.named("none"), SplitPattern.named("gpt2")


def pretokens_of(texts, pattern):
    return [pretoken.encode() for text in texts for pretoken, _ in iter_pretokens(text, pattern)]


def learned(pretokens, n_merges, **options):
    learner = BpeLearner(pretokens, vocab_size=256 + n_merges, **options)
    learner.advance()
    return learner.merges()


def test_the_example_of_wikipedia_gives_its_merges():
    merges = learned(count_pretokens(["aaabdaaabac"], NONE), 3)
    new_ids = {(merge.left, merge.right): merge.new_id for merge in merges}
    assert lecture.encode(b"aaabdaaabac", new_ids) == [258, 100, 258, 97, 99]
    assert [merge.n_tokens for merge in merges] == [9, 7, 5]


def test_overlapping_pairs_count_twice_and_merge_once():
    (merge,) = learned(count_pretokens(["aaa"], NONE), 1)
    assert (merge.pair_count, merge.n_tokens) == (2, 2)


@pytest.mark.parametrize("seed", range(4))
def test_merges_and_events_equal_the_lecture(seed):
    rng = random.Random(seed)
    for _ in range(120):
        alphabet = "abc de"[: rng.randint(1, 6)]
        texts = ["".join(rng.choices(alphabet, k=rng.randint(0, 60))) for _ in range(rng.randint(1, 4))]
        held_out = ["".join(rng.choices("abc de", k=rng.randint(0, 40)))]
        pattern = rng.choice([NONE, GPT2])
        n_merges = rng.randint(1, 40)
        trainer = BpeLearner(
            count_pretokens(texts, pattern),
            vocab_size=256 + n_merges,
            held_out=count_pretokens(held_out, pattern),
        )
        while trainer.advance(rng.randint(1, 7)):
            pass
        ids = [list(pretoken) for pretoken in pretokens_of(texts, pattern)]
        held_out_ids = [list(pretoken) for pretoken in pretokens_of(held_out, pattern)]
        assert [(m.left, m.right) for m in trainer.merges()] == list(
            lecture.train([*map(bytes, ids)], n_merges)
        )
        for merge in trainer.merges():
            counts: dict[tuple[int, int], int] = {}
            for pretoken in ids:
                lecture.get_stats(pretoken, counts)
            assert counts[merge.left, merge.right] == merge.pair_count
            pair = merge.left, merge.right
            ids = [lecture.merge(pretoken, pair, merge.new_id) for pretoken in ids]
            held_out_ids = [lecture.merge(pretoken, pair, merge.new_id) for pretoken in held_out_ids]
            assert sum(map(len, ids)) == merge.n_tokens
            assert sum(map(len, held_out_ids)) == merge.n_held_out_tokens


@settings(max_examples=30)
@given(texts=st.lists(st.text("aAb \n'é🙂", max_size=80), max_size=4), n_merges=st.integers(1, 60))
def test_any_text_gives_the_lectures_merges(texts, n_merges):
    expected = lecture.train(pretokens_of(texts, GPT2), n_merges)
    merges = learned(count_pretokens(texts, GPT2), n_merges)
    assert {(merge.left, merge.right): merge.new_id for merge in merges} == expected


def lowest_pair(pretokens, n_merges, order):
    """Train like the lecture, but with rustbpe's rule for ties: the lowest pair."""
    merges = {}
    for new_id in range(256, 256 + n_merges):
        counts: dict[tuple[int, int], int] = {}
        for ids in pretokens:
            lecture.get_stats(ids, counts)
        if not counts:
            break
        pair = min(counts, key=lambda pair: (-counts[pair], [order.get(i, i) for i in pair]))
        merges[pair] = new_id
        pretokens = [lecture.merge(ids, pair, new_id) for ids in pretokens]
    return merges


def test_the_lowest_pair_rule_equals_a_plain_loop():
    rng = random.Random(5)
    for _ in range(300):
        text = "".join(rng.choices("abcd ", k=rng.randint(2, 80)))
        expected = lowest_pair([list(pretoken) for pretoken in pretokens_of([text], GPT2)], 30, {})
        merges = learned(count_pretokens([text], GPT2), 30, ties="lowest-pair")
        assert {(merge.left, merge.right): merge.new_id for merge in merges} == expected


def merges_by_tokenizers(text, vocab_size):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(
        [text], trainers.BpeTrainer(vocab_size=vocab_size, show_progress=False, initial_alphabet=alphabet)
    )
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    return [(from_gpt2_characters(left), from_gpt2_characters(right)) for left, right in merges]


@pytest.mark.parametrize("title", ["english", "python", "languages"])
def test_hugging_faces_tie_rule_gives_the_merges_of_tokenizers(title, corpora):
    trainer = BpeLearner(count_pretokens([corpora[title]], GPT2), vocab_size=3000, ties="hugging-face")
    trainer.advance()
    raw = trainer.token_bytes()
    learned = [(raw[merge.left], raw[merge.right]) for merge in trainer.merges()]
    assert learned == merges_by_tokenizers(corpora[title], 3000)


def test_hugging_faces_byte_order_is_the_order_of_its_characters():
    assert [*GPT2_BYTE_ORDER] == [
        from_gpt2_characters(c)[0] for c in sorted(pre_tokenizers.ByteLevel.alphabet())
    ]


def test_the_most_frequent_pair_is_merged_next(corpora):
    trainer = BpeLearner(count_pretokens([corpora["english"][:20_000]], GPT2), vocab_size=400)
    for _ in range(100):
        top = trainer.candidates(5)
        assert [pair.count for pair in top] == sorted((pair.count for pair in top), reverse=True)
        trainer.advance(1)
        merge = trainer.merges(trainer.n_steps - 1)[0]
        assert (merge.left, merge.right, merge.pair_count) == (top[0].left, top[0].right, top[0].count)


@pytest.mark.parametrize(
    ("text", "vocab_size", "min_count", "reason"),
    [
        ("", 300, 1, StopReason.NO_PAIR),
        ("a", 300, 1, StopReason.NO_PAIR),
        ("abab", 300, 1, StopReason.NO_PAIR),
        ("abab", 300, 2, StopReason.MIN_COUNT),
        ("abab", 257, 1, StopReason.VOCAB_SIZE),
    ],
)
def test_a_training_ends_with_a_reason(text, vocab_size, min_count, reason):
    trainer = BpeLearner(count_pretokens([text], NONE), vocab_size=vocab_size, min_count=min_count)
    trainer.advance()
    assert trainer.stop_reason == reason.value
    assert trainer.advance(5) == 0


@pytest.mark.parametrize(
    "bad", [{"vocab_size": 256}, {"vocab_size": 300, "min_count": 0}, {"vocab_size": 1 << 30}]
)
def test_impossible_settings_of_a_training_are_refused(bad):
    with pytest.raises(InvalidInputError, match="choose"):
        BpeLearner(count_pretokens(["abc"], NONE), **bad)


def test_an_unknown_tie_rule_is_refused_with_the_known_ones():
    with pytest.raises(InvalidInputError, match="first-seen, lowest-pair, hugging-face"):
        BpeLearner(count_pretokens(["abc"], NONE), vocab_size=300, ties="random")


def test_a_long_text_without_a_split_pattern_is_learned_in_little_more_than_its_words_take(corpora):
    text = corpora["english"][:200_000]
    started = time.process_time()
    learned(count_pretokens([text], GPT2), 1000)
    of_words = time.process_time() - started
    started = time.process_time()
    merges = learned(count_pretokens([text], NONE), 1000)
    assert time.process_time() - started < 20 * max(of_words, 0.1)
    assert [(m.left, m.right) for m in merges[:20]] == list(lecture.train([text.encode()], 20))
