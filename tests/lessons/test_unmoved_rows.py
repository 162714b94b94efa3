"""Lesson 25: the novel leaves 2,235 rows exactly where they began; what is read often finds its like."""

import numpy as np
import pytest

from playground.catalog.registry import get_tokenizer
from playground.lessons.unmoved_rows import N_NEAREST, ROWS_THAT_NEVER_MOVE, TOKENIZER, read_corpus, show
from playground.training.corpora import novel
from tests.lessons.asked import asked


def test_what_the_novel_lacks_moves_exactly_0():
    reading = read_corpus("novel")
    lacking = set(range(4_096)) - set(get_tokenizer(TOKENIZER).encode(novel().texts[0]).ids)
    assert set(np.flatnonzero(reading.moved == 0).tolist()) == lacking
    assert (len(lacking), sum(token_id > 255 for token_id in lacking)) == (2_235, 2_051)
    assert np.isfinite(reading.learned.rows).all()


def test_what_is_read_more_often_moves_further():
    reading = read_corpus("novel")
    is_seen = reading.learned.counts > 0
    with_count = np.corrcoef(np.log(reading.learned.counts[is_seen]), reading.moved[is_seen])[0, 1]
    assert with_count > 0.85
    length = np.median(np.linalg.norm(reading.learned.start, axis=1))
    least = reading.moved[is_seen].min() / length
    assert least == pytest.approx(0.1, abs=0.03), "lengths of a row: the least of those that were read"
    bands = [band["moved"] for band in show("novel", "could").figure["bands"]]
    assert bands[0] == 0
    assert bands == sorted(bands)


def test_a_read_row_finds_its_like_and_an_unread_one_does_not():
    read, unread = show("novel", "could").figure["rows"]
    assert (read["text"], unread["text"]) == (" could", "ZeroDivisionError")
    assert len({" would", " should", " can", " may", " must", " will"} & set(read["near"])) >= 5
    assert unread["n_read"] == 0
    assert len(unread["near"]) == N_NEAREST
    assert not [text for text in unread["near"] if "Error" in text]


def test_nearest_is_the_order_of_cosines():
    learned = read_corpus("novel").learned
    rows = learned.rows.astype(float)
    token_id = 300

    def cosine(other):
        return rows[other] @ rows[token_id] / np.linalg.norm(rows[other]) / np.linalg.norm(rows[token_id])

    best = sorted((other for other in range(len(rows)) if other != token_id), key=cosine, reverse=True)
    assert learned.nearest(token_id, 3) == best[:3]


@pytest.mark.parametrize(("corpus", "n_unmoved"), [("novel", 2_235), ("manual", None), ("code", None)])
def test_the_question_asks_for_the_rows_that_never_moved(corpus, n_unmoved):
    shown = show(corpus, "could")
    levels, question = shown.figure["levels"], asked(shown)
    assert question.answer == str(levels.count("0"))
    assert n_unmoved is None or question.answer == str(n_unmoved)
    assert shown.figure["n_seen"] + levels.count("0") == len(levels) == 4_096
    assert "left" in question.hint(str(shown.figure["n_seen"]))
    assert f"{shown.figure['n_seen']:,}" in question.hint("1")


def test_the_tokenizers_own_text_lacks_least():
    n_unmoved = {name: read_corpus(name).n_unmoved for name in ("novel", "manual", "code")}
    assert min(n_unmoved, key=n_unmoved.__getitem__) == "manual"


def test_it_says_what_a_word_lacks():
    assert ROWS_THAT_NEVER_MOVE.example() == {"corpus": "novel", "word": "could"}
    assert "Type a word" in show("novel", " ").needs
    assert "several" in show("novel", "perhapsnot").needs
    assert "never" in show("novel", "implementation").needs


def test_it_shows_that_the_name_with_its_space_is_one_token_of_gpt2():
    shown = show("novel", "could").figure["magikarp"]
    assert shown == {"text": " SolidGoldMagikarp", "ids": [43453]}, "the id that Rumbelow and Watkins name"
