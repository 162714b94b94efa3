"""`chat`: count the tokens of a chat in its model's template, message by message."""

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from playground.analysis.chat import ChatEncoding, ChatTemplate
from playground.analysis.chat_requests import ApiChat, iter_api_chats
from playground.analysis.chat_templates import (
    ChatOptions,
    JinjaTemplate,
    encode_any_chat,
    not_counted_in,
    template_for,
)
from playground.core.errors import InvalidInputError
from playground.corpora.text_files import read_text
from playground.shell.tables import format_table
from playground.shell.terminal import aligned, print_note
from playground.shell.tokenizer_arguments import chosen_tokenizer
from playground.shell.tokenizer_outputs import write_file

#: Characters of a message shown in the table.
_SHOWN_CHARS = 60


def run(arguments: argparse.Namespace) -> int:
    """Print the tokens of each message, or of each conversation of several; or the rendered text; or JSON."""
    template = chosen_template(arguments.tokenizer, arguments.pattern, arguments.models)
    chats = iter_api_chats(read_text(arguments.file))
    if isinstance(template, ChatTemplate) and (arguments.no_answer or arguments.variables):
        raise InvalidInputError("--no-answer and --variables only apply to a model's own template")
    options = ChatOptions(not arguments.no_answer, arguments.variables)
    chat = next(chats, None)
    if chat is None:
        raise InvalidInputError(f"{arguments.file} has no conversation")
    encoding = encode_any_chat(chat, template, options)
    notes = Counter([not_counted_in(chat.messages, chat.extras, template, encoding.text), *encoding.notes])
    if arguments.text:
        _put(encoding.text, arguments.out)
        n = chat.n_conversations
        notes.update([f"this is only the first of {n:,} conversations"] if n > 1 else [])
    elif chat.n_conversations == 1:
        answer = json.dumps(_answer(chat, encoding)) if arguments.json else format_chat(chat, encoding)
        _put(f"{answer}\n", arguments.out)
    else:
        rows = [ConversationCount.of(chat, encoding)]
        for chat in chats:
            encoding = encode_any_chat(chat, template, options)
            rows.append(ConversationCount.of(chat, encoding))
            left_out = not_counted_in(chat.messages, chat.extras, template, encoding.text)
            notes.update([left_out, *encoding.notes])
        name = encoding.tokenizer.name
        _put(f"{_answer_of_all(rows, name) if arguments.json else format_all(rows, name)}\n", arguments.out)
    for note, n in notes.items():
        if note:
            print_note(f"{note} (in {n:,} conversations)" if n > 1 else note)
    return 0


def _put(text: str, out: str) -> None:
    """Print a text, or write it to a file. Raises InvalidInputError."""
    if out:
        write_file(Path(out), text)
    else:
        print(text, end="")


class ConversationCount(NamedTuple):
    """The tokens of one of several conversations."""

    conversation: int
    tokens: int
    template_tokens: int
    messages: int

    @staticmethod
    def of(chat: ApiChat, encoding: ChatEncoding) -> "ConversationCount":
        """Return the count of an encoded chat."""
        return ConversationCount(chat.number, len(encoding.ids), _n_template(encoding), len(chat.messages))


def format_all(rows: Sequence[ConversationCount], tokenizer: str) -> str:
    """Return a line for each conversation, the sum, and the longest conversation.

    >>> print(format_all([ConversationCount(1, 8, 7, 1), ConversationCount(2, 30, 10, 3)], "o200k_base"))
    tokens  template  messages  conversation
         8         7         1  1
        30        10         3  2
        38        17         4  all, in o200k_base
        30        10         3  the longest: 2
    """
    longest = max(rows, key=lambda row: row.tokens)
    sums = [sum(row[place] for row in rows) for place in (1, 2, 3)]
    lines: list[Sequence[str | int | float]] = [
        *[(row.tokens, row.template_tokens, row.messages, f"{row.conversation:,}") for row in rows],
        [*sums, f"all, in {tokenizer}"],
        [*longest[1:], f"the longest: {longest.conversation:,}"],
    ]
    return format_table(["tokens", "template", "messages", "conversation"], lines, names=[3])


def _answer_of_all(rows: Sequence[ConversationCount], tokenizer: str) -> str:
    longest = max(rows, key=lambda row: row.tokens)
    answer = {
        "tokenizer": tokenizer,
        "tokens": sum(row.tokens for row in rows),
        "longest": longest._asdict(),
        "conversations": [row._asdict() for row in rows],
    }
    return json.dumps(answer)


def chosen_template(name: str, pattern: str, models: Sequence[str] = ()) -> ChatTemplate | JinjaTemplate:
    """Return the template of a model, of its encoding, or of an opened tokenizer.

    >>> chosen_template("qwen3", "").name, chosen_template("gpt-4", "").model
    ('Qwen3', 'gpt-4')

    Raises: InvalidInputError, UnknownTokenizerError, VocabularyFileError.
    """
    return template_for(name, lambda name: chosen_tokenizer(name, pattern, models))


def format_chat(chat: ApiChat, encoding: ChatEncoding) -> str:
    """Return a line for each message with its tokens and those of the template, and a total.

    >>> (chat,) = iter_api_chats('[{"role": "user", "content": "Hi"}]')
    >>> print(format_chat(chat, encode_any_chat(chat, chosen_template("gpt-4", ""))))
    tokens  template  message
         5         4  user: Hi
         3         3  (opens the answer)
         8         7  all, in cl100k_base
    """
    rows = [("tokens", "template", "message")]
    n_listed, n_template_listed = 0, 0
    for message, (n_tokens, n_template, n_messages) in zip(
        chat.messages, encoding.message_tokens, strict=False
    ):
        content = " ".join(message.content.split())
        shown = content if len(content) <= _SHOWN_CHARS else f"{content[:_SHOWN_CHARS]}…"
        cells = (f"{n_tokens:,}", f"{n_template:,}") if n_messages else ("with the", "next")
        rows.append((*cells, f"{message.role}: {shown}"))
        n_listed, n_template_listed = n_listed + n_tokens, n_template_listed + n_template
    n_all, n_template_all = len(encoding.ids), _n_template(encoding)
    if n_all > n_listed:
        rest = (f"{n_all - n_listed:,}", f"{n_template_all - n_template_listed:,}", "(opens the answer)")
        rows.append(rest if encoding.message_tokens else (*rest[:2], "(not counted by message)"))
    rows.append((f"{n_all:,}", f"{n_template_all:,}", f"all, in {encoding.tokenizer.name}"))
    return aligned(rows, names=[2])


def _answer(chat: ApiChat, encoding: ChatEncoding) -> dict[str, object]:
    """Return the JSON answer; a message that is counted with the next has 0 tokens."""
    counts = [*encoding.message_tokens, *[(0, 0, 0)] * len(chat.messages)]
    return {
        "tokenizer": encoding.tokenizer.name,
        "tokens": len(encoding.ids),
        "template_tokens": _n_template(encoding),
        "messages": [
            {"role": message.role, "tokens": n_tokens, "template_tokens": n_template, "messages": n_messages}
            for message, (n_tokens, n_template, n_messages) in zip(chat.messages, counts, strict=False)
        ],
        "ids": list(encoding.ids),
        "text": encoding.text,
    }


def _n_template(encoding: ChatEncoding) -> int:
    return sum(last - first for first, last in encoding.template_ranges)
