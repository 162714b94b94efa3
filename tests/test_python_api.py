"""The examples of docs/python.md and of `tessera` itself are true; shell, HTTP API and MCP agree."""

import asyncio
import doctest
import json
from pathlib import Path

import pytest
from mcp import Client

import tessera
from playground.server import api
from playground.shell.main import main
from playground.shell.mcp import new_server
from tests.analysis.test_chat_counts import TOOLS, WEATHER

ROOT = Path(__file__).resolve().parents[1]


def test_the_page_of_docs_is_true():
    assert doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False).failed == 0


def test_each_public_name_has_a_true_example_or_is_a_value():
    found = doctest.testmod(tessera)
    assert (found.failed, found.attempted > 6) == (0, True)


def test_an_error_is_one_sentence():
    with pytest.raises(tessera.TesseraError, match="unknown split pattern 'bogus'"):
        tessera.get("gpt2", pattern="bogus")
    with pytest.raises(tessera.TesseraError, match="no-such-model"):
        tessera.count("a", model="no-such-model")


@pytest.mark.parametrize(
    ("name", "part", "words"),
    [
        ("difference", "playground.drift.search.find_difference", ["gpt2", "gpt2"]),
        ("train", "playground.training.algorithms.registry.get_algorithm", [["a"]]),
    ],
)
def test_a_function_without_its_extra_says_which_line_installs_it(name, part, words, monkeypatch):
    def lacks(*_words, **_options):
        raise ModuleNotFoundError(name="tokenizers")

    monkeypatch.setattr(part, lacks)
    with pytest.raises(tessera.TesseraError, match=rf"^{name} needs tokenizers, .*\[files\]"):
        getattr(tessera, name)(*words)


def ask_mcp(tool, **arguments):
    async def asked():
        async with Client(new_server([])) as client:
            return (await client.call_tool(tool, arguments)).structured_content["result"]

    return asyncio.run(asked())


def ask_http(path, **fields):
    return json.loads(api.answer_here(f"/api/v1/{path}", json.dumps(fields).encode()))


def ask_shell(capsys, *words):
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


TEXTS = ["Hello world", "naïve 京都 👩‍👩‍👧 don't\r\n\t  x<|endoftext|>", "e\u0301" * 9 + "\U000323b0 ʕ", ""]


@pytest.mark.parametrize(
    "name",
    ["gpt-4o", "cl100k_base", "gpt2", "qwen3", "deepseek_v3", "mistral_v3", "bert_uncased", "claude_3"],
)
def test_shell_http_and_mcp_count_and_encode_as_python_does(name, tmp_path, capsys):
    paths = [tmp_path / f"{number}.txt" for number in range(len(TEXTS))]
    for path, text in zip(paths, TEXTS, strict=True):
        path.write_text(text, newline="")
    names, tokenizer = [str(path) for path in paths], tessera.get(name)
    counts = tessera.count(TEXTS, model=name)
    assert counts == [len(tokenizer.encode(text)) for text in TEXTS]
    assert [one["tokens"] for one in ask_shell(capsys, "count", *names, "-t", name)["files"]] == counts
    assert ask_http("count", texts=TEXTS, model=name)["counts"] == counts
    assert [ask_mcp("count", text=text, tokenizers=[name])[0]["tokens"] for text in TEXTS] == counts
    assert ask_mcp("count", paths=[str(tmp_path)], tokenizers=[name])[0]["tokens"] == sum(counts)
    ids = tokenizer.encode(TEXTS[1])
    assert ask_shell(capsys, "encode", names[1], "-t", name)["ids"] == ids
    assert ask_http("encode", text=TEXTS[1], model=name)["ids"] == ids
    assert ask_mcp("tokenize", path=names[1], tokenizers=[name])[0]["ids"] == ids


@pytest.mark.parametrize("model", ["gpt-4o", "claude-sonnet-4-5", "Qwen3-8B"])
def test_shell_http_and_mcp_count_a_chat_as_python_does(model, tmp_path, capsys):
    request = {"model": model, "messages": WEATHER, "tools": TOOLS}
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(request))
    found = tessera.chat(request)
    (mcp,) = ask_mcp("count_chat", path=str(path))
    http, shell = ask_http("count", chat=request), ask_shell(capsys, "chat", str(path))
    assert (http["count"], shell["tokens"], mcp["tokens"]) == (found.n_tokens,) * 3
    assert (http["mark"], shell["mark"], mcp["mark"]) == (found.mark,) * 3


def test_shell_and_mcp_compare_convert_and_train_as_python_does(tmp_path, capsys):
    text, data = TEXTS[1], {"rows": [{"a": "007", "b": None}] * 3}
    path, file, ranks = tmp_path / "text.txt", tmp_path / "data.json", tmp_path / "own.tiktoken"
    path.write_text("the cat sat on the mat\n" * 9)
    file.write_text(json.dumps(data))
    names = ["gpt2", "o200k_base"]
    rows = [(row.n_tokens, row.shared_boundaries) for row in tessera.compare(text, names)]
    asked = ask_mcp("compare", text=text, tokenizers=names)
    assert [(row["n_tokens"], row["shared_boundaries"]) for row in asked] == rows
    costs = tessera.formats(data, tokenizers=names).n_tokens
    (gpt2,) = ask_mcp("formats", path=str(file), tokenizers=["gpt2"])
    told = {row["format"]: row.get("tokens") for row in gpt2["formats"]}
    assert {name: told[name] for name in costs["gpt2"]} == costs["gpt2"]
    assert main(["train", str(path), "--vocab-size", "270", "--out", str(ranks), "--json"]) == 0
    own = tessera.train([path.read_text()], vocab_size=270)
    assert tessera.get(ranks, pattern="cl100k").encode(text) == own.encode(text)
