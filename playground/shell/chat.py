"""`chat`: count the tokens of a chat in its model's template, message by message."""

import argparse
import json
from collections.abc import Sequence

from playground.analysis.chat import ChatEncoding, ChatTemplate
from playground.analysis.chat_requests import ApiChat, read_api_chat
from playground.analysis.chat_templates import (
    ChatOptions,
    JinjaTemplate,
    encode_any_chat,
    not_counted_in,
    template_for,
)
from playground.core.errors import InvalidInputError
from playground.corpora.text_files import read_text
from playground.shell.terminal import aligned, print_note
from playground.shell.tokenizer_arguments import chosen_tokenizer

#: Characters of a message shown in the table.
_SHOWN_CHARS = 60


def run(arguments: argparse.Namespace) -> int:
    """Print the tokens of each message and in all, or the rendered text, or both as JSON."""
    template = chosen_template(arguments.tokenizer, arguments.pattern, arguments.models)
    chat = read_api_chat(read_text(arguments.file))
    if isinstance(template, ChatTemplate) and (arguments.no_answer or arguments.variables):
        raise InvalidInputError("--no-answer and --variables only apply to a model's own template")
    encoding = encode_any_chat(chat, template, ChatOptions(not arguments.no_answer, arguments.variables))
    if arguments.json:
        print(json.dumps(_answer(chat, encoding)))
    elif arguments.text:
        print(encoding.text, end="")
    else:
        print(format_chat(chat, encoding))
    left_out = not_counted_in(chat.messages, chat.extras, template, encoding.text)
    n = chat.n_conversations
    which = f"only the first of {n:,} conversations is counted" if n > 1 else ""
    for note in [which, left_out, *encoding.notes]:
        if note:
            print_note(note)
    return 0


def chosen_template(name: str, pattern: str, models: Sequence[str] = ()) -> ChatTemplate | JinjaTemplate:
    """Return the template of a model, of its encoding, or of an opened tokenizer.

    >>> chosen_template("qwen3", "").name, chosen_template("gpt-4", "").model
    ('Qwen3', 'gpt-4')

    Raises: InvalidInputError, UnknownTokenizerError, VocabularyFileError.
    """
    return template_for(name, lambda name: chosen_tokenizer(name, pattern, models))


def format_chat(chat: ApiChat, encoding: ChatEncoding) -> str:
    """Return a line for each message with its tokens and those of the template, and a total.

    >>> chat = read_api_chat('[{"role": "user", "content": "Hi"}]')
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
