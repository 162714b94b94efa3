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


#: Puts a drawing at the end of the page whose texts stand on paper, on shapes and in a halo.
DRAWING = """() => {
  document.querySelector('.stMainBlockContainer').insertAdjacentHTML('beforeend', `
    <svg id="drawn" width="400" height="160" style="background: #fff; font-size: 14px">
      <rect x="0" y="40" width="400" height="30" fill="#000" />
      <rect x="0" y="80" width="400" height="30" fill="#000" fill-opacity="0.2" />
      <text x="9" y="20" fill="#000">read</text>
      <text x="199" y="20" fill="#bbb">pale</text>
      <text x="9" y="60" fill="#fff">read</text>
      <text x="199" y="60" fill="#444">dark</text>
      <text x="9" y="100" fill="#000">read</text>
      <text x="199" y="100" fill="#fff">white</text>
      <text x="9" y="130" fill="#fff" stroke="#000" stroke-width="3" paint-order="stroke">read</text>
      <text x="199" y="130" fill="#000" opacity="0.3">faint</text>
      <text x="99" y="150" fill="#888" font-size="24">read</text>
    </svg>`);
}"""


def test_text_of_a_drawing_that_is_hard_to_read_is_seen(used_page: Callable[[str], Page]) -> None:
    page = used_page("formats")
    page.evaluate(DRAWING)
    broken = dict(broken_rules(page, "color-contrast", within=page.locator("#drawn")))
    page.locator("#drawn").evaluate("(drawn) => drawn.remove()")
    words = [text.split(">")[1].split("<")[0] for text in broken.pop("contrast of a drawing")]
    assert (words, broken) == (["pale", "dark", "white", "faint"], {})
