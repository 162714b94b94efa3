"""Actions: what a page's browser may ask of its session, each with the shape of its request.

One route serves them all: the session's kind decides which actions there are.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from playground.server.protection.guard import GuardedEndpoint, Job
from playground.server.protection.turns import Turns
from playground.server.refusals import RefusedRequestError
from playground.server.sessions import SESSION_PATH, PageSession, find_session
from playground.server.shapes import Shape

#: A page asks one thing at a time, so this many are not a page of ours.
_TURNS = Turns(n_at_once=1, max_waiting=8, max_seconds=60, whose="this page")


@dataclass(frozen=True, slots=True)
class Action:
    """What answers, with the session first and the fields of the shape by name.

    `answer_now` is called first with a small body, in the thread that answers all: it waits for nobody, and
    gives None where it does not know that the work is short.
    """

    answer: Callable[..., Response]
    shape: Shape
    answer_now: Callable[..., Response | None] | None = None


Actions = Mapping[str, Action]


def session_route(actions_of: Mapping[type[PageSession], Actions]) -> BaseRoute:
    """The route of all sessions, by the actions of each kind."""

    def find_job(path: Mapping[str, Any]) -> Job:
        session = find_session(path["session_id"])
        actions = actions_of[type(session)]
        action = actions.get(path["action"])
        if action is None:
            raise RefusedRequestError(404, f"no such action; choose from {', '.join(actions)}")
        now = action.answer_now
        return Job(
            lambda body: action.answer(session, **action.shape.read(body)),
            _TURNS,
            session.id,
            is_bounded=session.is_bounded,
            answer_now=now and (lambda body: now(session, **action.shape.read(body))),
        )

    return Route(f"{SESSION_PATH}/{{session_id}}/{{action}}", GuardedEndpoint(find_job))
