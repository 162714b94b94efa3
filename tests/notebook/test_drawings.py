"""`show`, `show_tree` and `show_training` draw the ids of each kind of tokenizer, and escape text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.bpe import lecture
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError, TextTooLongError
from playground.core.tokenizer import segment
from playground.files.tokenizer_json import write_tokenizer_json
from playground.notebook import drawings, show, show_training, show_tree
from playground.notebook.drawings import MAX_TILES
from playground.notebook.training import MAX_CHARS, MAX_MERGES, MAX_ROWS
from tests.catalog.kinds import library_of, tokenizer_of
from tests.notebook.reading import HTML, SVG, read_drawing, tiles

MIXED_TEXT = "Hello's <b>world</b> & “Egg” 안녕 👋 \n  1234567"
KINDS = ["gpt2", "qwen3", "mistral_v1", "mistral_tekken", "bert_uncased", "python_docs_4k", "utf8_bytes",
         "characters", "trained, by pair", "opened, unigram, nmt_nfkc, symbols", "opened, like RoBERTa",
         "wordpieces"]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_tokens_of_every_kind_have_the_ids_of_the_library(kind):
    tokenizer = tokenizer_of(kind)
    drawing = show(MIXED_TEXT, tokenizer)
    found = [token_id for _, ids in tiles(read_drawing(drawing.html)) for token_id in ids]
    assert found == list(tokenizer.encode(MIXED_TEXT))
    if tokenizer.encode(MIXED_TEXT).is_tiling:  # others insert tokens; the contract test covers them
        assert found == library_of(kind)(MIXED_TEXT)
    assert repr(drawing).startswith(f"{tokenizer.name}: {len(found)} tokens, {len(MIXED_TEXT)} characters")


def test_a_tokenizer_is_found_by_its_name_or_a_models():
    for name, encoding in (("gpt2", "gpt2"), ("cl100k_base", "cl100k_base"), ("gpt-4o", "o200k_base")):
        ids = library_of(encoding)("Egg")
        assert show("Egg", name).text == f"{encoding}: {show('Egg', encoding).text.split(': ', 1)[1]}"
        assert show("Egg", name).text.endswith(": " + " ".join(map(str, ids)))


@given(
    text=st.text(max_size=40) | st.sampled_from(["</style><script>", "<!--", "</div>", "\x00", "\"'>", "]]>"])
)
@settings(max_examples=60, deadline=None)
def test_markup_in_a_text_is_shown_as_text(text):
    root = read_drawing(show(text, "characters").html)
    assert [len(ids) for _, ids in tiles(root)] == [
        len(run.tokens) for run in segment(tokenizer_of("characters"), text).segments
    ]
    assert len(root.findall(f"{HTML}body/*")) == 1
    assert len(list(root.iter(f"{HTML}style"))) == 1


def test_white_space_is_shown_and_a_line_feed_begins_a_line_in_the_direction_of_its_letters():
    root = read_drawing(show("a b\n\tc", "gpt2").html)
    assert [text for text, _ in tiles(root)] == ["a", "·b", "⏎", "→", "c"]
    lines = [*root.iter(f"{HTML}ul")]
    assert [len(line) for line in lines] == [3, 2]
    assert {line.get("dir") for line in lines} == {"auto"}


def test_a_tokenizers_file_is_opened(tmp_path):
    tokenizer = tokenizer_of("python_docs_4k")
    assert isinstance(tokenizer, TrainedTokenizer)
    file = tmp_path / "mine.json"
    [written] = write_tokenizer_json(tokenizer.model, "mine").values()
    file.write_text(written)
    expected = repr(show("Egg", "python_docs_4k")).replace("python_docs_4k", "mine")
    assert repr(show("Egg", file)) == repr(show("Egg", str(file))) == expected


def test_a_character_of_several_tokens_is_one_tile():
    assert tiles(read_drawing(show("👋", "gpt2").html)) == [("👋", [41840, 233])]


def test_special_tokens_are_text_unless_requested():
    text = "a<|endoftext|>"
    assert len(tiles(read_drawing(show(text, "gpt2").html))) == 8
    honoured = show(text, "gpt2", honours_special=True)
    assert tiles(read_drawing(honoured.html)) == [("a", [64]), ("<|endoftext|>", [50256])]
    assert 'special">&lt;|endoftext|&gt;' in honoured.html


def test_inserted_tokens_are_shown_with_their_spelling_in_the_file():
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


@pytest.mark.parametrize("text", ["", "\ud83d", "\u202e\x00\x1b"])
def test_odd_texts_are_drawn_as_tiles(text):
    read_drawing(show(text, "gpt2").html)


#: The class of the drawing for each kind of tokenizer.
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
    first, second, whole = (ranked.entry(ranked.ids_of(raw)[0]).rank for raw in (b" E", b"gg", b" Egg"))
    assert ranks == {str(first), str(second), f"rank {whole}"}
    assert svg.get("role") == "img"
    assert (svg.get("aria-label") or "").startswith('token "·Egg", rank 14562')


def test_a_byte_tokenizer_says_why_there_are_no_merges():
    assert "A token is a byte" in show_tree("é", "utf8_bytes").html


def test_a_long_text_is_drawn_in_part():
    drawing = show_tree("strawberry " * 10_000, "gpt2")
    assert f"The first {drawings.MAX_CHARS} of 110,000 characters are drawn." in drawing.html
    assert f"The first {drawings.MAX_CHARS} of 110,000 characters are drawn." in repr(drawing)
    assert len(drawing.html) < 500_000


@pytest.mark.parametrize("text", ["", "<svg onload=x>", "\ud83d", "</style>", "  \n"])
def test_odd_texts_are_drawn_as_trees(text):
    read_drawing(show_tree(text, "gpt2").html)
    read_drawing(show_tree(text, tokenizer_of("opened, unigram, nmt_nfkc, symbols")).html)
    read_drawing(show_tree(text, "bert_uncased").html)


TEXT = "the cat sat on the mat, that cat; the hat of the cat <b>that</b> sat there 안녕 안녕. " * 3


def test_merges_equal_those_of_the_lectures_code():
    training = show_training(TEXT, 12, pattern="none")
    assert {(m.left, m.right): m.new_id for m in training.merges} == lecture.train([TEXT.encode()], 12)
    assert len(training.tokenizer.encode(TEXT)) == training.merges[-1].n_tokens


def test_a_training_shows_the_curve_the_steps_and_the_merges():
    training = show_training(TEXT, 25, sample="that <cat>")
    root = read_drawing(training._repr_html_())
    (curve,) = root.iter(f"{SVG}svg")
    last = len(TEXT.encode()) / training.merges[-1].n_tokens
    assert (curve.get("aria-label") or "").endswith(f"from 1.00 to {last:.2f} after {len(training.merges)}")
    steps = [div for div in root.iter(f"{HTML}div") if div.get("class") == "step"]
    assert [step[0].text for step in steps][:2] == ["after 0 merges", "after 5 merges"]
    assert len(tiles(steps[0])) == len("that <cat>")
    assert [i for _, ids in tiles(steps[-1]) for i in ids] == list(training.tokenizer.encode("that <cat>"))
    rows = list(root.iter(f"{HTML}tr"))[1:]
    assert len(rows) == MAX_ROWS
    for row, merge in zip(rows, training.merges, strict=False):
        said = [cell.text for cell in row]
        assert said[0] == str(merge.rank + 1)
        assert said[3:] == [str(merge.new_id), f"{merge.pair_count:,}", f"{merge.n_tokens:,}"]
    assert "… and 5 more merges" in training.drawing.html


def test_markup_in_a_learned_token_is_shown_as_text():
    markup = "<script>alert(\"1\")</script>&lt;<p onclick='x'>"
    training = show_training(markup * 8, 60, pattern="none", name="<i>mine</i>")
    assert any(merge.raw == b"<script>" or b"<script>" in merge.raw for merge in training.merges)
    read_drawing(training.drawing.html)
    root = read_drawing(show(markup, training.tokenizer).html)
    assert "".join(text for text, _ in tiles(root)) == markup.replace(" ", "·")
    read_drawing(show_tree(markup, training.tokenizer).html)


def test_a_training_says_if_it_ended_early():
    training = show_training("abab", 50, pattern="none")
    assert len(training.merges) < 50
    assert f"It ended after {len(training.merges)} merges: no pair is left." in training.drawing.html
    alone = show_training("a", 5)
    assert alone.merges == ()
    assert "0 merges" in repr(alone)


@pytest.mark.parametrize("n_merges", [0, MAX_MERGES + 1, 2.5])
def test_an_invalid_number_of_merges_is_refused(n_merges):
    with pytest.raises(InvalidInputError, match=f"whole number from 1 to {MAX_MERGES:,}"):
        show_training("abab", n_merges)


def test_invalid_arguments_are_refused_with_what_is_valid():
    with pytest.raises(InvalidInputError, match="no text to learn from"):
        show_training("")
    with pytest.raises(InvalidInputError, match=r"must be a str, and is 7"):
        show_training(7)  # type: ignore[arg-type]
    with pytest.raises(TextTooLongError, match="tessera train"):
        show_training("a" * (MAX_CHARS + 1))
    with pytest.raises(InvalidInputError):
        show_training("abab", 3, pattern="(")
