"""Templates give the texts of transformers' rendering, and can't leave their sandbox.

`chat_cases.json` has what transformers 5.23.0 gave; `python -m scripts.write_chat_templates --cases` asks it.
"""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.catalog.jinja_rendering import MAX_CHARS, check_template, render
from playground.catalog.open_models import OPEN_CHAT_TEMPLATES, open_model_config
from playground.core.errors import InvalidInputError

GIVEN = json.loads((Path(__file__).parent / "chat_cases.json").read_text(encoding="utf-8"))
SHIPPED = {made.file_name: open_model_config(model) for model, made in OPEN_CHAT_TEMPLATES.items()}
TEMPLATES = {**GIVEN["templates"], **{name: config.templates["default"] for name, config in SHIPPED.items()}}
USER = [{"role": "user", "content": "Hi"}]


def rendered(case):
    messages, tools, variables = GIVEN["chats"][case["chat"]]
    config = SHIPPED.get(case["template"])
    names = config.names if config else {"bos_token": "<s>", "eos_token": "</s>"}
    variables = dict(variables)
    answers = variables.pop("add_generation_prompt", True)
    return render(TEMPLATES[case["template"]], messages, tools, {**names, **variables}, answers)


CALL = {
    "id": "c1",
    "type": "function",
    "function": {"name": "add", "arguments": '{"one": 1, "other": "två"}'},
}
CALLED: list[dict[str, Any]] = [
    {"role": "user", "content": "Add"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "18"},
]


@pytest.mark.parametrize(
    ("model", "said", "shown"),
    [
        ("Qwen3", "", '{"name": "add", "arguments": {"one": 1, "other": "två"}}'),
        ("DeepSeek-V3", "a content of null", '{"one": 1, "other": "två"}'),
        ("GLM-4.5", "arguments of calls are given as objects", "<arg_value>två</arg_value>"),
    ],
)
def test_the_calls_of_an_api_are_given_as_a_template_takes_them(model, said, shown):
    config = open_model_config(model)
    chat = render(config.templates["default"], CALLED, [], config.names)
    assert shown in chat.text
    assert "18" in chat.text
    assert said in chat.note
    assert bool(said) == bool(chat.note)
    assert chat.contents is not None
    assert [chat.text[start:end] for start, end in chat.contents] == ["Add", "18"]


def test_a_template_that_takes_a_call_in_no_way_says_what_it_said_first():
    arguments = "messages[1].tool_calls[0].function.arguments"
    template = f'{{{{ raise_exception("no calls" if {arguments} is string else "else") }}}}'
    with pytest.raises(InvalidInputError, match="refuses this chat: no calls"):
        render(template, CALLED, [], {})


@pytest.mark.parametrize("case", GIVEN["cases"], ids=lambda case: f"{case['template']}, {case['chat']}")
def test_the_text_is_transformers(case):
    """If transformers fails, our result fails too, or has a note on how the chat was changed."""
    try:
        found = rendered(case)
        said = found.note
    except InvalidInputError as error:
        found, said = None, str(error)
    if case["problem"] is None:
        assert (found.text, said) == (case["text"], "")
    elif found is None:
        assert " ".join(case["problem"].split()) in said
    else:
        assert said


def test_contents_and_ends_of_a_chat_equal_those_found_by_hand():
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": " Hi \n"},
        {"role": "assistant", "content": "<think>\nhm\n</think>\n\nHello"},
        {"role": "user", "content": "s"},
    ]
    found = render(TEMPLATES["qwen3"], messages, [], {})
    assert [found.text[a:b] for a, b in found.contents or ()] == ["Be brief.", " Hi \n", "Hello", "s"]
    assert [found.text[a:b] for a, b in pairwise([0, *found.ends])] == [
        "<|im_start|>system\nBe brief.<|im_end|>\n",
        "<|im_start|>user\n Hi \n<|im_end|>\n",
        "<|im_start|>assistant\nHello<|im_end|>\n",
        "<|im_start|>user\ns<|im_end|>\n",
    ]
    assert found.text[found.ends[-1] :] == "<|im_start|>assistant\n"
    assert found.variables == ("enable_thinking",)


_content = st.text(st.sampled_from("ab \n\t<>|é👋"), max_size=6)
_messages = st.lists(
    st.builds(lambda role, content: {"role": role, "content": content},
              st.sampled_from(["user", "assistant", "system"]), _content), min_size=1, max_size=5,
)  # fmt: skip


@given(_messages)
@settings(max_examples=30)
def test_all_contents_are_found_if_a_template_prints_them_unchanged(messages):
    found = render(TEMPLATES["chatml"], messages, [], {})
    spans, place, ends = [], 0, []
    for message in messages:
        place += len(f"<|im_start|>{message['role']}\n")
        if message["content"].strip():
            spans.append((place, place + len(message["content"])))
        place += len(message["content"] + "<|im_end|>\n")
        ends.append(place)
    assert (found.contents, found.ends) == (tuple(spans), tuple(ends))


@given(_messages)
@settings(max_examples=20)
def test_trimmed_contents_are_found_without_white_space(messages):
    found = render(TEMPLATES["headers"], messages, [], {"bos_token": "<s>"})
    assert [found.text[a:b] for a, b in found.contents or ()] == [
        message["content"].strip() for message in messages if message["content"].strip()
    ]


def test_contents_are_unknown_if_a_template_depends_on_them():
    looks = "{% for m in messages %}{{ 'yes' if m.content.startswith('H') }}{{ m.content }}{% endfor %}"
    assert render(looks, USER, [], {}).contents is None


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{{ raise_exception('Roles must\nalternate') }}", "refuses this chat: Roles must alternate"),
        ("a\n{{ messages[7].role.x }}", "no element 7 (line 2)"),
        ("{{ ''.__class__.__mro__ }}", "unsafe"),
        ("{{ messages.append(1) }}", "unsafe"),
        ("{{ namespace(_x=1) }}", "'_x'"),
        ("{{ range(10**9) | list }}", "Range too big"),
        ("{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}", "nested too deeply"),
        ("{% for i in range(2000) %}{{ 'x' * 1000 }}{% endfor %}", f"over {MAX_CHARS:,} characters"),
    ],
)
def test_an_error_in_a_template_is_one_sentence(template, said):
    with pytest.raises(InvalidInputError, match="the chat template") as error:
        render(template, USER, [], {})
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "template",
    ["{% for %}", "{{ 1 +", "{% nothing %}", "{% if 1 %}", "{{ " + "(" * 300 + "1" + ")" * 300 + " }}"],
)
def test_an_unreadable_template_is_reported(template):
    with pytest.raises(InvalidInputError, match="cannot be read"):
        check_template(template)
