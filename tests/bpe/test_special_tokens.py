"""Special tokens are found as by a plain search from the left, whatever their number."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.bpe import special_tokens as module
from playground.bpe.special_tokens import SpecialFinder, iter_special_parts

texts = st.text("ab<|> é😀", max_size=30)
names = st.frozensets(st.text("ab<|> é😀", min_size=1, max_size=5), max_size=8)


def plain_spans(text, special_tokens, overlapped):
    spans = []
    position = 0
    while position < len(text):
        ends = [position + len(name) for name in special_tokens if text.startswith(name, position)]
        if ends:
            spans.append((position, max(ends)))
        position = max(ends) if ends and not overlapped else position + 1
    return spans


@pytest.mark.parametrize("max_starts", [1, 64])
@pytest.mark.parametrize("overlapped", [False, True])
@given(text=texts, special_tokens=names)
def test_spans_equal_those_of_a_plain_search(text, special_tokens, overlapped, max_starts):
    with pytest.MonkeyPatch.context() as context:
        context.setattr(module, "_MAX_STARTS", max_starts)
        finder = SpecialFinder(special_tokens)
    spans = plain_spans(text, special_tokens, overlapped)
    assert list(finder.iter_spans(text, overlapped=overlapped)) == spans
    if not overlapped:
        assert finder.spelled(text) == list(dict.fromkeys(text[start:end] for start, end in spans))


@given(text=texts, special_tokens=names)
def test_a_position_is_inside_a_token_that_crosses_it(text, special_tokens):
    spans = plain_spans(text, special_tokens, overlapped=True)
    finder = SpecialFinder(special_tokens)
    for place in range(len(text) + 1):
        assert finder.is_inside(text, place) == any(start < place < end for start, end in spans)


@given(text=texts, special_tokens=names)
def test_parts_join_to_the_text_and_none_is_empty(text, special_tokens):
    parts = list(iter_special_parts(text, special_tokens))
    assert "".join(part for part, _ in parts) == text
    assert all(part for part, _ in parts)
    spelled = [text[start:end] for start, end in plain_spans(text, special_tokens, overlapped=False)]
    assert [part for part, is_special in parts if is_special] == spelled
    assert all(before or after for (_, before), (_, after) in pairwise(parts))
