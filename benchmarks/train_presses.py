"""Time from a press on Train to paint, beginning while an algorithm learns.

Run as `python -m benchmarks.train_presses [title …]`; without titles all algorithms are measured. The novel
is learned in headless Chromium, which shares this machine's cores. A round is Reset, Play, Pause, +1, and a
place of the slider; each is timed until what it changes is painted. Playing is at 25 steps a second.
"""

import sys
from urllib.parse import quote

from playwright.sync_api import Page, sync_playwright

from benchmarks.compare_keystroke import report
from benchmarks.keystroke import VIEW, serve
from playground.training.algorithms.registry import ALGORITHMS
from tests.browser import ARGUMENTS, find_chromium

N_ROUNDS = 12
VOCAB_SIZE = 30_000
#: Act, and return the milliseconds until `isChanged` holds and the frame with it is painted.
_MEASURE = """
(root, [selector, value, isChanged]) => new Promise((resolve) => {
  const pressed = root.querySelector(selector), holds = new Function("root", `return ${isChanged}`);
  const begun = performance.now();
  const done = () => requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begun)));
  const check = () => (holds(root) ? done() : setTimeout(check, 1));
  if (value === null) pressed.click();
  else {
    pressed.value = value;
    pressed.dispatchEvent(new Event("input", { bubbles: true }));
  }
  check();
})
"""


def press(page: Page, selector: str, is_changed: str, value: str | None = None) -> float:
    """Press a button, or move the slider to `value`; return milliseconds until the change is painted."""
    milliseconds: float = page.locator(".train").evaluate(_MEASURE, [selector, value, is_changed])
    return milliseconds


def measure(page: Page, address: str, title: str) -> list[float]:
    """Return the milliseconds of all presses while an algorithm learns the novel."""
    corpus = "Many languages: human rights" if title == ALGORITHMS["parity"].title else ""
    page.goto(
        f"{address}/train?train.algorithm={quote(title)}&train.vocab_size={VOCAB_SIZE}"
        + (f"&train.corpus={quote(corpus)}" if corpus else "")
    )
    page.locator(".film:not([hidden])").wait_for(timeout=120_000)
    page.get_by_label("Speed").select_option("25 a second")
    times: list[float] = []
    for _ in range(N_ROUNDS):
        times.append(press(page, ".reset", "root.querySelector('.film').dataset.k === '0'"))
        times.append(press(page, ".play", "root.querySelector('.play').textContent.includes('Pause')"))
        page.locator(".film:not([data-k='0'])").wait_for()
        times.append(press(page, ".play", "root.querySelector('.play').textContent.includes('Play')"))
        k = page.locator(".film").get_attribute("data-k")
        times.append(press(page, "[data-step='1']", f"root.querySelector('.film').dataset.k !== '{k}'"))
        place = str((int(k or 0) + 1) // 2)
        times.append(press(page, ".k", f"root.querySelector('.film').dataset.k === '{place}'", place))
    return times


def main(titles: list[str]) -> None:
    """Print a row for each algorithm."""
    with sync_playwright() as playwright, serve("streamlit_app.py") as address:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        for title in titles:
            page = browser.new_page(**VIEW)
            report(title, measure(page, address, title))
            page.close()
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:] or [each.title for each in ALGORITHMS.values()])
