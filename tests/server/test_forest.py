import gc

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from playground.catalog.registry import get_tokenizer
from playground.server.forest import FOREST_PATH, FOREST_ROUTES, ForestSession


@pytest.fixture
def session():
    session = ForestSession("kept")
    session.use(get_tokenizer("gpt2"))
    return session


@pytest.fixture
def client():
    return TestClient(Starlette(routes=FOREST_ROUTES))


def draw(client, session_id, text, **fields):
    return client.post(f"{FOREST_PATH}/{session_id}/draw", json={"text": text, **fields})


def test_a_key_press_brings_only_what_it_changed(client, session):
    first = draw(client, session.id, "one two three").json()
    assert (first["n_tokens"], sorted(first["new"])) == (3, ["0", "1", "2"])
    second = draw(client, session.id, "one twos three", epoch=first["epoch"]).json()
    assert (second["pretokens"], sorted(second["new"])) == ([0, 3, 2], ["3"])
    assert second["epoch"] == first["epoch"]
    assert draw(client, session.id, "one", epoch=first["epoch"]).json()["new"] == {}


@pytest.mark.parametrize("change", ["tokenizer", "height", "hex", "forgotten"])
def test_a_browser_that_holds_nothing_of_use_gets_all_again(client, session, change):
    epoch = draw(client, session.id, "one two").json()["epoch"]
    fields = {"epoch": "" if change == "forgotten" else epoch}
    if change == "height":
        fields["height_by"] = "order"
    if change == "tokenizer":
        session.use(get_tokenizer("cl100k_base"))
    text = "one twö" if change == "hex" else "one two"
    answer = draw(client, session.id, text, **fields).json()
    assert answer["epoch"] not in ("", epoch)
    assert len(answer["new"]) == 2


def test_trees_that_were_not_sent_are_sent_later(client, session):
    session.use(type("Odd", (), {"mergeable_ranks": {b"a": 0}, "split_pattern": r"\w"})())
    assert "no token for the byte" in draw(client, session.id, "az").json()["error"]
    session.use(get_tokenizer("gpt2"))
    assert len(draw(client, session.id, "az").json()["new"]) == 1


def test_bad_requests_are_refused_and_the_text_stays(client, session, monkeypatch):
    assert draw(client, "unknown", "x").status_code == 410
    for fields in ({"step": -1}, {"step": "1"}, {"epoch": 1}, {"more": 1}):
        assert draw(client, session.id, "x", **fields).status_code == 400
    assert draw(client, session.id, 1).status_code == 400
    monkeypatch.setattr("playground.server.forest.MAX_TEXT_BYTES", 10)
    answer = draw(client, session.id, "x" * 11)
    assert answer.status_code == 413
    assert "11 bytes; this page takes up to 10" in answer.json()["error"]
    assert session.text == "kept"


def test_half_a_surrogate_pair_is_replaced(client, session):
    answer = client.post(
        f"{FOREST_PATH}/{session.id}/draw",
        content=rb'{"text": "a\ud83d", "step": 2}',
        headers={"Content-Type": "application/json"},
    )
    assert answer.json()["n_tokens"] == len(get_tokenizer("gpt2").encode("a\ufffd"))
    assert (session.text, session.step) == ("a\ufffd", 2)


def test_a_session_ends_with_its_tab(client):
    session = ForestSession("")
    session_id = session.id
    del session
    gc.collect()
    assert draw(client, session_id, "x").status_code == 410
