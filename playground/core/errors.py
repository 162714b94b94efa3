"""Every error that the playground raises on purpose.

PlaygroundError
├── UnknownTokenizerError      no tokenizer, encoding or model has this name
│   └── NotShippedError        the model is known, but its vocabulary does not ship
├── UnknownTokenError          no token has this id
├── AssetError                 a text or table that ships with the app is missing or damaged
├── VocabularyFileError        a tokenizer file, ours or a visitor's, cannot be read exactly
│   ├── UnknownPartError       a part of it is unknown here; the file's own library may know it
│   └── NeedsPatternError      it has no split pattern, and nobody chose one
├── TextTooLongError           a text is longer than a stated limit
├── LimitExceededError         work that exceeds a limit of time, memory or turns
└── InvalidInputError          anything else a person typed that cannot be used
    ├── DataSyntaxError        data that cannot be parsed, with line and column if known
    ├── LooksLikeProseError    a text that parses as data but is probably prose
    └── CannotHoldError        data that a format has no way to write
"""


class PlaygroundError(Exception):
    """A problem that a person can fix; the message says what is wrong and what is valid."""


class UnknownTokenizerError(PlaygroundError):
    """No tokenizer, encoding or model has this name."""


class NotShippedError(UnknownTokenizerError):
    """A model whose vocabulary does not ship; the message says how to open one's own file."""


class UnknownTokenError(PlaygroundError):
    """No token has this id."""


class AssetError(PlaygroundError):
    """A text or table that ships with the app is missing or damaged."""


class VocabularyFileError(PlaygroundError):
    """A tokenizer file is missing, damaged, too large, or contains something that cannot be read exactly."""


class UnknownPartError(VocabularyFileError):
    """A tokenizer file has a part that our exact reader does not know, but its own library may."""


class NeedsPatternError(VocabularyFileError):
    """A file of ranks without a split pattern, on which its ids depend; nobody has chosen one."""


class TextTooLongError(PlaygroundError):
    """A text is longer than a stated limit."""


class LimitExceededError(PlaygroundError):
    """Work exceeded a limit; `limit` is "time", "memory", "answer", "process" or "waiting"."""

    def __init__(self, message: str, *, limit: str = "time") -> None:
        super().__init__(message)
        self.limit = limit


class InvalidInputError(PlaygroundError):
    """Something a person typed cannot be used."""


class DataSyntaxError(InvalidInputError):
    """Data that cannot be parsed; `line` and `column` count from 1, None if unknown.

    `detected` is the format that was detected, None if the format was named.
    """

    detected: str | None = None

    def __init__(self, message: str, *, line: int | None = None, column: int | None = None) -> None:
        place = "" if line is None else f" (line {line:,}" + (f", column {column:,})" if column else ")")
        super().__init__(message + place)
        self.line = line
        self.column = column


class LooksLikeProseError(InvalidInputError):
    """A text that some format can parse but that looks like prose; the person who typed it is asked."""

    detected: str | None = None


class CannotHoldError(InvalidInputError):
    """Data that a format has no way to write."""
