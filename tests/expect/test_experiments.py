"""What the page says of its experiments and examples is true of the small model."""

import pytest

from playground.expect.experiments import EXAMPLES, EXPERIMENTS
from playground.expect.reading import NEARLY_CERTAIN_BITS, Model, Reading

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def read(small_model):
    model = Model(small_model, (0, 0))

    def whole(*parts: str) -> Reading:
        while not (found := model.read("x", parts, 64)).is_over:
            pass
        return found

    return whole


def experiment(title):
    return next(each for each in EXPERIMENTS if each.title == title)


def bits(reading):
    """The bits of all tokens but the first, as the page adds them."""
    return [each.bits for each in reading.expected[1:-1]]


def share_nearly_certain(reading):
    return sum(each < NEARLY_CERTAIN_BITS for each in bits(reading)) / len(reading.ids)


def next_tokens(reading):
    return [
        (reading.raws[token].decode(errors="replace"), chance)
        for token, chance in reading.expected[-1].likeliest
    ]


def test_json_takes_twice_the_tokens_and_fewer_bits_than_csv(read):
    json, csv = read(experiment("JSON or CSV").text), read(experiment("JSON or CSV").second)
    assert 2 * len(csv.ids) <= len(json.ids) + 1
    assert sum(bits(json)) < sum(bits(csv))
    assert 0.4 < share_nearly_certain(json) < 0.5


def test_after_a_space_the_model_expects_a_digit_instead_of_paris(read):
    one = experiment("A space at the end")
    assert next_tokens(read(one.text))[0] == (" Paris", pytest.approx(0.81, abs=0.01))
    assert next_tokens(read(one.second))[0] == ("2", pytest.approx(0.36, abs=0.01))
    assert bits(read(f"{one.text} Paris"))[-1] < 0.5
    assert bits(read(one.second, "Paris"))[-1] > 9


def test_after_a_colon_the_slashes_are_hardly_expected(read):
    one = experiment("Half a token")
    assert next_tokens(read(one.text))[0] == ("://", pytest.approx(0.996, abs=0.001))
    after = dict(next_tokens(read(one.second)))
    assert after["//"] < 0.5


def test_letter_by_letter_each_is_far_less_expected(read):
    one = experiment("Letter by letter")
    ends = [*one.cuts, len(one.text)]
    letters = read(*(one.text[start:end] for start, end in zip([0, *one.cuts], ends, strict=True)))
    own = read(one.text)
    assert [own.raws[token] for token in own.ids][-2:] == [b" unbelie", b"vable"]
    assert sum(bits(letters)) > 5 * sum(bits(own))
    assert min(bits(letters)[-12:]) > 8


def test_glitch_tokens_cannot_be_told_apart_and_are_not_expected_again(read):
    one = experiment("Glitch tokens")
    first, second = read(one.text), read(one.second)
    assert len(first.ids) == len(second.ids)
    assert bits(first) == pytest.approx(bits(second), abs=0.01)
    for one_place, other_place in zip(first.expected, second.expected, strict=True):
        assert dict(one_place.likeliest) == pytest.approx(dict(other_place.likeliest), abs=0.01)
    bits_of = dict(zip([first.raws[token].decode() for token in first.ids[1:]], bits(first), strict=True))
    assert bits_of["ManagementPlaneProtection"] > 15, "the second time: the last one counts"
    assert bits_of["table"] < 0.2
    assert len(read("SolidGoldMagikarp").ids) == 5


def test_a_typo_costs_bits_there_and_for_some_words_after(read):
    one = experiment("A typo")
    typo, right = bits(read(one.text)), bits(read(one.second))
    assert min(typo[1:3]) > 15
    assert all(with_typo > without + 1 for with_typo, without in zip(typo[3:6], right[2:5], strict=True))


def test_examples_show_what_their_notices_say(read):
    texts = {title: text for title, text, _ in EXAMPLES}
    capitals = read(texts["Capitals"])
    costs = bits(capitals)
    assert sum(costs[:6]) > sum(costs[6:13])
    assert next_tokens(capitals)[0][0] == " Rome"
    assert share_nearly_certain(read(texts["Code"])) > 0.5
    twice = read(texts["Read twice"])
    half = len(twice.ids) // 2
    assert sum(bits(twice)[half - 1 :]) < sum(bits(twice)[: half - 1]) / 4
