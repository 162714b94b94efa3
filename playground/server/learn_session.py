"""The session of a Learn page: a lesson's figure for an input, checked guesses, its code, its notebook."""

import inspect
import json
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict

from starlette.responses import Response

from playground.core.errors import InvalidInputError
from playground.lessons.lesson import Beginning, Lesson, Shown
from playground.lessons.registry import find_lesson
from playground.render.lesson_notebook import lesson_notebook, notebook_name
from playground.server.actions import Action, Actions
from playground.server.learn_poll import Poll, invitation
from playground.server.sessions import PageSession
from playground.server.shapes import Optional, Shape, boolean, json_object, string, web_address
from playground.server.wire import json_response

#: Titles of the pages that lessons link to.
PAGE_TITLES = {
    "tokenize": "Tokenize",
    "train": "Train",
    "compare": "Compare",
    "merge_tree": "Merge tree",
    "expect": "Expect",
    "formats": "Formats",
}


class LessonLink(TypedDict):
    """A link to a page with a state to open with (`web/shared/address.js`)."""

    title: str
    page: str
    state: dict[str, Any]


class ShownLesson(TypedDict):
    """A lesson's result for an input; `asks` is "" without a question."""

    figure: dict[str, Any]
    asks: str
    answer: str
    begins_with: Beginning
    needs: str
    links: list[LessonLink]


class UnusableInput(TypedDict):
    """Why a lesson can't show an input, such as an incomplete pattern. Not an error: typing may continue."""

    problem: str


class CheckedAnswer(TypedDict):
    """Whether a guess is right, with a hint if it is not."""

    is_right: bool
    hint: str


class LessonCode(TypedDict):
    """The source code that a lesson shows."""

    code: str


class LessonNotebook(TypedDict):
    """A Jupyter notebook with its file name."""

    name: str
    text: str


class PollState(TypedDict):
    """The poll for the stage: its address and QR code, and the votes for each option of the question.

    `problem` says why phones can't open the poll.
    """

    address: str
    qr: str
    problem: str
    votes: list[int]


@dataclass(eq=False)
class LearnSession(PageSession):
    """The session of a Learn page; it stores the last result, so that a guess is checked at once.

    `is_local` says that the server can be reached only from its own machine.
    """

    is_local: bool = False
    poll: Poll | None = field(init=False, default=None)
    _invitation: tuple[str, str, str] = field(init=False, default=("", "", ""))
    _last: tuple[str, dict[str, Any], Shown] | None = field(init=False, default=None)

    def shown(self, lesson: Lesson, values: Mapping[str, Any]) -> tuple[dict[str, Any], Shown]:
        """Return the checked values and the lesson's result for them. Raises PlaygroundError."""
        checked = lesson.check(values)
        last = self._last
        if last is None or last[:2] != (lesson.slug, checked):
            last = self._last = (lesson.slug, checked, lesson.show(**checked))
        return checked, last[2]


def _show(session: LearnSession, *, lesson: str, values: dict[str, Any]) -> Response:
    found = find_lesson(lesson)
    found.check(values)  # invalid values can't come from a field, and raise an error
    try:
        checked, shown = session.shown(found, values)
    except InvalidInputError as error:
        return json_response(UnusableInput(problem=str(error)))
    links: list[LessonLink] = [
        {"title": PAGE_TITLES[opening.page], "page": opening.page, "state": dict(opening.state)}
        for opening in found.openings(**checked)
    ]
    question = shown.question
    answer: ShownLesson = {
        "figure": dict(shown.figure),
        "asks": question.asks if question else "",
        "answer": question.answer if question else "",
        "begins_with": question.begins_with if question else "letter",
        "needs": shown.needs,
        "links": links,
    }
    return json_response(answer)


def _check(session: LearnSession, *, lesson: str, values: dict[str, Any], guess: str) -> Response:
    _, shown = session.shown(find_lesson(lesson), values)
    if shown.question is None:
        raise InvalidInputError("this lesson has no question for this input")
    if lacks := shown.question.lacks(guess):
        raise InvalidInputError(lacks)
    is_right = shown.question.is_right(guess)
    checked: CheckedAnswer = {"is_right": is_right, "hint": "" if is_right else shown.question.hint(guess)}
    return json_response(checked)


def _poll(session: LearnSession, *, lesson: str, is_revealed: bool, app: str) -> Response:
    """Open a lesson's question for phones or tell its answer, or show none (""); return address and votes."""
    if lesson:
        find_lesson(lesson)
    if session.poll is None or not session._invitation[0]:
        session.poll = Poll()
        session._invitation = invitation(session.poll, app, is_local=session.is_local)
    votes = session.poll.counts(lesson) if lesson else []
    session.poll.lesson, session.poll.is_revealed = lesson, is_revealed
    address, qr, problem = session._invitation
    return json_response(PollState(address=address, qr=qr, problem=problem, votes=votes))


def _code(_session: LearnSession, *, lesson: str) -> Response:
    parts = [textwrap.dedent(inspect.getsource(item)).rstrip() for item in find_lesson(lesson).sources]
    answer: LessonCode = {"code": "\n\n\n".join(parts) + "\n"}
    return json_response(answer)


def _notebook(session: LearnSession, *, lesson: str, values: dict[str, Any]) -> Response:
    found = find_lesson(lesson)
    checked, shown = session.shown(found, values)
    text = json.dumps(lesson_notebook(found, checked, shown), ensure_ascii=False, indent=1) + "\n"
    answer: LessonNotebook = {"name": notebook_name(found), "text": text}
    return json_response(answer)


_LESSON = {"lesson": string(max_chars=60)}
_VALUES = {"values": Optional(json_object, {})}
LEARN_ACTIONS: Actions = {
    "show": Action(_show, Shape({**_LESSON, **_VALUES})),
    "check": Action(_check, Shape({**_LESSON, **_VALUES, "guess": string(max_chars=1_000)})),
    "poll": Action(_poll, Shape({**_LESSON, "is_revealed": boolean, "app": web_address(max_chars=500)})),
    "code": Action(_code, Shape(_LESSON)),
    "notebook": Action(_notebook, Shape({**_LESSON, **_VALUES})),
}
