"""`show_tree`: how tokens of each kind come about, as SVG."""

import pytest

from playground.core.errors import InvalidInputError, UnknownTokenizerError
from playground.notebook import show_tree
from playground.notebook.drawings import MAX_CHARS
from tests.catalog.kinds import library_of, tokenizer_of
from tests.notebook.reading import HTML, SVG, read_drawing

#: A kind, and what its drawing of " unaffable" has: how many trees, lattices and lists of tries.
DRAWN = {
    "gpt2": "tree",
    "trained, by pair": "tree",
    "mistral_v1": "tree",
    "utf8_bytes": "tree",
    "opened, unigram, nmt_nfkc, symbols": "tree lattice",
    "bert_uncased": "tree probes",
}


@pytest.mark.parametrize("kind", DRAWN)
def test_each_kind_is_drawn_in_its_own_way(kind):
    tokenizer = tokenizer_of(kind)
    drawing = show_tree("a the", tokenizer)
    drawn = {svg.get("class") for svg in read_drawing(drawing.html).iter(f"{SVG}svg")}
    assert drawn == {DRAWN[kind]}
    ids = library_of(kind)("a the")
    assert drawing.text.endswith(": " + " ".join(map(str, ids)))
    assert f"{len(ids)} tokens" in drawing.text


def test_joints_are_the_ranks_of_the_merges():
    root = read_drawing(show_tree(" Egg", "gpt2").html)
    (svg,) = root.iter(f"{SVG}svg")
    ranks = {text.text for text in svg.iter(f"{SVG}text") if text.get("class") == "rank"}
    ranked = tokenizer_of("gpt2").vocabulary
    spelled = {str(ranked.entry(ranked.ids_of(raw)[0]).rank) for raw in (b" E", b"gg", b" Egg")}
    assert ranks == spelled
    assert svg.get("role") == "img"
    assert (svg.get("aria-label") or "").startswith('token "·Egg", rank 14562')


def test_each_pretoken_stands_apart():
    root = read_drawing(show_tree("Hello world", "gpt2").html)
    (trees,) = [div for div in root.iter(f"{HTML}div") if div.get("class") == "trees"]
    assert len(trees) == 2


def test_why_nothing_is_inside_is_said():
    assert "A token is a byte" in show_tree("é", "utf8_bytes").html


def test_a_long_text_is_drawn_in_part():
    drawing = show_tree("strawberry " * 10_000, "gpt2")
    assert f"The first {MAX_CHARS} of 110,000 characters are drawn." in drawing.html
    assert f"The first {MAX_CHARS} of 110,000 characters are drawn." in repr(drawing)
    assert len(drawing.html) < 500_000


@pytest.mark.parametrize("text", ["", "<svg onload=x>", "\ud83d", "</style>", "  \n"])
def test_odd_texts_are_drawn(text):
    read_drawing(show_tree(text, "gpt2").html)
    read_drawing(show_tree(text, tokenizer_of("opened, unigram, nmt_nfkc, symbols")).html)
    read_drawing(show_tree(text, "bert_uncased").html)


def test_errors_say_what_is_valid():
    with pytest.raises(UnknownTokenizerError, match="choose from"):
        show_tree("a", "gpt-next")
    with pytest.raises(InvalidInputError, match="must be a str"):
        show_tree(None)  # type: ignore[arg-type]
