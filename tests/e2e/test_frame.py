"""The frame is one: on every page, at every width, the same things stand at the same place and look alike.

Each page opens in it by its own address, and breaks no rule of accessibility in light or dark; nor does what
one opens on it: menus, views, a token's card, the code that made it. Each page is opened once, for all of it.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from playground.render.palette import INK
from playground.server.share_link import link_query
from tests.e2e.axe import broken_rules
from tests.e2e.conftest import at_size, forget_all, touched, wait_until_rest
from tests.e2e.training import wait_for_status

Boxes = dict[str, tuple[float, ...]]
PAGES = {
    "": "Tokenize",
    "train": "Train",
    "compare": "Compare",
    "merge_tree": "Merge tree",
    "formats": "Formats",
}
POPOVER = '[data-testid="stPopoverBody"]'
#: What is opened on a page, one after the other: a role, the beginning of its name, and where to look then;
#: at all of it where most is new, and once while a popover is open, which hides all else from some.
OPENED: dict[str, list[tuple[Literal["button", "radio"], str, str]]] = {
    "": [("button", "Chat", "")],
    "train": [("button", "Ties", POPOVER)],
    "compare": [("radio", "Side by side", ".compare"), ("button", "Open", "")],
    "merge_tree": [("radio", "Vocabulary", "")],
    "formats": [("radio", "How it scales", ".st-key-formats-answer"), ("button", "Options", POPOVER)],
}
PARTS = {
    "logo": '[data-testid="stHeaderLogo"]',
    "title": "h1.claim",
    "picker": ".st-key-bar-picker .react-aria-ComboBox",
    "share": '.st-key-bar-share button:has-text("Share")',
    "size": ".st-key-bar-size button:visible",
}
#: Train by a link: its example is trained for ten seconds, and its film has two thousand tokens.
SMALL = "train?" + link_query(
    {"chosen": {"train.vocab_size": 276, "train.speed": "full speed", "train.sample": "My own text"}}
)
#: What a page shows when it is whole.
WHOLE = {
    "": ".n-tokens",
    "train": ".st-key-train-live-chart canvas, .st-key-train-live-chart svg",
    "compare": ".figures td",
    "merge_tree": ".forest svg",
    "formats": ".st-key-formats-chart canvas, .st-key-formats-chart svg",
}
#: Every button, select and one-line field in sight, as deep as shadow roots go: its height and its name.
CONTROLS = """() => {
  const found = [];
  const OTHERS = '[data-tag] *, [data-testid=stElementToolbar] *, .stTooltipIcon *, .stDataFrame *, '
    + '.stCode *, .note *';
  const FIELDS = '[data-testid=stNumberInputContainer], [data-testid=stTextInputRootElement]';
  const BOXES = '.react-aria-ComboBox > div, ' + FIELDS;
  const look = (root) => {
    for (const e of root.querySelectorAll('*')) {
      if (e.shadowRoot) look(e.shadowRoot);
      if (!e.matches('button, select, input[type=text], input[type=number]') || e.closest(OTHERS)) continue;
      const box = (e.closest(BOXES) ?? e).getBoundingClientRect();
      if (box.width < 3 || box.height < 3 || !e.checkVisibility({ visibilityProperty: true })) continue;
      const name = e.getAttribute('aria-label') || e.textContent.trim().slice(0, 30) || e.className;
      found.push([Math.round(box.height * 4) / 4, name]);
    }
  };
  look(document.querySelector('.stMain'));
  return found;
}"""
#: Whether what has the focus shows it, and what it is; a ring that the box around cuts off is none.
RING = """() => {
  let e = document.activeElement;
  while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
  if (!e || e === document.body) return null;
  const seen = [];
  const isCut = (box, reach) => {
    const { left, top } = box.getBoundingClientRect();
    for (let around = box.parentElement, n = 0; around && n < 3; around = around.parentElement, n++) {
      const edge = around.getBoundingClientRect();
      if (getComputedStyle(around).overflow === 'visible') continue;
      if (left - reach < edge.left - 1 && top - reach < edge.top - 1) return true;
    }
    return false;
  };
  for (let box = e, n = 0; box && n < 4; box = box.parentElement, n++) {
    const { outlineWidth, outlineStyle, outlineOffset, boxShadow } = getComputedStyle(box);
    const hasOutline = parseFloat(outlineWidth) >= 2 && outlineStyle !== 'none'
      && !isCut(box, parseFloat(outlineOffset) + parseFloat(outlineWidth));
    if (hasOutline || boxShadow !== 'none') seen.push(n);
  }
  return [seen.length > 0, e.outerHTML.slice(0, 160)];
}"""
#: What is wider than the room it has.
CUT = """() => {
  const found = [];
  const look = (root) => {
    for (const e of root.querySelectorAll('*')) {
      if (e.shadowRoot) look(e.shadowRoot);
      const names = '[data-testid=stMultiSelectTagsContainer], [data-tag] > span';
      if (!e.matches(`button, select, label, h1, .claim span, .count, dd, dt, ${names}`)) continue;
      if (!e.checkVisibility()) continue;
      if (e.clientWidth > 3 && e.scrollWidth > e.clientWidth + 1) found.push(e.outerHTML.slice(0, 120));
      if (e.matches('select')) {
        const text = document.createElement('span');
        text.textContent = e.selectedOptions[0]?.text ?? '';
        text.style.cssText = 'position:absolute;white-space:pre;visibility:hidden';
        text.style.font = getComputedStyle(e).font;
        e.after(text);
        if (text.offsetWidth > e.clientWidth - 8) found.push('select ' + text.textContent);
        text.remove();
      }
    }
  };
  look(document.querySelector('.stMain'));
  return found;
}"""

#: What stands, in part or whole, beyond the right edge of the window, where nobody gets to it.
BEYOND = """() => {
  const found = [];
  const look = (root) => {
    for (const e of root.querySelectorAll('*')) {
      if (e.shadowRoot) look(e.shadowRoot);
      if (!e.matches('button, select, output, a') || !e.checkVisibility()) continue;
      if (e.getBoundingClientRect().right > innerWidth + 1) found.push(e.outerHTML.slice(0, 120));
    }
  };
  look(document);
  return found;
}"""
#: What one presses, as far as shadow roots go, that is narrower or lower than a finger needs.
SMALLER_THAN_A_FINGER = """() => {
  const found = [];
  const OTHERS = '[data-tag] *, [data-testid=stElementToolbar] *, .stTooltipIcon *, .stDataFrame *, '
    + '.stCode *, .note *, .t, .react-aria-ComboBox *, [data-testid=stNumberInputContainer] *, '
    + '[data-testid=stSlider] *, [data-testid=stLogoLink]';
  const look = (root) => {
    for (const e of root.querySelectorAll('*')) {
      if (e.shadowRoot) look(e.shadowRoot);
      if (!e.matches('button, select, summary, .stSidebar a') || e.closest(OTHERS)) continue;
      const { width, height, right } = e.getBoundingClientRect();
      if (width < 3 || height < 3 || right < 0 || !e.checkVisibility({ visibilityProperty: true })) continue;
      if (width < 43.5 || height < 43.5) found.push([width, height, e.outerHTML.slice(0, 160)]);
    }
  };
  look(document);
  return found;
}"""
BROKEN_FONTS = "[...document.fonts].filter((face) => face.status === 'error').map((face) => face.family)"


@pytest.fixture(scope="module", params=PAGES)
def path(request: pytest.FixtureRequest) -> str:
    """The address of a page; all tests of one page come together."""
    return str(request.param)


@pytest.fixture(scope="module")
def told() -> list[str]:
    """What the page's console told as an error or a warning, and what it asked for in vain."""
    return []


@pytest.fixture(scope="module")
def opened(
    path: str, context: BrowserContext, app_url: str, told: list[str], faults: list[str]
) -> Iterator[Page]:
    """A page of the app as it opens at the desk, whole."""
    page = context.new_page()
    page.emulate_media(color_scheme="light")
    forget_all(page, app_url)
    told.clear()
    faults.clear()
    kinds = ("error", "warning")
    page.on("console", lambda message: told.append(message.text) if message.type in kinds else None)
    page.on("response", lambda answer: told.append(answer.url) if answer.status >= 400 else None)
    page.goto(f"{app_url}/{SMALL if path == 'train' else path}")
    expect(page.locator(WHOLE[path]).first).to_be_visible()
    for part, selector in PARTS.items():
        if part != "picker" or path != "train":
            expect(page.locator(selector).first).to_be_visible()
    if path == "train":
        wait_for_status(page, "Finished")
    wait_until_rest(page)
    yield page
    page.close()


@pytest.fixture(autouse=True)
def no_faults(opened: Page, faults: list[str]) -> Iterator[None]:
    """No script of the page fails, and it asks no other machine for anything."""
    yield
    assert faults == []


@dataclass(frozen=True)
class Look:
    """What stands on a page at some width: parts of the frame, and each control's height and name."""

    boxes: Boxes
    controls: list[tuple[float, str]]


@pytest.fixture(scope="module")
def looks(opened: Page) -> dict[str, Look]:
    """A page at the desk, on a wide screen, and on a phone."""
    return look_at(opened)


@pytest.fixture(scope="module")
def of_tokenize() -> dict[str, Look]:
    """What `frame` has found."""
    return {}


@pytest.fixture
def frame(
    path: str, looks: dict[str, Look], used_page: Callable[[str], Page], of_tokenize: dict[str, Look]
) -> dict[str, Boxes]:
    """Where the frame stands on Tokenize, at each width."""
    if not of_tokenize:
        of_tokenize.update(looks if path == "" else look_at(used_page("")))
        if path != "":
            at_size(used_page(""), 1280, 800)
    return {width: look.boxes for width, look in of_tokenize.items()}


def test_a_link_opens_the_page_and_no_rule_is_broken(opened: Page, path: str, told: list[str]) -> None:
    expect(opened).to_have_title(f"{PAGES[path]} · Tessera")
    expect(opened.locator("h1.claim")).to_contain_text(PAGES[path])
    links = opened.get_by_test_id("stTopNavLink").all_inner_texts()
    assert [link.split("\n")[-1] for link in links] == [*PAGES.values(), "Learn"]
    assert told == [], "a visit asks for nothing that is not there"
    assert opened.evaluate(BROKEN_FONTS) == []
    code = opened.get_by_text("The code that made this page")
    code.click()
    expect(opened.locator(".stCode pre").first).to_have_attribute("tabindex", "0")
    if path == "":  # its code is six times that of others, and has no colour that they have not
        code.click()
        opened.locator(".tokens .t").nth(1).click()
        expect(opened.locator(".card")).to_be_visible()  # it covers no token
    assert broken_rules(opened) == []
    if path == "":
        opened.keyboard.press("Escape")
        expect(opened.locator(".card")).to_be_hidden()
    else:
        code.click()
    opened.locator(".stMain").evaluate("(main) => main.scrollTo(0, 0)")


def test_pages_have_one_frame(looks: dict[str, Look], frame: dict[str, Boxes], path: str) -> None:
    for width, expected in frame.items():
        boxes = looks[width].boxes
        assert expected.keys() == PARTS.keys(), width
        assert abs(expected["logo"][0] - expected["title"][0]) <= 4, (
            "navigation and content begin at one line"
        )
        assert boxes.keys() >= PARTS.keys() - ({"picker"} if path == "train" else set()), width
        for part, (x, y, height, room) in boxes.items():
            grows = (part, width, path) == ("picker", "phone", "compare")  # three names take two lines
            box = (x, y, expected[part][2] if grows else height, room)
            assert box == pytest.approx(expected[part], abs=0.5), (width, part)


def test_controls_have_one_height(looks: dict[str, Look], path: str) -> None:
    """At the desk one, on a phone that of a finger."""
    for width, height in (("desk", 32), ("phone", 44)):
        controls = looks[width].controls
        assert len(controls) > 4
        if (width, path) == ("phone", "compare"):  # three names take two lines
            controls = [found for found in controls if found[1] not in ("Tokenizers", "Clear all", "Open")]
        assert [found for found in controls if found[0] != height] == [], width


def test_what_has_the_focus_has_a_ring(opened: Page) -> None:
    at_size(opened, 1280, 800)
    seen = []
    for _ in range(30):
        opened.keyboard.press("Tab")
        if (found := opened.evaluate(RING)) is not None:
            seen.append(found)
    assert len(seen) > 10
    assert [html for is_ringed, html in seen if not is_ringed] == []
    for tools in opened.get_by_test_id("stElementToolbar").all():
        if tools.locator("xpath=ancestor::*[contains(@class, 'stDataFrame')]").count() == 0:
            opened.get_by_role("button", name="Share").focus()
            expect(tools).to_have_css("opacity", "0")
            tools.get_by_role("button").first.focus()
            expect(tools).to_have_css("opacity", "1")


def test_the_bar_stays_when_one_scrolls(opened: Page, path: str) -> None:
    if path == "train":
        return  # it has no picker
    for width in (390, 1280):
        at_size(opened, width, 800)
        expect_bar_stays(opened)


def test_on_a_telephone_what_one_presses_is_as_large_as_a_finger(opened: Page, path: str) -> None:
    at_size(opened, 390, 844)
    if path == "":
        opened.locator(".tokens .t").nth(1).click()
        expect(opened.locator(".card")).to_be_visible()
    assert opened.evaluate(SMALLER_THAN_A_FINGER) == []
    if path == "":
        opened.keyboard.press("Escape")
        expect(opened.locator(".card")).to_be_hidden()


def test_the_list_of_pages_that_covers_a_narrow_page_closes_once_one_is_chosen(
    opened: Page, path: str
) -> None:
    if path != "compare":
        return  # it is the same on all
    at_size(opened, 390, 844)
    opened.get_by_test_id("stExpandSidebarButton").click()
    pages = opened.get_by_test_id("stSidebar")
    expect(pages).to_have_attribute("data-collapsed", "false")
    assert opened.evaluate(SMALLER_THAN_A_FINGER) == []
    pages.get_by_role("link", name="Compare").click()
    expect(pages).to_have_attribute("data-collapsed", "true")
    opened.get_by_test_id("stExpandSidebarButton").click()
    expect(pages).to_have_attribute("data-collapsed", "false")
    opened.get_by_role("button", name="Collapse sidebar").click()
    expect(pages).to_have_attribute("data-collapsed", "true")
    opened.get_by_test_id("stExpandSidebarButton").click()
    pages.get_by_test_id("stLogoLink").click()
    expect(pages).to_have_attribute("data-collapsed", "true")
    expect(opened.locator("h1.claim")).to_contain_text("Tokenize")
    opened.go_back()
    expect(opened.locator("h1.claim")).to_contain_text("Compare")
    wait_until_rest(opened)


def test_on_a_telephone_start_pause_and_steps_stand_on_one_line(opened: Page, path: str) -> None:
    if path != "train":
        return
    at_size(opened, 390, 844)
    buttons = opened.locator(".st-key-train-buttons button").filter(
        has_text=re.compile(r"Start|Pause|\+"), visible=True
    )
    expect(buttons).to_have_count(5)
    assert (
        len({button.evaluate("button => button.getBoundingClientRect().y") for button in buttons.all()}) == 1
    )


def test_on_a_telephone_what_is_set_stands_above_what_comes_of_it(opened: Page, path: str) -> None:
    """As the keyboard goes and a screen reader reads."""
    parts = {
        "train": (".stSelectbox", ".st-key-train-buttons", ".film"),
        "formats": (".stTextArea textarea", ".st-key-formats-answer"),
    }
    if path not in parts:
        return
    at_size(opened, 390, 844)
    places = [top(opened.locator(part).first) for part in parts[path]]
    assert places == sorted(places)
    assert places[1] < 844, "what comes of it begins within the first screen"


def test_what_a_run_draws_anew_grows_pale_late_for_those_who_want_no_motion(opened: Page) -> None:
    delay = """(box) => {
      const before = box.dataset.stale;
      box.dataset.stale = 'true';
      const { transitionDelay } = getComputedStyle(box);
      box.dataset.stale = before;
      return transitionDelay;
    }"""
    assert opened.locator(".stMain .stElementContainer").first.evaluate(delay) == "0.5s"


def test_large_type_cuts_nothing_and_is_that_of_another_tab(opened: Page, path: str, app_url: str) -> None:
    opened.get_by_role("button", name="Large type").click()
    expect(opened.get_by_role("button", name="Normal type")).to_be_visible()
    for width in (1280, 390):
        at_size(opened, width, 800)
        assert opened.evaluate(CUT) == [], width
        assert opened.evaluate(BEYOND) == [], width
        assert opened.evaluate("document.documentElement.scrollWidth") <= width
        assert opened.locator(".stMain").evaluate("(main) => main.scrollWidth") <= width
    if path == "":
        tab = opened.context.new_page()  # without the app, which would take the link from the address
        tab.route("**/static/js/*", lambda route: route.abort())
        tab.goto(f"{app_url}/train?share=x", wait_until="commit")
        tab.wait_for_function("() => location.search === '?share=x&type=large'")
        tab.close()
    opened.get_by_role("button", name="Normal type").click()
    expect(opened.get_by_role("button", name="Large type")).to_be_visible()


def test_what_one_opens_breaks_no_rule_and_nor_does_a_dark_page(
    opened: Page, path: str, told: list[str]
) -> None:
    page = opened
    told.clear()
    at_size(page, 1280, 800)
    for role, name, new in OPENED[path]:
        page.get_by_role(role, name=name).first.click()
        assert broken_rules(page, within=page.locator(new).first if new else None) == [], name
        page.keyboard.press("Escape")
    if path != "":
        page.get_by_text("The code that made this page").click()
    page.emulate_media(color_scheme="dark")
    expect(page.get_by_test_id("stApp")).to_have_css("color-scheme", "dark")
    if path == "train":  # a popover stands outside of the app, whose colours it takes
        page.get_by_role("button", name="Ties").first.click()
        expect(page.get_by_text("the one seen first")).to_be_visible()
    assert broken_rules(page, "color-contrast") == [], "a dark page may break what a light one does not"
    if path in ("train", "formats"):  # charts have their colours from a run
        page.keyboard.press("Escape")
        expect(page.locator(f"svg.marks text[fill='{INK['dark']}']").first).to_be_visible()
    assert told == []


def look_at(page: Page) -> dict[str, Look]:
    """What stands on a page at each width."""
    found = {}
    for width, size in (("desk", (1280, 800)), ("wide", (1920, 800))):
        at_size(page, *size)
        found[width] = look(page)
    with touched(page):
        at_size(page, 390, 844)
        found["phone"] = look(page)
    return found


def look(page: Page) -> Look:
    """What stands on a page as it is."""
    wait_until_rest(page)
    return Look(boxes(page), page.evaluate(CONTROLS))


def boxes(page: Page) -> Boxes:
    """Where the parts of the frame stand, to a quarter of a pixel."""
    found: Boxes = {}
    for name, selector in PARTS.items():
        if (part := page.locator(selector).first).is_visible() and (box := part.bounding_box()):
            width = 0 if name == "title" else box["width"]  # which follows the claim
            found[name] = tuple(round(4 * edge) / 4 for edge in (box["x"], box["y"], box["height"], width))
    return found


def top(part: Locator) -> float:
    """Where a part of the page begins."""
    box = part.bounding_box()
    assert box
    return box["y"]


def expect_bar_stays(page: Page) -> None:
    """Expect the picker of tokenizers in view, and nothing over it, when one has scrolled."""
    page.locator(".stMain").evaluate("(main) => main.scrollTo(0, 400)")
    page.wait_for_function("() => document.querySelector('.stMain').scrollTop > 50")
    picker = page.locator(PARTS["picker"]).first
    expect(picker).to_be_in_viewport()
    box = picker.bounding_box()
    assert box
    on_top = "([x, y]) => document.elementFromPoint(x, y).closest('.st-key-bar') !== null"
    assert page.evaluate(on_top, [box["x"] + 20, box["y"] + box["height"] / 2])
