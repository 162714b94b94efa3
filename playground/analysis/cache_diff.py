"""Why a prompt cache missed: where two requests part, what differs there, and what it costs.

A cache holds prefixes: tools, then the system prompt, then the messages. The rules of the makers were read on
28 November 2026: developers.openai.com/api/docs/guides/prompt-caching, platform.claude.com "Prompt caching"
with dev.to/creeta for the minima of the newest models, and ai.google.dev/gemini-api/docs/caching.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, NamedTuple

from playground.analysis.chat import ChatEncoding, Message
from playground.analysis.chat_requests import ChatRequest, reasoning_of
from playground.catalog.models import Model
from playground.core.wording import counted

#: Characters that are shown before and after the place where two requests part.
AROUND = 80


class Block(NamedTuple):
    """A part of a request that is compared: a tool, or a message."""

    kind: str
    label: str
    text: str
    message: Message | None = None


@dataclass(frozen=True, slots=True)
class CacheDiff:
    """How much of a request is the beginning of the one after it.

    `n_shared` are tokens of the common beginning, `n_lost` those after it that the first request had already
    sent. `place` names the part in which the two differ, and `cause` says why; both are "" if the whole first
    request is a beginning. `before` is the common text there; `old` and `new` follow it. `n_cacheable` are
    the shared tokens that the maker's `rule` lets a cache keep; None without a known rule. `lost_dollars` is
    what `n_lost` cost more than from the cache.
    """

    n_shared: int
    n_lost: int
    place: str = ""
    cause: str = ""
    before: str = ""
    old: str = ""
    new: str = ""
    n_cacheable: int | None = None
    rule: str = ""
    lost_dollars: float | None = None

    @property
    def is_kept(self) -> bool:
        """Whether the whole first request is the beginning of the second."""
        return not self.place


def blocks_of(request: ChatRequest) -> list[Block]:
    """Return the parts of a request in the order of a cache."""
    tools = [Block("tool", tool.name, tool.text) for tool in request.tools]
    return [*tools, *(Block(m.role, m.role, m.content, m) for m in request.messages)]


def cache_diff(
    first: ChatRequest,
    second: ChatRequest,
    model: Model | None,
    *,
    n_tokens_of: Sequence[int],
    n_same: int,
    ids_of: Callable[[str], Sequence[int]],
    ratio: float = 1.0,
) -> CacheDiff:
    """Compare a request with the one after it.

    `n_tokens_of` are the tokens of each block of the first request, `n_same` is the number of equal blocks at
    the beginning, and `ids_of` encodes a text into ids that count `ratio` tokens each.
    """
    n_shared, n_lost = sum(n_tokens_of[:n_same]), 0
    place = cause = before = shown_old = shown_new = ""
    if n_same < len(n_tokens_of):
        old, new = blocks_of(first), blocks_of(second)
        part = old[n_same]
        place = _named(old, n_same)
        if n_same == len(new):
            cause = "the second request ends here: it is shorter"
        else:
            same = common_length(part.text, new[n_same].text)
            ids, others = (ids_of(each.text) if same else () for each in (part, new[n_same]))
            n_same_ids = common_length(ids, others)
            n_shared += round(n_same_ids * ratio)
            before = part.text[max(same - AROUND, 0) : same]
            shown_old, shown_new = (each.text[same : same + AROUND] for each in (part, new[n_same]))
            cause = _cause(old, new, n_same, same)
            if part.text and same == len(part.text) and cause in (_SYSTEM_EDITED, _MESSAGE_EDITED):
                cause = MERGED if n_same_ids < len(ids) else "the text goes on here"
        n_lost = max(sum(n_tokens_of) - n_shared, 0)
    n_cacheable, rule = cacheable(n_shared, model)
    lost = _lost_dollars(n_lost, model) if place else None
    return CacheDiff(n_shared, n_lost, place, cause, before, shown_old, shown_new, n_cacheable, rule, lost)


def rendered_diff(
    request: ChatRequest, first: ChatEncoding, second: ChatEncoding, by_parts: CacheDiff, model: Model | None
) -> CacheDiff:
    """Compare a request with the one after it by the ids that their own template gives.

    `by_parts` compares them without the template, which may write an earlier turn in another way although
    both requests have the same messages.
    """
    n_shared = common_length(first.ids, second.ids)
    n_opening = first.n_template - sum(n_frame for _, n_frame, _ in first.message_tokens)
    n_before_opening = len(first.ids) - n_opening
    n_lost = max(n_before_opening - n_shared, 0)
    n_cacheable, rule = cacheable(n_shared, model)
    if not n_lost:
        return CacheDiff(n_shared, 0, n_cacheable=n_cacheable, rule=rule)
    lost = _lost_dollars(n_lost, model)
    if by_parts.place:
        return replace(
            by_parts, n_shared=n_shared, n_lost=n_lost, n_cacheable=n_cacheable, rule=rule, lost_dollars=lost
        )
    raw = first.text.encode()
    same = common_length(first.text, second.text)
    cause = "the template writes an earlier turn in another way"
    if second.text.startswith(raw[: sum(first.lengths[:n_before_opening])].decode(errors="ignore")):
        same = len(raw[: sum(first.lengths[:n_shared])].decode(errors="ignore"))
        cause = MERGED
    elif "<think>" in first.text[max(same - 20, 0) : same + 200]:
        cause = "the template removes <think> … </think> of an earlier answer"
    ends = accumulate(n for n, _, _ in first.message_tokens)
    index = next((n for n, end in enumerate(ends) if end > n_shared), len(request.messages) - 1)
    before, old, new = (
        first.text[max(same - AROUND, 0) : same],
        first.text[same : same + AROUND],
        second.text[same : same + AROUND],
    )
    place = f"message {index + 1}, {request.messages[index].role}"
    return CacheDiff(n_shared, n_lost, place, cause, before, old, new, n_cacheable, rule, lost)


def _lost_dollars(n_lost: int, model: Model | None) -> float | None:
    if model is None or model.input_price is None or model.cache_read_price is None:
        return None
    return n_lost * (model.input_price - model.cache_read_price) / 1e6


def _named(blocks: Sequence[Block], index: int) -> str:
    """Return "tool get_weather", or "message 3, user"."""
    block = blocks[index]
    if block.message is None:
        return f"tool {block.label}"
    n_tools = sum(each.message is None for each in blocks)
    return f"message {index - n_tools + 1}, {block.label}"


def common_length(one: Sequence[Any], other: Sequence[Any]) -> int:
    """Return the length of the common beginning of two texts, or of two sequences of ids.

    >>> common_length("abc", "abd"), common_length("", "a"), common_length((1, 2), (1, 3))
    (2, 0, 1)
    """
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


_TIME = re.compile(
    r"\d{4}-\d\d-\d\d|\d{1,2}:\d\d|\b(19|20)\d\d\b|\b(mon|tue|wed|thu|fri|sat|sun)[a-z]*day\b"
    r"|\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d",
    re.I,
)
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}|\b[0-9a-f]{16,}\b|\b[A-Za-z]+_[A-Za-z0-9]{10,}\b")


def _cause(old: Sequence[Block], new: Sequence[Block], place: int, same: int) -> str:
    """Return in words why two blocks differ, as far as it can be known."""
    one, other = old[place], new[place]
    tools, others = ([b.text for b in each if b.message is None] for each in (old, new))
    if one.message is None or other.message is None:
        if sorted(tools) == sorted(others) and tools != others:
            return "the same tools in another order"
        if one.message is None and other.message is None and one.label == other.label:
            if _read(one.text) == _read(other.text):
                return f"tool {one.label} has the same keys in another order"
            return _cause_in_text(one.text, other.text, same) or f"the definition of tool {one.label} changed"
        if len(tools) != len(others):
            return f"{counted(len(tools), 'tool')} before, {len(others)} now"
        return "another tool stands here"
    first, second = one.message, other.message
    if first.role != second.role:
        return f"the role was {first.role} and is {second.role}: messages were added, removed or moved"
    if first.content == second.content:
        if first.media != second.media:
            return "an image or another part that is not text differs"
        if reasoning_of(first) and not reasoning_of(second):
            return "the reasoning of an earlier turn was removed"
        if _read(first.fields) == _read(second.fields):
            return "the same fields in another order"
        if _beside_content(first) == _beside_content(second):
            return "the same text is cut into other parts"
        return "fields beside the content differ, such as calls or their ids"
    if "<think>" in first.content and "<think>" not in second.content:
        return "<think> … </think> of an earlier turn was removed"
    edited = _SYSTEM_EDITED if first.role in ("system", "developer") else _MESSAGE_EDITED
    return _cause_in_text(first.content, second.content, same) or edited


_SYSTEM_EDITED, _MESSAGE_EDITED = "the system prompt was edited", "an earlier message was edited"
#: Why the ids of a text are no beginning of the ids of a longer one.
MERGED = "a merge across the boundary: the same text goes on here, and has other tokens"


def _cause_in_text(one: str, other: str, same: int) -> str:
    if one.split() == other.split():
        return "only white space differs"
    start = max(one.rfind(" ", 0, same), one.rfind("\n", 0, same), same - 24, 0)
    around = [text[start : same + 24] for text in (one, other)]
    if all(map(_TIME.search, around)):
        return "a date or a time"
    if all(map(_ID.search, around)):
        return "an id that is new each time"
    return ""


def _beside_content(message: Message) -> dict[str, Any]:
    fields = message.read_fields() if message.fields else {}
    return {name: value for name, value in fields.items() if name != "content"}


def _read(text: str) -> object:
    try:
        return json.loads(text or "{}")
    except ValueError:
        return text


#: The fewest tokens that Anthropic's cache keeps, by the beginning of a model's id; the longest that fits.
_CLAUDE_MINIMA = {
    "claude-fable-5": 512, "claude-opus-5": 512, "claude-sonnet-5": 1024, "claude-opus-4-8": 1024,
    "claude-opus-4-7": 2048, "claude-opus-4-6": 4096, "claude-opus-4-5": 4096, "claude-haiku-4-5": 4096,
    "claude-sonnet-4": 1024, "claude-opus-4": 1024, "claude-3-7-sonnet": 1024, "claude-3-5-sonnet": 1024,
    "claude-3-5-haiku": 2048, "claude-3-opus": 1024, "claude-3-haiku": 2048,
}  # fmt: skip
#: Later models, whose minimum was not found.
_UNKNOWN = (
    "claude-opus-5-5",
    "claude-sonnet-5-5",
    "claude-haiku-5-5",
    "claude-fable-5-1",
    "claude-fable-5-2",
)


def cacheable(n_tokens: int, model: Model | None) -> tuple[int | None, str]:
    """Return how many tokens of a common beginning a cache may keep, and the rule; (None, "") if unknown.

    >>> from playground.catalog.models import find_model
    >>> [cacheable(n, find_model("gpt-4o"))[0] for n in (1023, 1024, 1300)]
    [0, 1024, 1280]
    """
    name = model.ids[0] if model else ""
    if model is not None and model.maker == "OpenAI" and model.tokenizer == "o200k_base":
        if name.startswith("gpt-5.6"):
            return _at_least(n_tokens, 1024), "OpenAI keeps 1,024 tokens or more"
        kept = n_tokens // 128 * 128 if n_tokens >= 1024 else 0
        return kept, "OpenAI keeps 1,024 tokens or more, in steps of 128"
    if model is not None and model.maker == "Anthropic" and name not in _UNKNOWN:
        starts = [start for start in _CLAUDE_MINIMA if name.startswith(start)]
        if starts:
            n_least = _CLAUDE_MINIMA[max(starts, key=len)]
            rule = f"Anthropic keeps {n_least:,} tokens or more, up to a cache_control of the request"
            return _at_least(n_tokens, n_least), rule
    if model is not None and name.startswith("gemini-"):
        n_least = 2048 if name.startswith("gemini-2") else 4096
        return _at_least(n_tokens, n_least), f"Gemini keeps {n_least:,} tokens or more"
    return None, ""


def _at_least(n_tokens: int, n_least: int) -> int:
    return n_tokens if n_tokens >= n_least else 0
