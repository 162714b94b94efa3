"""Render chats in a model's own Jinja template as transformers' `apply_chat_template` does, and encode them.

Templates run in a worker process with limits on time and memory. As in transformers, a special token that a
message spells is encoded as that token.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from playground.analysis.chat import ChatEncoding, Message, read_object
from playground.analysis.live_document import MAX_TEXT_BYTES
from playground.analysis.token_marks import marks_of
from playground.bpe.special_tokens import iter_special_parts, special_finder
from playground.catalog.jinja_rendering import Rendering
from playground.catalog.open_models import OPEN_CHAT_TEMPLATES, open_model_config
from playground.catalog.opened import OpenedTokenizer
from playground.catalog.registry import get_tokenizer
from playground.core.errors import InvalidInputError, TextTooLongError
from playground.core.text_units import Positions
from playground.core.tokenizer import Tokenizer
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


NO_OPTIONS = ChatOptions()


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


def encode_jinja_chat(
    messages: Sequence[Message],
    tools: Sequence[Mapping[str, Any]],
    template: JinjaTemplate,
    options: ChatOptions = NO_OPTIONS,
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


def fields_of(message: Message) -> dict[str, Any]:
    """Return a message with its other fields, as in an API request.

    A content of several texts stays a list unless the message was edited.

    >>> fields_of(Message("assistant", "", '{"content": null, "tool_calls": []}'))
    {'role': 'assistant', 'content': None, 'tool_calls': []}
    """
    fields = message.read_fields()
    texts = fields.get("content")
    is_split = isinstance(texts, list) and "".join(part["text"] for part in texts) == message.content
    if not is_split and (message.content or texts is not None):
        fields.pop("content", None)
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
    return read_object(text, "the template’s variables")


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
