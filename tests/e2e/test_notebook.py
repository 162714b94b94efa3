"""Drawings for notebooks in a browser: they follow their host's theme, and axe finds nothing."""

import pytest
from playwright.sync_api import BrowserContext

from playground.notebook import show, show_training, show_tree
from playground.render.palette import PAPER, Theme
from tests.e2e.axe import rules_broken_now

#: How a host says its theme, on its body, and the theme; where none is said, the system's.
HOSTS: dict[str, Theme] = {
    "data-jp-theme-light=true": "light",
    "data-jp-theme-light=false": "dark",
    "class=vscode-light": "light",
    "class=vscode-dark": "dark",
    "": "light",
}


@pytest.fixture(scope="module")
def drawings():
    made = (
        show("Hello <b>world</b> 안녕 👋\n  if", "gpt2"),
        show("a<|endoftext|>", "gpt2", honours_special=True),
        show_tree(" strawberry", "gpt2"),
        show_tree("unaffable", "bert_uncased"),
        show_training("the cat sat on the mat. " * 30, 10),
    )
    return "".join(drawing._repr_html_() for drawing in made)


def test_drawings_follow_the_theme_of_their_host_and_can_be_read(context: BrowserContext, drawings):
    page = context.new_page()
    for host, theme in HOSTS.items():
        head = f"<!doctype html><html lang=en><title>Notebook</title><body {host}>"
        page.set_content(f"{head}<main><h1>Cells</h1>{drawings}</main>")
        paper = page.evaluate("getComputedStyle(document.querySelector('.tessera')).backgroundColor")
        red, green, blue = (int(PAPER[theme][at : at + 2], 16) for at in (1, 3, 5))
        assert paper == f"rgb({red}, {green}, {blue})", host
        if "jp" in host:
            assert rules_broken_now(page) == [], host
    page.close()
