"""Count a chat for a model: one way for each model, and a result whose parts add up to the total.

The page, the shell, the HTTP API and MCP all count with `count_chat`. `chat_model` decides how:

- OpenAI's formula (cookbook, "How to count tokens with tiktoken", examples/How_to_count_tokens_with_tiktoken
  .ipynb, read on 28 November 2026): 3 tokens a message, 1 for a name, 3 for the opening of the answer, and
  constants for tools. It is published for GPT-3.5, GPT-4 and GPT-4o; for later models it is an estimate.
- A model's own template, rendered as transformers does.
- Contents only: exact or reconstructed tokens of the contents, and what is known of the frame around them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from playground.analysis.chat import (
    CHAT_TEMPLATES,
    ChatEncoding,
    ChatTemplate,
    Media,
    Message,
    Tool,
    compact_json,
    encode_chat,
    read_object,
    tools_of,
)
from playground.analysis.chat_requests import ChatRequest, calls_of, named_media, reasoning_of
from playground.analysis.chat_templates import (
    NO_OPTIONS,
    OPEN_TEMPLATES,
    ChatOptions,
    JinjaTemplate,
    encode_jinja_chat,
    opened_templates,
)
from playground.analysis.image_tokens import image_tokens
from playground.analysis.token_marks import NO_MARKS, marks_of
from playground.catalog.claude import ClaudeTokenizer
from playground.catalog.models import Model
from playground.catalog.opened import OpenedTokenizer
from playground.catalog.registry import is_shipped, model_meant
from playground.core.encoding import join_encodings
from playground.core.errors import InvalidInputError, UnknownTokenizerError
from playground.core.tokenizer import Tokenizer, replace_lone_surrogates
from playground.core.wording import counted, listed

#: What a part of a request is. "frame" are the tokens around messages and tools.
Kind = Literal[
    "system", "user", "assistant", "reasoning", "call", "result", "other", "tool", "image", "frame"
]
#: How exact a number is: exact, an estimate, a lower bound, or an estimate without some of the parts.
Mark = Literal["", "≈", "at least", "at least ≈"]
#: What a model's part is called in a sum, in the order of the sum.
_GROUPS: Mapping[str, tuple[Kind, ...]] = {
    "messages": ("system", "user", "assistant", "other"),
    "reasoning": ("reasoning",),
    "tool calls": ("call",),
    "tool results": ("result",),
    "tools": ("tool",),
    "images": ("image",),
    "frame": ("frame",),
}


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a request with its tokens; `message` is the index of its message, None for none."""

    kind: Kind
    label: str
    n_tokens: int
    message: int | None = None
    mark: Mark = ""


@dataclass(frozen=True, slots=True)
class Group:
    """The parts of a kind together, such as "tools"."""

    name: str
    n_tokens: int
    mark: Mark


@dataclass(frozen=True)
class ChatModel:
    """How chats are counted: for a tokenizer, and the model that it was chosen for (None if unknown).

    `template` is OpenAI's or a model's own; without one, contents are counted.
    """

    tokenizer: Tokenizer
    model: Model | None
    template: ChatTemplate | JinjaTemplate | None

    @property
    def name(self) -> str:
        """The name of the model, or of the tokenizer."""
        return self.tokenizer.name if self.model is None else self.model.name


@dataclass(frozen=True, slots=True)
class ChatCount:
    """The tokens of a request for a model, part by part.

    `unknown` names what is in the request, or is added to it, and cannot be counted. `how` is a sentence on
    the way of counting, and `encoding` has the tokens of what is text.
    """

    name: str
    parts: tuple[Part, ...]
    unknown: tuple[str, ...]
    how: str
    encoding: ChatEncoding

    @property
    def n_tokens(self) -> int:
        """The sum of all parts."""
        return sum(part.n_tokens for part in self.parts)

    @property
    def mark(self) -> Mark:
        """How exact the sum is."""
        return joined_mark((part.mark for part in self.parts), is_least=bool(self.unknown))

    def groups(self) -> list[Group]:
        """Return the sums of parts of a kind, without those of no tokens."""
        found = []
        for name, kinds in _GROUPS.items():
            parts = [part for part in self.parts if part.kind in kinds]
            if n_tokens := sum(part.n_tokens for part in parts):
                found.append(Group(name, n_tokens, joined_mark(part.mark for part in parts)))
        return found

    @property
    def made(self) -> str:
        """The sum as it is made of groups, "" for a single group."""
        groups = self.groups()
        terms = " + ".join(f"{group.name} {shown(group.n_tokens, group.mark)}" for group in groups)
        made = f"{terms} = {shown(self.n_tokens, self.mark)} tokens." if len(groups) > 1 else ""
        return made[:1].upper() + made[1:]

    @property
    def sentence(self) -> str:
        """The sum as it is made, and what is missing in it."""
        missing = f"Not in it: {listed(self.unknown)}." if self.unknown else ""
        return " ".join(filter(None, (self.made, missing)))


def shown(n_tokens: int, mark: Mark) -> str:
    """Return a number with its mark.

    >>> shown(1234, "≈"), shown(5, "at least"), shown(5, "")
    ('≈ 1,234', 'at least 5', '5')
    """
    return f"{mark} {n_tokens:,}".strip()


def joined_mark(marks: Iterable[Mark], *, is_least: bool = False) -> Mark:
    """Return the mark of a sum; `is_least` says that something is not in the sum.

    >>> joined_mark(["", "≈"]), joined_mark(["≈"], is_least=True), joined_mark(["", "at least"])
    ('≈', 'at least ≈', 'at least')
    """
    found = {*marks}
    is_least = is_least or bool(found & {"at least", "at least ≈"})
    if found & {"≈", "at least ≈"}:
        return "at least ≈" if is_least else "≈"
    return "at least" if is_least else ""


#: Models of a shipped template's own family; others with the same tokenizer have another template.
_OWN_TEMPLATE = {"Qwen3": ("Qwen3",), "DeepSeek-V3": ("DeepSeek V3",), "GLM-4.5": ("GLM-4.5", "GLM-4.5-Air")}
#: Models for which OpenAI has published the formula.
_PUBLISHED = ("gpt-3.5-turbo", "gpt-4", "gpt-4-turbo", "gpt-4o", "gpt-4o-mini")


def chat_model(tokenizer: Tokenizer, model: Model | None = None, chosen: str = "") -> ChatModel:
    """Return how chats are counted for a tokenizer and a model.

    `chosen` names one of several templates of an opened tokenizer.

    >>> from playground.catalog.registry import get_tokenizer
    >>> chat_model(get_tokenizer("qwen3")).template.name
    'Qwen3'
    """
    template: ChatTemplate | JinjaTemplate | None = None
    is_own = not is_shipped(tokenizer)
    if is_own:
        own = opened_templates({tokenizer.name: cast("OpenedTokenizer", tokenizer)})
        template = own.get(chosen) or next(iter(own.values()), None)
    elif model is None or model.maker == "OpenAI":
        template = CHAT_TEMPLATES.get(tokenizer.name)
    for shipped in OPEN_TEMPLATES.values():
        if shipped.tokenizer_name == tokenizer.name and not is_own:
            template = shipped
    return ChatModel(tokenizer, model, template)


def chat_model_named(name: str, load: Callable[[str], Tokenizer]) -> ChatModel:
    """Return how chats are counted for a name; `load` finds the tokenizer. Raises what `load` raises.

    >>> from playground.catalog.registry import get_tokenizer
    >>> chat_model_named("gpt4o", get_tokenizer).name, chat_model_named("Qwen3", get_tokenizer).name
    ('GPT-4o', 'Qwen3')
    """
    tokenizer = load(name)
    return chat_model(tokenizer, model_meant(name, tokenizer))


def model_of_request(request: ChatRequest, load: Callable[[str], Tokenizer]) -> ChatModel | None:
    """Return how a request is counted for the model that it names; None if it names none.

    Raises InvalidInputError with the reason if that model cannot be counted.
    """
    if not request.model:
        return None
    try:
        return chat_model_named(request.model, load)
    except UnknownTokenizerError as error:
        raise InvalidInputError(
            f"the request is for {request.model}: {str(error).removesuffix('.')}. "
            "Choose a tokenizer to count it for another model"
        ) from None


def chat_model_for(
    request: ChatRequest, name: str, load: Callable[[str], Tokenizer], *, default: str = "gpt-4o"
) -> ChatModel:
    """Return how a request is counted for a name; without one for the model it names, else the default.

    Raises what `load` raises, and InvalidInputError.
    """
    asked = None if name else model_of_request(request, load)
    return asked or chat_model_named(name or default, load)


def count_chat(request: ChatRequest, counted_for: ChatModel, options: ChatOptions = NO_OPTIONS) -> ChatCount:
    """Count a request. Raises what `encode_jinja_chat` does."""
    match counted_for.template:
        case ChatTemplate() as template:
            made = _count_by_formula(request, counted_for, template)
        case JinjaTemplate() as template:
            made = _count_in_template(request, counted_for, template, options)
        case None:
            made = _count_contents(request, counted_for)
    images, without = _count_images(request.messages, counted_for.model)
    media = [
        one for message in request.messages for one in message.media if one.kind != "image" or one in without
    ]
    # Reasoning whose text is in the request has tokens; encrypted reasoning has none that one could count.
    if n_least := sum(part.mark == "at least" for part in images):
        made = replace(
            made, unknown=(*made.unknown, f"the rest of {counted(n_least, 'image')} of unknown size")
        )
    unknown = [*made.unknown, *named_media(media), *request.elsewhere]
    return replace(made, parts=(*made.parts, *images), unknown=tuple(dict.fromkeys(unknown)))


def _count_images(messages: Sequence[Message], model: Model | None) -> tuple[list[Part], list[Media]]:
    """Return the parts of images, and the images that cannot be counted."""
    parts: list[Part] = []
    without = []
    for index, message in enumerate(messages):
        for image in message.media:
            if image.kind != "image":
                continue
            if (found := image_tokens(image, model)) is None:
                without.append(image)
                continue
            size = f"image of {image.width:,} × {image.height:,}" if image.width else "image of unknown size"
            parts.append(Part("image", size, found.n_tokens, index, "at least" if found.is_least else "≈"))
    return parts, without


def kind_of_role(role: str) -> Kind:
    """Return what the content of a message is, by the message's role.

    >>> kind_of_role("developer"), kind_of_role("tool"), kind_of_role("narrator")
    ('system', 'result', 'other')
    """
    return _KINDS.get(role, "other")


_KINDS: Mapping[str, Kind] = {
    "system": "system", "developer": "system", "user": "user", "assistant": "assistant", "model": "assistant",
    "tool": "result", "function": "result",
}  # fmt: skip


def _size(tokenizer: Tokenizer, text: str) -> int:
    return len(tokenizer.encode(replace_lone_surrogates(text)))


# ---- OpenAI's formula


def _count_by_formula(request: ChatRequest, counted_for: ChatModel, template: ChatTemplate) -> ChatCount:
    model, tokenizer = counted_for.model, counted_for.tokenizer
    is_published = model is None or model.ids[0] in _PUBLISHED
    mark: Mark = "" if is_published else "≈"
    encoding = encode_chat(request.messages, template)
    parts = list(_parts_of_messages(request.messages, encoding, mark))
    for index, message in enumerate(request.messages):
        parts += _parts_of_calls(message, index, tokenizer)
    tools, unknown = _formula_of_tools(request.tools, tokenizer, template.encoding_name, mark)
    unknown += _reasoning_beside(request.messages, tokenizer)
    how = "OpenAI’s published formula: 3 tokens a message, 1 a name, 3 for the opening of the answer."
    if not is_published:
        how = (
            f"OpenAI has published no formula for {counted_for.name}: GPT-4o’s is used, "
            "3 tokens a message, 1 a name, 3 for the opening of the answer."
        )
    return ChatCount(counted_for.name, (*parts, *tools), tuple(unknown), how, encoding)


def _parts_of_messages(
    messages: Sequence[Message], encoding: ChatEncoding, mark: Mark = ""
) -> Iterator[Part]:
    """Yield contents and frame of each message, and the frame of the answer."""
    n_messages, n_template = 0, 0
    for index, (message, (n, n_frame, _)) in enumerate(zip(messages, encoding.message_tokens, strict=False)):
        n_messages, n_template = n_messages + n, n_template + n_frame
        if n - n_frame:
            yield Part(kind_of_role(message.role), message.role, n - n_frame, index)
        if n_frame:
            yield Part("frame", f"around {message.role}", n_frame, index, mark)
    rest_frame = encoding.n_template - n_template
    rest = len(encoding.ids) - n_messages - rest_frame
    if rest:
        yield Part("other", "messages that the template mixes", rest)
    if rest_frame:
        yield Part("frame", "opening of the answer", rest_frame, None, mark)


def _parts_of_calls(message: Message, index: int, tokenizer: Tokenizer) -> Iterator[Part]:
    """Yield each call as its name and arguments; nothing is published about the tokens around them."""
    for call in calls_of(message):
        name, arguments = str(call.get("name", "")), call.get("arguments", "")
        text = arguments if isinstance(arguments, str) else compact_json(arguments)
        yield Part("call", name, _size(tokenizer, name) + _size(tokenizer, text), index, "≈")


def _reasoning_beside(messages: Sequence[Message], tokenizer: Tokenizer) -> list[str]:
    n_tokens = sum(_size(tokenizer, reasoning_of(message)) for message in messages)
    return [f"reasoning (about {counted(n_tokens, 'token')} if the service keeps it)"] if n_tokens else []


def _formula_of_tools(
    tools: Sequence[Tool], tokenizer: Tokenizer, encoding_name: str, mark: Mark
) -> tuple[list[Part], list[str]]:
    """Return the parts of tools by the cookbook's `num_tokens_for_tools`, and tools of the service."""
    n_start = 10 if encoding_name == "cl100k_base" else 7
    parts: list[Part] = []
    unknown = []
    for tool in tools:
        function = read_object(tool.text, f"tool {tool.name}")
        if _is_of_service(function):
            unknown.append(f"the service’s own prompt for {tool.name}")
            continue
        lines, n_tokens, is_covered = _lines_of_tool(function)
        n_tokens += n_start + sum(_size(tokenizer, line) for line in lines)
        parts.append(Part("tool", tool.name, n_tokens, None, mark if is_covered else "≈"))
    if parts:
        parts.append(Part("tool", "end of the tools", 12, None, mark))
    return parts, unknown


def _is_of_service(function: Mapping[str, Any]) -> bool:
    """Whether a tool is one of the service's own, such as web search, which the request only names."""
    return not function.keys() & {"parameters", "description"} and (
        "type" in function or "name" not in function
    )


def _lines_of_tool(function: Mapping[str, Any]) -> tuple[list[str], int, bool]:
    """Return the lines that the formula encodes, its constants, and whether it covers the whole schema.

    It covers parameters with a type, a description and an enum; deeper ones are counted in the same way.
    """
    lines = [f"{function.get('name', '')}:{_without_stop(function.get('description'))}"]
    n_tokens, is_covered = 0, isinstance(function.get("description"), str)

    def add(schema: object, *, is_deep: bool) -> None:
        nonlocal n_tokens, is_covered
        properties = schema.get("properties") if isinstance(schema, dict) else None
        if not isinstance(properties, dict) or not properties:
            return
        n_tokens += 3
        for name, value in properties.items():
            about = value if isinstance(value, dict) else {}
            n_tokens += 3
            kind, said = about.get("type"), about.get("description")
            is_covered = is_covered and not is_deep and isinstance(kind, str) and isinstance(said, str)
            is_covered = is_covered and not about.keys() - {"type", "description", "enum"}
            if isinstance(about.get("enum"), list):
                n_tokens += 3 * len(about["enum"]) - 3
                lines.extend(map(str, about["enum"]))
            lines.append(f"{name}:{kind if isinstance(kind, str) else 'object'}:{_without_stop(said)}")
            add(about, is_deep=True)
            add(about.get("items"), is_deep=True)

    add(function.get("parameters"), is_deep=False)
    return lines, n_tokens, is_covered


def _without_stop(said: object) -> str:
    return said.removesuffix(".") if isinstance(said, str) else ""


# ---- a model's own template


def _count_in_template(
    request: ChatRequest, counted_for: ChatModel, template: JinjaTemplate, options: ChatOptions
) -> ChatCount:
    encoding = encode_jinja_chat(request.messages, tools_of(request.tools), template, options)
    tokenizer, model = counted_for.tokenizer, counted_for.model
    is_own = model is None or model.name in _OWN_TEMPLATE.get(template.name, (model.name,))
    parts = list(_parts_of_messages(request.messages, encoding, "" if is_own else "≈"))
    unknown = [
        f"{counted(n, kind)}, which this template does not show"
        for n, kind in (
            (_n_hidden((tool.name for tool in request.tools), encoding), "tool"),
            (_n_hidden(_names_called(request.messages), encoding), "tool call"),
        )
        if n
    ]
    if hidden := [text for m in request.messages if (text := reasoning_of(m).strip()) not in encoding.text]:
        n_tokens = sum(_size(tokenizer, text) for text in hidden)
        unknown.append(f"reasoning that this template leaves out ({counted(n_tokens, 'token')})")
    parts = _with_calls(request.messages, parts)
    if request.tools and "tools" in template.source(has_tools=True):
        parts = _with_tools(request, parts, template, options, encoding)
    how = f"The chat template of {template.name}, rendered as transformers’ apply_chat_template does."
    if not is_own:
        how = f"{counted_for.name}’s own chat template is not here: that of {template.name} is used."
    return ChatCount(counted_for.name, tuple(parts), tuple(unknown), how, encoding)


def _n_hidden(names: Iterator[str], encoding: ChatEncoding) -> int:
    return sum(name not in encoding.text for name in names)


def _names_called(messages: Sequence[Message]) -> Iterator[str]:
    for message in messages:
        for call in calls_of(message):
            yield str(call.get("name", ""))


def _with_calls(messages: Sequence[Message], parts: Sequence[Part]) -> list[Part]:
    """Return the parts with the frame of messages that call tools as calls: the template has them there."""
    found = []
    for part in parts:
        called = [] if part.message is None else calls_of(messages[part.message])
        if part.kind == "frame" and called:
            label = ", ".join(str(call.get("name", "")) for call in called)
            found.append(replace(part, kind="call", label=f"{label}, with its frame"))
        else:
            found.append(part)
    return found


def _with_tools(
    request: ChatRequest,
    parts: Sequence[Part],
    template: JinjaTemplate,
    options: ChatOptions,
    encoding: ChatEncoding,
) -> list[Part]:
    """Return the parts with the tools apart: what the same chat has more tokens than without tools."""
    try:
        without = encode_jinja_chat(request.messages, [], template, options)
    except InvalidInputError:  # a template that refuses the calls of tools which it isn't given
        return [*parts]
    n_left = n_tools = len(encoding.ids) - len(without.ids)
    found = []
    for part in parts:  # tools stand in the frame of the first messages
        n_taken = min(n_left, part.n_tokens) if part.kind == "frame" else 0
        n_left -= n_taken
        if part.n_tokens - n_taken:
            found.append(replace(part, n_tokens=part.n_tokens - n_taken))
    if n_tools <= 0 or n_left:
        return [*parts]
    label = request.tools[0].name if len(request.tools) == 1 else counted(len(request.tools), "tool")
    return [*found, Part("tool", f"{label}, with their frame", n_tools)]


# ---- contents


def _count_contents(request: ChatRequest, counted_for: ChatModel) -> ChatCount:
    tokenizer, model = counted_for.tokenizer, counted_for.model
    encoding, starts = _encode_contents(request.messages, tokenizer)
    is_claude = isinstance(tokenizer, ClaudeTokenizer)
    is_gemini = model is not None and model.name.startswith("Gemini")
    mark: Mark = "≈" if is_claude else ""
    parts: list[Part] = []
    texts: list[tuple[Kind, str, int | None, Sequence[str]]] = []
    for index, message in enumerate(request.messages):
        n_tokens = starts[index + 1] - starts[index]
        if message.role in ("tool", "function") and is_gemini:
            texts.append(("result", message.given_name() or "result", index, _texts_of_result(message)))
        elif n_tokens:
            parts.append(Part(kind_of_role(message.role), message.role, n_tokens, index, mark))
        for call in calls_of(message):
            name = str(call.get("name", ""))
            arguments = call.get("arguments", "")
            if is_gemini:
                texts.append(("call", name, index, [name, *_texts_in(_json_or_text(arguments))]))
            else:
                text = arguments if isinstance(arguments, str) else compact_json(arguments)
                texts.append(("call", name, index, [name, text]))
    unknown = _reasoning_beside(request.messages, tokenizer)
    for tool in request.tools:
        function = read_object(tool.text, f"tool {tool.name}")
        if _is_of_service(function):
            unknown.append(f"the service’s own prompt for {tool.name}")
            continue
        texts.append(("tool", tool.name, None, _texts_of_tool(function) if is_gemini else [tool.text]))
    for kind, label, place, written in texts:
        n_tokens = sum(_size(tokenizer, text) for text in written)
        parts.append(Part(kind, label, n_tokens, place, mark if is_gemini else "≈"))
    if isinstance(tokenizer, ClaudeTokenizer):
        n_frame = tokenizer.generation.n_frame
        parts += [
            Part("frame", f"around {message.role}", n_frame, index, "≈")
            for index, message in enumerate(request.messages)
        ]
        if request.tools:
            unknown.append("Anthropic’s own prompt for tools")
        how = (
            "Anthropic publishes no tokenizer: contents are counted by a reconstruction, and the frame as "
            f"{n_frame} tokens a message, which was measured for one message."
        )
    elif is_gemini:
        how = "Counted as Google’s SDK does: the texts of the request, without a frame around messages."
    else:
        how = f"Only contents are counted: {counted_for.name} has no chat template here."
        unknown.append("the frame around messages")
    return ChatCount(counted_for.name, tuple(parts), tuple(unknown), how, encoding)


def _encode_contents(messages: Sequence[Message], tokenizer: Tokenizer) -> tuple[ChatEncoding, list[int]]:
    """Return the contents, each encoded alone, one after another; and each one's first token, and the end."""
    encodings = [tokenizer.encode(replace_lone_surrogates(message.content)) for message in messages]
    joined = join_encodings(encodings)
    starts = [0]
    for encoding in encodings:
        starts.append(starts[-1] + len(encoding))
    costs = [(len(encoding), 0, 1) for encoding in encodings]
    return ChatEncoding(
        tokenizer=tokenizer,
        text=joined.text,
        ids=tuple(joined),
        lengths=tuple(joined.lengths.tolist()) if len(joined) else (),
        parts=tuple(message.content for message in messages if message.content),
        template_ranges=(),
        message_tokens=tuple(costs),
        marks=marks_of(joined, tokenizer.vocabulary) if len(joined) else NO_MARKS,
    ), starts


def _json_or_text(text: object) -> object:
    try:
        return read_object(text, "") if isinstance(text, str) else text
    except InvalidInputError:
        return text


def _texts_of_result(message: Message) -> list[str]:
    """Return the texts that Google's SDK counts for the result of a tool."""
    response = _json_or_text(message.content)
    wrapped = response if isinstance(response, dict) else {"result": response}
    return [*filter(None, [message.given_name()]), *_texts_in(wrapped)]


def _texts_in(value: object) -> Iterator[str]:
    """Yield the keys and texts in a value, as google/genai/local_tokenizer.py of google-genai 3.6.1 does."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from map(str, value)
        for inner in value.values():
            yield from _texts_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts_in(inner)


def _texts_of_tool(function: Mapping[str, Any]) -> list[str]:
    """Return the texts that Google's SDK counts for the declaration of a function."""
    texts = [str(function[name]) for name in ("name", "description") if function.get(name)]

    def add(schema: object) -> None:
        if not isinstance(schema, dict):
            return
        texts.extend(str(schema[name]) for name in ("format", "description") if schema.get(name))
        for name in ("enum", "required"):
            texts.extend(map(str, schema[name] if isinstance(schema.get(name), list) else ()))
        add(schema.get("items"))
        properties = schema.get("properties")
        for name, value in (properties if isinstance(properties, dict) else {}).items():
            texts.append(name)
            add(value)

    add(function.get("parameters"))
    add(function.get("response"))
    return texts
