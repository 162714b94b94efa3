"""Key press to painted tokens, in headless Chromium: our page and the plain design in the same run.

Run as `python -m benchmarks.keystroke`. Both servers and the browser share this machine's cores.
"""

import argparse
import random
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from pydoc_data.topics import topics
from socket import socket
from typing import Any

from playwright.sync_api import Page, sync_playwright

from tests.browser import ARGUMENTS, find_chromium

VIEW: dict[str, Any] = {
    "viewport": {"width": 1280, "height": 800},
    "permissions": ["clipboard-read", "clipboard-write"],
}
ROOT = Path(__file__).resolve().parents[1]

#: Runs before the next key: resolves `measured` with milliseconds from the key event to the frame after
#: `isChanged()` first holds.
_WATCH = """
(isChanged, isKey, observed) => {
  window.measured = new Promise((resolve) => {
    const onKey = (event) => {
      if (!isKey(event)) return;
      document.removeEventListener("keydown", onKey, { capture: true });
      const done = () => resolve(performance.now() - event.timeStamp);
      const observer = new MutationObserver(() => {
        if (!isChanged()) return;
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(done));
      });
      observer.observe(observed, { attributes: true, childList: true, subtree: true });
    };
    document.addEventListener("keydown", onKey, { capture: true });
  });
}
"""


@contextmanager
def serve(script: str) -> Iterator[str]:
    """Start an app on a free port and yield its address."""
    with started(script) as (address, _process_id):
        yield address


@contextmanager
def started(script: str) -> Iterator[tuple[str, int]]:
    """Start an app on a free port and yield its address and process id."""
    with socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", script, "--server.port", str(port)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(f"http://localhost:{port}/_stcore/health", timeout=1)
                break
            except OSError:
                time.sleep(0.1)
        yield f"http://localhost:{port}", process.pid
    finally:
        process.terminate()
        process.wait()


def sample_text(n_bytes: int) -> str:
    """Return English prose with code in it, from Python's own documentation."""
    prose = "\n".join(topics.values())
    return (prose * (n_bytes // len(prose) + 1)).encode()[:n_bytes].decode(errors="ignore")


def wait_for_script(page: Page) -> None:
    """Wait until Streamlit has run the page."""
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]", timeout=60_000)


def measure_ours(page: Page, address: str, text: str, n_keys: int) -> list[float]:
    """Type into the middle of a text on the Tokenize page; return milliseconds for each key."""
    page.goto(address)
    wait_for_script(page)
    put_text(page, text)
    times = []
    for key in random.Random(0).choices("etaoinshrdlu ", k=n_keys):
        times.append(measure_key(page, key))
        time.sleep(0.02)
    return times


def put_text(page: Page, text: str) -> None:
    """Paste a text into the Tokenize page, wait for its tokens, and put the caret into its middle."""
    editor, area = page.locator(".editor"), page.locator("textarea.text")
    editor.locator(".tokens .t").first.wait_for()
    area.focus()
    page.keyboard.press("Control+A")
    paste(page, text)
    editor.locator(f".numbers dd:text-is('{len(text):,}')").first.wait_for(timeout=120_000)
    time.sleep(1.5)
    area.evaluate("(area) => area.setSelectionRange(area.value.length / 2, area.value.length / 2)")


def measure_key(page: Page, key: str) -> float:
    """Return the milliseconds from a key on the Tokenize page until its change is painted."""
    page.locator(".editor").evaluate(
        f"""(editor) => {{
          const version = editor.dataset.version;
          ({_WATCH})(() => editor.dataset.version !== version, () => true, editor);
        }}"""
    )
    page.keyboard.press("Space" if key == " " else key)
    milliseconds: float = page.evaluate("window.measured")
    return milliseconds


def paste(page: Page, text: str) -> None:
    """Paste into the focused element, because filling a field with 100 KB takes Chromium 8 s."""
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.keyboard.press("Control+V")


def measure_scroll(page: Page) -> list[float]:
    """Scroll the token pane by a whole page in each frame; return milliseconds between frames."""
    times: list[float] = page.locator(".tokens").evaluate(
        """(pane) => new Promise((resolve) => {
          const times = [], step = pane.clientHeight;
          let last = performance.now();
          const next = (now) => {
            times.push(now - last);
            last = now;
            pane.scrollTop += step;
            if (times.length < 150) requestAnimationFrame(next); else resolve(times.slice(2));
          };
          pane.scrollTop = 0;
          requestAnimationFrame(next);
        })"""
    )
    return times


def measure_plain(page: Page, address: str, text: str, n_keys: int) -> list[float]:
    """Measure the plain design, which shows tokens on Ctrl+Enter only, so that key is measured."""
    page.goto(address)
    wait_for_script(page)
    area = page.locator("textarea").first
    area.focus()
    paste(page, text)
    page.keyboard.press("Control+Enter")
    page.wait_for_function("() => document.querySelector('#tokens')?.dataset.n > 100", timeout=120_000)
    times = []
    for i in range(n_keys):
        page.keyboard.type(f" {i}")
        page.evaluate(
            f"""() => {{
              const n = document.querySelector('#tokens').dataset.n;
              const isChanged = () => (document.querySelector('#tokens')?.dataset.n ?? n) !== n;
              ({_WATCH})(isChanged, (event) => event.key === 'Enter', document.body);
            }}"""
        )
        page.keyboard.press("Control+Enter")
        times.append(page.evaluate("window.measured"))
        wait_for_script(page)
    return times


def report(name: str, times: list[float]) -> float:
    """Print median and 95th percentile; return the latter."""
    p95 = statistics.quantiles(times, n=20)[-1]
    print(
        f"{name:<34} median {statistics.median(times):8.1f} ms   p95 {p95:8.1f} ms   ({len(times)} samples)"
    )
    return p95


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keys", type=int, default=60)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    keys, sizes = parser.parse_args().keys, parser.parse_args().sizes
    with (
        sync_playwright() as playwright,
        serve("streamlit_app.py") as ours,
        serve("benchmarks/plain_app.py") as plain,
    ):
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        p95 = {}
        for n_bytes in sizes:
            page = browser.new_page(**VIEW)
            p95[n_bytes] = report(
                f"Tokenize, {n_bytes:,} bytes", measure_ours(page, ours, sample_text(n_bytes - 1_000), keys)
            )
            if n_bytes == 100_000:
                page_plain = browser.new_page(**VIEW)
                slow = report(
                    "plain design, 100,000 bytes", measure_plain(page_plain, plain, sample_text(n_bytes), 12)
                )
                print(
                    f"at 100,000 bytes the plain design takes {slow / p95[n_bytes]:.0f} times as long (p95)"
                )
                page_plain.close()
            page.close()
        page = browser.new_page(**VIEW)
        measure_ours(page, ours, sample_text(430_000), 3)
        n_tokens = page.locator(".n-tokens").inner_text()
        report(f"a scroll frame at {n_tokens} tokens", measure_scroll(page))


if __name__ == "__main__":
    main()
