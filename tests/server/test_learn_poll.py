"""A poll of Learn: votes of phones by HTTP, and the address that phones can open."""

import pytest

from playground.server.learn_poll import Poll, Seat, address_for_phones, find_poll
from playground.server.learn_session import LearnSession
from playground.server.refusals import RefusedRequestError
from tests.server.browser_side import CLIENT, post

APP = "http://192.168.1.7:8501"


@pytest.fixture
def session():
    return LearnSession()


@pytest.fixture
def phone():
    def say(address: str, voter: str, lesson: str = "", option: int = -1):
        body = {"voter": voter, "lesson": lesson, "option": option}
        return CLIENT.post(address.removeprefix(APP) + "/vote", json=body)

    return say


def test_phones_vote_on_the_question_of_the_stage_and_may_change_their_vote(session, phone):
    poll = post(session, "poll", {"lesson": "bytes", "is_revealed": False, "app": APP}).json()
    assert (poll["problem"], poll["votes"]) == ("", [0, 0, 0, 0])
    assert poll["qr"].startswith("<svg")
    for voter, option in (("a", 1), ("b", 2), ("a", 2), ("c", 0)):
        assert phone(poll["address"], voter, "bytes", option).json()["chosen"] == option
    assert post(session, "poll", {"lesson": "bytes", "is_revealed": False, "app": APP}).json()["votes"] == [
        1,
        0,
        2,
        0,
    ]
    closed = post(session, "poll", {"lesson": "", "is_revealed": False, "app": APP}).json()
    assert closed["address"] == poll["address"]
    nothing: dict[str, object] = {"lesson": "", "asks": "", "options": [], "chosen": None, "right": None}
    assert phone(poll["address"], "d", "bytes", 0).json() == nothing
    assert phone(poll["address"], "b", "bytes").json()["right"] is None
    post(session, "poll", {"lesson": "bytes", "is_revealed": True, "app": APP})
    said = phone(poll["address"], "b", "bytes", 0).json()
    assert (said["chosen"], said["right"]) == (2, 2), (
        "once told, a phone sees the answer, and votes are closed"
    )
    again = post(session, "poll", {"lesson": "journey", "is_revealed": False, "app": APP}).json()
    assert again["votes"] == [0, 0, 0], "each question has its own votes"
    assert post(session, "poll", {"lesson": "bytes", "is_revealed": False, "app": APP}).json()["votes"] == [
        1,
        0,
        2,
        0,
    ]


@pytest.mark.parametrize(
    ("addresses", "votes"),
    [
        (["192.168.1.7"] * 100 + ["192.168.1.8", "192.168.1.9"], [3, 0]),  # one client in a classroom
        (["127.0.0.1"] * 40, [39, 1]),  # a proxy that hides addresses
        (["9.9.9.9"] * 40 + ["9.9.9.8"], [40, 1]),  # phones behind public addresses
    ],
)
def test_an_address_of_a_classroom_counts_once(session, addresses, votes):
    poll = find_poll(
        post(session, "poll", {"lesson": "bytes", "is_revealed": False, "app": APP})
        .json()["address"]
        .split("/")[-1]
    )
    for number, address in enumerate(addresses):
        poll.vote(Seat(address, str(number)), "bytes", int(number == 0))
    assert poll.counts("bytes")[:2] == votes


def test_a_poll_refuses_what_it_does_not_ask_and_ends_with_its_session(session, phone, monkeypatch):
    poll = post(session, "poll", {"lesson": "bytes", "is_revealed": False, "app": APP}).json()
    assert phone(poll["address"], "a", "bytes", 4).status_code == 400
    assert phone(poll["address"], "a" * 41, "bytes", 1).status_code == 400
    assert phone(poll["address"], "a", "journey", 1).json()["chosen"] is None
    monkeypatch.setattr("playground.server.learn_poll.MAX_VOTERS", 1)
    assert phone(poll["address"], "a", "bytes", 1).status_code == 200
    assert phone(poll["address"], "b", "bytes", 1).status_code == 429
    poll_id = Poll().id
    with pytest.raises(RefusedRequestError, match="has ended"):
        find_poll(poll_id)


@pytest.mark.parametrize(
    "app",
    [
        "\ud800",
        "http://a.example/\ud800",
        "http://[::1",
        "http://a.example:99999",
        "http://a:0",
        "javascript:alert(1)",
    ],
)
def test_an_address_that_no_browser_has_is_refused(session, app):
    assert post(session, "poll", {"lesson": "bytes", "is_revealed": False, "app": app}).status_code == 400


def test_the_page_of_a_phone_is_the_same_for_every_poll_and_runs_no_foreign_script():
    page = CLIENT.get("/poll/<script>alert(1)")
    assert page.status_code == CLIENT.get("/poll/x").status_code == 200
    assert "alert" not in page.text
    module = page.text.partition('src="..')[2].partition('"')[0]
    assert CLIENT.get(module).status_code == 200


def test_a_server_that_only_its_own_machine_reaches_says_how_to_start_it_for_phones():
    local = LearnSession(is_local=True)
    poll = post(
        local, "poll", {"lesson": "bytes", "is_revealed": False, "app": "http://localhost:8501"}
    ).json()
    assert (poll["address"], poll["qr"]) == ("", "")
    assert "make run ADDRESS=0.0.0.0" in poll["problem"]
    assert address_for_phones("http://[::1]:80", is_local=False, own_address="") == ""
    assert (
        address_for_phones("http://127.0.0.1/t", is_local=False, own_address="10.0.0.2")
        == "http://10.0.0.2/t"
    )
