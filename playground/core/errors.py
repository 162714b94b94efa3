"""Every error this playground raises on purpose.

PlaygroundError
├── UnknownTokenizerError      no tokenizer, encoding or model has this name
│   └── NotShippedError        a model is known, and its vocabulary may not be passed on
├── UnknownTokenError          no token has this id
├── AssetError                 a text or table that ships with the app is missing or damaged
├── VocabularyFileError        a tokenizer's file, ours or a visitor's, cannot be read exactly
├── TextTooLongError           a text is over a stated limit
├── LimitExceededError         work that takes more time, memory or turns than it may
└── InvalidInputError          anything else a person typed that cannot be used
    ├── DataSyntaxError        data that cannot be read, with line and column where the parser knows them
    ├── LooksLikeProseError    a text that can be read as data, and is hardly meant so
    └── CannotHoldError        data that a format has no way to write
"""


class PlaygroundError(Exception):
    """A problem that a person can mend; its message says what was wrong and what is valid."""


class UnknownTokenizerError(PlaygroundError):
    """No tokenizer, encoding or model has this name."""


class NotShippedError(UnknownTokenizerError):
    """A model whose vocabulary does not ship; the message says how to open the file that one has."""


class UnknownTokenError(PlaygroundError):
    """No token has this id."""


class AssetError(PlaygroundError):
    """A text or table that ships with the app is missing or damaged."""


class VocabularyFileError(PlaygroundError):
    """A tokenizer's file is missing, damaged, too large, or says what is not known exactly."""


class UnknownPartError(VocabularyFileError):
    """A tokenizer's file has a part that our exact reader does not know; the file's own library may."""


class TextTooLongError(PlaygroundError):
    """A text is over a stated limit."""


class LimitExceededError(PlaygroundError):
    """Work that takes more than it may; `limit` is "time", "memory", "answer", "process" or "waiting"."""

    def __init__(self, message: str, *, limit: str = "time") -> None:
        super().__init__(message)
        self.limit = limit


class InvalidInputError(PlaygroundError):
    """Something a person typed cannot be used as it stands."""


class DataSyntaxError(InvalidInputError):
    """Data that cannot be read; `line` and `column` count from 1, None where the parser does not know."""

    def __init__(self, message: str, *, line: int | None = None, column: int | None = None) -> None:
        place = "" if line is None else f" (line {line:,}" + (f", column {column:,})" if column else ")")
        super().__init__(message + place)
        self.line = line
        self.column = column


class LooksLikeProseError(InvalidInputError):
    """A text that some format can read, and that looks like prose: whoever typed it is asked."""


class CannotHoldError(InvalidInputError):
    """Data that a format has no way to write."""
