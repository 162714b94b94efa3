"""Inputs: what a class may change in a lesson, and what values it may take. How a field looks is not here."""

import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from playground.core.errors import InvalidInputError, TextTooLongError
from playground.core.tokenizer import replace_lone_surrogates

#: A longer text is refused; a lesson shows the beginning of what is long.
MAX_TEXT_CHARS = 100_000
#: Pixels on each side of a picture; the browser makes any picture so.
PICTURE_SIDE = 256
Kind = Literal["text", "number", "choice", "flag", "picks", "picture"]


class Input(Protocol):
    """A named value; `example` is what a lesson opens with and Reset brings back."""

    @property
    def name(self) -> str:
        """As the lesson's functions take it."""

    @property
    def example(self) -> Any:
        """A valid value."""

    def check(self, value: object) -> Any:
        """The value, if it fits. Raises InvalidInputError or TextTooLongError."""

    def about(self) -> dict[str, Any]:
        """What the browser needs to draw the field."""


@dataclass(frozen=True, slots=True)
class TextInput:
    """A text; `rows` is how many lines its field shows. One that `is_line` takes no line break."""

    name: str
    label: str
    example: str
    rows: int = 1
    max_chars: int = MAX_TEXT_CHARS
    is_line: bool = False

    def check(self, value: object) -> str:
        """The text, with lone surrogates replaced."""
        if not isinstance(value, str):
            raise InvalidInputError(f"{self.name} must be a text, and is {value!r:.60}")
        if len(value) > self.max_chars:
            raise TextTooLongError(
                f"{self.label}: {len(value):,} characters; this lesson takes up to {self.max_chars:,}"
            )
        return replace_lone_surrogates(value)

    def about(self) -> dict[str, Any]:
        """The field."""
        return {"kind": "text", "name": self.name, "label": self.label, "example": self.example} | {
            "rows": self.rows,
            "is_line": self.is_line,
            "is_short": self.max_chars <= 100,
        }


@dataclass(frozen=True, slots=True)
class NumberInput:
    """A whole number in a closed range, drawn as a slider."""

    name: str
    label: str
    example: int
    minimum: int
    maximum: int
    step: int = 1

    def check(self, value: object) -> int:
        """The number, if it lies in the range."""
        if type(value) is not int or not self.minimum <= value <= self.maximum:
            raise InvalidInputError(
                f"{self.name} must be a whole number from {self.minimum:,} to {self.maximum:,}, "
                f"and is {value!r:.60}"
            )
        return value

    def about(self) -> dict[str, Any]:
        """The field."""
        return {"kind": "number", "name": self.name, "label": self.label, "example": self.example} | {
            "minimum": self.minimum, "maximum": self.maximum, "step": self.step
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class ChoiceInput:
    """One of a few; `choices` are the values with their labels."""

    name: str
    label: str
    example: str
    choices: Mapping[str, str]

    def check(self, value: object) -> str:
        """The value, if it is one of them."""
        if not isinstance(value, str) or value not in self.choices:
            raise InvalidInputError(
                f"{self.name} must be one of {', '.join(self.choices)}, and is {value!r:.60}"
            )
        return value

    def about(self) -> dict[str, Any]:
        """The field."""
        return {"kind": "choice", "name": self.name, "label": self.label, "example": self.example} | {
            "choices": list(self.choices.items())
        }


@dataclass(frozen=True, slots=True)
class FlagInput:
    """A switch."""

    name: str
    label: str
    example: bool

    def check(self, value: object) -> bool:
        """True or false."""
        if not isinstance(value, bool):
            raise InvalidInputError(f"{self.name} must be true or false, and is {value!r:.60}")
        return value

    def about(self) -> dict[str, Any]:
        """The field."""
        return {"kind": "flag", "name": self.name, "label": self.label, "example": self.example}


@dataclass(frozen=True, slots=True)
class PicksInput:
    """A list of short texts that the figure itself sets, as a board does; it has no field of its own."""

    name: str
    example: tuple[str, ...] = ()
    max_picks: int = 100
    max_chars: int = 100

    def check(self, value: object) -> tuple[str, ...]:
        """The picks, if they are short texts and not too many."""
        picks = [pick for pick in value if isinstance(pick, str)] if isinstance(value, list) else None
        is_fit = picks is not None and len(picks) == len(value) <= self.max_picks  # type: ignore[arg-type]
        if picks is None or not is_fit or any(len(pick) > self.max_chars for pick in picks):
            raise InvalidInputError(
                f"{self.name} must be a list of at most {self.max_picks} texts, each of at most "
                f"{self.max_chars} characters"
            )
        return tuple(map(replace_lone_surrogates, picks))

    def about(self) -> dict[str, Any]:
        """What is set, and by no field."""
        return {"kind": "picks", "name": self.name, "label": "", "example": list(self.example)}


@dataclass(frozen=True, slots=True)
class PictureInput:
    """An own picture: red, green and blue of each pixel as base64, line by line; "" is the lesson's."""

    name: str
    label: str
    example: str = ""

    def check(self, value: object) -> str:
        """The text, if it holds the bytes of a picture or nothing."""
        n_bytes = 3 * PICTURE_SIDE**2
        try:
            found = binascii.a2b_base64(value, strict_mode=True) if isinstance(value, str) else None
        except ValueError:
            found = None
        if found is None or len(found) not in (0, n_bytes):
            told = "something else" if found is None else f"{len(found):,} bytes"
            raise InvalidInputError(
                f"{self.name} must be {PICTURE_SIDE} × {PICTURE_SIDE} pixels, {n_bytes:,} bytes as base64, "
                f"and is {told}"
            )
        return str(value)

    def about(self) -> dict[str, Any]:
        """The button that takes a file, and how large a picture becomes."""
        return {"kind": "picture", "name": self.name, "label": self.label, "example": self.example} | {
            "side": PICTURE_SIDE
        }
