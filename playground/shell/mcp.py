"""`mcp`: offer counting, tokenizing, comparing and formats to an assistant over standard input and output."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from inspect import signature
from typing import TYPE_CHECKING, Annotated, Any

from playground.analysis import chat_counts
from playground.analysis.chat_counts import chat_model_named, model_of_request
from playground.analysis.chat_requests import read_chat_request
from playground.analysis.comparison import comparison_rows, cut_text, row_figures
from playground.catalog.claude import ClaudeTokenizer
from playground.core.errors import InvalidInputError, PlaygroundError
from playground.core.home import VERSION
from playground.core.tokenizer import Tokenizer
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
        """The server, which refuses arguments that a tool doesn't have instead of leaving them out."""

        async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
            """Call a tool. Raises ToolError."""
            taken = known.get(name, [*arguments])
            if unknown := [argument for argument in arguments if argument not in taken]:
                raise ToolError(f"{name} has no argument {', '.join(unknown)}; it takes {', '.join(taken)}")
            return await super().call_tool(name, arguments, context)

    server = Server("tessera", version=VERSION)
    Text = Annotated[str, Field(description="The text, exactly as the model would get it.")]
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
                return function(*arguments, **named)
            except PlaygroundError as error:
                raise ToolError(str(error)) from error

        server.add_tool(answer)
        known[function.__name__] = [*signature(function).parameters]
        return function

    @tool
    def count(text: Text, tokenizers: Names = None) -> list[dict[str, Any]]:
        """Count the tokens of a text for models or tokenizers such as gpt-4o, claude-sonnet-4-5, qwen3."""
        chosen = chosen_tokenizers(tokenizers or [DEFAULT_TOKENIZER], "", models)
        return [{**_about(one), "tokens": len(one.encode(text).ids)} for one in chosen]

    @tool
    def count_chat(request: Request, tokenizers: Names = None) -> list[dict[str, Any]]:
        """Count the tokens of a chat or an API request: messages, tools, images and the frame around them."""
        chat = read_chat_request(request)
        load = partial(chosen_tokenizer, pattern="", models=models)
        if tokenizers:
            counted_for = [chat_model_named(name, load) for name in tokenizers]
        elif (asked := model_of_request(chat, load)) is not None:
            counted_for = [asked]
        else:
            raise InvalidInputError('the request names no model; send tokenizers, such as ["gpt-4o"]')
        answers = (answer_of(chat, chat_counts.count_chat(chat, each)) for each in counted_for)
        return [{key: answer[key] for key in answer if key not in ("ids", "text")} for answer in answers]

    @tool
    def tokenize(text: Text, tokenizers: Names = None) -> list[dict[str, Any]]:
        """Return the token ids of a text."""
        chosen = chosen_tokenizers(tokenizers or [DEFAULT_TOKENIZER], "", models)
        return [
            {**_about(one), "ids": [int(token_id) for token_id in one.encode(text).ids]} for one in chosen
        ]

    @tool
    def compare(text: Text, tokenizers: Names = None) -> list[dict[str, Any]]:
        """Compare tokenizers on a text: tokens, and the boundaries in common with the first."""
        chosen = chosen_tokenizers(tokenizers or COMPARED_TOKENIZERS, "", models)
        rows = comparison_rows(text, [cut_text(one, text) for one in chosen])
        return [{**row_figures(row), **_about(one)} for row, one in zip(rows, chosen, strict=True)]

    @tool
    def formats(json_data: JsonData, tokenizers: Names = None) -> list[dict[str, Any]]:
        """Count the tokens of JSON data as YAML, CSV, TOON and others, and name what each of them loses."""
        try:
            data = json.loads(json_data)
        except ValueError as error:
            raise InvalidInputError(f"the data is not JSON: {error}") from error
        chosen = chosen_tokenizers(tokenizers or [DEFAULT_TOKENIZER], "", models)
        measured = measure(data, chosen)
        return [
            {**_about(one), "formats": _with_losses(measured, counts)}
            for one, counts in zip(chosen, measured.n_tokens.values(), strict=True)
        ]

    return server


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
            row["losses"] = [{"kind": loss.kind, "places": [*loss.places]} for loss in found.losses]
        if found.reason:
            row["reason"] = found.reason
        rows.append(row)
    return rows
