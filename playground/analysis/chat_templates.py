"""Render chats in a model's own Jinja template as transformers' `apply_chat_template` does, and encode them.

Templates run in a worker process with limits on time and memory. As in transformers, a special token that a
message spells is encoded as that token.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from playground.analysis.chat import (
    CHAT_TEMPLATES,
    ChatEncoding,
    ChatExtra,
    ChatTemplate,
    Message,
    encode_chat,
    tools_of,
)
from playground.analysis.chat_requests import ApiChat, left_out_of
from playground.analysis.live_document import MAX_TEXT_BYTES
from playground.analysis.token_marks import marks_of
from playground.bpe.special_tokens import iter_special_parts, special_finder
from playground.catalog.jinja_rendering import Rendering
from playground.catalog.open_models import OPEN_CHAT_TEMPLATES, open_model_config
from playground.catalog.opened import OpenedTokenizer
from playground.catalog.registry import get_tokenizer, is_shipped
from playground.core.errors import InvalidInputError, TextTooLongError
from playground.core.text_units import Positions
from playground.core.tokenizer import Tokenizer
from playground.core.wording import counted, listed
from playground.files.tokenizer_config import DEFAULT, WITH_TOOLS, TokenizerConfig
from playground.workers import pool

#: Limits on rendering one chat.
SECONDS, MEMORY_BYTES = 4.0, 250_000_000
MAX_VARIABLES_CHARS = 10_000
_NO_CONFIG = TokenizerConfig({}, {}, ())
_Flags = np.ndarray[Any, np.dtype[np.bool_]]
#: Limit on the special tokens named in a note.
_MAX_NAMED = 5


@dataclass(frozen=True)
class JinjaTemplate:
    """A tokenizer's chat template; `chosen` names one of several, and "" chooses as apply_chat_template does.

    `opened` is a visitor's own tokenizer; if it is None, the tokenizer is in the catalog.
    """

    name: str
    tokenizer_name: str
    opened: OpenedTokenizer | None = None
    chosen: str = ""

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer that the template belongs to."""
        return self.opened or get_tokenizer(self.tokenizer_name)

    @property
    def config(self) -> TokenizerConfig:
        """The templates, and the names of special tokens in them. Raises AssetError."""
        config = self.opened.config if self.opened else open_model_config(self.name)
        return config or _NO_CONFIG

    def source(self, *, has_tools: bool) -> str:
        """Return the source, which may be another for chats with tools. Raises InvalidInputError."""
        templates = self.config.templates
        name = self.chosen or (WITH_TOOLS if has_tools and WITH_TOOLS in templates else DEFAULT)
        if name not in templates:
            raise InvalidInputError(
                f"{self.tokenizer_name} has no chat template called {name!r}; "
                f"choose from {', '.join(templates)}"
            )
        return templates[name]


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """Inputs of a template besides the messages; `variables` is a JSON object, "" for none."""

    add_generation_prompt: bool = True
    variables: str = ""


def opened_templates(tokenizers: Mapping[str, OpenedTokenizer]) -> dict[str, JinjaTemplate]:
    """Return the chat templates of opened tokenizers by title: the tokenizer's name.

    If a tokenizer has several templates, each also has a title with its own name.
    """
    found: dict[str, JinjaTemplate] = {}
    for name, tokenizer in tokenizers.items():
        config = tokenizer.config
        if config is None:
            continue
        titles = [""] if DEFAULT in config.templates else []
        titles += [title for title in config.templates if len(config.templates) > 1 or not titles]
        for title in titles:
            shown = f"{name} · {title}" if title else name
            found[shown] = JinjaTemplate(shown, name, tokenizer, title)
    return found


#: The shipped templates of open models, by model.
OPEN_TEMPLATES = {
    model: JinjaTemplate(model, made.tokenizer_name) for model, made in OPEN_CHAT_TEMPLATES.items()
}


def template_for(name: str, load: Callable[[str], Tokenizer]) -> ChatTemplate | JinjaTemplate:
    """Return the chat template of a model, an encoding or an opened tokenizer; `load` finds the tokenizer.

    Raises InvalidInputError if there is none, and what `load` raises.

    >>> template_for("gpt-4", get_tokenizer).model, template_for("qwen3", get_tokenizer).name
    ('gpt-4', 'Qwen3')
    """
    known: dict[str, ChatTemplate | JinjaTemplate] = {**CHAT_TEMPLATES, **OPEN_TEMPLATES}
    for model, template in known.items():
        if model.lower() == name.lower():
            return template
    tokenizer = load(name)
    if not is_shipped(tokenizer):
        opened = cast("OpenedTokenizer", tokenizer)
        for own in opened_templates({opened.name: opened}).values():
            return own
        raise InvalidInputError(
            f"{name} has no chat template; put tokenizer_config.json or chat_template.jinja in its folder"
        )
    for shipped in OPEN_TEMPLATES.values():
        if shipped.tokenizer_name == tokenizer.name:
            return shipped
    for openai in reversed(CHAT_TEMPLATES.values()):  # newest first
        if openai.encoding_name == tokenizer.name:
            return openai
    raise InvalidInputError(f"{tokenizer.name} has no chat template; choose from {', '.join(known)}")


def encode_any_chat(
    chat: ApiChat, template: ChatTemplate | JinjaTemplate, options: ChatOptions = ChatOptions()
) -> ChatEncoding:
    """Encode a chat in a template of either kind. Raises what `encode_jinja_chat` does."""
    if isinstance(template, JinjaTemplate):
        return encode_jinja_chat(chat.messages, tools_of(chat.extras), template, options)
    return encode_chat(chat.messages, template)


def encode_jinja_chat(
    messages: Sequence[Message],
    tools: Sequence[Mapping[str, Any]],
    template: JinjaTemplate,
    options: ChatOptions = ChatOptions(),
) -> ChatEncoding:
    """Render a chat and encode it, with special tokens encoded as such.

    Raises InvalidInputError, LimitExceededError, TextTooLongError.
    """
    source = template.source(has_tools=bool(tools))
    variables = {**template.config.names, **read_variables(options.variables)}
    rendering: Rendering = pool.run(
        "playground.catalog.jinja_rendering.render",
        source, [fields_of(message) for message in messages], [*tools], variables,
        options.add_generation_prompt,
        what=f"the chat template of {template.tokenizer_name}", seconds=SECONDS, memory_bytes=MEMORY_BYTES,
    )  # fmt: skip
    text, tokenizer = rendering.text, template.tokenizer
    if len(text.encode()) > MAX_TEXT_BYTES:
        raise TextTooLongError(
            f"the chat has {len(text.encode()):,} bytes in its template; "
            f"this page takes up to {MAX_TEXT_BYTES:,}"
        )
    special_tokens = tokenizer.special_tokens
    encoding = tokenizer.encode(text, allowed_special=frozenset(special_tokens))
    places = _byte_places(text)
    bounds = np.append(0, np.cumsum(encoding.lengths, dtype=np.int64))
    is_template = _is_template(bounds, places, rendering.contents)
    return ChatEncoding(
        tokenizer=tokenizer,
        text=text,
        ids=tuple(encoding),
        lengths=tuple(encoding.lengths.tolist()),
        parts=tuple(
            special_tokens[part] if is_special else part
            for part, is_special in iter_special_parts(text, special_tokens)
        ),
        template_ranges=tuple(_iter_runs(is_template)),
        message_tokens=tuple(_iter_costs(bounds, places, is_template, rendering)),
        notes=tuple(_iter_notes(messages, tokenizer, rendering)),
        variables=rendering.variables,
        marks=marks_of(encoding, tokenizer.vocabulary),
    )


def not_counted_in(
    messages: Sequence[Message],
    extras: Sequence[ChatExtra],
    template: ChatTemplate | JinjaTemplate,
    text: str,
) -> str:
    """Return one sentence on what the count of a chat leaves out; "" if nothing.

    `text` is the chat in its template. OpenAI's convention has no place for tools and calls; a model's own
    template may show them or not.

    >>> from playground.analysis.chat import CHAT_TEMPLATES
    >>> messages = [Message("user", "Hi", left_out=("image_url",))]
    >>> not_counted_in(messages, [ChatExtra("tool f", "{}", is_tool=True)], CHAT_TEMPLATES["gpt-4o"], "")
    'Not counted: 1 image and 1 tool (about 1 token as JSON).'
    """
    found = [*left_out_of(messages)]
    if "reasoning" not in found and any(thought not in text for thought in _iter_reasoning(messages)):
        found.append("reasoning")
    unseen = [extra for extra in extras if not _is_shown(extra, template, text)]
    if unseen:
        n_tools = sum(extra.is_tool for extra in unseen)
        kinds = [(n_tools, "tool"), (len(unseen) - n_tools, "tool call")]
        n_tokens = sum(len(template.tokenizer.encode(extra.text)) for extra in unseen)
        which = ", which this template does not show" if isinstance(template, JinjaTemplate) else ""
        found += [counted(n, kind) for n, kind in kinds if n]
        found[-1] += f"{which} (about {counted(n_tokens, 'token')} as JSON)"
    return f"Not counted: {listed(found)}." if found else ""


def _is_shown(extra: ChatExtra, template: ChatTemplate | JinjaTemplate, text: str) -> bool:
    """Whether a model's own template shows a tool or a call: it reads them, and the text has the name."""
    if not isinstance(template, JinjaTemplate):
        return False
    source = template.source(has_tools=extra.is_tool)
    return ("tools" if extra.is_tool else "tool_calls") in source and extra.label.split()[-1] in text


def _iter_reasoning(messages: Sequence[Message]) -> Iterator[str]:
    """Yield the reasoning that messages have beside their content."""
    for message in messages:
        fields = _read_object(message.fields, "a message’s other fields")
        for name in ("reasoning_content", "reasoning", "thinking"):
            if isinstance(fields.get(name), str) and fields[name].strip():
                yield fields[name].strip()


def fields_of(message: Message) -> dict[str, Any]:
    """Return a message with its other fields, as in an API request.

    >>> fields_of(Message("assistant", "", '{"content": null, "tool_calls": []}'))
    {'role': 'assistant', 'content': None, 'tool_calls': []}
    """
    fields = _read_object(message.fields, "a message’s other fields")
    if message.content:
        fields.pop("content", None)
    if message.role != fields.get("name"):
        fields.pop("role", None)
    return {"role": message.role, "content": message.content, **fields}


def read_variables(text: str) -> dict[str, Any]:
    """Parse a template's variables, a JSON object. Raises InvalidInputError.

    >>> read_variables('{"enable_thinking": false}')
    {'enable_thinking': False}
    """
    if len(text) > MAX_VARIABLES_CHARS:
        raise InvalidInputError(
            f"the template’s variables have {len(text):,} characters; the limit is {MAX_VARIABLES_CHARS:,}"
        )
    return _read_object(text, "the template’s variables")


def _read_object(text: str, what: str) -> dict[str, Any]:
    try:
        found = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InvalidInputError(f'{what} are not a JSON object, such as {{"enable_thinking": false}}')
    return found


def _byte_places(text: str) -> Positions:
    """Return the byte offset of each character, and the length in bytes."""
    codes = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    n_bytes = 1 + (codes > 0x7F) + (codes > 0x7FF) + (codes > 0xFFFF)
    return np.append(0, np.cumsum(n_bytes, dtype=np.int64))


def _is_template(bounds: Positions, places: Positions, contents: Sequence[tuple[int, int]] | None) -> _Flags:
    """Return a mask of the tokens that lie entirely outside message contents (all False if unknown)."""
    if contents is None:
        return np.zeros(len(bounds) - 1, np.bool_)
    is_content = np.zeros(int(places[-1]) + 1, np.int64)
    for start, end in contents:
        is_content[places[start] : places[end]] = 1
    before = np.append(0, np.cumsum(is_content))
    is_template: _Flags = before[bounds[1:]] == before[bounds[:-1]]
    return is_template


def _iter_runs(is_in: _Flags) -> Iterator[tuple[int, int]]:
    """Yield the runs of True as half-open ranges."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], is_in, [False]]).astype(np.int8)))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)


def _iter_costs(
    bounds: Positions,
    places: Positions,
    is_template: _Flags,
    rendering: Rendering,
) -> Iterator[tuple[int, int, int]]:
    """Yield for each message its tokens, those of the template, and the number of messages counted together.

    If a message's end is unknown, its tokens are counted with the next message whose end is known.
    """
    before = np.append(0, np.cumsum(is_template))
    first, n_messages = 0, 0
    for end in rendering.ends:
        n_messages += 1
        if end is None:
            yield 0, 0, 0
            continue
        last = int(np.searchsorted(bounds[:-1], places[end]))
        last = max(last, first)
        yield last - first, int(before[last] - before[first]), n_messages
        first, n_messages = last, 0


def _iter_notes(messages: Sequence[Message], tokenizer: Tokenizer, rendering: Rendering) -> Iterator[str]:
    finder = special_finder(tokenizer.special_tokens)
    spelled = dict.fromkeys(name for message in messages for name in finder.spelled(message.content))
    if spelled:
        named = ", ".join([*spelled][:_MAX_NAMED]) + (" …" if len(spelled) > _MAX_NAMED else "")
        yield f"A message spells {named}: that becomes the special token, as in apply_chat_template."
    if rendering.note:
        yield rendering.note
    if rendering.contents is None:
        yield "This template changes the messages, so its own tokens can't be counted separately."
