"""Types of the answers to the editor's browser code.

`scripts/write_wire_types.py` turns them into types for the browser code.
"""

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from playground.analysis.chat import Message, Tool
from playground.analysis.chat_counts import Mark, Part
from playground.analysis.expensive_words import ExpensiveWord
from playground.analysis.pattern_cuts import Alternative
from playground.analysis.text_warnings import TextWarning
from playground.server.editor.session import Cutting, Mode


class SentCounts(TypedDict):
    """Counts of a text."""

    n_characters: int
    n_bytes: int
    n_words: int
    n_lines: int


class EditorTotals(TypedDict):
    """Counts of the shown tokens; `categories` are in the order of `Category`.

    For a chat, `n_tokens` is the whole request, `mark` tells how exact it is, and `beside` for which model
    and without what. The numbers with and without special tokens belong to a text. The model gets `n_around`
    more tokens beside those of a text; `around` says which.
    """

    tokenizer: str
    version: int
    n_tokens: int
    counts: SentCounts
    categories: Sequence[int]
    mark: NotRequired[Mark]
    beside: NotRequired[str]
    n_around: NotRequired[int]
    around: NotRequired[str]
    honours_special: NotRequired[bool]
    n_tokens_plain: NotRequired[int]
    n_tokens_special: NotRequired[int]


class EditorChange(TypedDict):
    """An edit's change: from piece `first` on, the sent pieces replace `n_removed` pieces."""

    version: int
    first: int
    n_removed: int
    totals: EditorTotals


class EarlierVersion(TypedDict):
    """An earlier version of the text, with its pieces."""

    n_tokens: int


class ReadChat(TypedDict):
    """The result of reading a pasted chat: a sentence, and the number of the conversation out of how many.

    `model` is the model that the request names, if the picker has to choose it, and `problem` says why the
    chat is not counted for it; else "".
    """

    recognized: str
    number: int
    n_chats: int
    model: str
    problem: str


class EditorState(TypedDict):
    """Everything that the editor shows. In modes other than text, `raw` has the tokens' bytes as base64.

    For a chat, `parts` add up to the total, `sum` says so in words, and `how` on the way of counting.
    `is_jinja` says that the template is a model's own, and `asks_for` lists its variables.
    """

    mode: Mode
    version: int
    messages: Sequence[Message]
    ids_text: str
    cutting: Cutting
    special_ids: list[int]
    totals: EditorTotals
    raw: NotRequired[str]
    error: NotRequired[str | None]
    message_tokens: NotRequired[Sequence[tuple[int, int, int]]]
    tools: Sequence[Tool]
    elsewhere: Sequence[str]
    parts: NotRequired[Sequence[Part]]
    sum: NotRequired[str]
    how: NotRequired[str]
    read: NotRequired[ReadChat]
    notes: NotRequired[Sequence[str]]
    asks_for: NotRequired[Sequence[str]]
    is_jinja: NotRequired[bool]
    template_tokens: NotRequired[Sequence[tuple[int, int]]]


class RefusedChat(TypedDict):
    """What is wrong with pasted messages, which were not used."""

    refused: str


class Inspection(TypedDict):
    """Warnings about the text, its special tokens and those of other tokenizers; sent when typing stops."""

    warnings: Sequence[TextWarning]
    special_spelled: list[str]
    special_elsewhere: list[str]


class TokenFacts(TypedDict):
    """The rank of each requested id, and its `Category`; negative if it depends on the surrounding text."""

    ranks: Sequence[int | None]
    categories: Sequence[int]


class PatternCuts(TypedDict):
    """The alternatives of the split pattern, and `TokenCut.number` of each token of the requested pieces.

    `can_change`: whether the tokenizer can use another pattern.
    """

    can_change: bool
    alternatives: Sequence[Alternative]
    cuts: Sequence[Sequence[int]]


class ExpensiveWords(TypedDict):
    """The words that need the most tokens."""

    words: Sequence[ExpensiveWord]


class Snippet(TypedDict):
    """The tokens as text for another program."""

    snippet: str
    #: The vocabulary file that the program reads, which `vocabulary_file` answers; "" for none.
    file: str
