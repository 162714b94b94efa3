"""Random tokenizer configs with chat templates, and a check of a chat in each."""

import json
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

from playground.analysis.chat import Message
from playground.analysis.chat_templates import encode_jinja_chat, opened_templates
from playground.analysis.shown_tokens import show_chat
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.opened import open_files, tokenizer_of
from playground.core.errors import PlaygroundError

OWN = b"minbpe v1\n\n1\n<s> 256\n"
_PARTS = [
    "{% for m in messages %}", "{% endfor %}", "{% if loop.last %}", "{% else %}", "{% endif %}",
    "{{ m.content }}", "{{ m['role'] | trim }}", "{{ bos_token }}", "<s>", "{{ messages }}",
    "{{ tools | tojson }}", "{%- set x = 1 %}", "{{ x ** 9 }}", "{{ m.content.split('a')[-1] }}",
    "{{ m.content | upper }}", "{% generation %}", "{% endgeneration %}", "{{ raise_exception('no') }}",
    "{{ m.content[::-1] }}", "{% break %}", "{{ '\\ud800' }}", "{{ messages[-1:] | length }}",
    "{{ ''.join }}", "{{ namespace(a=1).a }}", "{{ strftime_now('%Y') }}", "\n  ", "{% macro f(a) %}",
    "{% endmacro %}", "{{ f(m) }}", "{{ range(99999) | length }}", "{{ lipsum() }}", "{#", "#}",
]  # fmt: skip
_VALUES: list[Any] = [None, True, -1, 2**31, 1e308, "", "a", "\ud800", [], {}, ["a"], {"content": "<s>"}]
_CONFIG: dict[str, Any] = {
    "bos_token": {"content": "<s>", "lstrip": False},
    "extra_special_tokens": {"image_token": "<i>"},
    "added_tokens_decoder": {"256": {"content": "<s>", "special": True}, "300": {"content": "<i>"}},
    "chat_template": [{"name": "default", "template": ""}, {"name": "tool_use", "template": "{{ tools }}"}],
}
MESSAGES = [
    Message("system", "a<s>b"),
    Message("user", ""),
    Message("assistant", " \u00e9\U000f0000 ", '{"x": 1}'),
]


@st.composite
def mutated_configs(draw: st.DrawFn) -> dict[str, bytes]:
    """Draw a tokenizer_config.json with a random template, sometimes with other values changed."""
    config = deepcopy(_CONFIG)
    config["chat_template"][0]["template"] = "".join(draw(st.lists(st.sampled_from(_PARTS), max_size=8)))
    for _ in range(draw(st.sampled_from([0, 0, 1, 2]))):
        target: Any = config
        while True:
            keys = list(target) if isinstance(target, dict) else list(range(len(target)))
            key = draw(st.sampled_from(keys)) if keys else None
            if key is None or not isinstance(target[key], dict | list) or draw(st.integers(0, 2)) == 0:
                break
            target = target[key]
        if key is not None:
            target[key] = deepcopy(draw(st.sampled_from(_VALUES)))
    return {"x.model": OWN, "tokenizer_config.json": json.dumps(config).encode()}


def check_sentence(error: PlaygroundError) -> None:
    """Check that an error is one line."""
    assert str(error)
    assert "\n" not in str(error)


def open_and_chat(files: dict[str, bytes]) -> None:
    """Check that files are refused in a sentence, or open and give chats with consistent tokens."""
    try:
        tokenizer = tokenizer_of("x", open_files(files, SplitPattern.named("gpt2")))
    except PlaygroundError as error:
        check_sentence(error)
        return
    for template in opened_templates({"x": tokenizer}).values():
        for messages in (MESSAGES, MESSAGES[1:2]):
            try:
                chat = encode_jinja_chat(messages, [{"function": {"name": "f"}}], template)
            except PlaygroundError as error:
                check_sentence(error)
                continue
            assert sum(chat.lengths) == len(chat.text.encode())
            assert len(chat.lengths) == len(chat.ids)
            places = [place for pair in chat.template_ranges for place in pair]
            assert places == sorted(set(places))
            assert len(chat.message_tokens) == len(messages)
            assert sum(n for n, *_ in chat.message_tokens) <= len(chat.ids)
            assert all(0 <= n_template <= n for n, n_template, _ in chat.message_tokens)
            show_chat(chat).categories()
