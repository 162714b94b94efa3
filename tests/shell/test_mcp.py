"""The tools of `mcp` answer the protocol's own client as the commands do."""

import asyncio
import json

from mcp import Client

from playground.shell.mcp import new_server
from tests.analysis.test_chat_counts import TOOLS, WEATHER


def ask(*calls):
    """Return the tools of the server, and its answers."""

    async def asked():
        async with Client(new_server([])) as client:
            tools = (await client.list_tools()).tools
            return tools, [await client.call_tool(name, arguments) for name, arguments in calls]

    return asyncio.run(asked())


def test_an_assistant_counts_tokenizes_compares_and_converts():
    text = {"text": "Hello world"}
    request = json.dumps({"model": "gpt-4o", "messages": WEATHER, "tools": TOOLS})
    tools, answers = ask(
        ("count", {**text, "tokenizers": ["gpt2", "claude-opus-4-8"]}),
        ("count_chat", {"request": request}),
        ("tokenize", {**text, "tokenizers": ["gpt2"]}),
        ("compare", text),
        ("formats", {"json_data": '[{"a": "007"}]', "tokenizers": ["gpt2"]}),
    )
    assert {tool.name for tool in tools} == {"count", "count_chat", "tokenize", "compare", "formats"}
    described = [field for tool in tools for field in tool.input_schema["properties"].values()]
    assert all(field["description"] for field in described)
    (gpt2, claude), (chat,), (ids,), rows, (formats,) = (
        each.structured_content["result"] for each in answers
    )
    assert (gpt2["tokens"], gpt2["exactness"]) == (2, "exact")
    assert (claude["exactness"], "6 tokens" in claude["note"]) == ("reconstructed", True)
    assert (chat["tokens"], chat["mark"]) == (101, "")
    assert ids["ids"] == [15496, 995]
    assert [row["n_tokens"] for row in rows] == [2, 2, 2]
    by_name = {row["format"]: row for row in formats["formats"]}
    assert by_name["json_compact"]["fidelity"] == "equal"
    assert by_name["csv"]["losses"]


def test_an_unknown_argument_or_tokenizer_is_an_error_in_words():
    text = {"text": "Hello world"}
    _, (misspelled, unknown, unnamed) = ask(
        ("count", {**text, "tokenizer": "gpt2"}),
        ("count", {**text, "tokenizers": ["no such tokenizer"]}),
        ("count_chat", {"request": json.dumps(WEATHER)}),
    )
    said = [answer.content[0].text for answer in (misspelled, unknown, unnamed) if answer.is_error]
    assert "count has no argument tokenizer; it takes text, tokenizers" in said[0]
    assert "no such tokenizer" in said[1]
    assert "the request names no model" in said[2]
