"""`chat`: count the tokens of a request to a model, part by part."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import click

from playground.analysis.chat import ChatTemplate
from playground.analysis.chat_counts import (
    ChatCount,
    ChatModel,
    Mark,
    chat_model_named,
    count_chat,
    joined_mark,
    model_of_request,
    shown,
)
from playground.analysis.chat_requests import ChatRequest, iter_chat_requests
from playground.analysis.chat_templates import ChatOptions, JinjaTemplate
from playground.catalog.models import find_model
from playground.core.errors import InvalidInputError
from playground.corpora.text_files import read_text
from playground.shell.commands import JSON, Arguments, command, flag, out_option
from playground.shell.corpus_arguments import file_argument
from playground.shell.tables import format_table
from playground.shell.terminal import aligned, print_note
from playground.shell.tokenizer_arguments import loader_of, tokenizer_options
from playground.shell.tokenizer_outputs import write_file

#: The model of a request that names none.
DEFAULT_MODEL = "gpt-4o"
#: Characters of a message shown in the table.
_SHOWN_CHARS = 60


@command(
    "chat",
    "tessera chat messages.json -t gpt-4o",
    "tessera chat request.json -t Qwen3 --text",
    notes="`tokens` counts all tokens of a part, `frame` those around its contents. ≈ marks estimates.",
)
@file_argument("A chat or an API request: JSON, Python, JSON Lines or a curl command")
@tokenizer_options(
    "A model (gpt-4o, claude-sonnet-4-5, Qwen3), its encoding, or a tokenizer file with its "
    "tokenizer_config.json in the same folder, or that folder. Default: the request's model, or gpt-4o.",
    default="",
)
@flag("--no-answer", "Don't add the opening of the model's answer.")
@click.option(
    "--variables", default="", metavar="JSON", help="More variables for the template, as a JSON object."
)
@flag("--text", "Print the text that the template renders.")
@out_option("Write to this file instead of printing.")
@JSON
def run(arguments: Arguments) -> int:
    """Print the tokens of each part, or of each conversation of several; or the rendered text; or JSON."""
    requests = iter_chat_requests(read_text(arguments.file))
    options = ChatOptions(not arguments.no_answer, arguments.variables)
    request = next(requests, None)
    if request is None:
        raise InvalidInputError(f"{arguments.file} has no conversation")
    notes: Counter[str] = Counter()

    def count(request: ChatRequest) -> ChatCount:
        counted_for = _model_for(request, arguments, notes)
        if not isinstance(counted_for.template, JinjaTemplate) and (
            arguments.no_answer or arguments.variables
        ):
            raise InvalidInputError("--no-answer and --variables only apply to a model's own template")
        found = count_chat(request, counted_for, options)
        notes.update(_notes_of(found, is_one=request.n_requests == 1))
        return found

    found = count(request)
    if arguments.text:
        if not isinstance(_model_for(request, arguments, Counter()).template, ChatTemplate | JinjaTemplate):
            raise InvalidInputError(f"{found.name} has no chat template here, so there is no text to print")
        _put(found.encoding.text, arguments.out)
        n = request.n_requests
        notes.update([f"this is only the first of {n:,} conversations"] if n > 1 else [])
    elif request.n_requests == 1:
        answer = json.dumps(answer_of(request, found)) if arguments.json else format_chat(request, found)
        _put(f"{answer}\n", arguments.out)
    else:
        rows = [ConversationCount.of(request, found)]
        rows += [ConversationCount.of(each, count(each)) for each in requests]
        _put(f"{_answer_of_all(rows) if arguments.json else format_all(rows)}\n", arguments.out)
    for note, n in notes.items():
        print_note(f"{note} (in {n:,} conversations)" if n > 1 else note)
    return 0


def _model_for(request: ChatRequest, arguments: Arguments, notes: Counter[str]) -> ChatModel:
    """Return the model to count for: the chosen one, else the request's. Raises InvalidInputError."""
    load = loader_of(arguments)
    if arguments.tokenizer:
        chosen = chat_model_named(arguments.tokenizer, load)
        asked = find_model(request.model) if request.model else None
        if request.model and (asked is None or asked != chosen.model):
            notes[f"the request is for {request.model}, and counted for {chosen.name}"] += 1
        return chosen
    found = model_of_request(request, load)
    if found is None:
        found = chat_model_named(DEFAULT_MODEL, load)
        notes[f"the request names no model: counted for {found.name}; --tokenizer chooses another"] += 1
    return found


def _notes_of(found: ChatCount, *, is_one: bool) -> list[str]:
    """Return the notes on a count; a table of one conversation has the sum already."""
    missing = [f"not in it: {'; '.join(found.unknown)}"] if found.unknown and not is_one else []
    return [*missing, found.how, *found.encoding.notes]


def _put(text: str, out: str) -> None:
    """Print a text, or write it to a file. Raises InvalidInputError."""
    if out:
        write_file(Path(out), text)
    else:
        print(text, end="")


class ConversationCount(NamedTuple):
    """The tokens of one of several conversations, those of its frame, and the model."""

    conversation: int
    tokens: int
    frame_tokens: int
    messages: int
    mark: Mark
    model: str

    @staticmethod
    def of(request: ChatRequest, found: ChatCount) -> "ConversationCount":
        """Return the row of a counted request."""
        return ConversationCount(
            request.number, found.n_tokens, _n_frame(found), len(request.messages), found.mark, found.name
        )


def _n_frame(found: ChatCount) -> int:
    return sum(part.n_tokens for part in found.parts if part.kind == "frame")


def format_all(rows: Sequence[ConversationCount]) -> str:
    """Return a line for each conversation, the sum, and the longest conversation.

    >>> rows = [ConversationCount(1, 8, 7, 1, "", "GPT-4o"), ConversationCount(2, 30, 10, 3, "≈", "GPT-4o")]
    >>> print(format_all(rows))
    tokens  frame  messages  conversation
         8      7         1  1
      ≈ 30     10         3  2
      ≈ 38     17         4  all, for GPT-4o
      ≈ 30     10         3  the longest: 2
    """
    longest = max(rows, key=lambda row: row.tokens)
    n_tokens, n_frame, n_messages = (
        sum(numbers) for numbers in zip(*(row[1:4] for row in rows), strict=True)
    )
    models = ", ".join(dict.fromkeys(row.model for row in rows))
    lines: list[Sequence[str | int | float]] = [
        *[
            (shown(row.tokens, row.mark), row.frame_tokens, row.messages, f"{row.conversation:,}")
            for row in rows
        ],
        [shown(n_tokens, joined_mark(row.mark for row in rows)), n_frame, n_messages, f"all, for {models}"],
        [shown(longest.tokens, longest.mark), *longest[2:4], f"the longest: {longest.conversation:,}"],
    ]
    return format_table(["tokens", "frame", "messages", "conversation"], lines, names=[3])


def _answer_of_all(rows: Sequence[ConversationCount]) -> str:
    longest = max(rows, key=lambda row: row.tokens)
    answer = {
        "tokens": sum(row.tokens for row in rows),
        "mark": joined_mark(row.mark for row in rows),
        "longest": longest._asdict(),
        "conversations": [row._asdict() for row in rows],
    }
    return json.dumps(answer)


def format_chat(request: ChatRequest, found: ChatCount) -> str:
    """Return a line for each message with its tokens and those of the frame, other parts, and the total.

    >>> (request,) = iter_chat_requests('[{"role": "user", "content": "Hi"}]')
    >>> counted_for = chat_model_named("gpt-4", loader_of(Arguments(pattern="", models=())))
    >>> print(format_chat(request, count_chat(request, counted_for)))
    tokens  frame  part
         5      4  user: Hi
         3      3  opening of the answer
         8      7  all, for GPT-4
    Messages 1 + frame 7 = 8 tokens.
    """
    rows = [("tokens", "frame", "part")]
    for index, message in enumerate(request.messages):
        content = " ".join(message.content.split())
        said = content if len(content) <= _SHOWN_CHARS else f"{content[:_SHOWN_CHARS]}…"
        parts = [part for part in found.parts if part.message == index]
        costs = [*found.encoding.message_tokens[index : index + 1], (0, 0, 1)][0]
        if not parts and not costs[2]:
            rows.append(("with the", "next", f"{message.role}: {said}"))
            continue
        n_frame = sum(part.n_tokens for part in parts if part.kind == "frame")
        rows.append((_sum_of(parts), f"{n_frame:,}", f"{message.role}: {said}"))
    for part in found.parts:
        if part.message is None:
            frame = f"{part.n_tokens:,}" if part.kind == "frame" else ""
            label = f"tool {part.label}" if part.kind == "tool" else part.label
            rows.append((shown(part.n_tokens, part.mark), frame, label))
    rows.append((shown(found.n_tokens, found.mark), f"{_n_frame(found):,}", f"all, for {found.name}"))
    return "\n".join(filter(None, (aligned(rows, names=[2]), found.sentence)))


def _sum_of(parts: Sequence[Any]) -> str:
    return shown(sum(part.n_tokens for part in parts), joined_mark(part.mark for part in parts))


def answer_of(request: ChatRequest, found: ChatCount) -> dict[str, object]:
    """Return a count as JSON: the total with its mark, each part, and what is not in it.

    `mark` is "" for an exact number, "≈" for an estimate, "at least" for a lower bound, and "at least ≈" for
    an estimate that lacks what `not_counted` names. `messages` is the index of a part's message.
    """
    return {
        "model": found.name,
        "tokenizer": found.encoding.tokenizer.name,
        "tokens": found.n_tokens,
        "mark": found.mark,
        "frame_tokens": _n_frame(found),
        "parts": [asdict(part) for part in found.parts],
        "not_counted": [*found.unknown],
        "how": found.how,
        "messages": [
            {
                "role": message.role,
                "tokens": sum(part.n_tokens for part in found.parts if part.message == index),
            }
            for index, message in enumerate(request.messages)
        ],
        "ids": list(found.encoding.ids),
        "text": found.encoding.text,
    }
