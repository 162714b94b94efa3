"""The session of X-ray: a request or a log, counted in a worker process; it is kept in memory only."""

import json
from dataclasses import dataclass, field
from typing import TypedDict

from starlette.responses import Response

from playground.analysis.request_logs import Log, read_log
from playground.analysis.xray import Report, text_of
from playground.core.errors import InvalidInputError
from playground.server.actions import Action, Actions
from playground.server.sessions import PageSession
from playground.server.shapes import Shape, integer
from playground.server.wire import json_response
from playground.workers import pool

MAX_LOG_BYTES = 25_000_000
_SECONDS, _MEMORY_BYTES = 60.0, 1_500_000_000


class XrayAnswer(TypedDict):
    """A report, and the number of characters of what it is about. `is_example` until something was read."""

    report: Report
    n_characters: int
    is_example: bool


class RefusedLog(TypedDict):
    """What is wrong with a text that is no request and no log; the one before it stays."""

    refused: str


class PieceText(TypedDict):
    """The text of a piece."""

    text: str


@dataclass(eq=False)
class XraySession(PageSession):
    """A text, the model of requests that name none, and the report."""

    model: str = "gpt-4o"
    text: str | None = None
    _report: tuple[str, Report] | None = field(init=False, default=None, repr=False)
    _log: Log | None = field(init=False, default=None, repr=False)

    def use(self, model: str) -> None:
        """Count requests that name no model for this one."""
        if model != self.model:
            with self.lock:
                self.model = model
                self.revision += 1

    def read(self, text: str) -> XrayAnswer:
        """Examine another text. Raises InvalidInputError and LimitExceededError; then the old one stays."""
        report = self._examined(text)
        with self.lock:
            self.text, self._log, self._report = text, None, (self.model, report)
            self.is_fresh = False
        return self.shown()

    def shown(self) -> XrayAnswer:
        """Return the report, of an example if nothing was read. Raises PlaygroundError."""
        text = EXAMPLE if self.text is None else self.text
        with self.lock:
            if self._report is None or self._report[0] != self.model:
                self._report = self.model, self._examined(text)
            return {
                "report": self._report[1],
                "n_characters": len(text),
                "is_example": self.text is None,
            }

    def text_of(self, piece: int) -> str:
        """Return the text of a piece of the report. Raises InvalidInputError."""
        with self.lock:
            report = self.shown()["report"]
            if not 0 <= piece < len(report.pieces):
                raise InvalidInputError(f"there is no part {piece}")
            if self._log is None:
                self._log = read_log(EXAMPLE if self.text is None else self.text)
            return text_of(self._log, report.pieces[piece])

    def _examined(self, text: str) -> Report:
        report: Report = pool.run(
            "playground.analysis.xray.examine", text, self.model,
            what="this log", seconds=_SECONDS, memory_bytes=_MEMORY_BYTES,
        )  # fmt: skip
        return report


def _open(session: XraySession) -> Response:
    return json_response(session.shown())


def _read(session: XraySession, body: bytes) -> Response:
    try:
        return json_response(session.read(body.decode(errors="replace")))
    except InvalidInputError as error:
        return json_response(RefusedLog(refused=str(error)))


def _text(session: XraySession, *, piece: int) -> Response:
    return json_response(PieceText(text=session.text_of(piece)))


XRAY_ACTIONS: Actions = {
    "open": Action(_open, Shape({})),
    "read": Action(_read, Shape({}), max_upload_bytes=MAX_LOG_BYTES),
    "text": Action(_text, Shape({"piece": integer(0, 10**7)})),
}


def _tool(name: str, said: str, properties: dict[str, str]) -> dict[str, object]:
    described = {each: {"type": "string", "description": about} for each, about in properties.items()}
    parameters = {"type": "object", "properties": described, "required": [*properties]}
    return {"type": "function", "function": {"name": name, "description": said, "parameters": parameters}}


_TOOLS = [
    _tool(
        "read_file",
        "Read a text file of the project and return its lines with their numbers.",
        {"path": "The path of the file, relative to the root of the project"},
    ),
    _tool(
        "search",
        "Search all files of the project with a regular expression, and return the matching lines.",
        {"pattern": "The regular expression, in the syntax of Python's re", "folder": "Where to search"},
    ),
    _tool("run_tests", "Run the tests whose names contain a text.", {"name": "A part of the tests' names"}),
]
_SOURCE = """def count_words(text):
    words = {}
    for word in text.split():
        words[word] = words.get(word, 0) + 1
    return words
"""
_STEPS = [
    ("read_file", {"path": "words.py"}, _SOURCE * 4),
    ("search", {"pattern": "count_words", "folder": "tests"}, 'tests/test_words.py:7: count_words("a A")'),
    ("run_tests", {"name": "words"}, json.dumps({"passed": 11, "failed": ["test_case"]}, indent=4)),
]


def _example() -> str:
    """Return four requests of an agent; before the third, midnight passes, which is in its system prompt."""
    steps = _STEPS
    history: list[dict[str, object]] = [
        {"role": "user", "content": "Count words without regard to case, and run the tests."}
    ]
    rows = []
    for n in range(4):
        time = "2026-11-27 23:59" if n < 2 else "2026-11-28 00:01"
        system = f"You are a careful programmer. It is {time}.\nChange little, and test each change."
        messages = [{"role": "system", "content": system}, *history]
        rows.append({"model": "gpt-5.4", "messages": messages, "tools": _TOOLS})
        if n < len(steps):
            name, arguments, result = steps[n]
            function = {"name": name, "arguments": json.dumps(arguments)}
            call = {"id": f"call_{n}", "type": "function", "function": function}
            history += [
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": f"call_{n}", "content": result},
            ]
    return "".join(json.dumps(row) + "\n" for row in rows)


EXAMPLE = _example()
