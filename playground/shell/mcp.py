"""`mcp`: offer counting, tokenizing, comparing and formats to an assistant over standard input and output."""

import argparse
import json
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

from playground.analysis.comparison import comparison_rows, cut_text, row_figures
from playground.core.errors import InvalidInputError, PlaygroundError
from playground.core.home import DISTRIBUTION, VERSION
from playground.formats.costs import measure
from playground.shell.tokenizer_arguments import chosen_tokenizer, chosen_tokenizers, local_places
from playground.shell.usage import COMPARED_TOKENIZERS, DEFAULT_TOKENIZER

if TYPE_CHECKING:
    from mcp.server import MCPServer


def run(arguments: argparse.Namespace) -> int:
    """Serve until the assistant closes standard input. Raises InvalidInputError without the extra."""
    local_places(arguments.models)
    new_server(arguments.models).run("stdio")
    return 0


def new_server(models: list[str]) -> "MCPServer":
    """Return a server with four tools; `models` are folders of tokenizers. Raises InvalidInputError."""
    try:
        from mcp.server import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
    except ImportError:
        raise InvalidInputError(
            f"this command needs the package mcp; install it with: pip install '{DISTRIBUTION}[mcp]'"
        ) from None
    server = MCPServer("tessera", version=VERSION)

    def tool(function: Callable[..., Any]) -> Callable[..., Any]:
        """Register a tool whose errors reach the assistant as their sentence."""

        @wraps(function)
        def answer(*arguments: Any, **named: Any) -> Any:
            try:
                return function(*arguments, **named)
            except PlaygroundError as error:
                raise ToolError(str(error)) from error

        server.add_tool(answer)
        return function

    @tool
    def count(text: str, tokenizers: list[str] | None = None) -> dict[str, int]:
        """Count the tokens of a text exactly, for tokenizers or models such as gpt-4o, qwen3, o200k_base."""
        chosen = chosen_tokenizers(tokenizers or [DEFAULT_TOKENIZER], "", models)
        return {one.name: len(one.encode(text).ids) for one in chosen}

    @tool
    def tokenize(text: str, tokenizer: str = DEFAULT_TOKENIZER) -> list[int]:
        """Return the token ids of a text."""
        return [int(token_id) for token_id in chosen_tokenizer(tokenizer, "", models).encode(text).ids]

    @tool
    def compare(text: str, tokenizers: list[str] | None = None) -> list[dict[str, Any]]:
        """Compare tokenizers on a text: tokens, and the boundaries in common with the first."""
        chosen = chosen_tokenizers(tokenizers or COMPARED_TOKENIZERS, "", models)
        cuts = [cut_text(one, text) for one in chosen]
        return [row_figures(row) for row in comparison_rows(text, cuts)]

    @tool
    def formats(json_data: str, tokenizer: str = DEFAULT_TOKENIZER) -> dict[str, int]:
        """Count the tokens of JSON data in each format that can hold it: YAML, CSV, TOON and others."""
        try:
            data = json.loads(json_data)
        except ValueError as error:
            raise InvalidInputError(f"the data is not JSON: {error}") from error
        (found,) = measure(data, [chosen_tokenizer(tokenizer, "", models)]).n_tokens.values()
        return dict(found)

    return server
