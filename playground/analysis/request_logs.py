"""Read logs of requests: JSON Lines of requests, and the session files of Claude Code and Codex.

`read_log` returns the turns of a log, each with the request as it was sent: all messages that the model got
for one answer. Lines that cannot be read are named and left out.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from playground.analysis.chat import Message
from playground.analysis.chat_requests import ChatRequest, har_exchanges, iter_chat_requests, request_of
from playground.core.errors import InvalidInputError
from playground.core.wording import counted

#: Limits of a log: its turns, and the problems that are named.
MAX_TURNS, MAX_PROBLEMS = 5_000, 20


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens that the service has reported for a request; None for what it hasn't."""

    n_input: int
    n_cache_read: int | None = None
    n_cache_write: int | None = None
    n_output: int | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One request of a log: when or what it was, the request, and what the service has reported of it."""

    title: str
    request: ChatRequest
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Log:
    """The turns of a log, what the log is, the lines that were left out, and what it never holds."""

    form: str
    turns: tuple[Turn, ...]
    problems: tuple[str, ...] = ()
    never_held: str = ""


def read_log(text: str) -> Log:
    """Read a request or a log. Raises InvalidInputError if there is nothing in it that can be read.

    >>> log = read_log('{"messages": [{"role": "user", "content": "Hi"}]}\\n' * 2)
    >>> log.form, [turn.title for turn in log.turns]
    ('requests', ['request 1', 'request 2'])
    """
    rows, bad = _rows(text)
    if len(rows) < 2 or len(bad) > len(rows):  # one value, or no JSON Lines: code, a curl command
        if (exchanges := _har(text)) is not None:
            log = _requests([*enumerate(exchanges, 1)], [], row="exchange", form="requests of a HAR file")
            if not log.turns:
                raise InvalidInputError("this HAR file has no request to a chat API")
            return log
        requests = [*iter_chat_requests(text)]
        if len(requests) == 1:
            return Log(requests[0].form, (Turn("the request", requests[0], _usage_of_row(rows)),))
        return Log("requests", tuple(Turn(f"request {each.number}", each) for each in requests))
    values = [value for _, value in rows]
    if any("sessionId" in value and "type" in value for value in values):
        log = _Session(bad).claude_code(rows)
    elif any(value.get("type") in ("session_meta", "response_item") for value in values):
        log = _Session(bad).codex(rows)
    elif all("role" in value or "parts" in value for value in values):
        log = Log("a list of messages", (Turn("the messages", request_of(values)),), _named(bad))
    else:
        log = _requests(rows, bad)
    if not log.turns:
        raise InvalidInputError(f"no request was found in this log. {' '.join(log.problems)}".strip())
    return log


_Rows = Sequence[tuple[int, dict[str, Any]]]


def _har(text: str) -> list[dict[str, Any]] | None:
    """Return the exchanges of a HAR file; None for another text."""
    try:
        return har_exchanges(json.loads(text.removeprefix("\ufeff"))) if '"entries"' in text else None
    except (ValueError, RecursionError):
        return None


def _rows(text: str) -> tuple[list[tuple[int, dict[str, Any]]], list[str]]:
    """Return the objects of JSON Lines with their line numbers, and the lines that are none."""
    rows: list[tuple[int, dict[str, Any]]] = []
    bad: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            bad.append(f"line {number:,}: left out, {getattr(error, 'msg', 'nested too deeply')}")
            if len(bad) > MAX_PROBLEMS and not rows:
                break  # a text of another kind
            continue
        if isinstance(value, dict):
            rows.append((number, value))
        else:
            bad.append(f"line {number:,}: not a JSON object")
    return rows, bad


def _named(bad: Sequence[str]) -> tuple[str, ...]:
    more = [f"and {counted(len(bad) - MAX_PROBLEMS, 'line')} more"] if len(bad) > MAX_PROBLEMS else []
    return (*bad[:MAX_PROBLEMS], *more)


def _requests(rows: _Rows, bad: list[str], row: str = "line", form: str = "requests") -> Log:
    turns: list[Turn] = []
    for number, value in rows:
        try:
            request = request_of(value)
        except InvalidInputError as error:
            bad.append(f"{row} {number:,}: {error}")
            continue
        title = value.get("timestamp") or value.get("custom_id") or f"request {len(turns) + 1}"
        turns.append(Turn(str(title)[:60], request, _usage_of(value)))
        if len(turns) == MAX_TURNS:
            bad.append(f"only the first {MAX_TURNS:,} requests are read")
            break
    return Log(form, tuple(turns), _named(bad))


def _usage_of_row(rows: _Rows) -> Usage | None:
    return _usage_of(rows[0][1]) if rows else None


def _usage_of(value: Mapping[str, Any]) -> Usage | None:
    """Return the usage that a row has beside its request: its own, or that of a response in it."""
    for holder in (value, value.get("response"), value.get("message")):
        if not isinstance(holder, dict):
            continue
        body = holder.get("body")
        for each in (holder, body if isinstance(body, dict) else {}):
            for name in ("usage", "usageMetadata", "usage_metadata"):
                if isinstance(each.get(name), dict) and (found := _read_usage(each[name])):
                    return found
    return None


def _read_usage(usage: Mapping[str, Any]) -> Usage | None:
    """Return a usage of OpenAI, Anthropic or Google; Anthropic's input leaves cached tokens out.

    >>> _read_usage({"input_tokens": 5, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 3})
    Usage(n_input=98, n_cache_read=90, n_cache_write=3, n_output=None)
    """

    def number(*names: str) -> int | None:
        found = (usage.get(name) for name in names)
        return next((n for n in found if isinstance(n, int) and not isinstance(n, bool)), None)

    n_input = number("input_tokens", "prompt_tokens", "promptTokenCount", "prompt_token_count")
    if n_input is None:
        return None
    n_output = number("output_tokens", "completion_tokens", "candidatesTokenCount", "candidates_token_count")
    n_read, n_write = number("cache_read_input_tokens"), number("cache_creation_input_tokens")
    if n_read is not None or n_write is not None:
        return Usage(n_input + (n_read or 0) + (n_write or 0), n_read, n_write, n_output)
    details = usage.get("prompt_tokens_details") or usage.get("input_tokens_details")
    inner = details.get("cached_tokens") if isinstance(details, dict) else None
    cached = number("cached_input_tokens", "cachedContentTokenCount", "cached_content_token_count")
    return Usage(n_input, inner if isinstance(inner, int) else cached, None, n_output)


@dataclass(slots=True)
class _Session:
    """Collects the turns of an agent's session."""

    bad: list[str]
    turns: list[Turn] = field(default_factory=list)

    def _read(self, number: int, items: Mapping[str, Any]) -> tuple[Message, ...]:
        try:
            return request_of(items).messages
        except InvalidInputError as error:
            self.bad.append(f"line {number:,}: {error}")
            return ()

    def _add(self, turn: Turn) -> None:
        if len(self.turns) < MAX_TURNS:
            self.turns.append(turn)

    # ---- Claude Code: a line a message, or a part of one; each names the line before it

    def claude_code(self, rows: _Rows) -> Log:
        """Read ~/.claude/projects/…/….jsonl: `user` and `assistant` lines in a tree by `parentUuid`."""
        parents: dict[str, str | None] = {}
        messages: dict[str, tuple[Message, ...]] = {}
        context: list[Message] = []
        inside: set[str] = set()  # the lines of the context
        last: str | None = None
        answered = ""
        n_aside = 0
        for number, row in rows:
            uuid, parent = row.get("uuid"), row.get("parentUuid")
            if row.get("isSidechain") is True:
                n_aside += 1
                continue
            said = row.get("message")
            if isinstance(uuid, str):
                parents[uuid] = parent if isinstance(parent, str) else None
                # Results of parallel calls name the lines of their calls, which belong to one answer.
                is_beside = parent in inside and (row.get("type") == "assistant" or _has_result(said))
                if parents[uuid] != last and not is_beside:  # rewound, resumed or compacted
                    line = _chain(parents[uuid], parents)
                    context = [each for one in line for each in messages.get(one, ())]
                    inside = set(line)
                inside.add(uuid)
                last = uuid
            if row.get("type") not in ("user", "assistant") or not isinstance(said, dict):
                continue
            if row["type"] == "assistant":
                identity = str(said.get("id") or uuid)
                if identity != answered and said.get("model") != "<synthetic>":
                    answered = identity
                    usage = said.get("usage")
                    self._add(
                        Turn(
                            str(row.get("timestamp") or f"turn {len(self.turns) + 1}")[:60],
                            ChatRequest(tuple(context), model=str(said.get("model") or "")),
                            _read_usage(usage) if isinstance(usage, dict) else None,
                        )
                    )
            read = self._read(number, {"messages": [said]})
            context.extend(read)
            if isinstance(uuid, str):
                messages[uuid] = read
        if n_aside:
            self.bad.append(f"{counted(n_aside, 'line')} of subagents, which have contexts of their own")
        return Log(
            "a session of Claude Code",
            tuple(self.turns),
            _named(self.bad),
            "the system prompt and the tools, which Claude Code does not log",
        )

    # ---- Codex: the items of the Responses API, and the tokens after each request

    def codex(self, rows: _Rows) -> Log:
        """Read ~/.codex/sessions/…/rollout-….jsonl: a `type` and a `payload` each line."""
        context: list[Message] = []
        answer: list[Any] = []  # the items that the model has made since the last request
        model, n_sent = "", 0
        for number, row in rows:
            payload = row.get("payload")
            payload = payload if isinstance(payload, dict) else row
            kind = row.get("type")
            if kind == "session_meta":
                said = payload.get("base_instructions") or payload.get("instructions")
                said = said.get("text") if isinstance(said, dict) else said
                if isinstance(said, str) and said:
                    context.append(Message("system", said))
            elif kind == "turn_context":
                model = str(payload.get("model") or model)
            elif kind == "compacted":
                kept = payload.get("replacement_history")
                context = list(self._read(number, {"input": kept})) if isinstance(kept, list) else []
                n_sent, answer = len(context), []
            elif kind == "response_item":
                if payload.get("type") in _BY_MODEL or payload.get("role") == "assistant":
                    if not answer:
                        n_sent = len(context)
                    answer.append(payload)
                    continue
                if answer:
                    context.extend(self._read(number, {"input": answer}))
                    answer = []
                context.extend(self._read(number, {"input": [payload]}))
            elif payload.get("type") == "token_count" and isinstance(payload.get("info"), dict):
                usage = payload["info"].get("last_token_usage")
                if n_sent and isinstance(usage, dict):
                    self._add(
                        Turn(
                            str(row.get("timestamp") or f"turn {len(self.turns) + 1}")[:60],
                            ChatRequest(tuple(context[:n_sent]), model=model),
                            _read_usage(usage),
                        )
                    )
                    n_sent = 0
        if not self.turns and context:
            self._add(Turn("the end of the session", ChatRequest(tuple(context), model=model)))
        return Log(
            "a session of Codex",
            tuple(self.turns),
            _named(self.bad),
            "the definitions of the tools, which Codex does not log",
        )


#: Items of the Responses API that the model has made.
_BY_MODEL = frozenset(
    {"reasoning", "function_call", "custom_tool_call", "local_shell_call", "web_search_call"}
)


def _has_result(said: object) -> bool:
    content = said.get("content") if isinstance(said, dict) else None
    return isinstance(content, list) and any(
        isinstance(part, dict) and part.get("type") == "tool_result" for part in content
    )


def _chain(uuid: str | None, parents: Mapping[str, str | None]) -> list[str]:
    """Return the lines from the beginning of a conversation to one of its lines."""
    line: dict[str, None] = {}
    while uuid is not None and uuid not in line:
        line[uuid] = None
        uuid = parents.get(uuid)
    return [*reversed(line)]
