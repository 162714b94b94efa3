import math

import pytest

from playground.analysis.language_counts import article_text, count_languages
from playground.catalog.registry import get_tokenizer
from playground.catalog.word_table import WordTableTokenizer, learn_table
from playground.core.errors import InvalidInputError
from playground.training.parallel_texts import load_parallel_texts

NAMES = ["gpt2", "cl100k_base", "o200k_base"]
#: Counted with tiktoken: article 1.
KNOWN = {
    "English": (33, 33, 33),
    "Nepali": (262, 169, 47),
    "Hindi": (296, 182, 54),
    "Korean": (197, 85, 51),
    "Burmese": (726, 512, 134),
}


def test_known_counts_of_article_1():
    counts = count_languages([get_tokenizer(name) for name in NAMES])
    assert len(counts) == 39 * len(NAMES)
    for language, expected in KNOWN.items():
        assert tuple(count.n_tokens for count in counts if count.language == language) == expected
    assert all(count.times_english == 1 for count in counts if count.code == "eng")


def test_where_few_tokens_are_text_that_is_lost_is_told():
    of_english = WordTableTokenizer("words", learn_table([article_text("eng", 1)], "words"))
    of_korean = WordTableTokenizer("korean", learn_table(["안녕"], "words"))
    lossy = {
        tokenizer.name: {count.language for count in count_languages([tokenizer]) if count.is_lossy}
        for tokenizer in (get_tokenizer("gpt2"), get_tokenizer("bert_uncased"), of_english)
    }
    assert lossy["gpt2"] == set()
    assert {"Khmer, Central", "Amharic"} <= lossy["bert_uncased"]
    assert "English" not in lossy["bert_uncased"]
    assert "Korean" in lossy["words"]
    assert all(math.isnan(count.times_english) and count.is_lossy for count in count_languages([of_korean]))


def test_every_language_has_the_30_articles():
    assert {len(text.articles) for text in load_parallel_texts()} == {30}
    assert article_text("eng", None).count("\n\n") == 29


def test_what_does_not_exist_is_named():
    for article in (0, 31):
        with pytest.raises(InvalidInputError, match=f"no article {article}; the declaration has 1 to 30"):
            article_text("eng", article)
    assert len({article_text("eng", article) for article in (1, 30, None)}) == 3
    with pytest.raises(InvalidInputError, match="unknown language 'tlh'; choose from eng"):
        article_text("tlh", 1)
