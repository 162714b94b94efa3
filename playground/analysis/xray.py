"""What fills the context: each request of a log as a row of parts, the costliest parts, and the cache.

`examine` reads a text and counts it; it runs in a worker process for the page, and directly in the shell.
A part that several turns have is counted once.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from playground.analysis.cache_diff import CacheDiff, cache_diff, rendered_diff
from playground.analysis.chat import Message, Tool, compact_json
from playground.analysis.chat_counts import (
    ChatCount,
    ChatModel,
    Kind,
    Mark,
    Part,
    chat_model_named,
    count_chat,
    joined_mark,
    model_of_request,
)
from playground.analysis.chat_requests import ChatRequest, calls_of, reasoning_of
from playground.analysis.chat_templates import JinjaTemplate
from playground.analysis.request_logs import Log, Usage, read_log
from playground.catalog.claude import ClaudeTokenizer
from playground.catalog.registry import get_tokenizer
from playground.core.errors import InvalidInputError, PlaygroundError
from playground.core.tokenizer import Tokenizer
from playground.core.wording import counted

#: Characters of a log that a slow tokenizer counts; above, the tokens are estimated from a sample.
MAX_SLOW_CHARS = 200_000
#: Characters of the sample, and of each of its pieces.
_SAMPLE_CHARS, _PIECE_CHARS = 60_000, 1_000
#: Turns that are rendered in a model's own template.
MAX_RENDERED = 40
N_COSTLIEST = 10
_LABEL_CHARS = 60


@dataclass(frozen=True, slots=True)
class Piece:
    """A part that one turn or several have.

    `tool` and `message` are its index among the tools or messages of `turn`, the first turn that has it; None
    if it is in neither. `n_turns` is the number of turns that have it.
    """

    kind: Kind
    label: str
    n_tokens: int
    mark: Mark
    turn: int
    tool: int | None
    message: int | None
    n_turns: int


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """A turn: `ranges` are half-open ranges of pieces, in order, and `dollars` the price of its input.

    `diff` compares with the turn before it; None for the first.
    """

    title: str
    model: str
    n_tokens: int
    mark: Mark
    ranges: tuple[tuple[int, int], ...]
    unknown: tuple[str, ...]
    dollars: float | None
    usage: Usage | None
    diff: CacheDiff | None


@dataclass(frozen=True, slots=True)
class Costly:
    """One of the costliest pieces: its index, what it cost in all turns, and advice with measured numbers."""

    piece: int
    n_tokens_in_all: int
    dollars: float | None
    advice: str


@dataclass(frozen=True, slots=True)
class Report:
    """A log, counted."""

    form: str
    how: tuple[str, ...]
    pieces: tuple[Piece, ...]
    turns: tuple[ShownTurn, ...]
    costliest: tuple[Costly, ...]
    problems: tuple[str, ...]

    @property
    def broken(self) -> list[int]:
        """The turns that don't begin with the whole turn before them."""
        return [n for n, turn in enumerate(self.turns) if turn.diff is not None and not turn.diff.is_kept]


def examine(text: str, default: str) -> Report:
    """Return the report of a text; `default` is the model of requests that name none, or one unknown.

    Raises InvalidInputError.
    """
    return examine_log(read_log(text), chat_model_named(default, get_tokenizer), get_tokenizer)


def examine_log(log: Log, default: ChatModel, load: Callable[[str], Tokenizer]) -> Report:
    """Return the report of a log."""
    return _Examination(log, default, load).report()


def text_of(log: Log, piece: Piece) -> str:
    """Return the text of a piece, as it is counted: a tool's definition, a content, or calls."""
    request = log.turns[piece.turn].request
    if piece.tool is not None:
        return request.tools[piece.tool].text
    if piece.message is None:
        return ""
    message = request.messages[piece.message]
    if piece.kind == "call":
        return "\n".join(f"{call.get('name', '')}\n{call.get('arguments', '')}" for call in calls_of(message))
    return message.content


@dataclass(frozen=True, slots=True)
class _Counted:
    """The parts of a message or a tool, what cannot be counted in it, and the tokens of its reasoning.

    `once` are parts that a request has once, such as the opening of the answer.
    """

    parts: tuple[Part, ...]
    once: tuple[Part, ...]
    unknown: tuple[str, ...]
    n_reasoning: int

    @property
    def n_tokens(self) -> int:
        return sum(part.n_tokens for part in self.parts)


@dataclass(slots=True)
class _Way:
    """A way of counting messages and tools one by one, with what was counted already.

    `ratios` are the tokens of a slow tokenizer to those of a fast one; empty if all is counted.
    """

    model: ChatModel
    ratios: dict[Kind, float] = field(default_factory=dict)
    #: The last two texts with their ids: a message that changes each turn is compared with both neighbours.
    recent: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def counted(self, item: Message | Tool) -> _Counted:
        """Count a message or a tool with its frame."""
        request = ChatRequest(
            (item,) if isinstance(item, Message) else (), (item,) if isinstance(item, Tool) else ()
        )
        whole = count_chat(request, _fast(self.model) if self.ratios else self.model)
        once = [part for part in whole.parts if part.label in ("opening of the answer", "end of the tools")]
        parts = [self._estimated(part) for part in whole.parts if part not in once]
        if self.ratios and isinstance(item, Message):
            bare = count_chat(ChatRequest((Message(item.role, ""),)), self.model)
            parts += [part for part in bare.parts if part.kind == "frame"]
        left_out = ("reasoning (", "the frame around messages" if self.ratios else "reasoning (")
        unknown = [said for said in whole.unknown if not said.startswith(left_out)]
        reasoning = reasoning_of(item) if isinstance(item, Message) else ""
        n_reasoning = self.n_tokens_in(reasoning) if reasoning else 0
        return _Counted(tuple(parts), tuple(once), tuple(unknown), n_reasoning)

    def _estimated(self, part: Part) -> Part:
        if not self.ratios or part.kind in ("frame", "image"):
            return part
        ratio = self.ratios.get(part.kind) or self.ratios["other"]
        return replace(part, n_tokens=round(part.n_tokens * ratio), mark="≈")

    def ids_of(self, text: str) -> tuple[int, ...]:
        """Return the ids of a text alone; with ratios, those of the fast tokenizer."""
        if text not in self.recent:
            tokenizer = get_tokenizer("o200k_base") if self.ratios else self.model.tokenizer
            self.recent = dict([*self.recent.items()][-1:])
            self.recent[text] = tuple(tokenizer.encode(text))
        return self.recent[text]

    def n_tokens_in(self, text: str) -> int:
        """Return the tokens of a text alone."""
        return round(len(self.ids_of(text)) * self.ratios.get("other", 1.0))


def _fast(model: ChatModel) -> ChatModel:
    """Return a model whose contents a fast tokenizer counts."""
    return replace(model, tokenizer=get_tokenizer("o200k_base"), template=None)


def _is_slow(tokenizer: Tokenizer) -> bool:
    return isinstance(tokenizer, ClaudeTokenizer) or tokenizer.name == "gemma_4"


@dataclass(frozen=True, slots=True)
class _Step:
    """A tool or message of the turn at hand: its count, and the places of its pieces."""

    item: Message | Tool
    counted: _Counted
    places: tuple[int, ...]


class _Examination:
    """Counts a log once. Items are interned, so that equal ones of several turns are the same object."""

    def __init__(self, log: Log, default: ChatModel, load: Callable[[str], Tokenizer]) -> None:
        self.log, self.default, self.load = log, default, load
        self.ways: dict[str, _Way] = {}
        self.how: dict[str, None] = {}
        self.pieces: list[Piece] = []
        self.index: dict[object, int] = {}
        self.n_turns: Counter[int] = Counter()
        self.problems = list(log.problems)
        self.interned: dict[Message | Tool, Message | Tool] = {}
        self.canonical: dict[int, Message | Tool] = {}
        self.steps: dict[tuple[str, int], _Step] = {}
        #: The counts of turns in their model's own template; None for those counted part by part.
        self.whole: list[ChatCount | None] = []
        #: The names of tools by the ids of their calls.
        self.called: dict[str, str] = {}
        #: The tools and messages of the turn at hand, in the order of a cache, and its way of counting.
        self.line: list[_Step] = []
        self.line_way: _Way | None = None

    def report(self) -> Report:
        turns = [self._turn(number) for number in range(len(self.log.turns))]
        pieces = [replace(piece, n_turns=self.n_turns[n]) for n, piece in enumerate(self.pieces)]
        if self.log.never_held:
            self.how[f"The log does not hold {self.log.never_held}."] = None
        return Report(
            self.log.form,
            tuple(self.how),
            tuple(pieces),
            tuple(turns),
            self._costliest(pieces),
            tuple(self.problems),
        )

    def _way(self, request: ChatRequest) -> _Way:
        way = self.ways.get(request.model)
        if way is None:
            try:
                model = model_of_request(request, self.load) or self.default
            except InvalidInputError as error:
                model = self.default
                self.problems.append(f"{error}: it is counted for {model.name}")
            way = self.ways[request.model] = _Way(model)
            self._estimate_if_long(request.model, way)
            if not isinstance(model.template, JinjaTemplate):
                self.how[count_chat(ChatRequest(()), model).how] = None
        return way

    def _estimate_if_long(self, name: str, way: _Way) -> None:
        """Measure the ratios of a slow tokenizer to a fast one, if the log is long."""
        if not _is_slow(way.model.tokenizer):
            return
        texts: dict[str, Kind] = {}
        for turn in self.log.turns:
            if turn.request.model == name:
                for message in turn.request.messages:
                    texts[message.content] = "result" if message.role == "tool" else "other"
        n_characters = sum(map(len, texts))
        if n_characters <= MAX_SLOW_CHARS:
            return
        fast, slow = get_tokenizer("o200k_base"), way.model.tokenizer
        sizes: dict[Kind, list[int]] = {}
        step = max(1, len(texts) * _PIECE_CHARS // _SAMPLE_CHARS)
        for text, kind in [*texts.items()][::step]:
            start = max(0, len(text) // 2 - _PIECE_CHARS // 2)
            part = text[start : start + _PIECE_CHARS]
            both = sizes.setdefault(kind, [0, 0])
            both[0] += len(fast.encode(part))
            both[1] += len(slow.encode(part))
        n_fast, n_slow = (sum(numbers) for numbers in zip(*sizes.values(), strict=True))
        way.ratios = {kind: b / a for kind, (a, b) in sizes.items() if a > 1_000}
        way.ratios["other"] = way.ratios.get("other") or n_slow / max(n_fast, 1)
        self.how[
            f"The contents have {n_characters:,} characters: their tokens for {way.model.name} are estimated "
            "from a sample and the tokens of o200k_base."
        ] = None

    def _turn(self, number: int) -> ShownTurn:
        turn = self.log.turns[number]
        request = turn.request
        way = self._way(request)
        before = self.line
        n_same = self._take_line(number, self._one_by_one(request, way))
        whole = self._rendered(number, way)
        self.whole.append(whole)
        if whole is not None:
            unknown = dict.fromkeys(whole.unknown)
            self.how[whole.how] = None
            places = [
                self._place((number, n), part, number, None, part.message)
                for n, part in enumerate(whole.parts)
            ]
        else:
            unknown = dict.fromkeys((*self._unknown(), *request.elsewhere))
            places = self._places(number, way)
        if self.log.never_held:
            unknown[self.log.never_held] = None
        self.n_turns.update(places)
        marks = {self.pieces[place].mark for place in places}
        n_tokens = sum(self.pieces[place].n_tokens for place in places)
        price = way.model.model.input_price if way.model.model else None
        return ShownTurn(
            turn.title,
            way.model.name,
            n_tokens,
            joined_mark(marks, is_least=bool(unknown)),
            _ranges(places),
            tuple(unknown),
            None if price is None else n_tokens * price / 1e6,
            turn.usage,
            self._diff(number, way, before, n_same) if number else None,
        )

    def _rendered(self, number: int, way: _Way) -> ChatCount | None:
        """Return the count of a turn in its model's own template; None if its messages are counted alone."""
        if not isinstance(way.model.template, JinjaTemplate):
            return None
        if number >= MAX_RENDERED:
            self.how[f"From turn {MAX_RENDERED + 1} on, only contents are counted, without the template."] = (
                None
            )
            return None
        try:
            return count_chat(self.log.turns[number].request, way.model)
        except PlaygroundError as error:
            self.problems.append(f"turn {number + 1:,}: {error}; only its contents are counted")
            return None

    def _one_by_one(self, request: ChatRequest, way: _Way) -> _Way:
        """Return a way of counting messages one by one: for a model's own template, their contents."""
        if not isinstance(way.model.template, JinjaTemplate):
            return way
        return self.ways.setdefault(
            f"{request.model}, contents", _Way(replace(way.model, template=None), way.ratios)
        )

    def _take_line(self, number: int, way: _Way) -> int:
        """Make the line that of a turn, and return how many steps at its beginning are those before it."""
        request = self.log.turns[number].request
        items: list[Message | Tool] = [*request.tools, *request.messages]
        n_same = 0
        if way is self.line_way:
            for item, step in zip(items, self.line, strict=False):
                if item is not step.item and self._canonical(item) is not step.item:
                    break
                n_same += 1
        n_tools = len(request.tools)
        self.line = [
            *self.line[:n_same],
            *(
                self._step(self._canonical(items[n]), way, number, n, n_tools)
                for n in range(n_same, len(items))
            ),
        ]
        self.line_way = way
        return n_same

    def _canonical(self, item: Message | Tool) -> Message | Tool:
        """Return the one object for equal items."""
        found = self.canonical.get(id(item))
        if found is None:
            found = self.canonical[id(item)] = self.interned.setdefault(item, item)
        return found

    def _step(self, item: Message | Tool, way: _Way, number: int, n: int, n_tools: int) -> _Step:
        key = (way.model.name, id(item))
        step = self.steps.get(key)
        if step is None:
            found = way.counted(item)
            tool, message = (n, None) if n < n_tools else (None, n - n_tools)
            name = self._tool_of(item) if isinstance(item, Message) else ""
            places = tuple(
                self._place(
                    (*key, k),
                    replace(part, label=name) if name and part.kind == "result" else part,
                    number,
                    tool,
                    message,
                )
                for k, part in enumerate(found.parts)
            )
            step = self.steps[key] = _Step(item, found, places)
        return step

    def _tool_of(self, message: Message) -> str:
        """Return the name of the tool whose result a message is, and remember the calls of a message."""
        fields = message.read_fields()
        calls = fields.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            function = call.get("function") if isinstance(call, dict) else None
            if isinstance(function, dict) and isinstance(call.get("id"), str):
                self.called[call["id"]] = str(function.get("name"))
        return message.given_name() or self.called.get(str(fields.get("tool_call_id")), "")

    def _places(self, number: int, way: _Way) -> list[int]:
        """Return the pieces of the line: tools and their end, messages and the opening of the answer."""
        places: list[int] = []
        n_tools = len(self.log.turns[number].request.tools)
        for steps, label in (
            (self.line[:n_tools], "end of the tools"),
            (self.line[n_tools:], "opening of the answer"),
        ):
            for step in steps:
                places += step.places
            places += [
                self._place((way.model.name, part), part, number, None, None)
                for step in steps[:1]
                for part in step.counted.once
                if part.label == label
            ]
        return places

    def _unknown(self) -> list[str]:
        """Name what cannot be counted in the line."""
        said = Counter(what for step in self.line for what in step.counted.unknown)
        found = [what if n == 1 else f"{what} ({n:,} times)" for what, n in said.items()]
        if n_reasoning := sum(step.counted.n_reasoning for step in self.line):
            found.append(f"reasoning (about {counted(n_reasoning, 'token')} if the service keeps it)")
        return found

    def _place(self, key: object, part: Part, turn: int, tool: int | None, message: int | None) -> int:
        place = self.index.get(key)
        if place is None:
            place = self.index[key] = len(self.pieces)
            label = part.label[:_LABEL_CHARS]
            self.pieces.append(Piece(part.kind, label, part.n_tokens, part.mark, turn, tool, message, 0))
        return place

    def _diff(self, number: int, way: _Way, before: Sequence[_Step], n_same: int) -> CacheDiff:
        first, second = self.log.turns[number - 1].request, self.log.turns[number].request
        if first.model != second.model:
            cause = (
                f"a cache belongs to one model: {first.model or 'none'} before, {second.model or 'none'} now"
            )
            n_lost = sum(step.counted.n_tokens for step in before)
            return CacheDiff(0, n_lost, "the model", cause, n_cacheable=0)
        found = cache_diff(
            first,
            second,
            way.model.model,
            n_tokens_of=[step.counted.n_tokens for step in before],
            n_same=n_same,
            ids_of=way.ids_of,
            ratio=way.ratios.get("other", 1.0),
        )
        earlier, this = self.whole[number - 1 : number + 1]
        if earlier is None or this is None:
            return found
        return rendered_diff(first, earlier.encoding, this.encoding, found, way.model.model)

    def _costliest(self, pieces: Sequence[Piece]) -> tuple[Costly, ...]:
        found = sorted(range(len(pieces)), key=lambda n: -pieces[n].n_tokens * pieces[n].n_turns)
        longest = max(self.log.turns, key=lambda turn: len(turn.request.messages))
        texts = Counter(message.content for message in longest.request.messages)
        return tuple(
            self._costly(n, pieces[n], texts)
            for n in found[:N_COSTLIEST]
            if pieces[n].n_tokens * pieces[n].n_turns
        )

    def _costly(self, n: int, piece: Piece, texts: Counter[str]) -> Costly:
        request = self.log.turns[piece.turn].request
        way = self._one_by_one(request, self._way(request))
        price = way.model.model.input_price if way.model.model else None
        n_all = piece.n_tokens * piece.n_turns
        text = text_of(self.log, piece)
        advice = [f"in {counted(piece.n_turns, 'turn')}"] if piece.n_turns > 1 else []
        if piece.kind != "frame" and piece.kind != "image":
            if piece.tool is not None:
                advice += _advice_on_tool(piece, text, way)
            else:
                advice += _advice(text, way.n_tokens_in)
        if piece.message is not None and piece.kind != "call" and len(text) > 200 and texts[text] > 1:
            advice.append(f"the same text is in {counted(texts[text], 'message')} of one turn")
        return Costly(n, n_all, None if price is None else n_all * price / 1e6, "; ".join(advice))


def _ranges(places: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Return numbers as half-open ranges, in order.

    >>> _ranges([1, 2, 3, 7])
    ((1, 4), (7, 8))
    """
    found: list[list[int]] = []
    for place in places:
        if found and found[-1][1] == place:
            found[-1][1] += 1
        else:
            found.append([place, place + 1])
    return tuple((first, last) for first, last in found)


def _advice_on_tool(piece: Piece, text: str, way: _Way) -> list[str]:
    less = way.counted(Tool(piece.label, _without_descriptions(text))).n_tokens
    return [f"without descriptions {less:,} tokens"] if less < 0.9 * piece.n_tokens else []


def _advice(text: str, size: Callable[[str], int]) -> list[str]:
    """Return what would make a text smaller, each with its number of tokens."""
    if len(text) > 200_000:
        return []
    n_now = size(text)

    def smaller(what: str, other: str) -> list[str]:
        n_then = size(other)
        return [f"{what}: {n_then:,} instead of {n_now:,} tokens"] if n_then < 0.9 * n_now else []

    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict | list):
        return smaller("as compact JSON", compact_json(value))
    return smaller("without runs of white space", re.sub(r"[ \t]+", " ", re.sub(r"\s*\n\s*", "\n", text)))


def _without_descriptions(text: str) -> str:
    def less(value: object) -> object:
        if isinstance(value, dict):
            return {
                key: less(inner)
                for key, inner in value.items()
                if not (key == "description" and isinstance(inner, str))
            }
        return [less(inner) for inner in value] if isinstance(value, list) else value

    return compact_json(less(json.loads(text)))
