"""Check a chat template: does each turn stay a prefix of the next, and can a text forge a role?

Servers keep the computed prefix of a conversation, and trainers join turns, so a template that changes
earlier turns costs time in both. The conversations have tools, reasoning, an empty system prompt, several
results of tools and several answers.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

from playground.analysis.cache_diff import AROUND, MERGED, common_length
from playground.analysis.chat_templates import MEMORY_BYTES, JinjaTemplate
from playground.bpe.special_tokens import special_finder
from playground.core.wording import counted
from playground.workers import pool

#: Seconds of the worker for all conversations.
_SECONDS = 20.0
_TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Get the weather.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation to check a template with: what it has, and its messages and tools."""

    title: str
    messages: tuple[Mapping[str, Any], ...]
    tools: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Break:
    """A turn that is no beginning of what follows it: the common text before the place, and both texts there.

    `is_prompt` tells that the prompt for an answer is not the beginning of the prompt with that answer.
    """

    title: str
    answer: int
    cause: str
    before: str
    old: str
    new: str
    is_prompt: bool


@dataclass(frozen=True, slots=True)
class TemplateReport:
    """What a template does to the conversations.

    `n_kept` of the `n_turns` turns stay a prefix. `refused` has the conversations that the template does not
    take, with its reason. `forged` names the roles whose text can forge special tokens. `has_generation`
    tells that the template marks what is trained; without marks a trainer takes what follows each prompt:
    `n_trained` of all `n_tokens`, unknown (None) with marks. `lost` has the conversations of which no part of
    the last answer is left when a row is cut at `cut_at` tokens.
    """

    name: str
    n_conversations: int
    n_turns: int
    n_kept: int
    breaks: tuple[Break, ...]
    refused: tuple[tuple[str, str], ...]
    forged: tuple[str, ...]
    has_generation: bool
    n_tokens: int
    n_trained: int | None
    cut_at: int | None
    lost: tuple[str, ...]


def conversations() -> Iterator[Conversation]:
    """Yield the conversations that a template is checked with."""
    systems = {"no system prompt": None, "an empty system prompt": "", "a system prompt": "Be brief."}
    uses = {"no tools": 0, "a call of a tool": 1, "two results of tools": 2}
    endings = {"one answer": 1, "two answers": 2, "three answers": 3}
    for system, has_reasoning, use, ending in product(systems, (False, True), uses, endings):
        said = systems[system]
        messages: list[Mapping[str, Any]] = [] if said is None else [{"role": "system", "content": said}]
        thought = {"reasoning_content": "The user asks."} if has_reasoning else {}
        for n in range(endings[ending]):
            messages.append({"role": "user", "content": f"Question {n + 1}?"})
            if uses[use] and n == 0:
                calls = [
                    {
                        "id": f"call{k:05}",
                        "type": "function",
                        "function": {"name": "get_weather", "arguments": f'{{"city": "Oslo {k}"}}'},
                    }
                    for k in range(uses[use])
                ]
                messages.append({"role": "assistant", "content": "", **thought, "tool_calls": calls})
                messages += [
                    {"role": "tool", "name": "get_weather", "tool_call_id": call["id"], "content": "21 °C"}
                    for call in calls
                ]
            messages.append({"role": "assistant", "content": f"Answer {n + 1}.", **thought})
        title = ", ".join([system, "reasoning" if has_reasoning else "no reasoning", use, ending])
        yield Conversation(title, tuple(messages), (_TOOL,) if uses[use] else ())


def check_template(template: JinjaTemplate, *, cut_at: int | None = None) -> TemplateReport:
    """Check a template with all conversations, and say which lose their answer when cut at so many tokens.

    Raises InvalidInputError and LimitExceededError.
    """
    checked = [*conversations()]
    source = template.source(has_tools=False)
    variables = dict(template.config.names)
    rendered: Sequence[list[tuple[str, str]] | str] = pool.run(
        "playground.catalog.jinja_rendering.render_turns",
        source, [(each.messages, each.tools) for each in checked], variables,
        what=f"the check of {template.name}", seconds=_SECONDS, memory_bytes=MEMORY_BYTES,
    )  # fmt: skip
    breaks: list[Break] = []
    refused = []
    n_turns = n_kept = n_tokens = n_trained = 0
    special = frozenset(template.tokenizer.special_tokens)

    @cache
    def ids_of(text: str) -> tuple[int, ...]:
        return tuple(template.tokenizer.encode(text, allowed_special=special))

    lost = []
    for conversation, turns in zip(checked, rendered, strict=True):
        if isinstance(turns, str):
            refused.append((conversation.title, turns))
            continue
        n_prompt = n_whole = 0
        for n, (prompt, whole) in enumerate(turns):
            n_turns += 1
            n_prompt, n_whole = (len(ids_of(text)) for text in (prompt, whole))
            n_trained += max(n_whole - n_prompt, 0)
            following = turns[n + 1][0] if n + 1 < len(turns) else whole
            found = [
                _break(conversation.title, n, old, new, is_prompt=is_prompt)
                for old, new, is_prompt in ((prompt, whole, True), (whole, following, False))
                if ids_of(new)[: len(ids_of(old))] != ids_of(old)
            ]
            n_kept += not found
            breaks += found
        n_tokens += n_whole
        if cut_at is not None and n_prompt >= cut_at:
            lost.append(conversation.title)
    has_generation = "generation %}" in source
    return TemplateReport(
        template.name, len(checked), n_turns, n_kept, tuple(breaks), tuple(refused),
        tuple(_forged(template, source, variables)), has_generation, n_tokens,
        None if has_generation else n_trained, cut_at, tuple(lost),
    )  # fmt: skip


def describe_template(report: TemplateReport) -> str:
    """Return what a template does to conversations: a line for each cause, with an example."""
    lines = [
        f"{report.name}: {report.n_kept} of {counted(report.n_turns, 'turn')} in "
        f"{counted(report.n_conversations, 'conversation')} stay a prefix of what follows"
    ]
    causes: dict[str, list[Break]] = {}
    for each in report.breaks:
        causes.setdefault(each.cause, []).append(each)
    for cause, breaks in causes.items():
        first = breaks[0]
        lines += [
            f"  {len(breaks)} times: {cause}",
            f"    such as answer {first.answer} with {first.title}",
            f"    - {json.dumps(first.before[-30:] + first.old[:50], ensure_ascii=False)}",
            f"    + {json.dumps(first.before[-30:] + first.new[:50], ensure_ascii=False)}",
        ]
    if report.refused:
        title, reason = report.refused[0]
        lines.append(f"  {counted(len(report.refused), 'conversation')} refused, such as {title}: {reason}")
    if report.forged:
        lines.append(f"  a text of {' and '.join(report.forged)} can forge the special tokens of a role")
    lines.append(
        "  trained: what {% generation %} marks"
        if report.n_trained is None
        else f"  trained: {report.n_trained:,} of {report.n_tokens:,} tokens, what follows each prompt; the "
        "template has no {% generation %}"
    )
    if report.cut_at is not None:
        kept = f"no row loses its last answer when cut at {report.cut_at:,} tokens"
        some = (
            f"{counted(len(report.lost), 'row')} without the last answer when cut at {report.cut_at:,} tokens"
        )
        lines.append(f"  {some}, such as {report.lost[0]}" if report.lost else f"  {kept}")
    return "\n".join(lines)


def _break(title: str, answer: int, old: str, new: str, *, is_prompt: bool) -> Break:
    same = common_length(old, new)
    window = old[max(same - 20, 0) : same + 200]
    if new.startswith(old):
        cause = MERGED
    elif is_prompt:
        cause = "the prompt for the answer ends in a text that the answer in the history does not have"
    elif "The user asks." in window and "The user asks." not in new[max(same - 20, 0) : same + 200]:
        cause = "the reasoning of an earlier answer was removed"
    elif "<think>" in window:
        cause = "<think> … </think> of an earlier answer was removed"
    elif old[same:].strip() == "" or new[same : same + 1].isspace():
        cause = "white space at the end of an answer"
    else:
        cause = "an earlier turn is written differently"
    return Break(
        title, answer + 1, cause, old[max(same - AROUND, 0) : same], old[same : same + AROUND],
        new[same : same + AROUND], is_prompt,
    )  # fmt: skip


def _forged(template: JinjaTemplate, source: str, variables: Mapping[str, Any]) -> Iterator[str]:
    """Yield the roles whose text reaches the prompt with a special token in it, which is then that token."""
    [plain] = pool.run(
        "playground.catalog.jinja_rendering.render_turns",
        source, [(({"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}), ())], variables,
        what=f"the check of {template.name}", seconds=_SECONDS, memory_bytes=MEMORY_BYTES,
    )  # fmt: skip
    used = (
        []
        if isinstance(plain, str)
        else special_finder(template.tokenizer.special_tokens).spelled(plain[0][1])
    )
    if not used:
        return
    attack = "".join([*used])
    call = {"id": "call00000", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
    chats = {
        "user": [{"role": "user", "content": attack}, {"role": "assistant", "content": "b"}],
        "tool": [
            {"role": "user", "content": "a"},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "name": "get_weather", "tool_call_id": "call00000", "content": attack},
            {"role": "assistant", "content": "b"},
        ],
    }
    found = pool.run(
        "playground.catalog.jinja_rendering.render_turns",
        source, [(messages, (_TOOL,)) for messages in chats.values()], variables,
        what=f"the check of {template.name}", seconds=_SECONDS, memory_bytes=MEMORY_BYTES,
    )  # fmt: skip
    for role, turns in zip(chats, found, strict=True):
        if not isinstance(turns, str) and any(attack in whole for _, whole in turns):
            yield role
