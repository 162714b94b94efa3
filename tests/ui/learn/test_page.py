"""The Learn page: one component with all lessons."""

from playground.lessons.registry import LESSONS
from playground.ui.learn.lessons import lesson_data
from tests.ui.visits import html_of, visit


def test_the_page_opens_with_the_path():
    page = visit("learn")
    assert '<h1 class="claim">Learn<span>' in html_of(page)


def test_the_browser_gets_every_lesson():
    data = lesson_data()
    assert [lesson["slug"] for lesson in data] == list(LESSONS)
    for lesson in data:
        values = {item["name"]: item["example"] for item in lesson["inputs"]}
        assert LESSONS[lesson["slug"]].check(values) == LESSONS[lesson["slug"]].example()
