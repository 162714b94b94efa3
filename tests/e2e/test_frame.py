"""The frame is one: on every page, at every width, the same things stand at the same place and look alike."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import go_to, wait_until_run
from tests.e2e.test_accessibility import PAGES

PARTS = {
    "logo": '[data-testid="stHeaderLogo"]',
    "title": "h1.claim",
    "picker": ".st-key-bar-picker .react-aria-ComboBox",
    "share": '.st-key-bar-share button:has-text("Share")',
    "size": ".st-key-bar-size button",
}
#: Every button, select and one-line field in sight, as deep as shadow roots go: its height and its name.
CONTROLS = """() => {
  const found = [];
  const OTHERS = '[data-tag] *, [data-testid=stElementToolbar] *, .stTooltipIcon *, .stDataFrame *, .note *';
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


@pytest.fixture
def visitor(browser: Browser, app_url: str) -> Iterator[Callable[..., Page]]:
    """`visitor(390)` is a page of someone with a window of this width, on Tokenize."""
    contexts = []

    def open_at(width: int, *, query: str = "") -> Page:
        contexts.append(context := browser.new_context(viewport={"width": width, "height": 900}))
        page = context.new_page()
        page.goto(f"{app_url}/{query}")
        expect(page.locator("textarea.text")).to_be_visible()
        wait_until_run(page)
        return page

    yield open_at
    for context in contexts:
        context.close()


def boxes(page: Page) -> dict[str, tuple[float, ...]]:
    """Where the parts of the frame stand, to a quarter of a pixel."""
    found = {}
    for name, selector in PARTS.items():
        if (part := page.locator(selector).first).is_visible() and (box := part.bounding_box()):
            width = 0 if name == "title" else box["width"]  # which follows the claim
            found[name] = tuple(round(4 * edge) / 4 for edge in (box["x"], box["y"], box["height"], width))
    return found


@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_the_bar_stands_at_the_same_place_on_every_page_and_stays(visitor, width):
    page = visitor(width)
    where = {}
    for title in PAGES.values():
        if width > 700:
            go_to(page, title)
        else:
            page.goto(f"{page.url.split('?')[0].rsplit('/', 1)[0]}/{title.lower().replace(' ', '_')}")
            expect(page.locator("h1.claim")).to_contain_text(title)
            wait_until_run(page)
        expect(page.locator(PARTS["size"])).to_be_visible()
        where[title] = boxes(page)
        if title != "Train":  # which makes tokenizers
            assert {"picker", "share"} <= where[title].keys(), title
        assert where[title]["title"][0] == page.locator(".stMainBlockContainer").evaluate(
            "(e) => parseFloat(getComputedStyle(e).paddingLeft)"
        ), "content and title begin at one line"
        assert page.evaluate("document.documentElement.scrollWidth") <= width, (
            "nothing is wider than the window"
        )
    whole = where["Tokenize"]
    assert all(whole[part] == box for found in where.values() for part, box in found.items()), where
    assert abs(whole["logo"][0] - whole["title"][0]) <= 4, "navigation and content begin at one line"
    picker = page.locator(PARTS["picker"]).first
    page.locator(".stMain").evaluate("(main) => main.scrollTo(0, 300)")
    page.wait_for_function("document.querySelector('.stMain').scrollTop > 50")
    expect(picker).to_be_in_viewport()
    box = picker.bounding_box()
    assert box
    on_top = "([x, y]) => document.elementFromPoint(x, y).closest('.st-key-bar') !== null"
    assert page.evaluate(on_top, [box["x"] + 20, box["y"] + box["height"] / 2]), "nothing covers the bar"


@pytest.mark.parametrize(("width", "height"), [(390, 44), (1280, 32)])
def test_every_control_has_one_height(visitor, width, height):
    page = visitor(width)
    origin = page.url.split("?")[0].rstrip("/")
    for path, title in PAGES.items():
        page.goto(f"{origin}/{path}")
        expect(page.locator("h1.claim")).to_contain_text(title)
        wait_until_run(page)
        page.wait_for_timeout(300)
        controls = page.evaluate(CONTROLS)
        assert len(controls) > 5, title
        assert [named for named in controls if named[0] != height] == [], title


@pytest.mark.parametrize("path", PAGES)
def test_a_visit_asks_for_nothing_that_is_not_there(page, path, app_url):
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text) if message.type == "error" else None)
    page.on("response", lambda answer: told.append(answer.url) if answer.status >= 400 else None)
    page.goto(f"{app_url}/{path}")
    expect(page.locator("h1.claim")).to_contain_text(PAGES[path])
    wait_until_run(page)
    assert told == []


def test_whatever_takes_focus_shows_a_ring(visitor):
    page = visitor(1280)
    origin = page.url.split("?")[0].rstrip("/")
    ring = """() => {
      let e = document.activeElement;
      while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
      if (!e || e === document.body) return null;
      const seen = [];
      for (let box = e, n = 0; box && n < 4; box = box.parentElement, n++) {
        const { outlineWidth, outlineStyle, boxShadow } = getComputedStyle(box);
        const hasOutline = parseFloat(outlineWidth) >= 2 && outlineStyle !== 'none';
        if (hasOutline || boxShadow !== 'none') seen.push(n);
      }
      return [seen.length > 0, e.outerHTML.slice(0, 160)];
    }"""
    for path in ("", "compare", "formats"):
        page.goto(f"{origin}/{path}")
        wait_until_run(page)
        expect(page.locator("h1.claim")).to_be_visible()
        seen = []
        for _ in range(45):
            page.keyboard.press("Tab")
            if (found := page.evaluate(ring)) is not None:
                seen.append(found)
        assert len(seen) > 15
        assert [html for is_ringed, html in seen if not is_ringed] == [], path


@pytest.mark.parametrize("width", [390, 1280])
def test_large_type_cuts_nothing(visitor, width):
    page = visitor(width, query="?type=large")
    origin = page.url.split("?")[0].rstrip("/")
    cut = """() => {
      const found = [];
      const look = (root) => {
        for (const e of root.querySelectorAll('*')) {
          if (e.shadowRoot) look(e.shadowRoot);
          if (!e.matches('button, select, label, h1, .claim span, .count, dd, dt')) continue;
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
    for path in PAGES:
        page.goto(f"{origin}/{path}?type=large")
        expect(page.locator("h1.claim")).to_contain_text(PAGES[path])
        wait_until_run(page)
        page.wait_for_timeout(300)
        assert page.evaluate(cut) == [], path
