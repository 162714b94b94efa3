"""`show`: tokens of every kind of tokenizer, as HTML in which text stays text."""

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.core.errors import InvalidInputError, NotShippedError, UnknownTokenizerError
from playground.core.tokenizer import segment
from playground.notebook import show
from playground.notebook.drawings import MAX_TILES
from playground.render.token_html import MAX_TILE_CHARS
from tests.catalog.kinds import library_of, tokenizer_of
from tests.notebook.reading import HTML, read_drawing, tiles

TEXT = "Hello's <b>world</b> & “Egg” 안녕 👋 \n  1234567"
KINDS = ["gpt2", "qwen3", "mistral_v1", "mistral_tekken", "bert_uncased", "python_docs_4k", "utf8_bytes",
         "characters", "trained, by pair", "opened, unigram, nmt_nfkc, symbols", "opened, like RoBERTa",
         "wordpieces"]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_tokens_of_every_kind_have_the_ids_of_the_library(kind):
    tokenizer = tokenizer_of(kind)
    drawing = show(TEXT, tokenizer)
    found = [token_id for _, ids in tiles(read_drawing(drawing.html)) for token_id in ids]
    assert found == list(tokenizer.encode(TEXT))
    if tokenizer.encode(TEXT).is_tiling:  # others insert tokens; the contract test holds all to their library
        assert found == library_of(kind)(TEXT)
    assert repr(drawing).startswith(f"{tokenizer.name}: {len(found)} tokens, {len(TEXT)} characters")


def test_a_name_of_a_tokenizer_or_a_model_is_enough():
    for name, encoding in (("gpt2", "gpt2"), ("cl100k_base", "cl100k_base"), ("gpt-4o", "o200k_base")):
        ids = library_of(encoding)("Egg")
        assert show("Egg", name).text == f"{encoding}: {show('Egg', encoding).text.split(': ', 1)[1]}"
        assert show("Egg", name).text.endswith(": " + " ".join(map(str, ids)))


@given(
    text=st.text(max_size=40) | st.sampled_from(["</style><script>", "<!--", "</div>", "\x00", "\"'>", "]]>"])
)
@settings(max_examples=60, deadline=None)
def test_text_stays_text(text):
    root = read_drawing(show(text, "characters").html)
    assert [len(ids) for _, ids in tiles(root)] == [
        len(run.tokens) for run in segment(tokenizer_of("characters"), text).segments
    ]
    assert len(root.findall(f"{HTML}body/*")) == 1
    assert len(list(root.iter(f"{HTML}style"))) == 1


def test_white_space_is_shown_and_a_line_feed_begins_a_line():
    root = read_drawing(show("a b\n\tc", "gpt2").html)
    assert [text for text, _ in tiles(root)] == ["a", "·b", "⏎", "→", "c"]
    kinds = [item.get("class") for item in root.iter(f"{HTML}li")]
    assert kinds.index("break") == 3


def test_a_character_of_several_tokens_is_one_tile():
    assert tiles(read_drawing(show("👋", "gpt2").html)) == [("👋", [41840, 233])]


def test_special_tokens_are_text_unless_they_are_honoured():
    text = "a<|endoftext|>"
    assert len(tiles(read_drawing(show(text, "gpt2").html))) == 8
    honoured = show(text, "gpt2", honours_special=True)
    assert tiles(read_drawing(honoured.html)) == [("a", [64]), ("<|endoftext|>", [50256])]
    assert 'special">&lt;|endoftext|&gt;' in honoured.html


def test_what_is_inserted_is_shown_as_its_file_has_it():
    shown = tiles(read_drawing(show("the", tokenizer_of("wordpieces")).html))
    assert [text for text, _ in shown] == ["[CLS]", "the", "[SEP]"]


def test_a_long_text_is_counted_whole_and_drawn_in_part():
    text = "Egg " * 50_000
    drawing = show(text, "gpt2")
    root = read_drawing(drawing.html)
    assert len(tiles(root)) == MAX_TILES
    n_tokens = len(tokenizer_of("gpt2").encode(text))
    assert f"{n_tokens:,} tokens, 200,000 characters" in drawing.text
    assert f"… and {n_tokens - MAX_TILES:,} more pieces" in drawing.html
    assert len(drawing.html) < 200_000
    assert len(drawing.text) < 300


def test_one_endless_character_is_one_short_tile():
    drawing = show("a" + "\u0301" * 20_000, "utf8_bytes")
    ((text, ids),) = tiles(read_drawing(drawing.html))
    assert len(text) <= MAX_TILE_CHARS + 1
    assert len(ids) == 8
    assert len(drawing.html) < 40_000


@pytest.mark.parametrize("text", ["", "\ud83d", "\u202eabc", "\x00\x1b", " "])
def test_odd_texts_are_drawn(text):
    read_drawing(show(text, "gpt2").html)


def test_errors_say_what_is_valid():
    with pytest.raises(UnknownTokenizerError, match=r"unknown tokenizer 'gpt5'; choose from .*gpt2"):
        show("a", "gpt5")
    with pytest.raises(NotShippedError):
        show("a", "meta-llama/Llama-3.1-8B")
    with pytest.raises(InvalidInputError, match=r"must be a str, and is b'a' \(bytes\)"):
        show(b"a")  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="a name such as 'gpt2'"):
        show("a", 5)  # type: ignore[arg-type]


def test_it_needs_no_notebook():
    assert "IPython" not in sys.modules
    drawing = show("Egg")
    assert drawing._repr_html_() == drawing.html
