"""Chats in the template of an opened tokenizer, through the routes."""

import json

import pytest

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


@pytest.fixture
def session():
    return EditorSession(opened(TEMPLATE))


def ask(session, **changes):
    return read_tokens(post(session, "settings", {"mode": "chat", "messages": CHAT, **changes}))


def test_a_chat_is_counted_in_the_template_of_the_chosen_tokenizer(session):
    header, ids, _ = ask(session)
    assert ids == [256, *b"user:Hi"]
    assert (header["is_jinja"], header["totals"]["tokenizer"]) == (True, "mine")
    assert header["message_tokens"] == [[8, 6, 1]]
    assert header["template_tokens"] == [[0, 6]]
    session.use_tokenizer(opened("<s>{{ messages | length }}"), ())
    assert ask(session)[1] == [256, *b"1"], "another file of the same name"


def test_one_of_several_templates_is_chosen_by_its_title(session):
    model = BpeModel(SplitPattern.named("gpt2"), (), {})
    config = TokenizerConfig({"default": "a", "short": "b"}, {}, ())
    session.use_tokenizer(TrainedTokenizer("two", model, config=config), ())
    assert bytes(ask(session)[1]) == b"a"
    assert bytes(ask(session, template_name="two · short")[1]) == b"b"
    assert bytes(ask(session, template_name="one that is gone")[1]) == b"a"


@pytest.mark.parametrize(
    ("template", "said"),
    [
        (
            "{{ raise_exception('Roles must alternate') }}",
            "the chat template refuses this chat: Roles must alternate",
        ),
        ("{{ messages.x.y }}", "the chat template fails"),
        ("{% set x = 'a' * 10**9 %}", "the chat template of mine needed more than 250 MB"),
    ],
)
def test_an_error_in_a_template_is_one_sentence_and_typed_text_stays(session, template, said):
    session.use_tokenizer(opened(template), ())
    header, ids, _ = ask(session)
    assert ids == []
    assert said in header["error"]
    assert header["messages"][0]["content"] == "Hi"
    session.use_tokenizer(get_tokenizer("o200k_base"), ())
    header, ids, _ = ask(session)
    assert header["error"] is None
    assert ids


def test_variables_and_tools_are_passed_to_the_template(session):
    template = "{{ tools[0].function.name if tools }}|{{ add_generation_prompt }}|{{ messages[0].x }}{{ y }}"
    session.use_tokenizer(opened(template), ())
    pasted = {"messages": [{"role": "user", "content": "Hi", "x": 1}], "tools": [{"function": {"name": "f"}}]}
    post(session, "settings", {"mode": "chat"})
    header, ids, _ = read_tokens(post(session, "read_chat", {"pasted": json.dumps(pasted)}))
    assert bytes(ids) == b"f|True|1"
    assert header["asks_for"] == ["y"]
    assert json.loads(header["messages"][0]["fields"]) == {"x": 1}
    chat = {"messages": header["messages"], "template_name": "", "tools": [], "elsewhere": [],
            "add_generation_prompt": False, "variables": '{"y": 2}'}  # fmt: skip
    assert bytes(read_tokens(post(session, "chat", chat))[1]) == b"|False|12"
    header, _, _ = read_tokens(post(session, "chat", {**chat, "variables": "[1]"}))
    assert "the template’s variables: not a JSON object" in header["error"]
