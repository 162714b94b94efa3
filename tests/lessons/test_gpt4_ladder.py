"""Lesson 16: the ladder's last rungs are GPT-4's tokenizer; tiktoken is the oracle."""

import itertools

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from playground.bpe import lecture
from playground.bpe.model import recovered_merges
from playground.bpe.split_pattern import iter_pretokens
from playground.catalog.openai import load_openai
from playground.core.errors import InvalidInputError
from playground.lessons.gpt4_ladder import (
    BUILD_GPT4,
    MAX_CLIMBING_CHARS,
    N_BYTES,
    PATTERN,
    WHOLE,
    byte_shuffle,
    own_merges,
    recovered,
    show,
    two_parts,
)
from playground.training.corpora import novel
from tests.lessons.asked import asked

LECTURE = "hello world!!!? (안녕하세요!) lol123 😉"
IDS = [15339, 1917, 12340, 30, 320, 31495, 230, 75265, 243, 92245, 16715, 28509, 4513, 57037]
CL100K = load_openai("cl100k_base")


def ids_on(rung):
    return [token_id for piece in rung["pieces"] for token_id in piece["ids"]]


def test_the_lectures_text_gets_gpt4s_ids():
    figure = show(**BUILD_GPT4.example()).figure
    assert BUILD_GPT4.example()["text"] == LECTURE + "<|endoftext|>"
    assert ids_on(figure["rungs"][2])[: len(IDS)] == IDS
    assert ids_on(figure["rungs"][3]) == [*IDS, 100_257]
    assert [rung["passes"] for rung in figure["rungs"]] == [True] * 4
    assert figure["firsts"][2][:4] == ["  ", "    ", "in", " t"]
    assert figure["shuffle"][ord("!")] == 0
    assert sorted(figure["shuffle"]) == list(range(256))


@given(st.text(st.sampled_from("aether in'1234 \n!<|endoftext|>안é👋"), max_size=MAX_CLIMBING_CHARS))
@example("<|endoftext|><|fim_prefix|>")
@example(" " * MAX_CLIMBING_CHARS)
def test_the_third_and_fourth_rungs_equal_tiktoken(text):
    rungs = show(text, ()).figure["rungs"]
    assert ids_on(rungs[2]) == CL100K.encoding.encode_ordinary(text)
    assert ids_on(rungs[3]) == CL100K.encoding.encode(text, allowed_special="all")
    assert all(rung["passes"] for rung in rungs)
    for rung in rungs:
        assert "".join(piece["text"] for piece in rung["pieces"]) == text
        assert rung["n"] == len(ids_on(rung))


def test_recovered_merges_equal_those_of_the_whole_table():
    ranks = {raw: rank for raw, rank in CL100K.mergeable_ranks.items() if rank < 3_000}
    merges = [
        (*(ranks[part] for part in two_parts(raw, ranks)), rank)
        for raw, rank in sorted(ranks.items(), key=lambda item: item[1])
        if rank >= 256
    ]
    assert merges == list(recovered_merges(ranks))


def test_merges_recovered_for_a_word_encode_all_its_parts():
    raw = b" tokenization"
    merges = recovered(raw, CL100K.mergeable_ranks)
    shuffle = byte_shuffle(CL100K.mergeable_ranks)
    for start, end in itertools.combinations(range(len(raw) + 1), 2):
        part = raw[start:end]
        ids = lecture.encode(bytes(shuffle[byte] for byte in part), merges)
        assert ids == CL100K.encoding._encode_single_piece(part)


@pytest.mark.parametrize("pattern", [WHOLE, PATTERN], ids=["whole", "cut"])
def test_the_first_rungs_learn_the_lectures_merges(pattern):
    text = novel().texts[0].encode()[:N_BYTES].decode(errors="ignore")
    chunks = [piece.encode() for piece, _ in iter_pretokens(text, pattern)]
    merges, raws = own_merges(pattern)
    assert list(merges.items())[:12] == list(lecture.train(chunks, 12).items())
    assert raws[256] == (b"e " if pattern is WHOLE else b" t")


def test_without_a_pattern_tokens_cross_its_cuts():
    basic, cut, *_ = show("the end of the day? the end.", ()).figure["rungs"]
    crossing = [piece["text"] for piece in basic["pieces"] if piece["crosses"]]
    assert basic["n_crossing"] == len(crossing) > 2
    assert all(" " in text for text in crossing)
    assert cut["n_crossing"] == 0


def test_the_question_asks_for_the_chosen_token():
    question = asked(show(LECTURE, ()))
    assert (question.asks, question.answer) == (
        "Which text is cl100k's token 256 (with · for a space)?",
        "two spaces",
    )
    assert question.is_right("2 spaces")
    assert question.is_right("  ")
    assert not question.is_right(" ")
    other = asked(show(LECTURE, ("258",)))
    assert (other.answer, other.is_right("in")) == ("in", True)
    assert asked(show(LECTURE, ("259",))).is_right(" t")
    with pytest.raises(InvalidInputError, match=r"asked must be a token from 256 to 262, and is '9'"):
        show(LECTURE, ("9",))
