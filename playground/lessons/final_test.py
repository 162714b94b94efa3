"""A mixed test; the lessons' own code asks each question and computes its answer."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from playground.core.errors import InvalidInputError
from playground.lessons.back_to_text import BACK_TO_TEXT
from playground.lessons.bytes_of_text import BYTES
from playground.lessons.count_and_merge import COUNT_AND_MERGE
from playground.lessons.cuts import CUTS
from playground.lessons.inputs import PicksInput
from playground.lessons.journey import JOURNEY
from playground.lessons.lesson import Guess, Lesson, Notes, Opening, Shown
from playground.lessons.lowest_rank import LOWEST_RANK
from playground.lessons.many_encodings import MANY_ENCODINGS
from playground.lessons.numbers_of_digits import NUMBERS
from playground.lessons.specials import SPECIAL_TOKENS
from playground.lessons.vocabulary_sizes import VOCABULARY_SIZE


class Item(NamedTuple):
    """A question of a lesson about other input than its example, wrong answers, and an explanation.

    The right answer is inserted at `place` among the wrong ones.
    """

    lesson: Lesson
    values: Mapping[str, Any]
    wrong: Sequence[str]
    place: int
    because: str


ITEMS: Sequence[Item] = (
    Item(JOURNEY, {"text": "tokenizers"}, ("1", "3", "10"), 1,
         "token · izers: nine characters become two ids."),
    Item(BYTES, {"text": "naïve ₿"}, ("1", "2", "4"), 2,
         "Its first byte begins with 1110: three bytes."),
    Item(BACK_TO_TEXT, {"text": "195 40"}, ("yes",), 1,
         "195 begins a character of two bytes, and 40 does not continue it."),
    Item(COUNT_AND_MERGE, {"text": "aaaaaa"}, ("1", "2", "5"), 2,
         "Five pairs are counted; merging from the left uses each letter once."),
    Item(CUTS, {"text": "It's 12345 now!", "pattern": "cl100k"}, ("3", "4", "6"), 2,
         "It · 's · a space · 123 · 45: at most three digits stay together."),
    Item(LOWEST_RANK, {"word": "tokenizer"}, ("2", "8", "9"), 0,
         "Nine bytes become two tokens, and each merge removes one part."),
    Item(SPECIAL_TOKENS, {"tokenizer": "cl100k_base"}, ("100,000", "100,256", "50,257"), 1,
         "256 bytes, 100,000 merges and 5 special tokens."),
    Item(NUMBERS, {"tokenizer": "cl100k_base"}, ("100", "521", "10000"), 2,
         "Its pattern cuts after three digits, so all shorter numbers are whole."),
    Item(MANY_ENCODINGS, {"text": " haughty"}, ("1", "3", "8"), 1,
         "“ ha” or longer, then the rest; BPE needs one token more."),
    Item(VOCABULARY_SIZE, {"size": 128_257, "model": "gpt2"}, ("31 %", "100 %", "77 %"), 2,
         "98.5 million of 184 million parameters: GPT-2 has one matrix for both ends."),
)  # fmt: skip


@cache
def questions() -> tuple[dict[str, Any], ...]:
    """Return the questions with their options, the place of the right one, and its explanation."""
    found = []
    for item in ITEMS:
        question = item.lesson.show(**item.lesson.check(item.values)).question
        assert question is not None, item.lesson.slug
        options = [*item.wrong[: item.place], question.answer, *item.wrong[item.place :]]
        found.append({
            "asks": question.asks,
            "options": options,
            "right": item.place,
            "because": item.because,
            "lesson": item.lesson.slug,
            "title": f"{item.lesson.number} · {item.lesson.title}",
        })  # fmt: skip
    return tuple(found)


def show(chosen: tuple[str, ...] = ()) -> Shown:
    """Return the questions, and the chosen option of each, or -1.

    A choice is written as question and option: "0.2".
    """
    options = [-1] * len(ITEMS)
    for choice in chosen:
        question, _, option = choice.partition(".")
        if not (question.isdecimal() and option.isdecimal() and int(question) < len(ITEMS)):
            raise InvalidInputError(
                f"a choice is a question and an option, such as 0.2, and not {choice!r:.60}"
            )
        options[int(question)] = int(option)
    return Shown({"questions": questions(), "chosen": options})


def _openings(**_chosen: object) -> Sequence[Opening]:
    return (Opening("tokenize", {"text": "naïve ₿", "tokenizer": "cl100k_base"}),)


FINAL_TEST = Lesson(
    slug="final-test",
    number=29,
    title="Final test",
    claim="Each answer follows from a rule that you can name.",
    guess=Guess(
        "You renumber the tokens. What must change too, so that nothing else does?",
        ("nothing", "the merges", "the model's rows"),
        right=2,
    ),
    time="",
    figure="final-test",
    steps=tuple(f"Question {n} of {len(ITEMS)}." for n in range(1, len(ITEMS) + 1)),
    inputs=(PicksInput("chosen", (), max_picks=100, max_chars=8),),
    try_this="Answer, then read why.",
    notes=Notes(
        say="Ten lessons ask about other texts; the lessons' code computes the answers.",
        ask="Which rule gives this answer?",
        expect="The sentence that appears after a choice; the lesson beside it shows the figure.",
    ),
    show=show,
    sources=(questions,),
    openings=_openings,
    has_question=False,
)
