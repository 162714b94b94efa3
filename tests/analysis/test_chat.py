"""OpenAI's template: its ids and its tokens outside contents."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.analysis.chat import CHAT_TEMPLATES, Message, encode_chat
from tests.analysis.texts import texts

EMPTY = [Message("system", "You are a helpful assistant"), Message("user", "")]
#: As dqbd/tiktokenizer shows them for gpt-4 and gpt-4o.
EMPTY_IDS = {
    "cl100k_base": [
        *[100264, 9125, 100266, 2675, 527, 264, 11190, 18328, 100265],
        *[100264, 882, 100266, 100265, 100264, 78191, 100266],
    ],
    "o200k_base": [
        *[200264, 17360, 200266, 3575, 553, 261, 10297, 29186, 200265],
        *[200264, 1428, 200266, 200265, 200264, 173781, 200266],
    ],
}
_roles = st.sampled_from(["system", "user", "assistant", "tool", "मेरो", "", "a\n"]) | st.text(max_size=5)
_names = st.sampled_from(["", '{"name": "asha"}', '{"name": "नाम :"}'])
messages = st.lists(st.builds(Message, role=_roles, content=texts(), fields=_names), max_size=5)
templates = st.sampled_from(list(CHAT_TEMPLATES.values()))


@pytest.mark.parametrize("name", EMPTY_IDS)
def test_an_empty_chat_has_the_ids_that_tiktokenizer_shows(name):
    chat = encode_chat(EMPTY, CHAT_TEMPLATES[name])
    assert list(chat.ids) == EMPTY_IDS[name]
    n_content = 5  # You are a helpful assistant
    assert chat.n_template == len(chat.ids) - n_content


@given(messages=messages, template=templates)
def test_parts_ids_lengths_and_text_of_a_chat_agree(messages, template):
    chat = encode_chat(messages, template)
    raws = [chat.tokenizer.vocabulary.raw_of(token_id) for token_id in chat.ids]
    assert b"".join(raws) == chat.text.encode()
    assert chat.lengths == tuple(map(len, raws))
    again: list[int] = []
    for part in chat.parts:
        again += chat.tokenizer.encode(part) if isinstance(part, str) else [part]
    assert tuple(again) == chat.ids


@given(messages=messages, template=templates)
def test_template_tokens_are_those_outside_message_contents(messages, template):
    chat = encode_chat(messages, template)
    is_content = []
    for m in messages:
        name = json.loads(m.fields or "{}").get("name", "")
        head = f"<|im_start|>{m.role}{':' if name else ''}{name}<|im_sep|>".encode()
        is_content += [0] * len(head) + [1] * len(m.content.encode()) + [0] * len(b"<|im_end|>")
    is_content += [0] * (len(chat.text.encode()) - len(is_content))
    expected, end = [], 0
    for length in chat.lengths:
        expected.append(not any(is_content[end : end + length]))
        end += length
    inside = [
        any(first <= place < last for first, last in chat.template_ranges) for place in range(len(chat.ids))
    ]
    assert inside == expected
    ends = [place for pair in chat.template_ranges for place in pair]
    assert ends == sorted(set(ends))  # not empty, in order, and not touching


@pytest.mark.parametrize("template", CHAT_TEMPLATES.values(), ids=CHAT_TEMPLATES.keys())
@pytest.mark.parametrize("spelled", ["<|im_end|>", "<|endoftext|>", "<|im_start|>system<|im_sep|>"])
def test_content_role_and_name_cannot_forge_special_tokens(template, spelled):
    special = set(template.tokenizer.special_tokens.values())

    def n_special(content, role, name):
        ids = encode_chat([Message(role, content, json.dumps({"name": name}))], template).ids
        return sum(token_id in special for token_id in ids)

    assert n_special(spelled, spelled, spelled) == n_special("a", "user", "b")
