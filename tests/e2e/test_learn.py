"""Learn in a browser: one walk by PageDown sees every step of every lesson, as a class would.

A new lesson is covered by its line in the table.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from playground.lessons.registry import LESSONS
from playground.server.editor.link import EDITOR_LINK
from playground.server.share_link import unpack
from tests.e2e.axe import broken_rules, rules_broken_now
from tests.e2e.conftest import PATIENCE, shared_link, wait_until_run

SLUGS = list(LESSONS)
STEPS = [
    (slug, step)
    for slug, lesson in LESSONS.items()
    for step in range(1, len(lesson.steps) + lesson.has_question + 1)
]
#: Where a lesson stands, once it is drawn.
PLACE = """() => {
  const root = [...document.querySelectorAll('.st-key-learn, .st-key-learn *')].map((e) => e.shadowRoot)
    .find(Boolean)?.querySelector('.learn') ?? document.querySelector('.learn');
  if (!root?.dataset.lesson || root.querySelector('.stage').ariaBusy !== 'false') return null;
  return [root.dataset.lesson, Number(root.dataset.step)];
}"""
#: What of the screen is too small, too much, or cut: sizes in pixels of a screen of 1280 × 800. The words of
#: the line below do not count: it is the same at each step.
LOOK = """(scale) => {
  const root = [...document.querySelectorAll('.st-key-learn, .st-key-learn *')].map((e) => e.shadowRoot)
    .find(Boolean)?.querySelector('.learn') ?? document.querySelector('.learn');
  const found = [], stage = root.querySelector('.stage').getBoundingClientRect();
  const words = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim(), box = walker.currentNode.parentElement;
    if (!text || !box.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    if (box.closest('.unseen, .name, dialog, .large-spot')) continue;
    const isToken = box.closest('.t, [data-token], [data-spot]') !== null;
    const isNumber = box.closest('.figure .number') !== null;
    const size = parseFloat(getComputedStyle(box).fontSize) / scale;
    const svg = box.closest('svg');
    const inner = svg && (svg.viewBox.baseVal.width || svg.clientWidth);
    const drawn = svg ? size * svg.getBoundingClientRect().width / inner : size;
    const least = isNumber ? 64 : isToken ? 32 : 24;
    if (drawn < least - 0.5) found.push(`${text.slice(0, 30)} is ${Math.round(drawn)} high, not ${least}`);
    if (isToken || box.closest('.line-below')) continue;
    words.push(...text.split(/\\s+/).filter((word) => /\\p{L}/u.test(word)));
  }
  if (words.length > 40) found.push(`${words.length} words: ${words.join(' ')}`);
  for (const box of root.querySelectorAll('.stage *')) {
    if (!box.checkVisibility({ visibilityProperty: true }) || box.closest('.unseen')) continue;
    const { left, right, top, bottom } = box.getBoundingClientRect();
    const isOut = right > stage.right + 2 || bottom > stage.bottom + 2;
    if (isOut || left < stage.left - 2 || top < stage.top - 2) {
      found.push(`${box.tagName}.${box.getAttribute('class')} is out of the stage: `
        + [left, right, top, bottom].map(Math.round));
    }
  }
  const lit = [...root.querySelectorAll('.stage [data-spot]')]
    .filter((token) => token.checkVisibility({ visibilityProperty: true }));
  for (const token of lit) token.classList.add('spot');  // all at once: each would style the page anew
  const rings = lit.map((token) => getComputedStyle(token))
    .map((style) => parseFloat(style.outlineWidth) + parseFloat(style.outlineOffset));
  for (const token of lit) token.classList.remove('spot');
  const edges = new Map();
  const edgeOf = (box) => {
    if (!edges.has(box)) {
      edges.set(box, getComputedStyle(box).overflow === 'visible' ? null : box.getBoundingClientRect());
    }
    return edges.get(box);
  };
  for (const [n, token] of lit.entries()) {
    const around = rings[n], own = token.getBoundingClientRect();
    for (let box = token.parentElement; box && box !== root; box = box.parentElement) {
      const edge = edgeOf(box);
      if (!edge) continue;
      if (own.left - around < edge.left - 1 || own.right + around > edge.right + 1
        || own.top - around < edge.top - 1 || own.bottom + around > edge.bottom + 1) {
        found.push(`the spotlight of ${token.dataset.spot} is cut by ${box.className}`);
      }
    }
  }
  const { width, height } = document.documentElement.getBoundingClientRect();
  for (const box of [root, document.scrollingElement, document.querySelector('.stMain')]) {
    if (box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1) {
      found.push(`${box.className || box.tagName} scrolls in ${width} × ${height}`);
    }
  }
  return found;
}"""


#: What has a new size is drawn anew then.
TWO_FRAMES = "() => new Promise((end) => requestAnimationFrame(() => requestAnimationFrame(end)))"
#: Goes to the list and from there to another address, as Back and Forward do: what was drawn is drawn anew.
GO = """(query) => {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  focused?.blur();
  for (const search of ['', query]) {
    history.replaceState(history.state, '', location.pathname + search);
    dispatchEvent(new PopStateEvent('tessera:popstate', { cancelable: true }));
  }
}"""


@pytest.fixture
def learn(used_page: Any) -> Any:
    """`learn("bytes", 2)` opens a step of a lesson on the one page of all these tests."""

    def open_step(slug: str, step: int, *, more: str = "") -> Page:
        page: Page = used_page("learn")
        page.locator(".learn :is(.cards, .lesson)").first.wait_for()  # it hears where one goes
        go_to_step(page, slug, step, more=more)
        return page

    return open_step


def go_to_step(page: Page, slug: str, step: int, *, more: str = "") -> None:
    """Go to a step of a lesson on a page of Learn, which is not loaded anew."""
    page.evaluate(GO, f"?lesson={slug}&step={step}{more}")
    wait_for_place(page, slug, step)


def wait_for_place(page: Page, slug: str, step: int) -> None:
    page.wait_for_function(
        f"([slug, step]) => {{ const at = ({PLACE})(); return at && at[0] === slug && at[1] === step; }}",
        arg=[slug, step],
        timeout=PATIENCE,
    )


def query(page: Page) -> str:
    return str(page.evaluate("location.search"))


def test_the_list_of_lessons_has_a_class_s_type_before_a_class_and_a_page_s_elsewhere(learn):
    page = learn(*STEPS[0], more="&present=1")
    page.keyboard.press("Escape")
    expect(page.locator(".presenting .card").first).to_have_css("font-size", "24px")
    page.evaluate(GO, "?")
    expect(page.locator(".learn:not(.presenting) .card").first).to_have_css("font-size", "16px")


def test_pagedown_alone_walks_the_whole_path_and_each_step_can_be_read_from_the_last_row(learn):
    page = learn(*STEPS[0], more="&present=1")
    found = []
    for number, (slug, step) in enumerate(STEPS):
        wait_for_place(page, slug, step)
        assert query(page) == f"?lesson={slug}&step={step}&present=1"
        found += [f"{slug} {step}: {told}" for told in page.evaluate(LOOK, 1.0)]
        if step == len(LESSONS[slug].steps):
            found += [f"{slug} {broken}" for broken in broken_rules(page)]
        if number + 1 < len(STEPS):
            page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    assert query(page) == f"?lesson={STEPS[-1][0]}&step={STEPS[-1][1]}&present=1", "the path has ended"
    # Whole lessons on a large screen in the dark, one after the other: a page in another theme is drawn anew.
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.emulate_media(color_scheme="dark")
    expect(page.get_by_test_id("stApp")).to_have_css("color-scheme", "dark")
    for slug, lesson in LESSONS.items():
        go_to_step(page, slug, len(lesson.steps), more="&present=1")
        found += [f"{slug} on a large screen: {told}" for told in page.evaluate(LOOK, 1.35)]
        found += [f"{slug} dark {broken}" for broken in broken_rules(page, "color-contrast")]
    go_to_step(page, "bytes", len(LESSONS["bytes"].steps))  # among the controls of the frame
    found += [f"dark, in the frame: {broken}" for broken in broken_rules(page, "color-contrast")]
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 800})
    assert "\n".join(found) == ""


#: What a class types: a sentence, one long word, a name in which each letter is several ids.
TYPED = {
    "a sentence": "The quick brown fox jumps over the lazy dog, and then 12345 cats sleep 678 times; why?",
    "a long word": "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
    "another script": "Анастасия Преображенская सगरमाथा",
}


@pytest.mark.parametrize(
    ("slug", "step"),
    [
        ("first-look", 3),
        ("bpe-by-hand", 1),
        ("bytes", 3),
        ("cuts", 3),
        ("numbers", 2),
        ("rows-that-never-move", 3),
    ],
)
def test_what_a_class_types_stays_on_the_stage(learn, slug, step):
    page = learn(slug, step, more="&present=1")
    page.set_viewport_size({"width": 1280, "height": 800})
    root, found = page.locator(".learn[data-lesson]"), []
    for name, text in TYPED.items():
        drawn = root.get_attribute("data-drawn")
        page.locator(".learn .text-field :is(textarea, input)").first.fill(text)
        expect(root).not_to_have_attribute("data-drawn", drawn or "")
        if slug == "cuts":
            assert page.locator(".learn .piece, .learn .whole .t").count() >= 5, f"{name}: its first pieces"
        found += [
            f"{name}: {told}" for told in page.evaluate(LOOK, 1.0) if not re.match(r"\d+ words: ", told)
        ]
    page.get_by_role("button", name="Reset example").click()
    assert "\n".join(found) == ""


def test_on_a_telephone_the_ids_of_a_long_spelling_stand_below_it(learn):
    page = learn("first-look", 2)
    page.set_viewport_size({"width": 390, "height": 800})
    page.locator(".learn textarea").fill(TYPED["another script"])
    expect(page.locator(".learn .spellings .box").first).to_have_text("Анастасия")
    word, ids = page.locator(".learn").evaluate(
        """(root) => ["box", "id"].map((part) =>
            root.querySelector(`.spellings .${part}`).getBoundingClientRect().toJSON())"""
    )
    assert ids["y"] >= word["y"] + word["height"]
    assert ids["x"] + ids["width"] <= 390
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_role("button", name="Reset example").click()


def test_a_field_on_a_telephone_shows_three_whole_lines(learn):
    page = learn("words", 1)
    page.set_viewport_size({"width": 390, "height": 800})
    field = page.locator(".learn .fields textarea").first
    for n_lines in (3, 4):
        field.fill("\n".join(["a line"] * n_lines))
        shown, whole = field.evaluate("(field) => [field.clientHeight, field.scrollHeight]")
        line = field.evaluate("(field) => parseFloat(getComputedStyle(field).lineHeight)")
        assert shown == pytest.approx(whole - (n_lines - 3) * line, abs=1.5), n_lines
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_role("button", name="Reset example").click()


def test_a_field_for_one_line_takes_no_line_break(learn):
    page = learn("letters", 1)
    field = page.get_by_label("Without")
    field.press_sequentially("q")
    field.press("Enter")  # a line break has a row of its own, which would be taken away too
    expect(field).to_have_value("q")
    field.fill("")
    field.evaluate("(field) => document.execCommand('insertText', false, 'q\\n')")  # as it is pasted
    expect(field).to_have_value("q")
    page.get_by_role("button", name="Reset example").click()


def test_the_way_on_and_reset_stay_where_they_are(learn):
    """Who presses › again and again has it below the pointer, on a low window too; Reset is in one corner."""
    page = learn("letters", 1)
    corners = set()
    for height, slugs in ((800, ("letters", "vocabulary-size", "sentencepiece")), (640, ("neighbours",))):
        page.set_viewport_size({"width": 1280, "height": height})
        for slug in slugs:
            n_steps = len(LESSONS[slug].steps)
            go_to_step(page, slug, n_steps)
            on = page.get_by_role("button", name="One step on")
            before = on.bounding_box()
            assert before, slug
            assert before["y"] + before["height"] <= height, slug
            box = page.get_by_role("button", name="Reset example").bounding_box()
            assert box
            corners.add((round(box["x"]), round(box["y"])))
            on.click()
            wait_for_place(page, slug, n_steps + 1)
            assert on.bounding_box() == pytest.approx(before, abs=1), slug
    assert len(corners) == 1
    page.set_viewport_size({"width": 1280, "height": 800})


def test_before_a_class_the_field_stays_where_it_is_when_a_reply_comes(learn):
    # A reply of one line, and one of two beside the field.
    for slug, guess in (("numbers", "9999"), ("choose", "x")):
        page = learn(slug, len(LESSONS[slug].steps) + 1, more="&present=1")
        field, said = page.locator(".learn .question input"), page.locator(".learn .said")
        before = field.bounding_box()
        field.fill(guess)
        field.press("Enter")
        expect(said).to_have_text(re.compile(r"^No\. "))
        assert field.bounding_box() == before
        field.press("Escape")
        page.keyboard.press("a")
        expect(said).to_have_attribute("data-kind", "answer")
        assert field.bounding_box() == before


def test_what_a_step_adds_is_in_view_in_large_type_too(learn):
    """Who learns alone presses → and sees what comes; another lesson begins at the top of the page."""
    page = learn("words", 1)
    page.evaluate("document.documentElement.style.fontSize = '150%'")
    for slug in ("words", "cuts"):
        n_steps = len(LESSONS[slug].steps)
        go_to_step(page, slug, n_steps)
        top = page.locator(".learn .lesson h2").bounding_box()
        assert top
        assert 0 < top["y"] < 400, f"{slug} does not begin at the top"
        page.keyboard.press("ArrowRight")
        wait_for_place(page, slug, n_steps + 1)
        question, below = (
            page.locator(f".learn .{name}").bounding_box() for name in ("question", "line-below")
        )
        assert question
        assert below
        assert question["y"] + min(question["height"], 300) <= below["y"] + 1, slug
    page.locator(".learn .question input").fill("1")
    page.locator(".stMain").evaluate("(main) => main.scrollBy(0, -200)")  # one looks at the figure again
    page.get_by_role("button", name="Check").dispatch_event("click")
    said = page.locator(".learn .said")
    expect(said).to_have_text(re.compile(r"^No\. "))
    told, below = said.bounding_box(), page.locator(".learn .line-below").bounding_box()
    assert told
    assert below
    assert told["y"] + told["height"] <= below["y"] + 1, "the reply"
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("document.documentElement.style.fontSize = '137%'")
    for slug, step in (("cuts", 3), ("vocabulary-size", 1), ("numbers", 1)):
        go_to_step(page, slug, step)
        assert page.locator(".stMain").evaluate("(main) => main.scrollWidth") <= 390, slug
    page.set_viewport_size({"width": 1280, "height": 800})
    page.evaluate("document.documentElement.style.fontSize = ''")


def test_a_row_of_characters_shows_only_whole_ones_and_says_how_many(learn):
    page = learn("letters", 1, more="&present=1")
    page.set_viewport_size({"width": 1920, "height": 1080})
    go_to_step(page, "bytes", 1, more="&present=1")  # its place in the text is written for the first time
    tops = page.locator(".learn .glyph").evaluate_all(
        "(glyphs) => glyphs.map((glyph) => glyph.getBoundingClientRect().top)"
    )
    assert len(set(tops)) == 1
    expect(page.locator(".learn .place")).to_have_text(f"1–{len(tops)} / 26")
    page.set_viewport_size({"width": 1280, "height": 800})


def test_keys_do_not_step_in_a_field(learn):
    page = learn("bytes", 1, more="&present=1")
    field = page.locator(".learn textarea")
    field.fill("né")
    expect(page.locator(".learn .glyph")).to_have_count(2)
    for key in ("ArrowRight", "Space", "n", "b", "r"):
        page.keyboard.press(key)
    assert query(page) == "?lesson=bytes&step=1&present=1"
    expect(field).to_have_value("né nbr")
    field.fill("né")
    for _ in range(3):
        page.keyboard.press("PageDown")
    page.keyboard.press("Escape")
    wait_for_place(page, "bytes", 4)
    expect(page.locator(".learn .asks")).to_have_text("How many bytes does é have in UTF-8?")
    page.keyboard.press("a")
    expect(page.locator(".learn .said")).to_have_text("2")
    page.keyboard.press("PageUp")
    wait_for_place(page, "bytes", 3)
    page.keyboard.press("r")
    expect(field).to_have_value(LESSONS["bytes"].example()["text"])
    page.keyboard.press(".")
    expect(page.locator(".learn .blank")).to_be_visible()
    page.keyboard.press("PageDown")
    expect(page.locator(".learn .blank")).to_be_hidden()
    assert "step=3" in query(page)
    for back in ("Escape", "ArrowRight"):
        page.keyboard.press("Escape")
        expect(page.locator(".learn .cards .card")).to_have_count(len(SLUGS))
        expect(page.locator('.learn .card[aria-current="step"] b')).to_have_text(
            f"{LESSONS['bytes'].title} · class · you are here"
        )
        page.keyboard.press(back)
        wait_for_place(page, "bytes", 3)


def test_a_question_that_comes_by_a_key_before_a_class_is_answered_at_once(learn):
    page = learn("letters", 3, more="&present=1")
    page.keyboard.press("Space")
    wait_for_place(page, "letters", 4)
    field, said = page.locator(".learn .question input"), page.locator(".learn .said")
    expect(field).to_be_focused()
    page.keyboard.press("a")  # no number begins so
    expect(said).to_have_text("46")
    page.keyboard.type("45")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(said).to_have_text("No. Find h in the table: its number is the answer.")
    page.keyboard.type("46")  # in its place
    page.keyboard.press("Enter")
    expect(said).to_have_text("Yes: 46")
    page.keyboard.press("Space")
    wait_for_place(page, "words", 1)
    page.keyboard.press("ArrowLeft")
    wait_for_place(page, "letters", 4)
    expect(field).to_be_focused()
    page.keyboard.press("Escape")
    expect(field).not_to_be_focused()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("press Esc first")
    page.keyboard.press("?")
    page.keyboard.press("ArrowLeft")
    wait_for_place(page, "letters", 3)
    page.get_by_role("button", name="One step on").click()  # as on a telephone
    wait_for_place(page, "letters", 4)
    expect(field).not_to_be_focused()


def test_one_alone_answers_and_the_list_knows_it(learn):
    page = learn("oddities", len(LESSONS["oddities"].steps))
    page.locator(".learn .oddity").last.click()
    page.keyboard.press("ArrowLeft")  # into the last step of the lesson before, which is not read by that
    wait_for_place(page, "bytes", 4)
    page.get_by_role("button", name="Show answer").click()
    page.get_by_role("button", name="All lessons").click()
    expect(page.locator('[data-slug="oddities"] .done')).to_have_text("✓")
    expect(page.locator('[data-slug="bytes"] .done.answered')).to_have_count(0)
    page.go_back()
    wait_for_place(page, "bytes", 4)
    page.locator(".learn .question input").fill("7")
    page.get_by_role("button", name="Check").click()
    expect(page.locator(".learn .said")).to_have_text(re.compile(r"^No\. The first byte tells"))
    page.locator(".learn .question input").fill("four")
    page.keyboard.press("Enter")
    expect(page.locator(".learn .said")).to_have_text("Type a number, such as 3.")
    page.locator(".learn .question input").fill("4")
    page.keyboard.press("Enter")
    expect(page.locator(".learn .said")).to_have_text("Yes: 4")
    page.get_by_text("The code that does it").click()
    expect(page.locator(".learn pre code")).to_contain_text("def bytes_of")
    page.get_by_role("button", name="All lessons").click()
    expect(page.locator('[data-slug="bytes"] .done')).to_have_text("✓")
    expect(page.locator(".learn .starts")).to_contain_text("Times are those of Karpathy’s lecture")
    assert broken_rules(page) == []
    assert query(page) == ""
    page.go_back()
    wait_for_place(page, "bytes", 4)
    expect(page.locator("h1.claim")).to_contain_text("Learn")
    page.go_forward()
    expect(page.locator(".learn .cards")).to_be_visible()


def test_keys_of_a_teacher(learn):
    page = learn("first-look", 1, more="&present=1&way=class")
    page.keyboard.press("l")
    page.keyboard.press("l")
    expect(page.locator(".learn .large-spot")).to_have_text("1130")
    page.keyboard.press("Escape")
    expect(page.locator(".learn .large-spot")).to_be_hidden()
    page.keyboard.press("a")  # the question comes later: nothing gives its answer away
    needs = page.locator(".learn .needs")
    expect(needs).to_have_text("The question is step 3: A shows its answer there.")
    page.keyboard.press("l")
    expect(needs).to_have_text("")
    page.evaluate(TWO_FRAMES)  # the sentence gives its line to the figure, which is drawn anew
    expect(page.locator(".learn .large-spot")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Keys").click()
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("PageDown")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
    wait_for_place(page, "first-look", 1)
    expect(page.locator(".learn .said")).to_have_text("")
    page.keyboard.press("PageUp")
    wait_for_place(page, "letters", 4)
    expect(needs).to_have_text("")
    go_to_step(page, "oddities", 1, more="&present=1&way=class")
    page.keyboard.press("a")
    expect(needs).to_have_text("This lesson has no question.")
    page.keyboard.press("l")
    expect(needs).to_have_text("This step has no token to light.")
    page.keyboard.press("g")
    page.keyboard.type("99")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Go to a lesson")).to_be_visible()
    page.mouse.click(20, 20)  # outside of it
    expect(page.get_by_role("dialog", name="Go to a lesson")).to_be_hidden()
    page.keyboard.press("g")  # the wrong number is gone
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    wait_for_place(page, "bpe-by-hand", 1)
    expect(page.locator(".learn .where")).to_have_text("Lesson 5 of 12 · step 1 of 5 · BPE by hand")
    with page.expect_popup() as popup:
        page.keyboard.press("s")
    seen, steps = popup.value.locator(".seen dd"), LESSONS["bpe-by-hand"].steps
    expect(seen).to_have_text(steps[:2])
    expect(popup.value.locator(".said dd").first).to_have_text(LESSONS["bpe-by-hand"].notes.say)
    expect(popup.value.locator("header")).to_contain_text(
        "Lesson 5 of 12 · step 1 of 5 · 23:50 in the lecture"
    )
    expect(popup.value.locator(".time")).to_have_text(re.compile(r"\d?\d:\d\d"))
    expect(popup.value.locator(".minutes")).to_have_text("open for 0 min")
    popup.value.set_viewport_size({"width": 1920, "height": 1080})
    expect(seen.first).to_have_css("font-size", "49.68px")  # its style sheet has come
    assert popup.value.evaluate("document.fonts.check('20px Source Sans')")
    paper = page.locator(".learn").evaluate("(root) => getComputedStyle(root).backgroundColor")
    expect(popup.value.locator("html")).to_have_css("background-color", paper)
    assert rules_broken_now(popup.value) == []
    page.bring_to_front()
    page.keyboard.press("PageDown")
    expect(seen).to_have_text(steps[1:3])
    popup.value.keyboard.press("PageDown")
    wait_for_place(page, "bpe-by-hand", 3)
    for _ in range(2):
        popup.value.keyboard.press("PageDown")
    expect(seen).to_have_text(["By the rule, how long is the row after 3 merges?", "5", "9 · The loop"])
    for _ in range(3):
        popup.value.keyboard.press("ArrowLeft")
    wait_for_place(page, "bpe-by-hand", 2)
    popup.value.keyboard.press("b")
    expect(page.locator(".learn .blank")).to_be_visible()
    popup.value.keyboard.press("b")
    expect(page.locator(".learn .blank")).to_be_hidden()
    popup.value.keyboard.press("g")
    expect(page.get_by_role("dialog", name="Go to a lesson")).to_be_hidden()
    popup.value.close()
    page.locator('.learn button[data-pair="b d"]').click()
    expect(page.locator(".learn .own .number")).to_have_text("10")
    page.keyboard.press("r")
    expect(page.locator(".learn .own .number")).to_have_text("11")
    assert query(page) == "?lesson=bpe-by-hand&step=2&present=1&way=class"
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Stop presenting").click()
    expect(page.get_by_role("navigation").first).to_be_visible()


def test_from_the_list_an_arrow_begins_the_class_s_lessons(context: BrowserContext, app_url):
    other = context.new_page()  # nobody comes from a lesson
    other.goto(f"{app_url}/learn")
    other.locator(".learn .card").first.wait_for()
    other.keyboard.press("PageDown")
    assert query(other) == ""
    other.keyboard.press("ArrowRight")
    wait_for_place(other, "oddities", 1)
    assert query(other) == "?lesson=oddities&step=1&present=1&way=class"
    other.close()


def test_what_a_question_asks_about_is_in_sight(learn):
    for slug, seen in (("neighbours", "formula"), ("new-tokens", "matrix"), ("mixture", "before")):
        page = learn(slug, len(LESSONS[slug].steps) + 1, more="&present=1")
        expect(page.locator(f".learn .figure .{seen}").last).to_be_visible()
    page = learn("count-and-merge", 4, more="&present=1")  # and its answer is not
    expect(page.locator(".learn .figure .row").last).to_be_hidden()


def test_every_character_of_a_long_text_is_reached_by_mouse_and_keys(learn):
    page = learn("bytes", 3, more="&present=1")
    page.locator(".learn textarea").fill("".join(map(chr, range(0x4E00, 0x4E00 + 300))))
    place, number = page.locator(".learn .figure .place"), page.locator(".learn .code .number")
    expect(place).to_have_text(re.compile(r"^1–\d+ / 300$"))
    n_shown = page.locator(".learn .glyph").count()
    page.get_by_title("The characters after").click()
    expect(number).to_have_text(f"{0x4E00 + n_shown:,}")
    page.locator(".learn .glyph").first.press("ArrowLeft")
    expect(number).to_have_text(f"{0x4E00 + n_shown - 1:,}")
    expect(place).to_have_text(f"1–{n_shown} / 300")
    expect(page.locator(".learn .glyph").last).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(number).to_have_text(f"{0x4E00 + n_shown:,}")
    assert "step=3" in query(page)
    page.locator(".learn textarea").fill("short")
    expect(place).to_be_hidden()
    page.get_by_role("button", name="Reset example").click()


def test_a_merge_can_be_taken_back_however_many_pairs_there_are(learn):
    page = learn("bpe-by-hand", 1, more="&present=1")
    page.get_by_label("Letters", exact=True).fill("ababcdefghijklmnopqrstuv")
    page.locator('.learn button[data-pair="a b"]').click()
    expect(page.locator(".learn .own .number")).to_have_text("22")
    expect(page.locator(".learn .pairs .more-of-it").last).to_be_visible()
    undo = page.get_by_role("button", name="Undo")
    box, stage = undo.bounding_box(), page.locator(".learn .stage").bounding_box()
    assert box["y"] + box["height"] <= stage["y"] + stage["height"]
    undo.click()
    expect(page.locator(".learn .own .number")).to_have_text("24")
    expect(undo).to_be_disabled()
    page.get_by_role("button", name="Reset example").click()


def test_the_map_of_numbers_is_walked_by_its_axes_and_keys(learn):
    page = learn("numbers", 2, more="&present=1")
    field, read = page.locator(".learn .field"), page.locator(".learn .read")
    box = field.bounding_box()
    for row, column in ((25, 50), (99, 0)):  # a cell is the sum of what both axes say of its place
        y = page.locator(f'.learn .rows .tick >> text="{100 * row}"').bounding_box()
        x = page.locator(f'.learn .columns .tick >> text="+{column}"').bounding_box()
        at = (x["x"] + x["width"] / 2, min(y["y"] + y["height"] / 2, box["y"] + box["height"] - 2))
        page.mouse.move(at[0], at[1])
        told = int("".join(read.locator(".t").all_inner_texts()))
        assert abs(told // 100 - row) <= 3, told
        assert abs(told % 100 - column) <= 1, told
    field.press("ArrowUp")
    expect(read).to_have_text(str(told - 100))
    assert "step=2" in query(page)


def test_a_second_tab_is_told_what_is_not_there_and_disturbs_none(learn, context: BrowserContext, app_url):
    page = learn("bytes", 1)
    other = context.new_page()
    other.goto(f"{app_url}/learn?lesson=bytes&step=99")
    wait_for_place(other, "bytes", 4)
    expect(other.locator(".learn .needs")).to_have_text("There is no step “99”; this is step 4.")
    page.locator(".learn textarea").fill("one")
    other.locator(".learn textarea").fill("other")
    expect(page.locator(".learn .glyph")).to_have_count(3)
    expect(other.locator(".learn .glyph")).to_have_count(5)
    other.evaluate(GO, "?lesson=none")
    expect(other.locator(".learn .problem")).to_contain_text("There is no lesson “none”.")
    other.close()
    assert query(page) == "?lesson=bytes&step=1"
    wait_until_run(page)
    page.get_by_role("button", name="Reset example").click()


def test_share_copies_the_link_of_the_lesson_and_step(learn, app_url):
    page = learn("bytes", 2, more="&way=class")
    assert shared_link(page) == f"{app_url}/learn?lesson=bytes&step=2&way=class"
    page.locator(".learn textarea").fill("one")
    assert shared_link(page) == f"{app_url}/learn?lesson=bytes&step=2&way=class"
    expect(page.locator(".share-said")).to_contain_text("Left out: what was changed in this lesson.")
    page.get_by_role("button", name="Reset example").click(timeout=5_000)  # through what is said over it
    expect(page.locator(".share-said")).to_have_text("")
    expect(page.locator(".learn textarea")).not_to_have_value("one")
    page.get_by_role("button", name="All lessons").click()
    assert shared_link(page) == f"{app_url}/learn?way=class"


def test_a_lesson_links_to_another_page_on_its_text_and_stays(learn, app_url):
    """What a page opens on by a link, its own tests see."""
    page = learn("bytes", 2)
    page.locator(".learn textarea").fill("né!")
    expect(page.locator(".learn .glyph")).to_have_text(["n", "é", "!"])  # not those of another text
    link = page.locator(".learn .links a", has_text="Tokenize")
    expect(link).to_have_attribute("target", "_blank")
    address, _, shared = link.evaluate("(link) => link.href").partition("?share=")
    assert address == f"{app_url}/"
    assert EDITOR_LINK.shape.check(unpack(shared))["text"] == "né!"
    page.get_by_role("button", name="Reset example").click()


def test_a_figure_tells_what_its_field_lacks(learn):
    page = learn("special-tokens", 2)
    told = page.locator(".figure-special-tokens > p")
    expect(told).to_have_text("Shown with “>” typed at the end.")
    page.locator(".learn textarea").press_sequentially(">")
    expect(told).to_be_hidden()
    page.get_by_role("button", name="Reset example").click()
    expect(told).to_be_visible()


def test_a_lesson_is_saved_as_a_notebook_of_what_was_typed(learn):
    page = learn("bytes", 2)
    page.locator(".learn textarea").fill("né!")
    save = page.get_by_role("button", name="Save as a notebook")
    with page.expect_download() as saved:
        save.click()
    assert saved.value.suggested_filename == "lesson-05-bytes.ipynb"
    notebook = json.loads(Path(saved.value.path()).read_text(encoding="utf-8"))
    assert "values = {'text': 'né!'" in "".join(notebook["cells"][1]["source"])
    page.locator(".learn textarea").fill("a" * 30_000)
    save.click()
    expect(page.locator(".learn .needs")).to_contain_text("a notebook takes up to 20,000")
    page.get_by_role("button", name="Reset example").click()


def test_an_alternative_is_switched_off_and_an_own_pattern_typed(learn):
    page = learn("cuts", 2)
    page.locator('.learn .alternative[data-place="2"]').click()
    expect(page.locator(".learn .dropped")).to_have_text("1 left out")
    page.get_by_role("button", name="own", exact=True).click()
    own = page.get_by_label("Own pattern")
    own.fill("(")
    expect(page.locator(".learn .fields .refused")).to_contain_text("does not compile")
    own.fill("[a-z]+|.")
    expect(page.locator(".learn .alternative")).to_have_count(2)
    expect(own).to_be_focused()
    for step in (1, 3, 2):  # one sees what cuts at each
        go_to_step(page, "cuts", step)
        expect(own).to_be_visible()
        expect(page.locator(".learn .alternative >> visible=true")).to_have_count(2 if step == 2 else 0)
    page.get_by_role("button", name="Reset example").click()
    expect(own).to_be_hidden()
    expect(page.locator(".learn .alternative")).to_have_count(7)
    expect(page.locator(".learn .dropped")).to_have_count(0)


def test_what_a_figure_counts_is_named(learn):
    page = learn("attention", 3)
    expect(page.locator(".learn .sum")).to_have_text(
        [
            "8,287² = 68,674,369 pairs of bytes",
            "1,524² = 2,322,576 pairs of tokens",
            "2,048² = 4,194,304 pairs in the window",
        ]
    )
    go_to_step(page, "vocabulary-size", 2)
    expect(page.locator(".learn .novel .last")).to_have_text("256,257 rows, log scale")
    go_to_step(page, "special-tokens", 3)  # whichever tokenizer is chosen
    expect(page.locator(".learn .stream .soft")).to_have_text("cl100k chat")
    go_to_step(page, "loop", 2)
    expect(page.locator(".learn .side")).to_contain_text("24,000 bytes → 18,912 tokens")
    expect(page.locator(".learn .half-text")).to_have_text("54 merges: half")
    go_to_step(page, "mixture", 2)
    expect(page.locator(".learn .plot span")).to_have_text(["English", "Korean"])
    go_to_step(page, "words", 1)  # of two fields each has its name
    expect(page.locator(".learn .text-field .name").first).to_have_css("position", "static")
    go_to_step(page, "lowest-rank", 4)  # a rank is written as the id that it is
    expect(page.locator(".learn .lane").last.locator(".id")).to_have_text(["301", "1831", "8396"])
    expect(page.locator(".learn .merge .id").last).to_have_text("8396")


def test_the_line_of_the_loop_is_dragged_on_the_chart(learn):
    page = learn("loop", 1)
    plot = page.locator(".learn .figure .plot")
    plot.scroll_into_view_if_needed()
    plot.click()
    expect(page.locator('.learn input[type="range"]')).to_have_value("500")
    page.get_by_role("button", name="Reset example").click()
    expect(page.locator('.learn input[type="range"]')).to_have_value("20")


def test_a_first_merge_is_asked_for_by_its_column(learn):
    page = learn("build-gpt4", 5)
    page.get_by_role("button", name="258", exact=True).click()
    expect(page.locator(".learn .asks")).to_have_text(
        "Which text is cl100k's token 258 (with · for a space)?"
    )
    expect(page.locator(".learn .box.asked")).to_have_count(1)
    page.locator(".learn .question input").fill("In.")
    page.keyboard.press("Enter")
    expect(page.locator(".learn .said")).to_have_text("Yes: in")
    page.get_by_role("button", name="Reset example").click()
    expect(page.locator(".learn .asks")).to_have_text(
        "Which text is cl100k's token 256 (with · for a space)?"
    )
    page.locator(".learn .question input").fill("  ")
    page.keyboard.press("Enter")
    expect(page.locator(".learn .said")).to_have_text("Yes: two spaces")


def test_a_refused_text_is_told_at_its_field_until_it_is_changed(learn):
    page = learn("sentencepiece", 1)
    field, refused = page.locator(".learn textarea"), page.locator(".learn .fields .refused")
    field.fill("x" * 2_001)
    expect(refused).to_have_text("Text: 2,001 characters; this lesson takes up to 2,000")
    expect(field).to_have_attribute("aria-invalid", "true")
    assert refused.bounding_box()["y"] < page.locator(".learn .stage").bounding_box()["y"]
    page.get_by_title("One step on").click()
    expect(refused).to_contain_text("takes up to 2,000")
    field.fill("hello 안")
    expect(refused).to_be_hidden()
    expect(field).not_to_have_attribute("aria-invalid", "true")
    expect(page.locator(".learn .figure .number")).to_have_text("7")
    page.get_by_role("button", name="Reset example").click()


def test_an_own_picture_becomes_integers_and_what_is_typed_or_refused_outlives_a_reload(learn):
    page = learn("pictures", 3)
    first = page.locator(".learn .integers .t").first
    first.wait_for()
    before = page.locator(".learn .integers .t").all_inner_texts()
    red = '<path fill="red" d="M0 0h32v32H0z"/>'
    half = f'<svg xmlns="http://www.w3.org/2000/svg" width="64" height="32">{red}</svg>'
    field, needs = page.get_by_label("Own picture").and_(page.locator("input")), page.locator(".learn .needs")
    field.set_input_files({"name": "half.svg", "mimeType": "image/svg+xml", "buffer": half.encode()})
    expect(needs).to_have_text("This picture has only 2 kinds of patches.")
    assert len(set(page.locator(".learn .integers .t").all_inner_texts())) == 2
    field.set_input_files({"name": "no.png", "mimeType": "image/png", "buffer": b"no"})
    expect(page.locator(".learn .own-picture .problem")).to_have_text(
        "no.png is no picture that this browser reads."
    )
    page.locator(".learn .picture").focus()
    for _ in range(32):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".learn .integers .chosen")).to_have_text(
        page.locator(".learn .integers .t").last.inner_text()
    )
    assert "step=3" in query(page)
    go_to_step(page, "bytes", 3, more="&present=1")
    page.locator(".learn textarea").fill("né")
    go_to_step(page, "sentencepiece", 2, more="&present=1")
    page.locator(".learn textarea").fill("x" * 2_001)
    refused = page.locator(".learn .fields .refused")
    expect(refused).to_contain_text("takes up to 2,000")
    page.reload()
    wait_for_place(page, "sentencepiece", 2)
    assert query(page) == "?lesson=sentencepiece&step=2&present=1"
    expect(refused).to_contain_text("takes up to 2,000")
    page.keyboard.press("r")
    expect(refused).to_be_hidden()
    go_to_step(page, "bytes", 3)
    expect(page.locator(".learn textarea")).to_have_value("né")
    page.get_by_role("button", name="Reset example").click()
    go_to_step(page, "pictures", 3)
    expect(needs).to_have_text("This picture has only 2 kinds of patches.")
    page.get_by_role("button", name="Reset example").click()
    expect(needs).to_have_text("")
    assert page.locator(".learn .integers .t").all_inner_texts() == before
