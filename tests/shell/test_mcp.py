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
    _, (misspelled, unknown, unnamed, both, folder) = ask(
        ("count", {**text, "tokenizer": "gpt2"}),
        ("count", {**text, "tokenizers": ["no such tokenizer"]}),
        ("count_chat", {"request": json.dumps(WEATHER)}),
        ("tokenize", {**text, "path": "README.md"}),
        ("compare", {"path": "tests"}),
    )
    answers = (misspelled, unknown, unnamed, both, folder)
    said = [answer.content[0].text for answer in answers if answer.is_error]
    assert "count has no argument tokenizer; it takes text, paths, tokenizers" in said[0]
    assert "no such tokenizer" in said[1]
    assert "the request names no model" in said[2]
    assert "send one of text and path" in said[3]
    assert "tests is a folder; only count takes folders" in said[4]


def test_answers_on_much_fit_in_a_context_window(tmp_path):
    for number in range(60):
        (tmp_path / f"{number:02}.txt").write_text("word " * (number + 1))
    (tmp_path / "rows.csv").write_text("a,b")
    chat = {"model": "gpt-4o", "messages": [{"role": "user", "content": "word " * n} for n in range(500)]}
    rows = [{f"k{n}": None for n in range(40)}]
    _, answers = ask(
        ("count", {"paths": [str(tmp_path)], "tokenizers": ["gpt2"]}),
        ("tokenize", {"text": "word " * 5_000, "tokenizers": ["gpt2"]}),
        ("tokenize", {"text": "[1]", "tokenizers": ["gpt2"]}),  # no JSON for the library to read
        ("count_chat", {"request": json.dumps(chat)}),
        ("formats", {"json_data": json.dumps(rows)}),
    )
    (tree,), (ids,), (few,), (counted,), (_formats,) = (each.structured_content["result"] for each in answers)
    assert (tree["files"], tree["left_out"]) == (60, {"data file": 1})
    assert [one["tokens"] for one in tree["largest"][:2]] == [61, 60]
    assert (ids["tokens"], len(ids["ids"])) == (5_001, 1_000)
    assert few["ids"] == [58, 16, 60]
    assert counted["messages_in_all"] == 500
    assert all(len(answer.content[0].text) < 12_000 for answer in answers)
