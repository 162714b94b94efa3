"""`mcp`: offer counting, tokenizing, comparing and formats to an assistant over standard input and output."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from heapq import nlargest
from inspect import signature
from typing import TYPE_CHECKING, Annotated, Any

from playground.analysis import chat_counts
from playground.analysis.chat_counts import chat_model_for
from playground.analysis.chat_requests import read_chat_request
from playground.analysis.comparison import comparison_rows, cut_text, row_figures
from playground.catalog.claude import ClaudeTokenizer
from playground.core.errors import InvalidInputError, PlaygroundError
from playground.core.extras import names_missing_extra
from playground.core.home import VERSION
from playground.core.tokenizer import Tokenizer
from playground.corpora.encoders import Encoder
from playground.corpora.text_files import read_text
from playground.shell.chat import answer_of
from playground.shell.commands import Arguments, command
from playground.shell.tokenizer_arguments import (
    COMPARED_TOKENIZERS,
    DEFAULT_TOKENIZER,
    MODELS_OPTION,
    chosen_tokenizer,
    chosen_tokenizers,
    local_places,
)

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from playground.formats.costs import CostTable

#: The most ids, rows of files or messages, and places of a loss in an answer, which fits a context window.
_MAX_IDS, _MAX_ROWS, _MAX_PLACES = 1_000, 20, 5

#: What is counted or read: each tool takes one of two. They are plain strings, because the library reads JSON
#: in a string that may also be something else.
_INPUTS = {"text", "paths", "path", "request", "json_data"}


@command(
    "mcp",
    "tessera mcp",
    "tessera mcp --models ~/tokenizers",
    notes="Needs the extra [mcp]. Nothing is sent to another machine.",
)
@MODELS_OPTION
def run(arguments: Arguments) -> int:
    """Serve until the assistant closes standard input. Raises ModuleNotFoundError without the extra."""
    local_places(arguments.models)
    new_server(arguments.models).run("stdio")
    return 0


def new_server(models: Sequence[str]) -> "MCPServer":
    """Return a server with five tools; `models` are folders of tokenizers."""
    from mcp.server import MCPServer  # imported here, and formats behind it: the extra [mcp] has both
    from mcp.server.mcpserver.exceptions import ToolError
    from pydantic import Field

    from playground.formats.costs import measure

    known: dict[str, list[str]] = {}

    class Server(MCPServer):
        """The server, which refuses unknown arguments instead of leaving them out, and two inputs or none."""

        async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
            """Call a tool. Raises ToolError."""
            taken = known.get(name, [*arguments])
            if unknown := [argument for argument in arguments if argument not in taken]:
                raise ToolError(f"{name} has no argument {', '.join(unknown)}; it takes {', '.join(taken)}")
            inputs = [argument for argument in taken if argument in _INPUTS]
            if sum(argument in arguments for argument in inputs) != 1:
                raise ToolError(f"send one of {' and '.join(inputs)}")
            return await super().call_tool(name, arguments, context)

    server = Server("tessera", version=VERSION)
    Text = Annotated[str, Field(description="The text, exactly as the model would get it.")]
    File = Annotated[str, Field(description="A file of UTF-8 text on this machine, in place of text.")]
    Paths = Annotated[
        list[str] | None,
        Field(
            description="Files and folders on this machine, in place of text. Of a folder, what .gitignore "
            "names, binary files and data are left out."
        ),
    ]
    Names = Annotated[
        list[str] | None,
        Field(
            description="Models, encodings or tokenizer files, such as gpt-4o, claude-sonnet-4-5, qwen3; "
            "an answer for each."
        ),
    ]
    Request = Annotated[
        str,
        Field(
            description="A list of messages or a whole request as JSON: of OpenAI, Anthropic or Gemini. "
            "Without tokenizers, it is counted for the model that it names."
        ),
    ]
    JsonData = Annotated[str, Field(description="Any JSON value.")]

    def tool(function: Callable[..., Any]) -> Callable[..., Any]:
        """Register a tool whose errors reach the assistant as their sentence."""

        @wraps(function)
        def answer(*arguments: Any, **named: Any) -> Any:
            try:
                with names_missing_extra(function.__name__):
                    return function(*arguments, **named)
            except PlaygroundError as error:
                raise ToolError(str(error)) from error

        server.add_tool(answer)
        known[function.__name__] = [*signature(function).parameters]
        return function

    def chosen(names: list[str] | None, default: Sequence[str] = (DEFAULT_TOKENIZER,)) -> list[Tokenizer]:
        return chosen_tokenizers(names or default, "", models)

    @tool
    def count(text: Text = "", paths: Paths = None, tokenizers: Names = None) -> list[dict[str, Any]]:
        """Count the tokens of a text, or of files and folders, for models or tokenizers."""
        if paths is not None:
            return _count_paths(paths, chosen(tokenizers))
        counters = map(Encoder, chosen(tokenizers))
        return [{**_about(one.tokenizer), "tokens": one.lengths([text])[0]} for one in counters]

    @tool
    def count_chat(request: Request = "", path: File = "", tokenizers: Names = None) -> list[dict[str, Any]]:
        """Count the tokens of a chat or an API request: messages, tools, images and the frame around them."""
        chat = read_chat_request(_text_in(path, request))
        load = partial(chosen_tokenizer, pattern="", models=models)
        if not (tokenizers or chat.model):
            raise InvalidInputError('the request names no model; send tokenizers, such as ["gpt-4o"]')
        counted_for = [chat_model_for(chat, name, load) for name in tokenizers or [""]]
        answers = (answer_of(chat, chat_counts.count_chat(chat, each)) for each in counted_for)
        return [_shortened(answer) for answer in answers]

    @tool
    def tokenize(text: Text = "", path: File = "", tokenizers: Names = None) -> list[dict[str, Any]]:
        """Return the token ids of a text: the first 1,000, and how many there are."""
        read = _text_in(path, text)
        return [
            {**_about(one), "tokens": len(ids), "ids": ids[:_MAX_IDS].tolist()}
            for one in chosen(tokenizers)
            for ids in [Encoder(one).encode([read])]
        ]

    @tool
    def compare(text: Text = "", path: File = "", tokenizers: Names = None) -> list[dict[str, Any]]:
        """Compare tokenizers on a text: tokens, and the boundaries in common with the first."""
        read, compared = _text_in(path, text), chosen(tokenizers, COMPARED_TOKENIZERS)
        rows = comparison_rows(read, [cut_text(one, read) for one in compared])
        return [{**row_figures(row), **_about(one)} for row, one in zip(rows, compared, strict=True)]

    @tool
    def formats(json_data: JsonData = "", path: File = "", tokenizers: Names = None) -> list[dict[str, Any]]:
        """Count the tokens of JSON data as YAML, CSV, TOON and others, and name what each of them loses."""
        try:
            data = json.loads(_text_in(path, json_data))
        except ValueError as error:
            raise InvalidInputError(f"the data is not JSON: {error}") from error
        counted_with = chosen(tokenizers)
        measured = measure(data, counted_with)
        return [
            {**_about(one), "formats": _with_losses(measured, counts)}
            for one, counts in zip(counted_with, measured.n_tokens.values(), strict=True)
        ]

    return server


def _text_in(path: str, text: str) -> str:
    """Return the text of a file, or without one the text that was sent. Raises InvalidInputError."""
    if os.path.isdir(path):
        raise InvalidInputError(f"{path} is a folder; only count takes folders")
    return read_text(path) if path else text


def _count_paths(paths: Sequence[str], tokenizers: Sequence[Tokenizer]) -> list[dict[str, Any]]:
    """Return for each tokenizer the sum, the largest files, and what is not in it."""
    from playground.shell.count_tree import Tree  # imported here because a text needs no folders

    tree = Tree(paths, obeys_gitignore=True)
    found = tree.count(tokenizers)
    total = found.total(len(tokenizers))
    return [
        {
            **_about(one),
            "tokens": total.tokens[number],
            "bytes": total.bytes,
            "files": len(found.files),
            "largest": [
                {"file": count.file, "tokens": count.tokens[number]}
                for count in nlargest(_MAX_ROWS, found.files, key=lambda count: count.tokens[number])
            ],
            "left_out": {what: n for what, n in tree.walk.left_out.items() if n},
            "errors": [*found.errors[:_MAX_ROWS], *_more(len(found.errors))],
        }
        for number, one in enumerate(tokenizers)
    ]


def _shortened(answer: Mapping[str, object]) -> dict[str, object]:
    """Return a chat's count without its ids and text, and with the largest of many parts."""
    short = {key: value for key, value in answer.items() if key not in ("ids", "text")}
    for key in ("parts", "messages"):
        rows: Any = short[key]
        if len(rows) > _MAX_ROWS:
            size = "n_tokens" if key == "parts" else "tokens"
            short[key] = nlargest(_MAX_ROWS, rows, key=lambda row: row[size])
            short[f"{key}_in_all"] = len(rows)
    return short


def _more(n: int) -> list[str]:
    return [f"and {n - _MAX_ROWS:,} more"] if n > _MAX_ROWS else []


def _about(tokenizer: Tokenizer) -> dict[str, Any]:
    """Return a tokenizer's name, and whether its counts are exact or reconstructed."""
    about: dict[str, Any] = {"tokenizer": tokenizer.name, "exactness": "exact"}
    if isinstance(tokenizer, ClaudeTokenizer):
        generation = tokenizer.generation
        about["exactness"] = "reconstructed"
        about["note"] = f"A message adds {generation.n_frame} tokens that are not counted here."
    return about


def _with_losses(measured: "CostTable", counts: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return for each format its tokens, and what is lost when the data are read back."""
    rows: list[dict[str, Any]] = []
    for found in measured.conversions:
        row: dict[str, Any] = {"format": found.format_name, "fidelity": found.fidelity}
        if found.format_name in counts:
            row["tokens"] = counts[found.format_name]
        if found.losses:
            row["losses"] = [
                {
                    "kind": loss.kind,
                    "places": [*loss.places[:_MAX_PLACES]],
                    "places_in_all": len(loss.places),
                }
                for loss in found.losses
            ]
        if found.reason:
            row["reason"] = found.reason
        rows.append(row)
    return rows
