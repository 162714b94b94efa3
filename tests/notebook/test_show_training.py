"""`show_training`: merges of a real training, and a tokenizer that the other drawings take."""

import pytest

from playground.bpe import lecture
from playground.core.errors import InvalidInputError, TextTooLongError
from playground.notebook import show, show_training, show_tree
from playground.notebook.training import MAX_CHARS, MAX_MERGES, MAX_ROWS, MAX_SAMPLE_CHARS
from tests.notebook.reading import HTML, SVG, read_drawing, tiles

TEXT = "the cat sat on the mat, that cat; the hat of the cat <b>that</b> sat there 안녕 안녕. " * 3


def test_merges_are_the_lectures():
    training = show_training(TEXT, 12, pattern="none")
    assert {(m.left, m.right): m.new_id for m in training.merges} == lecture.train([TEXT.encode()], 12)
    assert len(training.tokenizer.encode(TEXT)) == training.merges[-1].n_tokens


def test_its_tokenizer_is_shown_like_any():
    training = show_training(TEXT, 30, name="mine")
    ids = list(training.tokenizer.encode("the cat"))
    assert show("the cat", training.tokenizer).text.startswith(f"mine: {len(ids)} tokens")
    assert max(ids) >= 256


def test_the_drawing_has_the_curve_the_steps_and_the_merges():
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
        told = [cell.text for cell in row]
        assert told[0] == str(merge.rank + 1)
        assert told[3:] == [str(merge.new_id), f"{merge.pair_count:,}", f"{merge.n_tokens:,}"]
    assert "… and 5 more merges" in training.drawing.html


def test_a_token_that_is_markup_stays_text():
    markup = "<script>alert(\"1\")</script>&lt;<p onclick='x'>"
    training = show_training(markup * 8, 60, pattern="none", name="<i>mine</i>")
    assert any(merge.raw == b"<script>" or b"<script>" in merge.raw for merge in training.merges)
    read_drawing(training.drawing.html)
    root = read_drawing(show(markup, training.tokenizer).html)
    assert "".join(text for text, _ in tiles(root)) == markup.replace(" ", "·")
    read_drawing(show_tree(markup, training.tokenizer).html)


def test_it_says_where_it_ended_early():
    training = show_training("abab", 50, pattern="none")
    assert len(training.merges) < 50
    assert f"It ended after {len(training.merges)} merges: no pair is left." in training.drawing.html
    alone = show_training("a", 5)
    assert alone.merges == ()
    assert "0 merges" in repr(alone)


def test_a_large_training_is_drawn_in_part():
    training = show_training("".join(chr(0x4E00 + n * 7 % 5000) + " " for n in range(20_000)), 1_000)
    assert len(training.drawing.html) < 100_000
    assert len(tiles(read_drawing(training.drawing.html))) <= 6 * MAX_SAMPLE_CHARS


@pytest.mark.parametrize("n_merges", [0, -1, MAX_MERGES + 1, 2.5, True, "3"])
def test_a_number_of_merges_that_cannot_be_is_refused(n_merges):
    with pytest.raises(InvalidInputError, match=f"whole number from 1 to {MAX_MERGES:,}"):
        show_training("abab", n_merges)


def test_errors_say_what_is_valid():
    with pytest.raises(InvalidInputError, match="no text to learn from"):
        show_training("")
    with pytest.raises(InvalidInputError, match=r"must be a str, and is 7"):
        show_training(7)  # type: ignore[arg-type]
    with pytest.raises(TextTooLongError, match="python -m playground train"):
        show_training("a" * (MAX_CHARS + 1))
    with pytest.raises(InvalidInputError):
        show_training("abab", 3, pattern="(")
