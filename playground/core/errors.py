"""Every error this playground raises on purpose.

PlaygroundError
├── UnknownTokenizerError      no tokenizer, encoding or model has this name
├── UnknownTokenError          no token has this id
├── VocabularyFileError        a vocabulary file is missing or damaged
├── TextTooLongError           a text is over a stated limit
└── InvalidInputError          anything else a person typed that cannot be used
"""


class PlaygroundError(Exception):
    """A problem that a person can mend; its message says what was wrong and what is valid."""


class UnknownTokenizerError(PlaygroundError):
    """No tokenizer, encoding or model has this name."""


class UnknownTokenError(PlaygroundError):
    """No token has this id."""


class VocabularyFileError(PlaygroundError):
    """A vocabulary file is missing or damaged."""


class TextTooLongError(PlaygroundError):
    """A text is over a stated limit."""


class InvalidInputError(PlaygroundError):
    """Something a person typed cannot be used as it stands."""
