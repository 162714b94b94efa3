"""The inputs of lessons: text, number, choice, switch, picks and picture, each with a check of its values."""

import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from playground.core.errors import InvalidInputError, TextTooLongError
from playground.core.tokenizer import replace_lone_surrogates

#: Longer texts are refused; of long texts a lesson shows the beginning.
MAX_TEXT_CHARS = 100_000
#: Pixels on each side of a picture; the browser scales pictures to this size.
PICTURE_SIDE = 256
Kind = Literal["text", "number", "choice", "flag", "picks", "picture"]


class Input(Protocol):
    """A named input; `example` is its value when the lesson opens and after Reset."""

    @property
    def name(self) -> str:
        """The parameter name in the lesson's `show`."""

    @property
    def example(self) -> Any:
        """A valid value of the input."""

    def check(self, value: object) -> Any:
        """Return the checked value. Raises InvalidInputError or TextTooLongError."""

    def about(self) -> dict[str, Any]:
        """Return what the browser needs to draw the field, as JSON."""


@dataclass(frozen=True, slots=True)
class TextInput:
    """A text field of `rows` lines; `is_line` excludes line breaks."""

    name: str
    label: str
    example: str
    rows: int = 1
    max_chars: int = MAX_TEXT_CHARS
    is_line: bool = False

    def check(self, value: object) -> str:
        """Return the text with lone surrogates replaced."""
        if not isinstance(value, str):
            raise InvalidInputError(f"{self.name} must be a text, and is {value!r:.60}")
        if len(value) > self.max_chars:
            raise TextTooLongError(
                f"{self.label}: {len(value):,} characters; this lesson takes up to {self.max_chars:,}"
            )
        return replace_lone_surrogates(value)

    def about(self) -> dict[str, Any]:
        """Return the field as JSON."""
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
        """Return the number if it is in the range."""
        if type(value) is not int or not self.minimum <= value <= self.maximum:
            raise InvalidInputError(
                f"{self.name} must be a whole number from {self.minimum:,} to {self.maximum:,}, "
                f"and is {value!r:.60}"
            )
        return value

    def about(self) -> dict[str, Any]:
        """Return the field as JSON."""
        return {"kind": "number", "name": self.name, "label": self.label, "example": self.example} | {
            "minimum": self.minimum, "maximum": self.maximum, "step": self.step
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class ChoiceInput:
    """One of several values; `choices` maps each value to its label."""

    name: str
    label: str
    example: str
    choices: Mapping[str, str]

    def check(self, value: object) -> str:
        """Return the value if it is one of `choices`."""
        if not isinstance(value, str) or value not in self.choices:
            raise InvalidInputError(
                f"{self.name} must be one of {', '.join(self.choices)}, and is {value!r:.60}"
            )
        return value

    def about(self) -> dict[str, Any]:
        """Return the field as JSON."""
        return {"kind": "choice", "name": self.name, "label": self.label, "example": self.example} | {
            "choices": list(self.choices.items())
        }


@dataclass(frozen=True, slots=True)
class FlagInput:
    """A switch that is on or off."""

    name: str
    label: str
    example: bool

    def check(self, value: object) -> bool:
        """Return the value if it is a bool."""
        if not isinstance(value, bool):
            raise InvalidInputError(f"{self.name} must be true or false, and is {value!r:.60}")
        return value

    def about(self) -> dict[str, Any]:
        """Return the field as JSON."""
        return {"kind": "flag", "name": self.name, "label": self.label, "example": self.example}


@dataclass(frozen=True, slots=True)
class PicksInput:
    """A list of short texts that the figure sets, such as the chosen pairs; it has no field of its own."""

    name: str
    example: tuple[str, ...] = ()
    max_picks: int = 100
    max_chars: int = 100

    def check(self, value: object) -> tuple[str, ...]:
        """Return the picks if they are short texts and not too many."""
        picks = [pick for pick in value if isinstance(pick, str)] if isinstance(value, list) else None
        is_fit = picks is not None and len(picks) == len(value) <= self.max_picks  # type: ignore[arg-type]
        if picks is None or not is_fit or any(len(pick) > self.max_chars for pick in picks):
            raise InvalidInputError(
                f"{self.name} must be a list of at most {self.max_picks} texts, each of at most "
                f"{self.max_chars} characters"
            )
        return tuple(map(replace_lone_surrogates, picks))

    def about(self) -> dict[str, Any]:
        """Return the example; no field is drawn."""
        return {"kind": "picks", "name": self.name, "label": "", "example": list(self.example)}


@dataclass(frozen=True, slots=True)
class PictureInput:
    """A picture as base64 of RGB bytes, row by row; "" for the lesson's own picture."""

    name: str
    label: str
    example: str = ""

    def check(self, value: object) -> str:
        """Return the text if it is a picture of the right size, or empty."""
        n_bytes = 3 * PICTURE_SIDE**2
        try:
            found = binascii.a2b_base64(value, strict_mode=True) if isinstance(value, str) else None
        except ValueError:
            found = None
        if found is None or len(found) not in (0, n_bytes):
            received = "something else" if found is None else f"{len(found):,} bytes"
            raise InvalidInputError(
                f"{self.name} must be {PICTURE_SIDE} × {PICTURE_SIDE} pixels, {n_bytes:,} bytes as base64, "
                f"and is {received}"
            )
        return str(value)

    def about(self) -> dict[str, Any]:
        """Return the field of a file button, and the size of the picture."""
        return {"kind": "picture", "name": self.name, "label": self.label, "example": self.example} | {
            "side": PICTURE_SIDE
        }
