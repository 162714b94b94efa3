"""Components of Streamlit whose code is a module of `playground/web`, and the address of our routes."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import regex
import streamlit as st

from playground.server.browser_code import WEB, WEB_PATH, imported_modules

Component = Callable[..., Any]
#: How controls look: the first style of every component.
_CONTROLS = "shared/controls.css"
_NAMED_FILE = regex.compile(r"<!-- (\S+\.html) -->\n")


def define(
    name: str, *, html: str, module: str, styles: Sequence[str], css: str = "", events: Sequence[str] = ()
) -> Component:
    """A component: `html`, `styles` and `module` are paths below `playground/web`; `css` follows the styles.

    It is called with `key=` and `data=`, and returns what the browser sent under the names of `events`. They
    are declared as a `Literal`, from which the browser code has them (`scripts/write_wire_types.py`).
    """
    mount = st.components.v2.component(
        f"tessera_{name}",
        html=_inert(markup(html)),
        css="".join((WEB / style).read_text(encoding="utf-8") for style in (_CONTROLS, *styles)) + css,
        js=import_script(module),
    )

    def component(*, key: str, data: object, **callbacks: Callable[[], None]) -> Any:
        heard: dict[str, Any] = {f"on_{event}_change": callbacks.pop(event, _nothing) for event in events}
        if callbacks:
            raise TypeError(f"{name} has no event {', '.join(callbacks)}; its events are {', '.join(events)}")
        return mount(key=key, data=data, **heard)

    return component


def markup(html: str) -> str:
    """A file of HTML below `playground/web`, with the files that it names in comments in their places.

    >>> "textarea" in (WEB / "forest/forest.html").read_text(), "textarea" in markup("forest/forest.html")
    (False, True)
    """
    return _NAMED_FILE.sub(lambda named: markup(named[1]), (WEB / html).read_text(encoding="utf-8"))


def _inert(html: str) -> str:
    """Return HTML that takes no press until its code has come (`web/shared/mount.js`)."""
    return html.replace(">", " inert>", 1)


def address(path: str) -> str:
    """A path of the server as the browser asks for it, below `server.baseUrlPath`.

    >>> address("/session/x")
    '/session/x'
    """
    base = (st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}{path}" if base else path


def _nothing() -> None:
    """The page runs again; nothing else happens."""


def import_script(module: str) -> str:
    """Import a module; what it imports is asked for at once, not when the module has come."""
    paths = json.dumps(imported_modules(module))
    return (
        f"const at = (path) => import(new URL(`{address(WEB_PATH)}/${{path}}`, document.baseURI).href);\n"
        f"const [{{ default: mount }}] = await Promise.all({paths}.map(at));\n"
        "export default mount;\n"
    )
