"""The tools of `mcp` answer the protocol's own client as the commands do."""

import asyncio
import json

from mcp import Client

from playground.shell.mcp import new_server


def test_an_assistant_counts_tokenizes_compares_and_converts():
    async def ask():
        async with Client(new_server([])) as client:
            assert {tool.name for tool in (await client.list_tools()).tools} == {
                "count", "tokenize", "compare", "formats",
            }  # fmt: skip
            text = {"text": "Hello world"}
            counted = await client.call_tool("count", {**text, "tokenizers": ["gpt2", "gpt-4"]})
            ids = await client.call_tool("tokenize", {**text, "tokenizer": "gpt2"})
            rows = await client.call_tool("compare", text)
            costs = await client.call_tool("formats", {"json_data": '{"a": 1}', "tokenizer": "gpt2"})
            bad = await client.call_tool("count", {**text, "tokenizers": ["no such tokenizer"]})
            return counted, ids, rows, costs, bad

    counted, ids, rows, costs, bad = asyncio.run(ask())
    assert json.loads(counted.content[0].text) == {"gpt2": 2, "cl100k_base": 2}
    assert ids.structured_content == {"result": [15496, 995]}
    assert [row["n_tokens"] for row in rows.structured_content["result"]] == [2, 2, 2]
    assert json.loads(costs.content[0].text)["json_compact"] == 5
    assert bad.is_error
    assert "no such tokenizer" in bad.content[0].text
