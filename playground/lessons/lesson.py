"""`Lesson` and its parts: texts, inputs, the data of its figure, its question, and links to other pages.

The figures are drawn by `web/learn/figures`, a module for each.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

import regex

from playground.core.errors import InvalidInputError
from playground.lessons.inputs import Input

Beginning = Literal["digit", "letter", "space"]


@dataclass(frozen=True, slots=True)
class Notes:
    """Speaker's notes: what to say, what to ask, and the expected answer."""

    say: str
    ask: str
    expect: str


@dataclass(frozen=True, slots=True)
class Guess:
    """The question that a lesson begins with: its figure's example answers it, and the class guesses first.

    `right` is the index of the correct option. `proof` is what the figure of the last step shows, from which
    the answer can be read off; "" if the answer's own words are there.
    """

    asks: str
    options: Sequence[str]
    right: int
    proof: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question about the current input; `hint` takes a wrong guess and returns a hint.

    `also` lists other accepted spellings of the answer. `is_number` is False if the answer is a text.
    """

    asks: str
    answer: str
    hint: Callable[[str], str]
    also: Sequence[str] = ()
    is_number: bool = True

    def is_right(self, guess: str) -> bool:
        """Whether a guess is right, regardless of case, a full stop, and number format.

        >>> Question("?", "1,024", str).is_right(" 1024. "), Question("?", "Yes", str).is_right("no")
        (True, False)
        >>> Question("?", "1.3", str).is_right("1,3"), Question("?", "50257", str).is_right("50.257")
        (True, True)
        """
        said, plain = (self.answer, *self.also), _plain(guess)
        if guess in said or (plain and plain in map(_plain, said)):
            return True
        return self.is_number and not readings(guess).isdisjoint(map(_value, said))

    @property
    def begins_with(self) -> Beginning:
        """The kind of character that an answer may begin with; other keys keep their meaning in the lesson.

        >>> Question("?", "2", str).begins_with, Question("?", "two spaces", str, ("··",), False).begins_with
        ('digit', 'space')
        """
        if self.is_number:
            return "digit"
        return "space" if any(text[0] in " ·" for text in (self.answer, *self.also)) else "letter"

    def lacks(self, guess: str) -> str:
        """Return why a guess can't be judged, or "" if it can; the example in it is never the answer.

        >>> Question("?", "2", str).lacks("two"), Question("?", "2", str).lacks("4")
        ('Type a number, such as 3.', '')
        """
        if not self.is_number or self.is_right(guess) or any(map(str.isdecimal, guess)):
            return ""
        return f"Type a number, such as {4 if self.is_right('3') else 3}."


def _plain(text: str) -> str:
    text = regex.sub(r"(?<=\d)[,\u202f\u00a0 ](?=\d{3}\b)", "", text.strip().casefold())
    return text.rstrip(".?!").strip() or text.strip()


def _value(text: str) -> Decimal | None:
    """Return the number in an answer of a lesson; None if it isn't a number."""
    digits = _without_unit(text).replace(",", "")
    return Decimal(digits) if regex.fullmatch(r"\d*\.?\d+", digits) else None


def readings(guess: str) -> set[Decimal]:
    """Return the numbers that a guess may mean, with comma and point as decimal or thousands separators.

    >>> sorted(readings("1,024 %")), 1024 in readings("1024.")
    ([Decimal('1.024'), Decimal('1024')], True)
    """
    digits = _without_unit(guess)
    found: set[Decimal] = set()
    if regex.fullmatch(r"\d*[.,]?\d+", digits):
        found.add(Decimal(digits.replace(",", ".")))
    if regex.fullmatch(r"[1-9]\d{0,2}(?:[.,’'\u202f\u00a0 ]\d{3})+", digits):
        found.add(Decimal(regex.sub(r"\D", "", digits)))
    return found


def _without_unit(text: str) -> str:
    return regex.sub(r"\s*(?:[x×%]|times)?[.?!]*$", "", text.strip().casefold())


@dataclass(frozen=True, slots=True)
class Shown:
    """The result of a lesson's `show`: the figure's data (JSON) and the question with its answer.

    `needs` tells the class how to change the input so that the effect can be seen; "" if it can.
    """

    figure: Mapping[str, Any]
    question: Question | None = None
    needs: str = ""


@dataclass(frozen=True, slots=True)
class Opening:
    """A link to another page of the app, with the state that shows the lesson's input there."""

    page: str
    state: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Lesson:
    """One lesson of the path; `show` and `openings` take the values of `inputs` by name.

    Step 0 asks `guess`. `steps` has one sentence for each step of the figure. Step `told_at`, by default the
    last, tells the answer to the guess, which its figure shows, and `claim`. If there is a question, it is
    asked in an additional step, beside the figure of step `asked_at` (by default the last), which then hides
    the answer. `figure` names a module in `web/learn/figures`; `time` is the place in the lecture, "" if the
    lecture doesn't cover it; `sources` are the functions whose code the lesson shows; `minutes` is the time
    it takes with a class. `sets` has the values of inputs that the example takes at a step and keeps in
    later ones, so that each step moves the figure on; what the class types comes first.
    """

    slug: str
    number: int
    title: str
    claim: str
    guess: Guess
    time: str
    figure: str
    steps: Sequence[str]
    inputs: Sequence[Input]
    try_this: str
    notes: Notes
    show: Callable[..., Shown]
    sources: Sequence[Callable[..., object] | type]
    openings: Callable[..., Sequence[Opening]]
    minutes: int = 6
    in_class: bool = False
    has_question: bool = True
    asked_at: int = -1
    told_at: int = -1
    sets: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)

    def example(self, step: int = 0) -> dict[str, Any]:
        """Return the values that the lesson has at a step when nothing was typed."""
        values = {item.name: item.example for item in self.inputs}
        for at in range(1, step + 1):
            values |= self.sets.get(at, {})
        return values

    def check(self, values: Mapping[str, object]) -> dict[str, Any]:
        """Return checked values, examples for missing ones. Raises InvalidInputError, TextTooLongError."""
        fields = {item.name: item for item in self.inputs}
        unknown = [name for name in values if name not in fields]
        if unknown:
            raise InvalidInputError(
                f"this lesson has no input {unknown[0]!r:.60}; it has {', '.join(fields) or 'none'}"
            )
        return {
            name: item.check(values[name]) if name in values else item.example
            for name, item in fields.items()
        }
