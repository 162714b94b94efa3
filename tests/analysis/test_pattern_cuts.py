"""Each token has the alternative that matched its pretoken, as in a cut of the whole text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.analysis.live_document import LiveDocument
from playground.analysis.pattern_cuts import alternatives, piece_cuts
from playground.bpe.split_pattern import SPLIT_PATTERNS, SplitPattern, iter_taken
from playground.catalog.registry import get_tokenizer

TEXTS = st.lists(
    st.sampled_from(["strawberries", " é안", "'ve", "123", "!?", " ", "  ", "\n", "\n\n", "\t", "HOUSE'S"]),
    max_size=40,
).map("".join)


def cuts_of(document):
    return [cut for place in range(len(document.pieces)) for cut in piece_cuts(document, place)]


def expected(document):
    """Return, for each token, the alternative of the pretoken with its first byte."""
    pattern = SplitPattern.of(document.tokenizer.split_pattern)
    parts = [one.text for one in alternatives(document.tokenizer.split_pattern)]
    taken: list[int | None] = []
    begins = set()
    for piece, place in iter_taken(document.text, pattern, parts):
        begins.add(len(taken))
        taken += [place] * len(piece.encode())
    start, found = 0, []
    for token_id in document.ids:
        found.append((taken[start], start in begins))
        start += len(document.tokenizer.vocabulary.raw_of(token_id))
    return found


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
@given(text=TEXTS)
def test_each_token_has_the_alternative_of_its_pretoken(name, text):
    document = LiveDocument(get_tokenizer(name), text)
    assert [(cut.alternative, cut.begins) for cut in cuts_of(document)] == expected(document)


def test_alternatives_at_the_end_of_a_piece_depend_on_the_next_piece():
    text = ("word " * 199 + "end  \n") * 6 + "  \n  x"
    document = LiveDocument(get_tokenizer("cl100k_base"), text)
    assert len(document.pieces) > 3
    assert [(cut.alternative, cut.begins) for cut in cuts_of(document)] == expected(document)


def test_special_tokens_have_no_alternative():
    document = LiveDocument(get_tokenizer("gpt2"), "a <|endoftext|>b", honours_special=True)
    assert [cut.number for cut in cuts_of(document)] == [3, 9, -1, 3]
    names = [one.name for one in alternatives(document.tokenizer.split_pattern)]
    assert names[4] == "white space at the end", "of the text before the special token"


def test_each_alternative_of_a_known_pattern_has_a_distinct_name():
    for expression in SPLIT_PATTERNS.values():
        names = [one.name for one in alternatives(expression)]
        assert all(names)
        assert len({*names}) == len(names)
        assert "|".join(one.text for one in alternatives(expression)) == expression


def test_a_tokenizer_without_a_split_pattern_has_no_alternatives():
    for name in ("bert_uncased", "utf8_bytes", "mistral_v1"):
        document = LiveDocument(get_tokenizer(name), "Hello world")
        assert cuts_of(document) == []
        assert alternatives(document.tokenizer.split_pattern) == ()
