"""What tokens do not spell is told of each: dropped, changed and inserted text."""

import pytest

from playground.analysis.live_document import LiveDocument
from playground.analysis.shown_tokens import show_document
from playground.analysis.token_marks import Mark, marks_of
from playground.catalog.registry import get_tokenizer
from playground.catalog.word_table import WordTableTokenizer, learn_table
from playground.core.tokenizer import Tokenizer
from tests.catalog import sentencepiece_models

WORDS = WordTableTokenizer("words", learn_table(["the cat sat"], "words"))


def told(tokenizer: Tokenizer, text: str) -> list[tuple[str, Mark, int]]:
    """Of each token its spelling, how it differs, and the bytes that were dropped behind it."""
    marks = show_document(LiveDocument(tokenizer, text)).marks.tolist()
    ids = tokenizer.encode(text)
    spelled = [tokenizer.vocabulary.entry(token_id).spelled for token_id in ids]
    return [(s, Mark(n % 4), n // 4) for s, n in zip(spelled, marks[1:] or [0] * len(ids), strict=True)]


def test_bert_changes_capitals_and_drops_white_space_and_accents():
    bert = get_tokenizer("bert_uncased")
    assert told(bert, "the cat") == [("the", Mark.AS_TYPED, 1), ("cat", Mark.AS_TYPED, 0)]
    assert told(bert, "The caf\u00e9") == [("the", Mark.CHANGED, 1), ("cafe", Mark.CHANGED, 0)]
    assert told(bert, "e\u0301!") == [("e", Mark.AS_TYPED, 2), ("!", Mark.AS_TYPED, 0)]
    assert told(bert, "unaffable \u13a0")[-1] == ("[UNK]", Mark.CHANGED, 0)


def test_a_space_that_is_put_before_a_text_is_inserted():
    mistral = get_tokenizer("mistral_v1")
    assert told(mistral, "Hello world") == [("▁Hello", Mark.INSERTED, 0), ("▁world", Mark.AS_TYPED, 0)]
    assert told(mistral, "안 a")[0] == ("▁", Mark.INSERTED, 0)
    assert [mark for _, mark, _ in told(mistral, "a " * 3_000)[1:]] == [Mark.AS_TYPED] * 3_000


@pytest.mark.parametrize("name", ["gpt2", "qwen3", "mistral_v3"])
def test_a_byte_of_a_character_is_what_was_typed(name):
    assert {mark for _, mark, _ in told(get_tokenizer(name), " \u13a0🙂")[1:]} == {Mark.AS_TYPED}


def test_characters_that_are_normalized_are_changed_together():
    qwen = get_tokenizer("qwen3")
    assert (
        told(qwen, "xe\u0301") == [("xÃ©", Mark.CHANGED, 0)] or told(qwen, "xe\u0301")[-1][1] is Mark.CHANGED
    )
    unigram = sentencepiece_models.opened("unigram, nmt_nfkc, symbols")
    assert any(mark is Mark.CHANGED for _, mark, _ in told(unigram, "ﬁ"))


def test_what_has_no_row_is_dropped_wherever_it_stands():
    encoding = WORDS.encode("Kathmandu the dog cat!")
    assert [WORDS.vocabulary.entry(n).spelled for n in encoding] == ["the", "cat"]
    assert marks_of(encoding, WORDS.vocabulary).tolist() == [10, 4 * len(" dog "), 4]
    assert marks_of(WORDS.encode("dog é"), WORDS.vocabulary).tolist() == [6]
    assert marks_of(WORDS.encode(""), WORDS.vocabulary).tolist() == []


def test_a_token_stands_where_it_covers_the_text():
    """Neither what was dropped behind it nor before it is its own."""
    shown = show_document(LiveDocument(get_tokenizer("bert_uncased"), " The  cat "))
    details = [shown.describe(index) for index in range(2)]
    assert [(each.byte_start, each.byte_end, each.character, each.text) for each in details] == [
        (1, 4, "The", "the"), (6, 9, "cat", "cat"),
    ]  # fmt: skip
