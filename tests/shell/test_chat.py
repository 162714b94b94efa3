"""`chat`: a chat's tokens, message by message, in the template of a model or of a file."""

import json

import pytest

from playground.analysis.chat import CHAT_TEMPLATES, encode_chat, read_api_chat
from playground.catalog.registry import get_tokenizer
from playground.shell.main import main
from tests.catalog.tokenizer_documents import document

REQUEST = {
    "messages": [
        {"role": "system", "content": "Be brief"},
        {"role": "user", "content": [{"type": "text", "text": "안녕 you"}, {"type": "image_url"}]},
        {"role": "assistant", "content": "Hi"},
        {"role": "user", "content": "Bye"},
    ],
    "tools": [{"type": "function", "function": {"name": "clock", "parameters": {}}}],
}


@pytest.fixture
def ask(tmp_path, capsys):
    (tmp_path / "chat.json").write_text(json.dumps(REQUEST))

    def asked(*words, status=0):
        assert main(["chat", str(tmp_path / "chat.json"), *words]) == status
        return capsys.readouterr()

    return asked


def test_openais_template_counts_each_message_and_what_opens_the_answer(ask):
    told = ask("--tokenizer", "gpt-4o", "--json")
    answer = json.loads(told.out)
    expected = encode_chat(read_api_chat(json.dumps(REQUEST)).messages, CHAT_TEMPLATES["gpt-4o"])
    assert answer["ids"] == list(expected.ids)
    assert [each["tokens"] for each in answer["messages"]] == [n for n, _, _ in expected.message_tokens]
    assert sum(each["tokens"] for each in answer["messages"]) + 3 == answer["tokens"]
    assert "tool clock is not counted" in told.err
    assert "left out 1 image_url part" in told.err
    assert ask("--tokenizer", "o200k_base", "--text").out == expected.text
    assert "answer" in ask("--tokenizer", "gpt-4o", "--no-answer", status=1).err


def test_a_models_own_template_has_its_tools_and_an_end(ask):
    whole = json.loads(ask("--tokenizer", "qwen3", "--json").out)
    assert "clock" in whole["text"]
    qwen = get_tokenizer("qwen3")
    assert whole["ids"] == qwen.encode(whole["text"], allowed_special=frozenset(qwen.special_tokens))
    ended = ask("--tokenizer", "Qwen3", "--no-answer", "--text").out
    assert whole["text"].startswith(ended)
    assert len(whole["text"]) > len(ended)
    table = ask("--tokenizer", "qwen3").out.splitlines()
    assert table[0].split() == ["tokens", "template", "message"]
    assert any(line.split()[:3] == ["with", "the", "next"] for line in table)
    assert table[-1].split()[0] == str(whole["tokens"])


def test_a_files_template_is_what_lies_beside_it(ask, tmp_path):
    path = tmp_path / "tokenizer.json"
    path.write_bytes(document("like Llama 3"))
    assert "has no chat template" in ask("--tokenizer", str(path), status=1).err
    template = "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}"
    (tmp_path / "chat_template.jinja").write_text(template)
    text = ask("--tokenizer", str(path), "--text").out
    assert text == "[system]Be brief[user]안녕 you[assistant]Hi[user]Bye"


def test_what_has_no_template_or_is_no_chat_is_told(ask, tmp_path, capsys):
    error = ask("--tokenizer", "bert_uncased", status=1).err
    assert error.startswith("error: bert_uncased has no chat template; choose from gpt-3.5-turbo")
    (tmp_path / "bad.json").write_text("{}")
    assert main(["chat", str(tmp_path / "bad.json")]) == 1
    assert "a chat is a list of messages" in capsys.readouterr().err
