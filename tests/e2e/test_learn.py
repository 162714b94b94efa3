"""Learn: the lessons are walked, presented to a class, answered alone, shared and saved."""

import json
import re

from playwright.sync_api import Page, expect

from playground.lessons.registry import LESSONS
from tests.e2e.conftest import download, fill, key, press, shared_link, type_keys
from tests.e2e.test_pages import broken_rules

STEPS = [
    (slug, step)
    for slug, lesson in LESSONS.items()
    for step in range(len(lesson.steps) + lesson.has_question + 1)
]


def open_step(page: Page, slug: str, step: int, more: str = "") -> None:
    page.goto(f"/learn?lesson={slug}&step={step}{more}")
    expect_step(page, slug, step)


def expect_step(page: Page, slug: str, step: int) -> None:
    expect(page).to_have_url(re.compile(rf"[?&]lesson={slug}&step={step}\b"))
    lesson = LESSONS[slug]
    told_at = lesson.told_at if lesson.told_at > 0 else len(lesson.steps)
    heading = lesson.claim if step >= told_at else lesson.guess.asks
    expect(page.get_by_role("heading", name=heading, exact=True)).to_be_visible()


def test_page_down_walks_through_every_step_of_every_lesson(page: Page) -> None:
    open_step(page, *STEPS[0], more="&present=1")
    found = []
    for slug, step in STEPS:
        expect_step(page, slug, step)
        lesson = LESSONS[slug]
        if step == (lesson.told_at if lesson.told_at > 0 else len(lesson.steps)):
            proof = lesson.guess.proof or lesson.guess.options[lesson.guess.right]
            expect(page.locator(".figure"), f"{slug} shows its answer when it tells it").to_contain_text(
                re.compile(r"\s*".join(map(re.escape, proof.split()))), use_inner_text=True
            )
        if step == len(lesson.steps):
            expect(page.locator("[aria-busy]")).to_have_attribute("aria-busy", "false")
            found += [f"{slug}: {broken}" for broken in broken_rules(page)]
            below = page.locator(".stage").evaluate("stage => stage.scrollHeight - stage.clientHeight")
            found += [f"{slug}: {below} pixels of its figure are cut off"] * (below > 12)
            found += [f"{slug} draws what is hidden"] * page.locator(".figure [hidden]:visible").count()
            width = page.evaluate("document.documentElement.scrollWidth")
            found += [f"{slug} is {width} pixels wide"] * (width > 1280)
        page.keyboard.press("PageDown")  # nothing moves between: the step before it is on the screen
    expect(page.get_by_role("heading", name="What was learned")).to_be_visible()
    assert found == []


def test_a_visitor_answers_alone_and_the_list_remembers_it(page: Page) -> None:
    page.goto("/learn")
    press(page.get_by_role("button", name="Start on your own"))
    expect_step(page, *STEPS[0])
    press(page.get_by_role("button", name="All lessons"))
    press(page.get_by_role("button", name=re.compile("Text is bytes")))
    expect_step(page, "bytes", 0)
    press(page.get_by_role("button", name="Guess: 2"))
    expect_step(page, "bytes", 1)
    for step in (2, 3, 4):
        press(page.get_by_role("button", name="Next step"))
        expect_step(page, "bytes", step)
        if step == LESSONS["bytes"].told_at:
            expect(page.get_by_text("The answer: 3. You guessed 2.")).to_be_visible()
    answer = page.get_by_role("textbox", name="Your answer")
    fill(answer, "7")
    press(page.get_by_role("button", name="Check"))
    expect(page.get_by_text(re.compile(r"^No\."))).to_be_visible()
    fill(answer, "4")
    key(page, "Enter")
    expect(page.get_by_text(re.compile(r"^Yes: \d$"))).to_be_visible()
    press(page.get_by_role("button", name="All lessons"))
    expect(page.get_by_role("button", name=re.compile("Text is bytes"))).to_contain_text("✓")
    page.reload()
    expect(page.get_by_role("button", name=re.compile("Text is bytes"))).to_contain_text("✓")


def test_a_teacher_presents_by_keys_with_notes_in_a_second_window(page: Page) -> None:
    open_step(page, "first-look", 1, "&present=1&way=class")
    expect(page.get_by_role("link", name="Compare", exact=True)).to_have_count(0)
    expect(page.get_by_role("button", name="Large type")).to_have_count(0)
    key(page, "?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    key(page, "?")
    key(page, "g")
    type_keys(page, "7")
    key(page, "Enter")
    expect_step(page, "bpe-by-hand", 0)
    with page.expect_popup() as popup:
        key(page, "s")
    notes = popup.value
    key(notes, "PageDown")
    expect_step(page, "bpe-by-hand", 1)
    expect(notes.get_by_text(LESSONS["bpe-by-hand"].notes.say)).to_be_visible()
    notes.close()
    key(page, "Escape")
    press(page.get_by_role("button", name="Stop presenting"))
    expect(page.get_by_role("link", name="Compare", exact=True)).to_be_visible()


def test_a_figure_follows_what_is_typed_and_plays_and_the_lesson_is_shared_and_saved(page: Page) -> None:
    open_step(page, "bytes", 2)
    assert shared_link(page).endswith("/learn?lesson=bytes&step=2")
    field = page.get_by_role("textbox").first
    example = field.input_value()
    fill(field, "né!")
    expect(page.get_by_text("U+006E")).to_be_visible()
    saved = download(page, page.get_by_role("button", name="Save as a notebook"))
    notebook = json.loads(saved.read_text(encoding="utf-8"))
    assert "values = {'text': 'né!'" in "".join(notebook["cells"][1]["source"])
    press(page.get_by_role("button", name="Reset example"))
    expect(field).to_have_value(example)
    open_step(page, "lowest-rank", 3)
    fill(
        page.get_by_role("slider", name="Merges"), "5"
    )  # the figure plays by itself, and a visitor's choice stops it
    expect(page.get_by_text("5 merges", exact=True)).to_be_visible()
    key(page, "Space")
    expect(page.get_by_text("7 merges", exact=True)).to_be_visible()
    page.goto("/learn?lesson=bytes&step=99")
    expect(page.get_by_text("There is no step “99”")).to_be_visible()
    page.goto("/learn?lesson=none")
    expect(page.get_by_text("There is no lesson “none”")).to_be_visible()
