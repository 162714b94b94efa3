"""Lessons beyond the lecture: other rules of training, patches, other encodings, the prompt's edge."""

import math
from collections import Counter
from itertools import combinations, pairwise

import pytest
import regex
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from playground.catalog.openai import load_openai
from playground.catalog.registry import get_tokenizer
from playground.core.tokenizer import Tokenizer
from playground.lessons import (
    across_the_space,
    byte_patches,
    many_encodings,
    prompts_edge,
    three_rules,
    who_pays,
)
from playground.lessons.byte_patches import entropy_after, learn, patches_of
from playground.lessons.many_encodings import count_encodings, shortest
from playground.training.algorithms.superbpe import LINES
from playground.training.corpora import novel, udhr_languages
from tests.lessons.asked import asked

GPT2 = load_openai("gpt2").encoding


def all_splits(raw: bytes):
    """Yield every way to cut some bytes into tokens of GPT-2, by trying all cuts."""
    for n_cuts in range(len(raw)):
        for cuts in combinations(range(1, len(raw)), n_cuts):
            parts = [raw[a:b] for a, b in pairwise((0, *cuts, len(raw)))]
            if all(part in GPT2._mergeable_ranks for part in parts):
                yield parts


@given(st.text("aehinrst 漢", min_size=1, max_size=10).filter(lambda text: len(text.encode()) <= 12))
def test_encodings_are_those_of_all_cuts(text):
    raw, vocabulary = text.encode(), get_tokenizer("gpt2").vocabulary
    splits = [*all_splits(raw)]
    by_length = Counter(map(len, splits))
    assert count_encodings(vocabulary, raw) == [by_length[n] for n in range(len(raw) + 1)]
    assert shortest(vocabulary, raw) in splits
    assert len(shortest(vocabulary, raw)) == min(map(len, splits))


def test_misfortunes_has_1005_encodings_and_bpe_takes_one_twice_as_long_as_the_shortest():
    shown = many_encodings.show(**many_encodings.MANY_ENCODINGS.example())
    splits = [*all_splits(b" misfortunes")]
    assert shown.figure["total"] == f"{len(splits):,}" == many_encodings.MANY_ENCODINGS.guess.options[2]
    assert [token["id"] for token in shown.figure["bpe"]] == GPT2.encode(" misfortunes")
    assert (len(shown.figure["bpe"]), asked(shown).answer) == (4, "2")


@pytest.mark.parametrize("text", ["She was very ", "I am very hap", "http:", "Mr. Bennet", "a👋"])
def test_healing_leaves_every_token_that_the_text_can_go_on_with(text):
    ids = GPT2.encode(text)
    n_left, removed, allowed = prompts_edge.heal(ids)
    assert GPT2.decode_bytes(ids[:n_left]) + removed == text.encode()
    starts = {GPT2.decode_single_token_bytes(token_id): token_id for token_id in range(50_256)}
    assert sorted(allowed) == sorted(token_id for raw, token_id in starts.items() if raw.startswith(removed))


def test_nothing_follows_a_lone_space_in_the_novel_and_healing_finds_what_does():
    ids = GPT2.encode(novel().texts[0])
    assert Counter(ids)[220] == 0, "the answer to the first question: never"
    figure = prompts_edge.edge_of("She was very ")
    assert figure is not None
    very, *_ = GPT2.encode(" very")
    following = Counter(b for a, b in pairwise(ids) if a == very and GPT2.decode([b]).startswith(" "))
    assert (figure["n_next"], figure["n_healed"]) == (0, following.total())
    assert [(token["id"], token["n"]) for token in figure["healed"][:2]] == following.most_common(2)
    half = prompts_edge.edge_of("I am very hap")
    assert half is not None
    assert next(token["text"] for token in half["healed"]) == " happy"


def entropy_by_hand(text: str, context: bytes) -> float:
    """Compute the same model with fractions of counts, without arrays."""
    raw = text.encode()
    chance = dict.fromkeys(range(256), 1 / 256)
    for n in range(min(byte_patches.ORDER, len(context)) + 1):
        end = context[len(context) - n :]
        seen = Counter(raw[at] for at in range(n, len(raw)) if raw[at - n : at] == end)
        if not seen:
            break
        chance = {byte: (seen[byte] + chance[byte]) / (seen.total() + 1) for byte in chance}
    return -sum(p * math.log2(p) for p in chance.values())


@pytest.mark.parametrize("context", [b"", b"a", b"abra", b"xyz", b"cada"])
def test_uncertainty_is_that_of_counted_bytes(context):
    text = "abracadabra abracadabra"
    assert entropy_after(learn(text), context) == pytest.approx(entropy_by_hand(text, context))


@given(st.lists(st.floats(0, 8), max_size=30), st.floats(0, 8))
def test_patches_cover_the_bytes_and_begin_only_above_the_threshold(entropies, threshold):
    lengths = patches_of(entropies, threshold)
    assert sum(lengths) == len(entropies)
    starts = [sum(lengths[:n]) for n in range(len(lengths))]
    assert starts == [n for n, bits in enumerate(entropies) if n == 0 or bits > threshold]


def test_the_first_letter_of_softly_is_the_hardest_to_predict_and_patches_are_fewer_than_bytes():
    shown = byte_patches.show(**byte_patches.BYTE_PATCHES.example())
    figure, text = shown.figure, byte_patches.BYTE_PATCHES.example()["text"]
    start = text.index("softly")
    bits = [byte["bits"] for byte in figure["bytes"][start : start + 6]]
    guess = byte_patches.BYTE_PATCHES.guess
    assert guess.options[guess.right] == "softly"[bits.index(max(bits))]
    assert figure["tokens"]["n_tokens"] == len(load_openai("cl100k_base").encoding.encode(text))
    assert asked(shown).answer == f"{len(text) / len(figure['patches']):.1f}"


def test_three_rules_learn_600_tokens_each_and_share_fewer_than_a_fifth():
    shown = three_rules.show("the handsome sister")
    for row, tokenizer in zip(shown.figure["rows"], three_rules.learned().values(), strict=True):
        assert len(tokenizer.vocabulary) == 600
        assert "".join(piece["text"] for piece in row["pieces"]).split() == ["the", "handsome", "sister"]
        assert row["n_tokens"] == sum(len(piece["ids"]) for piece in row["pieces"])
    words = Counter(
        text
        for tokenizer in three_rules.learned().values()
        for text in {raw.strip() for raw in tokenizer.vocabulary.raws_of(tokenizer.vocabulary.ids)}
        if len(text) > 1
    )
    shared = [*words.values()].count(3)
    assert (shown.figure["n_shared"], shown.figure["n_in_any"]) == (shared, len(words))
    assert 0 < shared < len(words) / 5
    assert asked(shown).answer == str(min(row["n_tokens"] for row in shown.figure["rows"]))


def in_tiktoken(tokenizer: Tokenizer, pattern: str) -> tiktoken.Encoding:
    """Return tiktoken's encoder with the vocabulary of a tokenizer."""
    ranks = {
        raw: token_id for token_id, raw in enumerate(tokenizer.vocabulary.raws_of(tokenizer.vocabulary.ids))
    }
    return tiktoken.Encoding("lesson", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})


def test_superbpe_bends_the_curve_a_second_time_and_its_tokens_are_those_of_tiktoken():
    lesson = across_the_space.ACROSS_THE_SPACE
    bpe, superbpe = lesson.show(**lesson.example()).figure["rows"]
    text, learned_from = lesson.example()["text"], novel().texts[0][: across_the_space.N_CHARS]
    for row, (_, tokenizer), pattern in (
        (bpe, across_the_space.by_bpe(), GPT2._pat_str),
        (superbpe, across_the_space.by_superbpe(1_000), LINES.expression),
    ):
        other = in_tiktoken(tokenizer, pattern)
        assert (row["n_tokens"], len(tokenizer.vocabulary)) == (len(other.encode(text)), 2_256)
        assert row["curve"][-1] == len(other.encode(learned_from))
        for piece in row["pieces"]:
            assert piece["crosses"] == (len(regex.findall(GPT2._pat_str, piece["text"])) > 1)
    gains = [a - b for a, b in pairwise(superbpe["curve"])]
    assert max(gains[1_000:1_010]) > 10 * gains[998], "the right option of the first question"
    assert bpe["curve"][:1_000] == superbpe["curve"][:1_000]
    assert lesson.guess.options[lesson.guess.right] == "it bends up again"


def test_parity_aware_bpe_makes_five_languages_equal_and_the_other_four_pay():
    shown, other = who_pays.show(0, "Burmese"), "Burmese"
    pattern = load_openai("o200k_base").encoding._pat_str
    for row, tokenizer in (("plain", who_pays.plain(other)), ("fair", who_pays.fair(other, 0))):
        encoding = in_tiktoken(tokenizer, pattern)
        texts = [udhr_languages()[name] for name in (*who_pays.ALWAYS, other)]
        assert shown.figure[row] == [len(encoding.encode(text)) for text in texts]
    plain, fair = shown.figure["plain"], shown.figure["fair"]
    assert max(fair) / min(fair) < 1.01 < max(plain) / min(plain)
    assert [after > before for before, after in zip(plain, fair, strict=True)] == [True] * 4 + [False]
    assert sum(fair) > sum(plain)
    assert asked(shown).answer == str(fair[0] - plain[0])
    guess = who_pays.WHO_PAYS.guess
    assert guess.options[guess.right] == {6: "a sixth more tokens"}[round(plain[0] / (fair[0] - plain[0]))]
    assert who_pays.show(10, other).figure["fair"] == plain
