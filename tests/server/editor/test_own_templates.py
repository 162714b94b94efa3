"""Chats in the template of an opened tokenizer, through the routes."""

import json

import pytest

from playground.analysis.chat_templates import OPEN_TEMPLATES, opened_templates
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.registry import get_tokenizer
from playground.catalog.trained import TrainedTokenizer
from playground.files.tokenizer_config import TokenizerConfig
from playground.server.editor.session import EditorSession
from tests.server.browser_side import post
from tests.server.editor.test_actions import read_tokens

CHAT = [{"role": "user", "content": "Hi"}]
TEMPLATE = "{% for m in messages %}<s>{{ m.role }}:{{ m.content }}{% endfor %}"


def opened(template, name="mine"):
    model = BpeModel(SplitPattern.named("gpt2"), (), {"<s>": 256})
    return TrainedTokenizer(name, model, config=TokenizerConfig({"default": template}, {}, ()))


def offer(session, *tokenizers):
    session.offer_templates({**OPEN_TEMPLATES, **opened_templates({t.name: t for t in tokenizers})})


@pytest.fixture
def session():
    found = EditorSession(get_tokenizer("cl100k_base"))
    offer(found, opened(TEMPLATE))
    return found


def ask(session, **changes):
    return read_tokens(post(session, "settings", {"mode": "chat", "messages": CHAT, **changes}))


def test_the_template_is_chosen_with_its_tokenizer_and_stays_while_others_are_opened(session):
    session.choose_template("mine")
    header, ids, _ = ask(session)
    assert ids == [256, *b"user:Hi"]
    assert (header["template_name"], header["is_jinja"], header["totals"]["tokenizer"]) == (
        "mine",
        True,
        "mine",
    )
    assert header["message_tokens"] == [[8, 6, 1]]
    assert header["template_tokens"] == [[0, 6]]
    revision = session.revision
    offer(session, opened(TEMPLATE))
    assert session.revision == revision, "the same template asks for nothing anew"
    offer(session, opened(TEMPLATE), opened("other", "second"))
    assert session.template_name == "mine"
    session.choose_template("cl100k_base")
    assert session.template_name == "mine"
    assert [session.has_template(name) for name in ("cl100k_base", "mine")] == [False, True]
    session.choose_template("qwen3")
    assert session.template_name == "Qwen3"


def test_another_file_of_the_same_name_changes_the_chat(session):
    ask(session, template_name="mine")
    revision = session.revision
    offer(session, opened("<s>{{ messages | length }}"))
    assert session.revision > revision
    assert ask(session)[1] == [256, *b"1"]


def test_a_missing_template_is_reported_and_returns_with_its_tokenizer(session):
    offer(session)
    header, ids, _ = ask(session, template_name="mine")
    assert ids == []
    assert "the chat template of 'mine' is not here" in header["error"]
    assert header["messages"][0]["content"] == "Hi"
    offer(session, opened(TEMPLATE))
    header, ids, _ = read_tokens(post(session, "open", {}))
    assert (ids, header["error"]) == ([256, *b"user:Hi"], None)


@pytest.mark.parametrize(
    ("template", "told"),
    [
        (
            "{{ raise_exception('Roles must alternate') }}",
            "the chat template refuses this chat: Roles must alternate",
        ),
        ("{{ messages.x.y }}", "the chat template fails"),
        ("{% set x = 'a' * 10**9 %}", "the chat template of mine needed more than 250 MB"),
    ],
)
def test_an_error_in_a_template_is_one_sentence_and_typed_text_stays(session, template, told):
    offer(session, opened(template))
    header, ids, _ = ask(session, template_name="mine")
    assert ids == []
    assert told in header["error"]
    assert header["messages"][0]["content"] == "Hi"
    header, ids, _ = ask(session, template_name="gpt-4o")
    assert header["error"] is None
    assert ids


def test_variables_and_tools_are_passed_to_the_template(session):
    offer(
        session,
        opened(
            "{{ tools[0].function.name if tools }}|{{ add_generation_prompt }}|{{ messages[0].x }}{{ y }}"
        ),
    )
    session.choose_template("mine")
    pasted = {"messages": [{"role": "user", "content": "Hi", "x": 1}], "tools": [{"function": {"name": "f"}}]}
    post(session, "settings", {"mode": "chat"})
    header, ids, _ = read_tokens(post(session, "read_chat", {"pasted": json.dumps(pasted)}))
    assert bytes(ids) == b"f|True|1"
    assert header["asks_for"] == ["y"]
    assert json.loads(header["messages"][0]["fields"]) == {"x": 1}
    chat = {"messages": header["messages"], "template_name": "mine", "extras": [],
            "add_generation_prompt": False, "variables": '{"y": 2}'}  # fmt: skip
    assert bytes(read_tokens(post(session, "chat", chat))[1]) == b"|False|12"
    header, _, _ = read_tokens(post(session, "chat", {**chat, "variables": "[1]"}))
    assert "the template’s variables are not a JSON object" in header["error"]
