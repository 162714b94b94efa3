import pytest

from playground.catalog.ranked import RankedTokenizer
from playground.catalog.registry import get_tokenizer
from playground.catalog.tiktoken_encoding import LazyEncoding
from playground.server.merge_tree.session import MergeTreeSession
from tests.server.browser_side import post


@pytest.fixture
def session():
    session = MergeTreeSession("kept")
    session.use(get_tokenizer("gpt2"))
    return session


def draw(session, text, **fields):
    return post(session, "draw", {"text": text, **fields})


def test_a_key_press_sends_only_changed_trees(session):
    first = draw(session, "one two three").json()
    assert (first["n_tokens"], sorted(first["new"])) == (3, ["0", "1", "2"])
    second = draw(session, "one twos three", epoch=first["epoch"]).json()
    assert (second["pretokens"], sorted(second["new"])) == ([0, 3, 2], ["3"])
    assert second["epoch"] == first["epoch"]
    assert draw(session, "one", epoch=first["epoch"]).json()["new"] == {}


@pytest.mark.parametrize("change", ["tokenizer", "height", "hex", "forgotten"])
def test_a_browser_without_current_trees_gets_all_of_them(session, change):
    epoch = draw(session, "one two").json()["epoch"]
    fields = {"epoch": "" if change == "forgotten" else epoch}
    if change == "height":
        fields["height_by"] = "order"
    if change == "tokenizer":
        session.use(get_tokenizer("cl100k_base"))
    text = "one twö" if change == "hex" else "one two"
    answer = draw(session, text, **fields).json()
    assert answer["epoch"] not in ("", epoch)
    assert len(answer["new"]) == 2


def test_trees_that_were_not_sent_are_sent_later(session):
    lacks_z = LazyEncoding("odd", pat_str=r"\w", mergeable_ranks={b"a": 0}, special_tokens={})
    session.use(RankedTokenizer(lacks_z))
    assert "no token for the byte" in draw(session, "az").json()["error"]
    session.use(get_tokenizer("gpt2"))
    assert len(draw(session, "az").json()["new"]) == 1


def test_a_browser_with_too_many_trees_starts_again(session, monkeypatch):
    answer = draw(session, "one").json()
    n_chars = len(answer["new"]["0"]["svg"])
    monkeypatch.setattr("playground.server.merge_tree.session.MAX_SENT_CHARS", n_chars)
    again = draw(session, "one", epoch=answer["epoch"]).json()
    assert (again["epoch"], again["new"]) == (answer["epoch"], {})
    monkeypatch.setattr("playground.server.merge_tree.session.MAX_SENT_CHARS", n_chars - 1)
    anew = draw(session, "one", epoch=answer["epoch"]).json()
    assert anew["epoch"] != answer["epoch"]
    assert [*anew["new"]] == ["0"]


def test_bad_requests_are_refused_and_the_text_stays(session, monkeypatch):
    for fields in ({"step": 1}, {"epoch": 1}, {"more": 1}):
        assert draw(session, "x", **fields).status_code == 400
    for step in (-1, "1", 1.0, 10**12):
        body = {"text": "x", "height_by": "depth", "step": step}
        assert post(session, "page", body).status_code == 400
    assert post(session, "page", {"text": "x", "height_by": "depth", "step": 1}).status_code == 200
    assert draw(session, 1).status_code == 400
    monkeypatch.setattr("playground.server.merge_tree.session.MAX_TEXT_BYTES", 10)
    answer = draw(session, "x" * 11)
    assert answer.status_code == 413
    assert "11 bytes; this page takes up to 10" in answer.json()["error"]
    assert session.text == "kept"
    assert draw(session, "x" * 10).status_code == 200
