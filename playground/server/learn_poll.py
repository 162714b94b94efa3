"""A poll: a class answers the first question of a lesson by phone, without names, each seat once.

The teacher's `LearnSession` holds the poll, so it ends with the tab. Phones find it by an unguessable id, at
`/poll/{id}`.
"""

import io
import secrets
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypedDict
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

import segno
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from playground.lessons.lesson import Guess
from playground.lessons.registry import find_lesson
from playground.server.browser_code import WEB_PATH
from playground.server.protection.guard import GuardedEndpoint, Job, Turns
from playground.server.protection.hosts import host_name, is_loopback, is_private
from playground.server.refusals import RefusedRequestError
from playground.server.shapes import Shape, integer, string
from playground.server.web_files import WEB
from playground.server.wire import json_response

#: Phones that may vote on a question.
MAX_VOTERS = 10_000
_TURNS = Turns(n_at_once=8, max_waiting=MAX_VOTERS, max_seconds=20, whose="this poll")
_UNREACHABLE = (
    "Phones can't reach this server, which listens only on this computer. "
    "Start it with make run ADDRESS=0.0.0.0 and open the poll again."
)


class AskedByPhone(TypedDict):
    """What a phone shows: a question with its options, or "" for none, and its own vote.

    `right` is the right option once the stage has revealed the answer, else None.
    """

    lesson: str
    asks: str
    options: list[str]
    chosen: int | None
    right: int | None


class Seat(NamedTuple):
    """Where a vote comes from: an address, and the number that a phone's browser has drawn for itself."""

    address: str
    voter: str


@dataclass(eq=False)
class Poll:
    """The votes of each question; `lesson` is the lesson whose question phones show, or "".

    Once `is_revealed`, phones show the answer, and votes are closed.

    In a network of its own every phone has an address, which counts once. Phones behind one public address,
    or behind a proxy that hides all addresses, are told apart only by the numbers that they have drawn.
    """

    id: str = field(init=False, default_factory=lambda: secrets.token_urlsafe(9))
    lesson: str = field(init=False, default="")
    is_revealed: bool = field(init=False, default=False)
    _votes: dict[str, dict[Seat, int]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        _POLLS[self.id] = self

    @property
    def guess(self) -> Guess | None:
        """The open question."""
        return find_lesson(self.lesson).guess if self.lesson else None

    def asked(self, seat: Seat) -> AskedByPhone:
        """Return the open question, and what this phone has voted."""
        guess = self.guess
        return {
            "lesson": self.lesson,
            "asks": guess.asks if guess else "",
            "options": list(guess.options) if guess else [],
            "chosen": self._votes.get(self.lesson, {}).get(seat),
            "right": guess.right if guess and self.is_revealed else None,
        }

    def vote(self, seat: Seat, lesson: str, option: int) -> None:
        """Count a phone's vote, instead of an earlier one; a vote for a question that was closed is ignored.

        Raises RefusedRequestError if there is no such option, or if too many phones vote.
        """
        guess = self.guess
        if guess is None or lesson != self.lesson or self.is_revealed:
            return
        if option >= len(guess.options):
            raise RefusedRequestError(
                400, f"option {option} does not exist; choose from 0 to {len(guess.options) - 1}"
            )
        votes = self._votes.setdefault(lesson, {})
        if seat not in votes and len(votes) >= MAX_VOTERS:
            raise RefusedRequestError(429, f"this poll takes up to {MAX_VOTERS:,} phones")
        votes.pop(seat, None)  # the latest vote of an address stands last
        votes[seat] = option

    def counts(self, lesson: str) -> list[int]:
        """Return the number of votes for each option of a lesson's question."""
        of_seats = self._votes.get(lesson, {})
        has_addresses = len({seat.address for seat in of_seats}) > 1
        counted: dict[Seat, int] = {}
        for seat, option in of_seats.items():
            is_own = has_addresses and is_private(seat.address)
            counted[seat._replace(voter="") if is_own else seat] = option
        votes = [*counted.values()]
        return [votes.count(option) for option in range(len(find_lesson(lesson).guess.options))]


_POLLS: WeakValueDictionary[str, Poll] = WeakValueDictionary()


def find_poll(poll_id: str) -> Poll:
    """Return the poll with this id. Raises RefusedRequestError (410) if it has ended."""
    poll = _POLLS.get(poll_id)
    if poll is None:
        raise RefusedRequestError(410, "This poll has ended. Ask for the address of the new one.")
    return poll


def address_for_phones(app: str, *, is_local: bool, own_address: str) -> str:
    """Return the app's address as other machines can open it; "" if they can't.

    `app` is its address in the teacher's browser, and `own_address` this machine's address in the network.

    >>> address_for_phones("http://localhost:8501", is_local=False, own_address="192.168.1.7")
    'http://192.168.1.7:8501'
    >>> address_for_phones("http://localhost:8501", is_local=True, own_address="192.168.1.7")
    ''
    >>> address_for_phones("https://class.example/t", is_local=True, own_address="")
    'https://class.example/t'
    """
    parts = urlsplit(app)
    if not is_loopback(host_name(parts.netloc)):
        return app
    if is_local or not own_address or is_loopback(own_address):
        return ""
    port = f":{parts.port}" if parts.port else ""
    return parts._replace(netloc=f"{own_address}{port}").geturl()


def network_address() -> str:
    """Return this machine's address in its network; "" without a network. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for documentation, which no machine has
            return str(probe.getsockname()[0])
        except OSError:
            return ""


def invitation(poll: Poll, app: str, *, is_local: bool) -> tuple[str, str, str]:
    """Return the poll's address, its QR code as SVG, and why phones can't open it, or ""."""
    reachable = address_for_phones(app, is_local=is_local, own_address=network_address())
    if not reachable:
        return "", "", _UNREACHABLE
    address = f"{reachable}/poll/{poll.id}"
    drawn = io.BytesIO()
    segno.make(address, micro=False).save(
        drawn, kind="svg", xmldecl=False, border=2, omitsize=True, light="#fff"
    )
    return address, drawn.getvalue().decode(), ""


async def _page(_request: Request) -> Response:
    """Serve the phone's page, which is the same for all polls."""
    page = (WEB / "poll/poll.html").read_text(encoding="utf-8")
    return HTMLResponse(page.replace("FOLDER", f"..{WEB_PATH}/poll"), headers={"Cache-Control": "no-store"})


def _job(path: Mapping[str, Any]) -> Job:
    poll = find_poll(path["poll_id"])

    def answer(body: bytes) -> Response:
        given = _VOTE.read(body)
        seat = Seat(path["address"], given["voter"])
        if given["option"] >= 0:
            poll.vote(seat, given["lesson"], given["option"])
        return json_response(poll.asked(seat))

    return Job(answer, _TURNS, poll.id, answer_now=answer, max_bytes=2_000)


_VOTE = Shape({
    "voter": string(max_chars=40),
    "lesson": string(max_chars=60),
    "option": integer(-1, 20),
})  # fmt: skip
POLL_ROUTES: list[BaseRoute] = [
    Route("/poll/{poll_id}/vote", GuardedEndpoint(_job)),
    Route("/poll/{poll_id}", _page, methods=["GET"]),
]
