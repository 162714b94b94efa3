"""Streamlit components whose browser code is in `playground/web`, and the addresses of our routes."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import regex
import streamlit as st

from playground.server.browser_code import WEB_PATH
from playground.server.web_files import WEB, imported_modules, markup

Component = Callable[..., Any]
#: The styles of buttons and other controls, which precede those of every component.
_CONTROLS = "shared/controls.css"
_CONTROL = regex.compile(r"<(?:button|input|select|summary)\b")


def define(
    name: str,
    *,
    html: str,
    module: str,
    styles: Sequence[str] = (),
    css: str = "",
    events: Sequence[str] = (),
) -> Component:
    """Return a component, a function of `key=` and `data=` that draws it and returns the events it has sent.

    `module`, `styles` and `html` are paths below `playground/web`; `html` may be the markup itself, and `css`
    is added after the styles. `events` come from a `Literal`, from which `scripts/write_wire_types.py` writes
    the types for the browser code.
    """
    mount = st.components.v2.component(
        f"tessera_{name}",
        html=_loading(html if html.startswith("<") else markup(html)),
        css="".join((WEB / style).read_text(encoding="utf-8") for style in (_CONTROLS, *styles)) + css,
        js=import_script(module),
    )

    def component(*, key: str, data: object, **callbacks: Callable[[], None]) -> Any:
        heard: dict[str, Any] = {f"on_{event}_change": callbacks.pop(event, _nothing) for event in events}
        if callbacks:
            raise TypeError(f"{name} has no event {', '.join(callbacks)}; its events are {', '.join(events)}")
        return mount(key=key, data=data, **heard)

    return component


def _loading(html: str) -> str:
    """Return HTML whose controls are inert until its code is loaded (`web/shared/mount.js`).

    Text areas are not: `web/shared/text_field.js` keeps what was typed before.

    >>> _loading('<div class="x"><button>Go</button><textarea></textarea></div>')
    '<div class="x" data-loading><button inert>Go</button><textarea></textarea></div>'
    """
    return _CONTROL.sub(r"\g<0> inert", html).replace(">", " data-loading>", 1)


def address(path: str) -> str:
    """Return the address at which a browser requests a path of the server, below `server.baseUrlPath`.

    >>> address("/session/x")
    '/session/x'
    """
    base = (st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}{path}" if base else path


def _nothing() -> None:
    """Do nothing: Streamlit reruns the page."""


def import_script(module: str) -> str:
    """Return a script that imports a module and, at the same time, all modules that it depends on."""
    paths = json.dumps(imported_modules(module))
    return (
        f"const at = (path) => import(new URL(`{address(WEB_PATH)}/${{path}}`, document.baseURI).href);\n"
        f"const [{{ default: mount }}] = await Promise.all({paths}.map(at));\n"
        "export default mount;\n"
    )
