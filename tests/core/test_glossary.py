"""The glossary: short definitions of every term that a page marks."""

import regex

from playground.core.glossary import GLOSSARY
from playground.server.web_files import WEB
from scripts.write_wire_types import GLOSSARY_FILE, glossary_module

_MARKED = regex.compile(r'\bterm\("([^"]+)"|\bGLOSSARY\["([^"]+)"\]')


def test_no_definition_has_more_than_thirty_words():
    assert {name: text for name, text in GLOSSARY.items() if len(text.split()) > 30} == {}


def test_each_term_that_a_page_marks_is_defined():
    sources = [*WEB.rglob("*.js"), *(WEB.parent / "ui").rglob("*.py")]
    marked = {a or b for path in sources for a, b in _MARKED.findall(path.read_text(encoding="utf-8"))}
    assert len(marked) > 5
    assert marked <= GLOSSARY.keys()


def test_the_browsers_definitions_are_up_to_date():
    assert GLOSSARY_FILE.read_text(encoding="utf-8") == glossary_module(), (
        "run python -m scripts.write_wire_types"
    )
