"""Run a model's own chat template, a Jinja program, and find each message's content in the result.

Templates come from visitors' files, so `analysis.jinja_chat` runs this in a worker with limits. Jinja's
sandbox gives a template access only to the values it is passed. The environment is that of transformers'
`apply_chat_template`, with which scripts/write_chat_cases.py makes the expected results of the tests.
"""

import contextlib
import json
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.meta import find_undeclared_variables
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from playground.core.errors import InvalidInputError
from playground.core.tokenizer import replace_lone_surrogates

#: Characters that a template may produce for a chat.
MAX_CHARS = 1_000_000
#: Limits of finding where messages end: number of messages, and characters rendered for it.
MAX_ENDS, MAX_END_CHARS = 200, 2_000_000
#: Private-use characters; a pair that the text does not contain marks each message's content.
_PRIVATE, _N_MARKS = range(0xF0000, 0x10F800), 2048
#: Names of a message's reasoning; templates read the first.
_REASONING = ("reasoning_content", "thinking", "reasoning")
_MAX_SHOWN = 300

#: A message as in an API: role, content, tool_calls and so on.
Fields = Mapping[str, Any]


class Rendering(NamedTuple):
    """What a template makes of a chat.

    `contents` are the half-open spans of characters that are message contents, in order; None if the
    template's use of contents hides them. `ends` are the positions at which messages end, None where unknown.
    `variables` are the names that the template reads. `note` says how messages were changed because the
    template fails with them as they are; "" if unchanged.
    """

    text: str
    contents: tuple[tuple[int, int], ...] | None
    ends: tuple[int | None, ...]
    variables: tuple[str, ...]
    note: str = ""


def render(
    template: str,
    messages: Sequence[Fields],
    tools: Sequence[Fields],
    variables: Fields,
    add_generation_prompt: bool = True,
) -> Rendering:
    """Return the text of a chat. Raises InvalidInputError if the template refuses the chat or fails.

    APIs have the arguments of calls as text and no content as null. If a template fails with these, it gets
    them in the form that servers of open models use.

    >>> chatml = "{% for m in messages %}<{{ m.role }}>{{ m.content | trim }}{{ eos }}{% endfor %}"
    >>> rendering = render(chatml, [{"role": "user", "content": " Hi "}], [], {"eos": "</s>"})
    >>> rendering.text, rendering.contents, rendering.ends
    ('<user>Hi</s>', ((6, 8),), (12,))
    """
    program = _program(template)
    given = {"documents": None, **variables, "tools": [*tools] or None}

    def run(chat: Sequence[Fields], *, answers: bool) -> str:
        return _run(program, {**given, "messages": [*chat], "add_generation_prompt": answers})

    note, messages, text = _first_taken(messages, lambda chat: run(chat, answers=add_generation_prompt))
    return Rendering(
        text,
        _find_contents(text, messages, lambda marked: run(marked, answers=add_generation_prompt)),
        tuple(_iter_ends(text, messages, run, answers=add_generation_prompt)),
        _names_asked_for(template, {*given, "messages", "add_generation_prompt"}),
        note,
    )


def check_template(template: str) -> None:
    """Raise InvalidInputError if a template cannot be parsed."""
    _program(template)


class _Run(Protocol):
    """Renders a chat, including the start of an answer if `answers`."""

    def __call__(self, chat: Sequence[Fields], *, answers: bool) -> str: ...


class _Generation(Extension):
    """The tag `{% generation %}` around an assistant's words; it changes no text."""

    tags = {"generation"}  # noqa: RUF012 - as Jinja declares it

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.Scope(body, lineno=line)


class _RefusedError(jinja2.TemplateError):
    """A template has called `raise_exception`."""


class _Namespace(Namespace):
    """Jinja's namespace without attributes that begin with an underscore."""

    def __init__(*args: Any, **attributes: Any) -> None:
        self, *given = args
        for name in (found := dict(*given, **attributes)):
            _check_name(name)
        Namespace.__init__(self, found)

    def __setitem__(self, name: str, value: Any) -> None:
        _check_name(name)
        Namespace.__setitem__(self, name, value)


def _check_name(name: object) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise jinja2.exceptions.SecurityError(f"a namespace has no attribute {name!r}")


class _Dict:
    """`dict` for templates: only the constructor."""

    def __call__(self, *args: Any, **items: Any) -> dict[Any, Any]:
        return dict(*args, **items)


def _raise_exception(message: object) -> None:
    raise _RefusedError(str(message))


def _to_json(
    value: object,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Convert to JSON without the HTML escapes of Jinja's own filter."""
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def _strftime_now(form: str) -> str:
    return datetime.now().strftime(form)


def _environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, "jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = _to_json
    environment.globals.update(
        raise_exception=_raise_exception, strftime_now=_strftime_now, namespace=_Namespace, dict=_Dict()
    )
    return environment


@lru_cache(maxsize=8)
def _program(template: str) -> jinja2.Template:
    try:
        return _environment().from_string(template)
    except jinja2.TemplateSyntaxError as error:
        raise InvalidInputError(
            f"the chat template cannot be read: {_short(error.message)} (line {error.lineno:,})"
        ) from None
    except MemoryError:
        raise
    except Exception as error:  # Python's compiler has limits of its own
        raise InvalidInputError(f"the chat template cannot be read: {_reason(error)}") from None


def _run(program: jinja2.Template, given: Fields) -> str:
    parts: list[str] = []
    n_chars = 0
    try:
        for part in program.generate(given):
            parts.append(part)
            n_chars += len(part)
            if n_chars > MAX_CHARS:
                break
    except _RefusedError as error:
        raise InvalidInputError(f"the chat template refuses this chat: {_short(str(error))}") from None
    except MemoryError:
        raise
    except Exception as error:  # a template may raise any error
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)
                 if frame.filename == "<template>"]  # fmt: skip
        place = f" (line {lines[-1]:,})" if lines else ""
        raise InvalidInputError(f"the chat template fails: {_reason(error)}{place}") from None
    if n_chars > MAX_CHARS:
        raise InvalidInputError(f"the chat template makes over {MAX_CHARS:,} characters, the limit")
    return replace_lone_surrogates("".join(parts))


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return _short(str(error) or type(error).__name__)


def _short(message: str | None) -> str:
    line = " ".join((message or "no reason is given").split())
    return line if len(line) <= _MAX_SHOWN else f"{line[:_MAX_SHOWN]}…"


def _without_none(message: Fields) -> dict[str, Any]:
    """Remove null fields and give the reasoning all its names, as apply_chat_template does."""
    found = {name: value for name, value in message.items() if value is not None}
    reasoning = next((found[name] for name in _REASONING if name in found), None)
    return found if reasoning is None else {"thinking": reasoning, **found, "reasoning_content": reasoning}


def _is_split(message: Fields) -> bool:
    """Whether a content is a list of texts."""
    content = message.get("content")
    return (
        isinstance(content, list)
        and bool(content)
        and all(isinstance(part, dict) and isinstance(part.get("text"), str) for part in content)
    )


def _with_joined_texts(message: Fields) -> dict[str, Any]:
    """Join a content of several texts, as servers do for templates that take one text."""
    if not _is_split(message):
        return {**message}
    return {**message, "content": "".join(part["text"] for part in message["content"])}


def _with_null_content(message: Fields) -> dict[str, Any]:
    return {"content": None, **message} if "tool_calls" in message else {**message}


def _with_read_arguments(message: Fields) -> dict[str, Any]:
    """Parse the JSON text of call arguments."""
    calls = message.get("tool_calls")
    if not isinstance(calls, list):
        return {**message}
    return {**message, "tool_calls": [_with_read(call) for call in calls]}


def _with_read(call: Any) -> Any:
    function = call.get("function") if isinstance(call, dict) else None
    arguments = function.get("arguments") if isinstance(function, dict) else None
    if not isinstance(function, dict) or not isinstance(arguments, str):
        return call
    try:
        return {**call, "function": {**function, "arguments": json.loads(arguments)}}
    except (ValueError, RecursionError):
        return call


#: Changes to messages for templates that fail with them: the note for each, and the change.
_WAYS: Sequence[tuple[str, Callable[[Fields], dict[str, Any]]]] = (
    (
        "The arguments of calls are given as objects: this template fails with them as text.",
        _with_read_arguments,
    ),
    (
        "A call’s message is given with a content of null: this template fails without one.",
        _with_null_content,
    ),
    (
        "The arguments of calls are given as objects, beside a content of null: "
        "this template fails otherwise.",
        lambda message: _with_null_content(_with_read_arguments(message)),
    ),
)


_JOINED = "The several texts of a message are joined without a separator: this template does not take a list."


def _first_taken(
    messages: Sequence[Fields], run: Callable[[Sequence[Fields]], str]
) -> tuple[str, Sequence[Fields], str]:
    """Return the note, the messages and their text for the first change with which a template works."""
    plain = [_without_none(message) for message in messages]
    note, texts = "", [part["text"] for m in plain if _is_split(m) for part in m["content"]]
    if texts:
        with contextlib.suppress(InvalidInputError):
            text = run(plain)
            if all(part.strip() in text for part in texts) and "'type': 'text'" not in text:
                return "", plain, text
        note, plain = _JOINED, [_with_joined_texts(message) for message in plain]
    try:
        return note, plain, run(plain)
    except InvalidInputError:
        for said, way in _WAYS:
            chat = [way(message) for message in plain]
            if chat != plain:
                with contextlib.suppress(InvalidInputError):
                    return " ".join(filter(None, (note, said))), chat, run(chat)
        raise


def _names_asked_for(template: str, given: set[str]) -> tuple[str, ...]:
    program = _environment().parse(template)
    made = {name.name for name in program.find_all(nodes.Name) if name.ctx != "load"}
    return tuple(sorted(find_undeclared_variables(program) - given - made))


def _find_contents(
    text: str, messages: Sequence[Fields], run: Callable[[Sequence[Fields]], str]
) -> tuple[tuple[int, int], ...] | None:
    """Find contents by rendering again with marks around them, which must change nothing else.

    For templates that trim contents, the marks are inside the surrounding white space.
    """
    texts = [whole if (whole := _text_of(message)).strip() else "" for message in messages]
    used = {(ord(character) - _PRIVATE.start) // _N_MARKS for character in text}
    free = (n for n in range(len(_PRIVATE) // _N_MARKS) if n not in used)
    marks_start = _PRIVATE.start + _N_MARKS * next(free, 0)
    if 2 * len(texts) > _N_MARKS:
        return None
    for words in (texts, [whole.strip() for whole in texts]):
        marked = []
        for place, (message, word) in enumerate(zip(messages, words, strict=True)):
            before, after = chr(marks_start + 2 * place), chr(marks_start + 2 * place + 1)
            if word and _is_split(message):
                marked.append({**message, "content": _around(message["content"], before, after)})
            elif word:
                new = message["content"].replace(word, f"{before}{word}{after}", 1)
                marked.append({**message, "content": new})
            else:
                marked.append({**message})
        try:
            plain, marks = _take_marks_out(run(marked), marks_start)
        except InvalidInputError:
            continue
        if plain == text:
            return tuple(sorted(_iter_spans(text, words, marks)))
    return None


def _text_of(message: Fields) -> str:
    content = message.get("content")
    if _is_split(message):
        return "".join(part["text"] for part in message["content"])
    return content if isinstance(content, str) else ""


def _around(parts: Sequence[Fields], before: str, after: str) -> list[Fields]:
    """Put marks before the first and after the last of several texts."""
    first = [{**parts[0], "text": before + parts[0]["text"]}, *parts[1:]]
    return [*first[:-1], {**first[-1], "text": first[-1]["text"] + after}]


def _take_marks_out(found: str, marks_start: int) -> tuple[str, list[tuple[int, int]]]:
    """Return a text without marks, and each mark with its position."""
    plain: list[str] = []
    marks: list[tuple[int, int]] = []
    for character in found:
        if 0 <= (mark := ord(character) - marks_start) < _N_MARKS:
            marks.append((mark, len(plain)))
        else:
            plain.append(character)
    return "".join(plain), marks


def _iter_spans(
    text: str, words: Sequence[str], marks: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Yield the spans between two marks; for a truncated content, the part next to its remaining mark."""
    started: dict[int, int] = {}
    for mark, place in marks:
        message, is_end = divmod(mark, 2)
        if not is_end:
            started[message] = place
        elif message in started:
            yield started.pop(message), place
        else:
            word, n = words[message], 0
            while n < len(word) and place - n > 0 and text[place - n - 1] == word[-n - 1]:
                n += 1
            yield place - len(word[len(word) - n :].lstrip()), place
    for message, place in started.items():
        word, n = words[message], 0
        while n < len(word) and text[place + n : place + n + 1] == word[n]:
            n += 1
        yield place, place + n


def _iter_ends(text: str, messages: Sequence[Fields], run: "_Run", *, answers: bool) -> Iterator[int | None]:
    """Yield where each message ends, where the text starts as the messages so far or ends as the others."""
    n_chars, last = 0, 0

    def rendered(part: Sequence[Fields], *, answers: bool) -> str:
        nonlocal n_chars
        if len(messages) > MAX_ENDS or n_chars > MAX_END_CHARS:
            return ""
        try:
            found = run(part, answers=answers)
        except InvalidInputError:
            return ""
        n_chars += len(found)
        return found

    for n in range(1, len(messages) + 1):
        first = rendered(messages[:n], answers=False)
        end = len(first) if first and text.startswith(first) else -1
        if end < last and n < len(messages):
            rest = rendered(messages[n:], answers=answers)
            end = len(text) - len(rest) if rest and text.endswith(rest) else -1
        if end >= last:
            last = end
        yield end if end >= last else None


def render_turns(
    template: str,
    conversations: Sequence[tuple[Sequence[Fields], Sequence[Fields]]],
    variables: Fields,
) -> list[list[tuple[str, str]] | str]:
    """Return for each conversation, messages and tools, the texts of each answer; or why it was refused.

    The texts of an answer are the prompt that the model gets for it, and the prompt with the answer.

    >>> chatml = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"
    >>> chat = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    >>> render_turns(chatml, [(chat, [])], {})
    [[('<user>a', '<user>a<assistant>b')]]
    """
    program = _program(template)
    found: list[list[tuple[str, str]] | str] = []
    for messages, tools in conversations:
        given = {"documents": None, **variables, "tools": [*tools] or None}

        def run(chat: Sequence[Fields], *, answers: bool, given: Fields = given) -> str:
            fields = {**given, "messages": [*chat], "add_generation_prompt": answers}
            return _first_taken(chat, lambda taken: _run(program, {**fields, "messages": [*taken]}))[2]

        try:
            found.append(
                [
                    (run(messages[:n], answers=True), run(messages[: n + 1], answers=False))
                    for n, message in enumerate(messages)
                    if message["role"] == "assistant"
                ]
            )
        except InvalidInputError as error:
            found.append(str(error))
    return found
