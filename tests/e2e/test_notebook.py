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


#: Rules of JupyterLab 4.6 for what a cell shows, which would indent and stripe a drawing.
JUPYTER = """
.jp-RenderedHTMLCommon ul:not(.list-inline),
.jp-RenderedHTMLCommon ol:not(.list-inline) { padding-left: 2em; }
.jp-RenderedHTMLCommon tbody tr:nth-child(odd) { background: #123456; }
"""


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
        if "jp" in host:  # in the dark only colours are others
            rules = ["color-contrast"] if theme == "dark" else []
            assert rules_broken_now(page, *rules) == [], host
    page.close()


def test_drawings_keep_their_look_among_the_rules_of_jupyterlab(context: BrowserContext, drawings):
    page = context.new_page()
    page.set_content(f"<style>{JUPYTER}</style><body class=jp-RenderedHTMLCommon>{drawings}<ol></ol>")
    style = "elements => elements.map(e => getComputedStyle(e)).map(s => s.paddingLeft + s.backgroundColor)"
    found = page.locator(".tessera :is(.token-strip, tr)").evaluate_all(style)
    assert set(found) == {"0pxrgba(0, 0, 0, 0)"}
    assert page.locator("body > ol").evaluate_all(style) == ["32pxrgba(0, 0, 0, 0)"]
    page.close()
