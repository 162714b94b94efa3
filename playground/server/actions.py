"""Actions: the requests that a page's browser code sends to its session, each with the shape of its body.

One route serves all of them: the type of the session decides which actions it has.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from anyio import CapacityLimiter
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from playground.server.protection.guard import GuardedEndpoint, Job, Turns
from playground.server.refusals import RefusedRequestError
from playground.server.sessions import SESSION_PATH, PageSession, find_session
from playground.server.shapes import Shape

#: A page sends one request at a time, and a few while it opens.
_TURNS = Turns(n_at_once=1, max_waiting=8, max_seconds=60, whose="this page")


@dataclass(frozen=True, slots=True)
class Action:
    """A function that gets the session, then the fields of the body by name; and the shape of the body.

    `answer_now` is called first for a tiny body, on the event loop: it must not wait, and returns None unless
    it knows that the work is short. With `max_upload_bytes` the body is not JSON but at most that many raw
    bytes, which `answer` gets as they came. An answer that waits for other visitors has `threads` of its own.
    """

    answer: Callable[..., Response]
    shape: Shape
    answer_now: Callable[..., Response | None] | None = None
    max_upload_bytes: int | None = None
    threads: CapacityLimiter | None = None


Actions = Mapping[str, Action]


def session_route(actions_of: Mapping[type[PageSession], Actions]) -> BaseRoute:
    """Return the route of all sessions, given the actions of each type of session."""

    def find_job(path: Mapping[str, Any]) -> Job:
        session = find_session(path["session_id"])
        actions = actions_of[type(session)]
        action = actions.get(path["action"])
        if action is None:
            raise RefusedRequestError(404, f"no such action; choose from {', '.join(actions)}")
        if action.max_upload_bytes is not None:
            return Job(
                lambda body: action.answer(session, body),
                _TURNS,
                session.id,
                content_type="application/octet-stream",
                max_bytes=action.max_upload_bytes,
            )
        now = action.answer_now
        return Job(
            lambda body: action.answer(session, **action.shape.read(body)),
            _TURNS,
            session.id,
            is_bounded=session.is_bounded,
            answer_now=now and (lambda body: now(session, **action.shape.read(body))),
            threads=action.threads,
        )

    return Route(f"{SESSION_PATH}/{{session_id}}/{{action}}", GuardedEndpoint(find_job))
