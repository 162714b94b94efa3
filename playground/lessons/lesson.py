"""Lesson: what one screen of the Learn path is made of. How a figure looks is decided in `web/learn`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import regex

from playground.core.errors import InvalidInputError
from playground.lessons.inputs import Input

Beginning = Literal["digit", "letter", "space"]


@dataclass(frozen=True, slots=True)
class Notes:
    """What a teacher says, asks and expects to hear; one sentence each."""

    say: str
    ask: str
    expect: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question about the class's present input; `hint` gets a wrong guess and leads on from it.

    `also` are other spellings of the answer. `is_number` is false where a text is asked for, of digits too.
    """

    asks: str
    answer: str
    hint: Callable[[str], str]
    also: Sequence[str] = ()
    is_number: bool = True

    def is_right(self, guess: str) -> bool:
        """Whether a guess says the same; case, a full stop and the way to write a number make no difference.

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
        """With what an answer may begin: as long as none is typed, the other keys are the lesson's.

        >>> Question("?", "2", str).begins_with, Question("?", "two spaces", str, ("··",), False).begins_with
        ('digit', 'space')
        """
        if self.is_number:
            return "digit"
        return "space" if any(text[0] in " ·" for text in (self.answer, *self.also)) else "letter"

    def lacks(self, guess: str) -> str:
        """What a guess lacks that cannot be judged; "" where it can. The number it names is never the answer.

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
    """The number that an answer of ours is; None where it is none."""
    digits = _without_unit(text).replace(",", "")
    return Decimal(digits) if regex.fullmatch(r"\d*\.?\d+", digits) else None


def readings(guess: str) -> set[Decimal]:
    """The numbers that a guess may mean: a comma or a point stands before decimals, or between thousands.

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
    """What a lesson shows for an input: the figure's data as JSON, and the question with its answer.

    `needs` says what the input lacks for the effect to be seen; "" where it is seen.
    """

    figure: Mapping[str, Any]
    question: Question | None = None
    needs: str = ""


@dataclass(frozen=True, slots=True)
class Opening:
    """Another page of the app, and the state of a share link that opens it on what the class sees."""

    page: str
    state: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Lesson:
    """One lesson; `show` gets the values of `inputs` by name, and so does `openings`.

    `steps` are one sentence each, about what to look at; the figure shows itself step by step from 1. Where
    there is a question, one step more asks it, beside the figure of the step `asked_at`, or of the last.
    `figure` names the module in `web/learn/figures`, `time` is where the lecture says it, and `sources` are
    the running functions that do it.
    """

    slug: str
    number: int
    title: str
    claim: str
    time: str
    figure: str
    steps: Sequence[str]
    inputs: Sequence[Input]
    try_this: str
    notes: Notes
    show: Callable[..., Shown]
    sources: Sequence[Callable[..., object] | type]
    openings: Callable[..., Sequence[Opening]]
    in_class: bool = False
    has_question: bool = True
    asked_at: int = -1

    def example(self) -> dict[str, Any]:
        """The values that the lesson opens with."""
        return {item.name: item.example for item in self.inputs}

    def check(self, values: Mapping[str, object]) -> dict[str, Any]:
        """The values, and examples for those that are missing. Raises InvalidInputError, TextTooLongError."""
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
