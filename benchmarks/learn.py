"""Time from a step, an opened lesson and a key in a lesson's field to paint, in headless Chromium.

Run as `python -m benchmarks.learn`. The server and the browser share this machine's cores.
"""

import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, sync_playwright

from benchmarks.compare_keystroke import report, type_and_measure
from benchmarks.keystroke import _WATCH, VIEW, sample_text, serve, wait_for_script
from playground.lessons.inputs import TextInput
from playground.lessons.registry import LESSONS
from tests.browser import ARGUMENTS, find_chromium

#: The page listens at the document; listening at the window comes first.
_WATCH_FIRST = _WATCH.replace("document.", "window.")
N_CHARACTERS, N_KEYS = 2_000, 30


def measure_walk(page: Page, address: str) -> tuple[list[float], dict[str, float]]:
    """Press PageDown from the first step to the last; return milliseconds of steps, and of opened lessons."""
    page.goto(f"{address}/learn?lesson={next(iter(LESSONS))}&step=0&present=1")
    root = page.locator(".learn")
    page.locator(".stage[aria-busy=false]").wait_for(
        state="attached", timeout=60_000
    )  # Streamlit's status is hidden
    time.sleep(1)
    steps: list[float] = []
    openings: dict[str, float] = {}
    for lesson in LESSONS.values():
        for step in range(len(lesson.steps) + lesson.has_question + 1):
            if (lesson.slug, step) == (next(iter(LESSONS)), 0):
                continue
            root.evaluate(
                f"""(root) => {{
                  const before = root.dataset.lesson + root.dataset.step;
                  ({_WATCH_FIRST})(() => root.dataset.lesson + root.dataset.step !== before
                    && root.querySelector('.stage').ariaBusy === 'false', () => true, root);
                }}"""
            )
            page.keyboard.press("PageDown")
            milliseconds = page.evaluate("window.measured")
            if step == 0:
                openings[lesson.slug] = milliseconds
            else:
                steps.append(milliseconds)
            time.sleep(0.6 if step == 0 else 0.05)  # a person looks at the page
    return steps, openings


@contextmanager
def lesson_with_text(page: Page, address: str, slug: str) -> Iterator[None]:
    """Open a lesson with a focused text field, which has 2,000 characters after all keys."""
    page.goto(f"{address}/learn?lesson={slug}&step=1")
    wait_for_script(page)
    page.locator(".stage[aria-busy=false]").wait_for()
    area = page.locator(".learn .text-field:not(.short) :is(textarea, input)").first
    area.fill(sample_text(N_CHARACTERS)[: N_CHARACTERS - N_KEYS])
    area.evaluate("(area) => area.classList.add('text')")
    time.sleep(1)
    area.focus()
    yield
    page.get_by_role("button", name="Reset example").click()


def main() -> None:
    with sync_playwright() as playwright, serve("streamlit_app.py") as address:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        page = browser.new_page(**VIEW)
        steps, openings = measure_walk(page, address)
        report("Steps within lessons", steps)
        slowest = max(openings, key=openings.__getitem__)
        print(
            f"Lessons opened: median {statistics.median(openings.values()):.0f} ms, "
            f"most {openings[slowest]:.0f} ms ({slowest})"
        )
        for slug, lesson in LESSONS.items():
            if any(isinstance(item, TextInput) and item.max_chars >= N_CHARACTERS for item in lesson.inputs):
                with lesson_with_text(page, address, slug):
                    report(slug, type_and_measure(page, host=".learn", mark="drawn", n_keys=N_KEYS))
        browser.close()


if __name__ == "__main__":
    main()
