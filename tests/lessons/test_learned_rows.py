"""Lessons 3 and 25: counted word vectors and learned rows of tokens; numpy is the oracle."""

import math

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from playground.catalog.registry import get_tokenizer
from playground.lessons import unmoved_rows, word_neighbours
from playground.training.corpora import novel
from playground.training.word_vectors import N_WINDOW, count_near, ppmi, short_rows, words_of
from tests.lessons.asked import asked

# Lesson 3: the cosine of Nepal and Everest is 0.942; similar words of the novel are near each other.

TEXT, NAMED = word_neighbours.NEIGHBOURS.example()["text"], word_neighbours.NEIGHBOURS.example()["named"]


def show(text, word, named=NAMED):
    return word_neighbours.show(text, word, named)


def test_the_cosine_of_nepal_and_everest_is_0_942():
    figure = show(TEXT, "sister").figure
    assert figure["counts"] == [[3, 2], [4, 1]]
    assert figure["cosine"] == "0.942"
    nepal, everest = np.array(figure["counts"], float)
    oracle = nepal @ everest / np.linalg.norm(nepal) / np.linalg.norm(everest)
    assert word_neighbours.cosine([3, 2], [4, 1]) == pytest.approx(oracle)
    assert word_neighbours.cosine([0, 0], [4, 1]) is None


def test_words_are_counted_within_a_sentence():
    words, axes = ("Nepal", "Everest"), ("climb", "People")
    assert word_neighbours.counts_of(
        "People. Nepal. CLIMB, climb nepal! People of everest\nclimb", words, axes
    ) == [
        [2, 0],
        [0, 1],
    ]
    assert word_neighbours.counts_of("peoples climbs nepalese", words, axes) == [[0, 0], [0, 0]]


def test_other_words_can_be_named_for_another_text():
    text = "The cat drinks milk. A dog eats a bone; no milk for a dog! A cat’s milk is the cat's."
    figure = show(text, "sister", "cat dog: milk, bone").figure
    assert (figure["words"], figure["axes"]) == (["cat", "dog"], ["milk", "bone"])
    assert figure["counts"] == [[2, 0], [1, 1]]
    assert asked(show(text, "sister", "cat dog milk bone")).asks.startswith("Both counts of dog double")
    assert show(text, "sister", "CAT dog Milk bone").figure["counts"] == [[2, 0], [1, 1]]
    assert "Name four words" in show(text, "sister", "cat Cat dog").needs
    assert word_neighbours.named_words("") == word_neighbours.named_words("नेपाल 👋") == tuple(NAMED.split())
    assert word_neighbours.named_words("नेपाल सगरमाथा हिमाल मान्छे") == ("नेपाल", "सगरमाथा", "हिमाल", "मान्छे")


@pytest.mark.parametrize(
    ("word", "like"),
    [
        ("sister", {"mother", "father", "daughter", "aunt"}),
        ("LONDON", {"town", "Netherfield", "Meryton", "Hertfordshire"}),
    ],
)
def test_the_nearest_words_of_a_word_are_similar(word, like):
    first, *others = [point for point in show(TEXT, word).figure["points"] if point["like"]]
    assert first["text"].casefold() == word.casefold()
    assert len(others) == word_neighbours.N_NEAREST
    assert like <= {point["text"] for point in others}
    cosines = [float(point["like"]) for point in others]
    assert cosines == sorted(cosines, reverse=True)


def test_counts_equal_a_plain_loop_and_ppmi_its_definition():
    read = [word.casefold() for word in words_of(novel().texts[0][:6_000])]
    known = sorted(set(read))[::2]
    ids = [known.index(word) if word in known else -1 for word in read]
    counts = count_near(np.array(ids), len(known))
    slow = np.zeros_like(counts)
    for one, left in enumerate(ids):
        for other, right in enumerate(ids):
            if one != other and abs(one - other) <= N_WINDOW and left >= 0 and right >= 0:
                slow[left, right] += 1
    assert (counts == slow).all()
    weighed = ppmi(counts)
    smooth = counts.sum(axis=0) ** 0.75
    row, column = np.argwhere(counts)[7]
    chance = counts[row].sum() / counts.sum() * smooth[column] / smooth.sum()
    assert weighed[row, column] == pytest.approx(
        max(math.log(counts[row, column] / counts.sum() / chance), 0)
    )
    assert (weighed >= 0).all()
    assert np.isfinite(weighed).all()
    assert (weighed[counts == 0] == 0).all()


def test_the_novels_word_vectors_have_the_cosines_of_numpys_svd():
    learned = word_neighbours.map_of_novel().learned
    read = [word.casefold() for word in words_of(novel().texts[0])]
    assert len(learned.words) == sum(n >= 10 for n in learned.n_read.values()) == 1_224
    ids = np.array([learned.places.get(word, -1) for word in read])
    # The first words alone: an SVD of all of them takes seconds.
    matrix = ppmi(count_near(np.where(ids < 200, ids, -1), 200))
    with threadpool_limits(1):
        left, values, _ = np.linalg.svd(matrix)
    wanted = left[:, :32] * np.sqrt(values[:32])
    rows = short_rows(matrix, 32)
    assert np.allclose(rows @ rows.T, wanted @ wanted.T, atol=1e-8)
    assert np.allclose(np.linalg.norm(learned.rows, axis=1), 1)


def test_the_map_is_the_plane_in_which_the_landmarks_vary_most():
    learned, places = word_neighbours.map_of_novel().learned, word_neighbours.map_of_novel().places
    rows = [learned.row_of(word) for word in word_neighbours.LANDMARKS]
    assert None not in rows
    marks, flat = learned.rows[rows], places[rows]
    assert np.ptp(flat, axis=0) == pytest.approx([1, 1])
    assert flat.min(axis=0) == pytest.approx([0, 0])
    away = flat - flat.mean(axis=0)
    assert (away[np.abs(away).argmax(axis=0), [0, 1]] > 0).all(), "whichever way a library turns the axes"
    # The oracle: projections onto the eigenvectors of the covariance, up to sign and scale.
    _, vectors = np.linalg.eigh(np.cov(marks.T))
    for axis in (0, 1):
        scores = marks @ vectors[:, -1 - axis]
        assert abs(np.corrcoef(scores, flat[:, axis])[0, 1]) == pytest.approx(1)


def test_words_of_one_kind_are_close_on_the_map():
    """On the map, each landmark is nearest to the middle of its own four."""
    places = word_neighbours.map_of_novel().places[
        [word_neighbours.map_of_novel().learned.row_of(word) for word in word_neighbours.LANDMARKS]
    ]
    middles = places.reshape(5, 4, 2).mean(axis=1)
    away = np.linalg.norm(places[:, None] - middles[None], axis=2)
    assert away.argmin(axis=1).tolist() == [kind for kind in range(5) for _ in range(4)]


def test_the_question_asks_whether_a_longer_arrow_turns():
    question = asked(show(TEXT, "sister"))
    assert question.answer == "0.942"
    assert all(question.is_right(guess) for guess in (".942", "0.94", "the same", "The same."))
    assert not question.is_right("1.884")
    assert asked(show("Nepal people climb. Everest people climb", "a")).is_right("1")
    assert asked(show("Nepal people. Everest climb", "a")).is_right("0")


@pytest.mark.parametrize(
    ("text", "word", "needs"),
    [
        ("", "sister", "Write Nepal in a sentence with climb or people, or name"),
        ("Nepal people", "sister", "Write Everest in a sentence"),
        (TEXT, "", "Type a word of the novel."),
        (TEXT, "Kathmandu", "The novel doesn't contain “Kathmandu”."),
        (TEXT, "Abatement", "The novel has “Abatement” only 1 ×, too rarely for a vector."),
    ],
)
def test_the_lesson_says_which_words_are_missing(text, word, needs):
    shown = show(text, word)
    assert needs in shown.needs
    assert (shown.question is None) == (shown.figure["cosine"] is None)
    assert len(shown.figure["points"]) >= len(word_neighbours.LANDMARKS)


# Lesson 25: training on the novel leaves 2,235 rows unchanged.


def test_rows_of_tokens_missing_from_the_novel_do_not_move():
    reading = unmoved_rows.read_corpus("novel")
    lacking = set(range(4_096)) - set(get_tokenizer(unmoved_rows.TOKENIZER).encode(novel().texts[0]).ids)
    assert set(np.flatnonzero(reading.moved == 0).tolist()) == lacking
    assert (len(lacking), sum(token_id > 255 for token_id in lacking)) == (2_235, 2_051)
    assert np.isfinite(reading.learned.rows).all()


def test_rows_of_frequent_tokens_move_further():
    reading = unmoved_rows.read_corpus("novel")
    is_seen = reading.learned.counts > 0
    with_count = np.corrcoef(np.log(reading.learned.counts[is_seen]), reading.moved[is_seen])[0, 1]
    assert with_count > 0.85
    length = np.median(np.linalg.norm(reading.learned.start, axis=1))
    least = reading.moved[is_seen].min() / length
    assert least == pytest.approx(0.1, abs=0.03), "lengths of a row: the least of those that were read"
    bands = [band["moved"] for band in unmoved_rows.show("novel", "could").figure["bands"]]
    assert bands[0] == 0
    assert bands == sorted(bands)


def test_only_trained_rows_have_similar_neighbours():
    read, unread = unmoved_rows.show("novel", "could").figure["rows"]
    assert (read["text"], unread["text"]) == (" could", "ZeroDivisionError")
    assert len({" would", " should", " can", " may", " must", " will"} & set(read["near"])) >= 5
    assert unread["n_read"] == 0
    assert len(unread["near"]) == unmoved_rows.N_NEAREST
    assert not [text for text in unread["near"] if "Error" in text]


def test_nearest_is_the_order_of_cosines():
    learned = unmoved_rows.read_corpus("novel").learned
    rows = learned.rows.astype(float)
    token_id = 300

    def cosine(other):
        return rows[other] @ rows[token_id] / np.linalg.norm(rows[other]) / np.linalg.norm(rows[token_id])

    best = sorted((other for other in range(len(rows)) if other != token_id), key=cosine, reverse=True)
    assert learned.nearest(token_id, 3) == best[:3]


@pytest.mark.parametrize(("corpus", "n_unmoved"), [("novel", 2_235), ("manual", None), ("code", None)])
def test_the_question_asks_for_the_rows_that_never_moved(corpus, n_unmoved):
    shown = unmoved_rows.show(corpus, "could")
    levels, question = shown.figure["levels"], asked(shown)
    assert question.answer == str(levels.count("0"))
    assert n_unmoved is None or question.answer == str(n_unmoved)
    assert shown.figure["n_seen"] + levels.count("0") == len(levels) == 4_096


def test_the_tokenizers_own_training_text_leaves_the_fewest_rows_unmoved():
    n_unmoved = {name: unmoved_rows.read_corpus(name).n_unmoved for name in ("novel", "manual", "code")}
    assert min(n_unmoved, key=n_unmoved.__getitem__) == "manual"


def test_it_shows_that_the_name_with_its_space_is_one_token_of_gpt2():
    shown = unmoved_rows.show("novel", "could").figure["magikarp"]
    assert shown == {"text": " SolidGoldMagikarp", "ids": [43453]}, "the id that Rumbelow and Watkins name"
