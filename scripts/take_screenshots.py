"""Take README's pictures: each page as it opens, and the first one large.

Run with `python -m scripts.take_screenshots` where `make test` has set up a browser, with Debian's fonts
`fonts-noto-cjk`, `fonts-noto-core` and `fonts-noto-color-emoji` installed.
"""

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from playground.core.assets import ASSETS
from playground.expect.model_file import FILE_NAME
from tests.browser import ARGUMENTS, find_chromium
from tests.e2e.conftest import Server

FOLDER = ASSETS / "screenshots"
#: The model of Expect, where the tests keep it.
MODEL = Path(sys.prefix) / "models" / FILE_NAME
VIEWPORT = {"width": 1280, "height": 800}
SMALL = (640, 400)
#: A selector for each page's address that appears when the page is ready.
SHOWN = {
    "tokenize": ".tokens .t",
    "compare": ".rows *",
    "train": ".curve .series",
    "merge_tree": ".trees svg.tree",
    "vocabulary": ".token-list .row",
    "expect": ".expect",
    "xray": ".xray",
    "formats": "[data-testid=stVegaLiteChart], [data-testid=stDataFrame]",
    "learn": "[data-lesson] .t",
    "build": ".steps, nav",
}
#: Addresses of pages that are not shown as they open.
ADDRESSES = {
    "tokenize": "",
    "learn": "learn?lesson=lowest-rank&step=4",
}


def take_screenshot(page: Page, address: str, shown: str) -> Image.Image:
    """Return a picture of the page at an address."""
    page.goto(address)
    page.locator(shown).first.wait_for()
    speed = page.get_by_label("Speed")
    if speed.count():
        speed.select_option("full speed")  # so that the curve is whole
    page.wait_for_timeout(5_000)  # wait for charts and fonts
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def main() -> None:
    """Write the pictures into `assets/screenshots/`."""
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        if MODEL.exists():
            kept = Path(home) / ".local" / "share" / "tessera" / "models" / MODEL.name
            kept.parent.mkdir(parents=True)
            kept.symlink_to(MODEL)
        server = Server(Path(home))
        server.start()
        browser = playwright.chromium.launch(
            executable_path=find_chromium(), args=[*ARGUMENTS, "--font-render-hinting=none"]
        )
        page = browser.new_page(viewport=VIEWPORT, color_scheme="light")
        for name, shown in SHOWN.items():
            picture = take_screenshot(page, f"{server.url}/{ADDRESSES.get(name, name)}", shown)
            picture.resize(SMALL, Image.Resampling.LANCZOS).save(FOLDER / f"{name}_small.png", optimize=True)
            if name == "tokenize":
                picture.save(FOLDER / "tokenize.png", optimize=True)
        server.stop()


if __name__ == "__main__":
    main()
