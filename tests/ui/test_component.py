"""A component is a small script that imports its module together with everything the module imports."""

import json

import pytest
import regex
import streamlit as st

from playground.server.browser_code import WEB_PATH
from playground.server.web_files import WEB, imported_modules, markup
from playground.ui import component

#: Components with text fields, and the number of them.
TYPED_INTO = {
    "compare/compare.html": 1,
    "expect/expect.html": 2,
    "merge_tree/merge_tree.html": 1,
    "formats/formats.html": 1,
    "shared/text_field.html": 1,
}


def test_the_script_asks_for_every_module_in_one_go():
    script = component.import_script("editor/editor.js")
    asked = json.loads(regex.findall(r"\[\"[^\]]*\]", script)[0])
    assert asked == imported_modules("editor/editor.js")
    assert asked[0] == "editor/editor.js"
    assert f"`{WEB_PATH}/${{path}}`" in script


@pytest.mark.parametrize(("base", "expected"), [("", "/x/y"), ("tools/", "/tools/x/y"), ("/a/b", "/a/b/x/y")])
def test_an_address_stands_below_the_base_path(base, expected, monkeypatch):
    monkeypatch.setattr(st, "get_option", {"server.baseUrlPath": base}.get)
    assert component.address("/x/y") == expected


def test_an_event_that_a_component_does_not_have_is_refused():
    define = component.define(
        "none",
        html="save/save_chart.html",
        module="save/save_chart.js",
        styles=(),
        events=("said",),
    )
    with pytest.raises(TypeError, match="no event heard; its events are said"):
        define(key="x", data={}, heard=lambda: None)


@pytest.mark.parametrize(
    "name", ["editor/editor", "compare/compare", "merge_tree/merge_tree", "formats/formats"]
)
def test_before_its_code_has_come_a_component_takes_no_press_but_typed_text(name, monkeypatch):
    """Its code accepts clicks from the mount on; see `web/shared/mount.test.js`."""
    given = {}
    monkeypatch.setattr(st.components.v2, "component", lambda _name, **what: given.update(what))
    component.define("none", html=f"{name}.html", module="save/save_chart.js", styles=(), events=())
    controls = regex.findall(r"<(button|input|select|summary|textarea|a)\b([^>]*)>", given["html"])
    assert {kind for kind, attributes in controls if " inert" not in attributes} == {"textarea"}
    assert not any(" inert" in attributes for kind, attributes in controls if kind == "textarea")
    assert regex.match(r"<div class=[^>]* data-loading>", given["html"])


@pytest.mark.parametrize("html", sorted(path.relative_to(WEB).as_posix() for path in WEB.rglob("*.html")))
def test_markup_is_whole_and_each_id_stands_once(html):
    whole = markup(html)
    assert "<!--" not in whole
    assert whole.count('class="text"') == TYPED_INTO.get(html, 0)
    ids = regex.findall(r'\bid="([^"]+)"', whole)
    assert len(ids) == len(set(ids))
    assert set(regex.findall(r'\bfor="([^"]+)"', whole)) <= set(ids)
