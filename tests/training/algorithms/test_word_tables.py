"""Tables of words and characters behind the contract of algorithms."""

import pytest

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.word_table import WordTableTokenizer, learn_table
from playground.core.errors import InvalidInputError
from playground.training.algorithms.cutters import LOST_TEXT, UNKNOWN_TEXT
from playground.training.algorithms.learner import TrainingTexts
from playground.training.algorithms.word_tables import CHARACTERS, WORDS
from playground.training.corpora import Corpus
from playground.training.pretoken_counts import count_pretokens

_SPACES = SplitPattern.typed(r" ?\S+|\s")


def _texts(text: str) -> TrainingTexts:
    return TrainingTexts(count_pretokens([text], _SPACES), None, Corpus("", (text,)), _SPACES)


@pytest.mark.parametrize("algorithm", [WORDS, CHARACTERS], ids=lambda algorithm: algorithm.name)
def test_a_table_with_room_for_all_rows_is_the_one_that_is_learned_at_once(algorithm, corpora):
    text = corpora["english"][:5_000].replace("--", "")
    learner = algorithm.start(_texts(text), 5_000, {"has_unknown": False})
    learner.advance()
    tokenizer = learner.tokenizer("mine")
    assert isinstance(tokenizer, WordTableTokenizer)
    assert tokenizer.model == learn_table([text], algorithm.name)
    assert learner.curve()[-1].tolist() == [len(tokenizer.vocabulary), len(tokenizer.encode(text)), 0]
    assert learner.lines()["share known"][-1] == 1


def test_the_most_frequent_words_get_rows_first_and_the_rest_is_unknown():
    learner = WORDS.start(_texts("the cat and the dog and the end"), 5, {})
    assert [found.raw for found in learner.candidates(2)] == [b"the", b"and"]
    assert learner.advance() == 3
    assert [change.raw for change in learner.changes(1)] == [b"and", b"cat"]
    assert learner.tokenizer("mine").encode("the dog") == [2, 4]
    cut = learner.cutter().cut("the dog", 1)
    assert [token_id for pretoken in cut for token_id, _n_bytes in pretoken] == [0, LOST_TEXT, UNKNOWN_TEXT]


@pytest.mark.parametrize("pattern", ["gpt2", "cl100k"])
def test_words_are_counted_as_the_tables_file_counts_them_whatever_the_split_pattern(pattern):
    text = "Don't stop; the cat's 1234567 x_y don't cats-and-dogs\n" * 3
    cut = SplitPattern.named(pattern)
    texts = TrainingTexts(count_pretokens([text], cut), None, Corpus("", (text,)), cut)
    learner = WORDS.start(texts, 6, {})
    learner.advance()
    assert learner.curve()[-1, 1] == len(learner.tokenizer("mine").encode(text))


def test_a_text_without_words_gets_a_sentence():
    with pytest.raises(InvalidInputError, match="no words"):
        WORDS.start(_texts("   "), 100, {})
