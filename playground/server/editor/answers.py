"""What the editor's browser is answered: each name on the wire, declared once.

`scripts/write_wire_types.py` makes types of them for the browser code.
"""

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from playground.analysis.chat import Message
from playground.analysis.expensive_words import DearWord
from playground.analysis.pattern_cuts import Alternative
from playground.analysis.text_warnings import TextWarning
from playground.server.editor.session import Cutting, Mode


class SentCounts(TypedDict):
    """What is counted of a text."""

    n_characters: int
    n_bytes: int
    n_words: int
    n_lines: int


class EditorTotals(TypedDict):
    """What is counted of the tokens, `categories` in the order of `Category`.

    `n_template` is that of a chat, the numbers with and without special tokens are those of a text.
    """

    tokenizer: str
    version: int
    n_tokens: int
    counts: SentCounts
    categories: Sequence[int]
    n_template: NotRequired[int | None]
    honours_special: NotRequired[bool]
    n_tokens_plain: NotRequired[int]
    n_tokens_special: NotRequired[int]


class EditorChange(TypedDict):
    """What an edit changed: from `first` on, the pieces sent take the place of `n_removed`."""

    version: int
    first: int
    n_removed: int
    totals: EditorTotals


class EarlierVersion(TypedDict):
    """An earlier version of the text, with its pieces."""

    n_tokens: int


class SentExtra(TypedDict):
    """A tool or a call of a chat, as compact JSON, and its tokens: an estimate."""

    label: str
    text: str
    is_tool: bool
    n_tokens: int


class ReadChat(TypedDict):
    """What was read of a pasted chat: a sentence, and which of how many conversations it is."""

    recognized: str
    number: int
    n_chats: int


class EditorState(TypedDict):
    """All that the editor shows. In other modes than text, `raw` has the tokens' bytes as base64.

    Of a chat `is_jinja` tells that its template is a model's own, and `asks_for` which variables that takes.
    """

    mode: Mode
    version: int
    text: str
    messages: Sequence[Message]
    template_name: str
    add_generation_prompt: bool
    variables: str
    ids_text: str
    earlier: str | None
    cutting: Cutting
    special_ids: list[int]
    totals: EditorTotals
    raw: NotRequired[str]
    error: NotRequired[str | None]
    message_tokens: NotRequired[Sequence[tuple[int, int, int]]]
    extras: Sequence[SentExtra]
    not_counted: NotRequired[str]
    read: NotRequired[ReadChat]
    notes: NotRequired[Sequence[str]]
    asks_for: NotRequired[Sequence[str]]
    is_jinja: NotRequired[bool]
    template_tokens: NotRequired[Sequence[tuple[int, int]]]


class RefusedChat(TypedDict):
    """What is wrong with pasted messages, which were not taken over."""

    refused: str


class Inspection(TypedDict):
    """What one should know of the text once typing stops, of special tokens: its own, and another's."""

    warnings: Sequence[TextWarning]
    special_spelled: list[str]
    special_elsewhere: list[str]


class TokenFacts(TypedDict):
    """Of each id that was asked for: its rank, and its `Category` or less than 0 where the text decides."""

    ranks: Sequence[int | None]
    categories: Sequence[int]


class PatternCuts(TypedDict):
    """The alternatives of the split pattern; for each piece that was asked for, `TokenCut.number` a token.

    `can_change` tells whether another pattern may cut for this tokenizer.
    """

    can_change: bool
    alternatives: Sequence[Alternative]
    cuts: Sequence[Sequence[int]]


class DearWords(TypedDict):
    """The words that cost the most tokens."""

    words: Sequence[DearWord]


class Snippet(TypedDict):
    """The tokens as text to paste elsewhere."""

    snippet: str
