"""Key press to painted rows of the Compare page, and to drawn merge trees, in headless Chromium.

Run as `python -m benchmarks.compare_keystroke`. The server and the browser share this machine's cores.
"""

import random
import statistics
import time

from playwright.sync_api import Page, sync_playwright

from benchmarks.keystroke import _WATCH, VIEW, paste, sample_text, serve, wait_for_script
from tests.browser import ARGUMENTS, find_chromium

SIX = "gpt2,p50k_base,cl100k_base,o200k_base,utf8_bytes,characters"


def type_and_measure(page: Page, *, host: str, mark: str, n_keys: int) -> list[float]:
    """Type into the middle of the field; return milliseconds until the mark changes and is painted."""
    area, element = page.locator(":is(textarea, input).text").first, page.locator(host).first
    area.evaluate("(area) => area.setSelectionRange(area.value.length / 2, area.value.length / 2)")
    times = []
    for key in random.Random(0).choices("etaoinshrdlu", k=n_keys):
        element.evaluate(
            f"""(host) => {{
              const before = host.dataset.{mark};
              ({_WATCH})(() => host.dataset.{mark} !== before, () => true, host);
            }}"""
        )
        page.keyboard.press(key)
        times.append(page.evaluate("window.measured"))
        time.sleep(0.02)
    return times


def measure_compare(page: Page, address: str, n_bytes: int, n_keys: int = 60) -> list[float]:
    page.goto(address)
    wait_for_script(page)
    page.goto(f"{address}/compare?tokenizers={SIX}&text=x")
    wait_for_script(page)
    page.locator(".aligned .col").first.wait_for()
    page.locator("textarea.text").focus()
    page.keyboard.press("Control+A")
    paste(page, sample_text(n_bytes))
    page.locator(f".compare[data-shown='{len(sample_text(n_bytes))}']").wait_for(timeout=60_000)
    time.sleep(2)
    return type_and_measure(page, host=".compare", mark="shown", n_keys=n_keys)


def measure_merge_tree(page: Page, address: str, n_bytes: int, n_keys: int = 40) -> list[float]:
    page.goto(address)
    wait_for_script(page)
    page.goto(f"{address}/merge_tree")
    wait_for_script(page)
    page.locator(".trees svg").first.wait_for()
    page.locator("textarea.text").first.focus()
    page.keyboard.press("Control+A")
    paste(page, sample_text(n_bytes))
    time.sleep(2)
    return type_and_measure(page, host=".merge-tree-page", mark="drawn", n_keys=n_keys)


def main() -> None:
    with sync_playwright() as playwright, serve("streamlit_app.py") as address:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        for n_bytes in (1_000, 100_000):
            times = measure_compare(browser.new_page(**VIEW), address, n_bytes)
            report(f"Compare, six tokenizers, {n_bytes:,} bytes", times)
        for n_bytes in (100, 2_000):
            times = measure_merge_tree(browser.new_page(**VIEW), address, n_bytes)
            report(f"Merge tree, {n_bytes:,} characters", times)
        browser.close()


def report(name: str, times: list[float]) -> None:
    p95 = statistics.quantiles(times, n=20)[-1]
    print(
        f"{name}: median {statistics.median(times):.0f} ms, p95 {p95:.0f} ms of {len(times)} keys", flush=True
    )


if __name__ == "__main__":
    main()
