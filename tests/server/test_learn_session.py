"""Requests of Learn's browser code: figures, answers and code of every lesson."""

import json

import pytest

from playground.server.learn_session import LearnSession
from tests.server.browser_side import post


@pytest.fixture
def session():
    return LearnSession()


def test_a_lesson_is_shown_and_its_answer_checked(session):
    body = {"lesson": "bytes", "values": {"text": "né"}}
    shown = post(session, "show", body).json()
    assert shown["figure"]["n_characters"] == 2
    assert (shown["asks"], shown["answer"]) == ("How many bytes does é have in UTF-8?", "2")
    assert [link["title"] for link in shown["links"]] == ["Tokenize", "Compare"]
    opened = {"text": "né", "tokenizer": "utf8_bytes"}
    assert shown["links"][0] == {"title": "Tokenize", "page": "tokenize", "state": opened}
    assert post(session, "check", {**body, "guess": "2"}).json() == {"is_right": True, "hint": ""}
    wrong = post(session, "check", {**body, "guess": "7"}).json()
    assert (wrong["is_right"], bool(wrong["hint"])) == (False, True)


def test_invalid_inputs_and_guesses_are_refused_with_the_reason(session):
    for body, said in (
        ({"lesson": "none"}, "unknown lesson 'none'"),
        ({"lesson": "bytes", "values": {"text": 1}}, "must be a text"),
        ({"lesson": "bytes", "values": {"texts": ""}}, "has no input 'texts'"),
        ({"lesson": "bytes", "values": {"text": "x" * 100_001}}, "takes up to 100,000"),
    ):
        answer = post(session, "show", body)
        assert (answer.status_code, said in answer.json()["error"]) == (400, True) or (
            answer.status_code == 413 and said in answer.json()["error"]
        )
    for text, number in (("é", 3), ("水", 4)):  # the example is not the answer
        words = post(session, "check", {"lesson": "bytes", "values": {"text": text}, "guess": "two"})
        assert words.json()["error"] == f"Type a number, such as {number}."
    empty = post(session, "check", {"lesson": "bytes", "values": {"text": ""}, "guess": "1"})
    assert "has no question" in empty.json()["error"]


def test_an_incomplete_pattern_gets_a_normal_answer_with_its_problem(session):
    """A browser logs an error for each failed request, so typing must not cause any."""
    answer = post(session, "show", {"lesson": "cuts", "values": {"pattern": "own", "own": [r"\w+|("]}})
    assert answer.status_code == 200
    assert [*answer.json()] == ["problem"]
    assert "missing )" in answer.json()["problem"]


def test_a_notebook_has_the_lessons_current_input(session):
    body = {"lesson": "cuts", "values": {"text": "née 12", "own": ["a"], "off": ["gpt2:2"]}}
    made = post(session, "notebook", body).json()
    assert made["name"] == "lesson-12-cuts.ipynb"
    notebook = json.loads(made["text"])
    assert notebook["nbformat"] == 4
    assert "'off': ['gpt2:2']" in "".join(notebook["cells"][1]["source"])
    assert "née" in made["text"]
    answer = post(session, "notebook", {"lesson": "bytes", "values": {"text": "a" * 90_000}})
    assert answer.status_code == 413
    assert "a notebook takes up to" in answer.json()["error"]
