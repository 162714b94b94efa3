"""Only the token strip styles the classes of tokens, because other rules would restyle all tokens."""

import pytest
import regex

from playground.server.web_files import WEB

STRIP = WEB / "shared" / "token_strip.css"
#: Classes that `tokenClass` and the pages add to `.t`, each with a style in the token strip.
OF_TOKENS = set(regex.findall(r"\.t\.([a-z]+)", STRIP.read_text()))
PAGES = sorted(
    {js.parent for js in WEB.rglob("*.js") if "/token_strip.js" in js.read_text()} - {STRIP.parent}
)
SHEETS = [sheet for folder in PAGES for sheet in folder.glob("*.css")]


def bare_classes(css: str) -> set[str]:
    """Return the classes of rules that select by one class and nothing else."""
    css = regex.sub(r"(?s)/\*.*?\*/|:has\([^()]*\)|\{[^{}]*\}", " {} ", css)
    compounds = regex.findall(r"[^\s,>+~{}()]+", css)
    return {compound[1:] for compound in compounds if regex.fullmatch(r"\.[\w-]+", compound)}


def test_the_token_strip_has_classes_and_pages_use_it():
    assert {"compare", "editor", "train"} <= {sheet.stem for sheet in SHEETS}
    assert {"line", "many", "special"} <= OF_TOKENS
    assert bare_classes(".a .line, .b.line > i.line {x: y} @media (z) { .many { x: y } }") == {
        "a", "line", "many",
    }  # fmt: skip


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda path: path.name)
def test_no_page_has_its_own_styles_for_token_classes(sheet):
    assert bare_classes(sheet.read_text()) & OF_TOKENS == set()
