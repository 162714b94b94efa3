"""The examples in README and docs/ give the results that they show."""

import io
import json
import shlex
import sys
from pathlib import Path

import pytest
import regex

from playground.shell.main import main
from tests.server.browser_side import CLIENT

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
CONSOLE = regex.compile(r"```console\n(.*?)```", regex.DOTALL)
PYTHON = regex.compile(r"```python\n(.*?)```", regex.DOTALL)
#: The files that the examples name.
FILES = {
    "article.txt": "Everyone has the right to life, liberty and security of person.\n" * 40,
    "english.txt": "Everyone has the right to life, liberty and security of person.\n" * 40,
    "german.txt": "Jeder hat das Recht auf Leben, Freiheit und Sicherheit der Person.\n" * 40,
    "rows.jsonl": '{"text": "one text", "lang": "en"}\n{"text": "noch ein Text", "lang": "de"}\n',
    "data.json": '[{"id": 1, "name": "Ada", "tags": ["math", "code"]},'
    ' {"id": 2, "name": "Alan", "tags": ["logic"]}]\n',
    "messages.json": '[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi!"}]\n',
}


def examples(document):
    """Return the commands of a document with the output below each."""
    found = []
    for block in CONSOLE.findall(document.read_text(encoding="utf-8")):
        for part in regex.split(r"(?m)^\$ ", block)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def run_shell(command, monkeypatch, capsys):
    typed = regex.match(r"echo (.*?) \| (?=tessera|python)", command)
    if typed:
        text = " ".join(shlex.split(typed[1])) + "\n"
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    program, *words = shlex.split(command[typed.end() :] if typed else command)
    assert program == "tessera" or [program, *words[:2]] == ["python", "-m", "playground"]
    assert main(words if program == "tessera" else words[2:]) == 0
    return capsys.readouterr().out


def ask_server(command):
    words = shlex.split(command)
    path, body = words[2].partition("8501")[2], words[words.index("-d") + 1]
    return CLIENT.post(path, content=body, headers={"Content-Type": "application/json"}).json()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_the_examples_of_a_document_print_what_it_says(document, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for command, expected in examples(document):
        if command.startswith("curl"):
            assert ask_server(command) == json.loads(expected), command
            continue
        output, (shown, rest, _) = run_shell(command, monkeypatch, capsys), expected.partition("...\n")
        if rest:
            assert output.startswith(shown), command
        else:
            assert output.rstrip("\n") == shown.rstrip("\n"), command


def test_the_python_of_a_document_runs():
    for document in DOCUMENTS:
        for program in PYTHON.findall(document.read_text(encoding="utf-8")):
            exec(compile(program, document.name, "exec"), {})


def test_every_relative_link_of_a_document_leads_to_a_file():
    for document in [*DOCUMENTS, ROOT / "SECURITY.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]:
        for target in regex.findall(r"\]\(([^)#]+)\)", document.read_text(encoding="utf-8")):
            assert "://" in target or (document.parent / target).exists(), (document.name, target)
