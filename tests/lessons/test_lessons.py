"""Checks of every lesson: its example, its answer, its texts, and any input."""

import inspect
import json
from itertools import product

import pytest
import regex

from playground.core.errors import InvalidInputError, PlaygroundError, TextTooLongError
from playground.lessons.inputs import (
    ChoiceInput,
    FlagInput,
    NumberInput,
    PicksInput,
    PictureInput,
    TextInput,
)
from playground.lessons.lesson import Question
from playground.lessons.registry import LESSONS, MOVED, find_lesson
from playground.server.learn_session import PAGE_TITLES
from playground.server.web_files import WEB

FIGURES = dict(
    regex.findall(
        r'^  "?([\w-]+)"?: \(\) => import\("\./([\w-]+\.js)"\)',
        (WEB / "learn/figures/table.js").read_text(),
        regex.M,
    )
)
#: The selection for ninety minutes with a class.
IN_CLASS = {
    "oddities", "journey", "first-look", "bytes", "bpe-by-hand", "count-and-merge", "loop", "back-to-text",
    "lowest-rank", "cuts", "special-tokens", "numbers", "rows-that-never-move", "choose",
}  # fmt: skip
HARD_TEXTS = {
    "empty": "",
    "one emoji": "👋",
    "right to left": "שלום עולם، مرحبا",
    "halves": "a\ud83d",
    "long": "The quick brown fox. " * 4_761 + "The",
    "one letter": "a",
    "spaces": "   \n\t ",
}


@pytest.fixture(params=LESSONS.values(), ids=list(LESSONS))
def lesson(request):
    return request.param


def test_lessons_are_in_order_and_each_has_its_figure():
    assert [lesson.number for lesson in LESSONS.values()] == [*range(len(LESSONS))]
    for slug, lesson in LESSONS.items():
        assert find_lesson(slug) is lesson
        assert lesson.figure in FIGURES, f"{lesson.figure} has no line in figures/table.js"
        assert lesson.in_class == (slug in IN_CLASS), slug
    assert set(FIGURES) == {lesson.figure for lesson in LESSONS.values()}
    assert sum(lesson.minutes for lesson in LESSONS.values() if lesson.in_class) == 90
    with pytest.raises(InvalidInputError, match=r"unknown lesson 'none'; choose from .*bytes"):
        find_lesson("none")


def test_links_to_lessons_that_others_took_over_lead_to_those():
    assert not MOVED.keys() & LESSONS.keys()
    assert {*MOVED.values()} <= LESSONS.keys()


def test_texts_of_a_lesson_are_short(lesson):
    assert lesson.steps
    assert lesson.try_this.endswith(".")
    assert lesson.claim.endswith(".")
    assert len(lesson.claim.split()) <= 12
    for sentence in (*lesson.steps, lesson.try_this, lesson.guess.asks):
        assert len(sentence.split()) <= 14, sentence
    guess = lesson.guess
    assert guess.asks.endswith("?")
    assert 2 <= len(guess.options) == len(set(guess.options)) <= 4
    assert guess.right in range(len(guess.options))
    stage = (lesson.claim, f"The answer: {max(guess.options, key=len)}.", f"Try: {lesson.try_this}")
    for said in ((guess.asks, *guess.options), *((*stage, step) for step in lesson.steps)):
        assert len(" ".join(said).split()) <= 40, "the stage has at most 40 words"
    for sentence in (lesson.notes.say, lesson.notes.ask, lesson.notes.expect):
        assert 0 < len(sentence.split()) <= 30, sentence


def test_a_lesson_opens_on_its_example_and_each_step_sets_inputs_that_show_its_effect(lesson):
    assert lesson.check({}) == lesson.example()
    for step in range(len(lesson.steps) + 2):
        values = lesson.check(json.loads(json.dumps(lesson.example(step))))
        shown = lesson.show(**values)
        assert json.dumps(shown.figure, allow_nan=False)
        assert shown.needs == "", step
        assert (shown.question is not None) == lesson.has_question


def test_only_the_answer_is_right_and_others_get_a_hint(lesson):
    question = lesson.show(**lesson.example()).question
    if question is None:
        return
    assert question.asks.endswith("?")
    assert len(question.asks.split()) <= 14
    for guess in (question.answer, f" {question.answer.upper()}. ", *question.also):
        assert question.is_right(guess)
    for guess in ("", "no idea", question.answer + "9", "-1", "1e999", "9" * 999, "½"):
        assert not question.is_right(guess)
        assert 0 < len(question.hint(guess).split()) <= 24, "a wrong answer gets a hint"
        hint = regex.sub(r"[Ss]tep \d|yes or no", "", question.hint(guess))
        words = regex.findall(r"[\p{L}\p{N}.,]*[\p{L}\p{N}]", hint)
        assert question.answer.removesuffix(" %") not in words, "a hint does not give the answer"
    assert question.is_number == question.answer.removesuffix(" %").replace(".", "").isdecimal()
    assert bool(question.lacks("two")) == question.is_number, "words are no wrong number"
    assert [question.lacks(guess) for guess in (question.answer, *question.also, "-1", "9")] == [""] * (
        len(question.also) + 3
    )


def test_numbers_are_accepted_in_any_notation():
    whole, broken = Question("?", "50257", str), Question("?", "1.3", str, also=("1.27",))
    assert all(map(whole.is_right, ("50,257", "50.257", "50 257", "50’257", "50\u202f257", "50257,0")))
    assert not any(map(whole.is_right, ("50.2570", "5.0257", "50,25", "50.257.000")))
    assert all(map(broken.is_right, ("1,3", "1.30", "1,27 ×", "1,3x.")))
    assert not any(map(broken.is_right, ("13", "1,2", "1.270.000", "1;3", "3")))
    assert not Question("?", "0.942", str).is_right("942")


def test_other_pages_open_with_the_lessons_input(lesson):
    openings = lesson.openings(**lesson.example())
    assert openings
    for opening in openings:
        assert opening.page in PAGE_TITLES
        assert set(opening.state) <= {
            *("text", "tokenizer", "tokenizers", "chosen", "step", "height_by", "second", "mode")
        }
        assert json.dumps(dict(opening.state))


def test_a_lesson_shows_at_most_90_lines_of_code(lesson):
    sources = [inspect.getsource(source) for source in lesson.sources]
    assert sources
    assert sum(source.count("\n") for source in sources) <= 90, "the few lines that do it"


def test_a_lesson_shows_any_text_or_says_what_it_needs(lesson):
    """A result is small, and has a question or says what the lesson needs."""
    texts = [item for item in lesson.inputs if isinstance(item, TextInput)]
    for item, (title, text) in product(texts, HARD_TEXTS.items()):
        try:
            values = lesson.check({item.name: text})
            shown = lesson.show(**values)
        except PlaygroundError:
            continue
        assert len(json.dumps(shown.figure, allow_nan=False)) < 400_000, title
        if shown.question:
            assert shown.question.is_right(shown.question.answer), title
        assert shown.question or shown.needs or not lesson.has_question, title
        lesson.openings(**values)


def test_invalid_values_of_inputs_are_refused(lesson):
    wrong: dict[type, list[object]] = {
        TextInput: [1, None, "x" * 100_001],
        NumberInput: [True, 1.5, 10**9, -(10**9), "1"],
        ChoiceInput: ["", 1, None],
        FlagInput: [0, "true"],
        PictureInput: [1, None, "AAAA", "a", "½", "AAAA" * 65_537],
        PicksInput: ["ab", [1], ["x"] * 1_000, ["x" * 1_000], None],
    }
    for item in lesson.inputs:
        for value in wrong[type(item)]:
            with pytest.raises((InvalidInputError, TextTooLongError), match=r"must be|takes up to"):
                lesson.check({item.name: value})
    with pytest.raises(InvalidInputError, match="has no input 'nothing'"):
        lesson.check({"nothing": 1})
