"""Pieces cover the text, fit the budget by themselves, are as long as fits, and never split a character."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.analysis.token_budget import UNITS, cut_into_chunks, truncate
from playground.catalog.registry import get_tokenizer
from playground.core.errors import InvalidInputError
from playground.core.graphemes import grapheme_starts
from playground.core.tokenizer import segment
from tests.analysis.texts import texts

NAMES = ["gpt2", "o200k_base", "utf8_bytes", "bert_uncased", "mistral_v1"]
GPT2 = get_tokenizer("gpt2")
#: A Markdown text with each kind of unit.
MARKDOWN = """Intro of Dr. Ray. It ends here! Yes?

# One
First line (see e.g. this). Second sentence.
Second line.

```sh
# no heading
```

Two
---
- an item
- another 👨‍👩‍👧‍👦 item
"""


@pytest.mark.parametrize("name", NAMES)
@given(text=texts() | st.just(MARKDOWN), n_tokens=st.integers(1, 40), data=st.data())
def test_chunks_cover_the_text_fit_the_budget_and_are_as_long_as_fits(name, text, n_tokens, data):
    tokenizer = get_tokenizer(name)
    overlap, by = data.draw(st.integers(0, n_tokens - 1)), data.draw(st.sampled_from(UNITS))
    allowed = frozenset(data.draw(st.sets(st.just("<|endoftext|>"))))

    def count(piece):
        return len(tokenizer.encode(piece, allowed_special=allowed))

    try:
        chunks = list(
            cut_into_chunks(
                tokenizer, text, n_tokens=n_tokens, overlap=overlap, by=by, allowed_special=allowed
            )
        )
    except InvalidInputError as error:
        character = str(error).split("“")[1].split("”")[0]
        assert count(character) > n_tokens
        return
    is_start = grapheme_starts(text)
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))
    assert bool(chunks) == bool(text)
    if text:
        assert (chunks[0].char_start, chunks[-1].char_end) == (0, len(text))
    for chunk in chunks:
        assert chunk.text == text[chunk.char_start : chunk.char_end]
        assert is_start[chunk.char_start]
        assert is_start[chunk.char_end]
        assert count(chunk.text) == chunk.n_tokens <= n_tokens
    for one, other in pairwise(chunks):
        assert one.char_start < other.char_start <= one.char_end < other.char_end
        assert other.n_repeated == one.char_end - other.char_start
        assert count(text[other.char_start : one.char_end]) <= overlap
    if by == "tokens" and len(chunks) > 1 and name in ("gpt2", "o200k_base"):
        starts = [
            piece.tokens[0].char_start for piece in segment(tokenizer, text, allowed_special=allowed).segments
        ]
        for chunk in chunks[:-1]:
            following = [p for p in starts if p > chunk.char_end and is_start[p]] or [len(text)]
            assert count(text[chunk.char_start : following[0]]) > n_tokens, "one more token would not fit"


@pytest.mark.parametrize(
    ("by", "n_tokens", "ends"),
    [
        ("sections", 40, ["Yes?\n\n", "```\n\n", "item\n"]),
        ("lines", 24, ["Yes?\n\n# One\n", "```sh\n", "an item\n", "item\n"]),
        ("sentences", 20, ["Yes?\n\n# One\n", "Second line.\n\n", "an item\n"]),
    ],
)
def test_chunks_end_where_their_units_end(by, n_tokens, ends):
    chunks = list(cut_into_chunks(GPT2, MARKDOWN, n_tokens=n_tokens, by=by))
    assert "".join(chunk.text for chunk in chunks) == MARKDOWN
    for chunk, end in zip(chunks, ends, strict=False):
        assert chunk.text.endswith(end)


def test_an_overlap_repeats_whole_units_where_one_fits():
    text = "".join(f"line {n} of the text\n" for n in range(9))
    chunks = list(cut_into_chunks(GPT2, text, n_tokens=20, overlap=8, by="lines"))
    for one, other in pairwise(chunks):
        assert text[other.char_start : one.char_end] == one.text.splitlines(keepends=True)[-1]
    assert all(chunk.cut == "lines" for chunk in chunks)


def test_a_unit_over_the_budget_is_cut_between_smaller_ones():
    text = "# A\nshort\n# B\n" + "word " * 50 + "end. " + "Next. " * 5
    chunks = list(cut_into_chunks(GPT2, text, n_tokens=30, by="sections"))
    assert [chunk.cut for chunk in chunks] == ["sections", "lines", "tokens", "sentences", "sections"]


@pytest.mark.parametrize("name", NAMES)
@given(
    text=texts(),
    n_tokens=st.integers(1, 30),
    keep=st.sampled_from(["start", "end", "both"]),
    by=st.sampled_from(UNITS),
    mark=st.sampled_from(["", " … ", "\n[cut]\n"]),
)
def test_a_truncated_text_fits_and_keeps_whole_characters_of_the_chosen_ends(
    name, text, n_tokens, keep, by, mark
):
    tokenizer = get_tokenizer(name)
    problem = ""
    try:
        cut = truncate(tokenizer, text, n_tokens=n_tokens, keep=keep, by=by, mark=mark)
    except InvalidInputError as error:
        problem = str(error)
    if problem:
        assert "alone has" in problem or "the mark has" in problem
        return
    assert len(tokenizer.encode(cut.text)) == cut.n_tokens <= n_tokens
    start, end = cut.removed
    assert cut.text == text[:start] + cut.mark + text[end:]
    is_start = grapheme_starts(text)
    assert is_start[start]
    assert is_start[end]
    if start == end == len(text):
        assert cut.text == text
    else:
        assert len(tokenizer.encode(text)) > n_tokens
        assert {"start": end == len(text), "end": start == 0, "both": cut.mark == mark}[keep]
        assert cut.text


@pytest.mark.parametrize(
    ("n_tokens", "overlap", "words"),
    [(0, 0, "budget of 0"), (5, 5, "0 to 4")],
)
def test_impossible_budgets_are_refused(n_tokens, overlap, words):
    with pytest.raises(InvalidInputError, match=words):
        cut_into_chunks(GPT2, "a b c", n_tokens=n_tokens, overlap=overlap)
