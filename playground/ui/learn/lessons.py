"""The lessons in one browser component, so that steps need no run of the page."""

from typing import Any, Literal, TypedDict, get_args

import streamlit as st

from playground.lessons.registry import LESSONS, MOVED
from playground.render.palette import token_css
from playground.server.learn_session import LearnSession
from playground.server.protection.hosts import is_loopback
from playground.ui import component

#: The server no longer knew the session; this event runs the page, which creates another.
LearnEvent = Literal["lost"]
_component = component.define(
    "learn",
    html='<div class="learn"></div>',
    module="learn/learn.js",
    styles=("shared/token_strip.css", "learn/learn.css", "learn/figures.css"),
    css=token_css(),
    events=get_args(LearnEvent),
)


class GuessData(TypedDict):
    """A `Guess`."""

    asks: str
    options: list[str]
    right: int


class LessonData(TypedDict):
    """A `Lesson` without its functions; `sets` has an item a step, from 0."""

    slug: str
    number: int
    title: str
    claim: str
    guess: GuessData
    minutes: int
    time: str
    figure: str
    in_class: bool
    has_question: bool
    asked_at: int
    told_at: int
    steps: list[str]
    inputs: list[dict[str, Any]]
    sets: list[dict[str, Any]]
    try_this: str
    say: str
    ask: str
    expect: str


class LearnData(TypedDict):
    """Addresses of the component's session and of the app; lessons, and those that others took over."""

    url: str
    app: str
    lessons: list[LessonData]
    moved: dict[str, str]


def lesson_data() -> list[LessonData]:
    """Return all lessons, in the order of the path."""
    return [
        {
            "slug": lesson.slug,
            "number": lesson.number,
            "title": lesson.title,
            "claim": lesson.claim,
            "guess": {
                "asks": lesson.guess.asks,
                "options": list(lesson.guess.options),
                "right": lesson.guess.right,
            },
            "minutes": lesson.minutes,
            "time": lesson.time,
            "figure": lesson.figure,
            "in_class": lesson.in_class,
            "has_question": lesson.has_question,
            "asked_at": lesson.asked_at if lesson.asked_at > 0 else len(lesson.steps),
            "told_at": lesson.told_at if lesson.told_at > 0 else len(lesson.steps),
            "steps": list(lesson.steps),
            "inputs": [item.about() for item in lesson.inputs],
            "sets": [dict(lesson.sets.get(step, {})) for step in range(len(lesson.steps) + 2)],
            "try_this": lesson.try_this,
            "say": lesson.notes.say,
            "ask": lesson.notes.ask,
            "expect": lesson.notes.expect,
        }
        for lesson in LESSONS.values()
    ]


def new_session() -> LearnSession:
    """Return a session that knows whether phones can reach this server."""
    return LearnSession(is_local=is_loopback(st.get_option("server.address") or ""))


def show_lessons(session: LearnSession) -> None:
    """Draw the component; the address names the lesson and step."""
    data: LearnData = {
        "url": component.address(session.url),
        "app": component.address(""),
        "lessons": lesson_data(),
        "moved": dict(MOVED),
    }
    _component(key="learn", data=data)
