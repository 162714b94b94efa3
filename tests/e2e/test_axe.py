"""axe sees what is hard to read wherever it stands: below the window's end, in the bar, on a full screen."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.e2e.axe import broken_rules
from tests.e2e.test_learn import go_to_step

#: Puts a pale text at the end of what is named.
PLANT = """(selector) => {
  const pale = document.createElement('p');
  pale.textContent = 'hard to read';
  pale.id = 'pale';
  pale.style.color = 'light-dark(#bbb, #444)';
  [document, ...window.shadowRoots()].map((root) => root.querySelector(selector)).find(Boolean).append(pale);
}"""


@pytest.mark.parametrize(
    ("path", "selector"),
    [("formats", ".stMainBlockContainer"), ("formats", ".claim"), ("learn", ".lesson h2")],
)
def test_axe_sees_text_that_is_hard_to_read(
    used_page: Callable[[str], Page], path: str, selector: str
) -> None:
    page = used_page(path)
    if path == "learn":
        page.locator(".learn :is(.cards, .lesson)").first.wait_for()
        go_to_step(page, "bytes", 1, more="&present=1")
    page.evaluate(PLANT, selector)
    pale = page.locator("#pale")
    broken = broken_rules(page, "color-contrast", within=pale)
    pale.evaluate("(pale) => pale.remove()")
    assert [rule for rule, _ in broken] == ["color-contrast"]
