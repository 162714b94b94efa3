"""The frame is one: on every page, at every width, the same things stand at the same place and look alike."""

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.conftest import wait_until_run
from tests.e2e.test_accessibility import PAGES

Boxes = dict[str, tuple[float, ...]]
PARTS = {
    "logo": '[data-testid="stHeaderLogo"]',
    "title": "h1.claim",
    "picker": ".st-key-bar-picker .react-aria-ComboBox",
    "share": '.st-key-bar-share button:has-text("Share")',
    "size": ".st-key-bar-size button:visible",
}
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
#: Whether what has the focus shows it, and what it is.
RING = """() => {
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
#: What is wider than the room it has.
CUT = """() => {
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


BROKEN_FONTS = "[...document.fonts].filter((face) => face.status === 'error').map((face) => face.family)"


def test_five_pages_have_one_frame_at_the_desk(browser: Browser, app_url: str) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text) if message.type == "error" else None)
    page.on("response", lambda answer: told.append(answer.url) if answer.status >= 400 else None)
    normal: dict[str, Boxes] = {}
    wide: dict[str, Boxes] = {}
    for path in PAGES:
        visit(page, app_url, path)
        assert told == [], "a visit asks for nothing that is not there"
        assert page.evaluate(BROKEN_FONTS) == []
        normal[path] = boxes(page)
        controls = page.evaluate(CONTROLS)
        assert len(controls) > 4
        assert [(path, *found) for found in controls if found[0] != 32] == []
        expect_rings(page)
        page.set_viewport_size({"width": 1920, "height": 800})
        page.wait_for_timeout(200)
        wide[path] = boxes(page)
        page.set_viewport_size({"width": 1280, "height": 800})
    expect_one_grid(normal)
    expect_one_grid(wide)
    expect_bar_stays(page)
    context.close()


def test_five_pages_have_one_frame_on_a_phone(browser: Browser, app_url: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    found: dict[str, Boxes] = {}
    for path in PAGES:
        visit(page, app_url, path)
        found[path] = boxes(page)
        assert [(path, *control) for control in page.evaluate(CONTROLS) if control[0] != 44] == []
        if path in ("train", "formats"):
            setting = page.get_by_text("Corpus" if path == "train" else "Read as").first
            assert top(page.locator(WHOLE[path]).first) < top(setting), "figures first"
    expect_one_grid(found)
    expect_bar_stays(page)
    context.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_large_type_cuts_nothing(browser: Browser, app_url: str, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800})
    page = context.new_page()
    for path in PAGES:
        visit(page, app_url, f"{path}?type=large")
        assert [(path, cut) for cut in page.evaluate(CUT)] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def visit(page: Page, app_url: str, path: str) -> None:
    """Open a page of the app and wait until it is whole."""
    page.goto(f"{app_url}/{path}")
    expect(page.locator(WHOLE[path.partition("?")[0]]).first).to_be_visible()
    for part, selector in PARTS.items():
        if part != "picker" or path.partition("?")[0] != "train":
            expect(page.locator(selector).first).to_be_visible()
    wait_until_run(page)


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


def expect_one_grid(where: dict[str, Boxes]) -> None:
    """Expect what the bar has at one place on all pages; Train, which makes tokenizers, has no picker."""
    whole = where[""]
    assert whole.keys() == PARTS.keys()
    for path, found in where.items():
        assert found.keys() >= PARTS.keys() - ({"picker"} if path == "train" else set()), path
        for part, box in found.items():
            assert box == pytest.approx(whole[part], abs=0.5), (path, part)
    assert abs(whole["logo"][0] - whole["title"][0]) <= 4, "navigation and content begin at one line"


def expect_bar_stays(page: Page) -> None:
    """Expect the picker of tokenizers in view, and nothing over it, when one has scrolled."""
    page.locator(".stMain").evaluate("(main) => main.scrollTo(0, 400)")
    page.wait_for_function("document.querySelector('.stMain').scrollTop > 50")
    picker = page.locator(PARTS["picker"]).first
    expect(picker).to_be_in_viewport()
    box = picker.bounding_box()
    assert box
    on_top = "([x, y]) => document.elementFromPoint(x, y).closest('.st-key-bar') !== null"
    assert page.evaluate(on_top, [box["x"] + 20, box["y"] + box["height"] / 2])


def expect_rings(page: Page) -> None:
    """Expect a ring around each thing that Tab goes to."""
    seen = []
    for _ in range(30):
        page.keyboard.press("Tab")
        if (found := page.evaluate(RING)) is not None:
            seen.append(found)
    assert len(seen) > 10
    assert [html for is_ringed, html in seen if not is_ringed] == []
