"""The live component of X-ray.

Its JavaScript talks to `playground.server.xray.session`; what is dropped there never goes through a rerun.
"""

from typing import Literal, TypedDict, get_args

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground.analysis.chat_counts import chat_model
from playground.analysis.chat_templates import OPEN_TEMPLATES, JinjaTemplate, opened_templates
from playground.analysis.template_check import check_template, describe_template
from playground.catalog.registry import is_shipped
from playground.core.errors import PlaygroundError
from playground.core.tokenizer import Tokenizer
from playground.render.visible_text import markdown_escape
from playground.server.xray.session import MAX_LOG_BYTES, XraySession
from playground.ui import component, picker, state
from playground.ui.page import PAGES

#: The server no longer knows the session; a text was brought to Tokenize, for the model of its turn.
XrayEvent = Literal["lost", "elsewhere"]
_ALONE = "No other template"
_BESIDE = state.Field("xray.beside", _ALONE)
_component = component.define(
    "xray",
    html="xray/xray.html",
    module="xray/xray.js",
    styles=("xray/xray.css",),
    events=get_args(XrayEvent),
)


class XrayData(TypedDict):
    """Data of the component."""

    url: str
    revision: int
    max_bytes: int


def counting_model(tokenizer: Tokenizer, *, messages: DeltaGenerator) -> str:
    """Return the model of requests that name none: the picker's, if it is built in."""
    if not is_shipped(tokenizer):
        messages.caption(
            markdown_escape(
                f"X-ray counts with built-in tokenizers: requests that name no model are counted for GPT-4o, "
                f"not with {tokenizer.name}."
            )
        )
        return "gpt-4o"
    model = picker.chosen_model(tokenizer, picker.ONE)
    return tokenizer.name if model is None else model.ids[0]


def show_template_check(tokenizer: Tokenizer) -> None:
    """Draw the check of the picker's own chat template, if it has one, and of another beside it.

    It runs once it is opened.
    """
    template = chat_model(tokenizer, picker.chosen_model(tokenizer, picker.ONE)).template
    if not isinstance(template, JinjaTemplate):
        return
    label = f"Does the chat template of {template.name} keep its prefix?"
    opened = st.expander(markdown_escape(label), key="xray-template", on_change="rerun")
    if not opened.open:
        return
    others = {
        made.name: made
        for made in (*OPEN_TEMPLATES.values(), *opened_templates(state.trained_tokenizers()).values())
        if made.name != template.name
    }
    options = [_ALONE, *others]
    beside = others.get(opened.selectbox("Compare with", options, **_BESIDE.one_of(options)))
    shown = [template] if beside is None else [template, beside]
    for column, each in zip(opened.columns(len(shown)), shown, strict=True):
        try:
            column.code(describe_template(check_template(each)), language=None, wrap_lines=True)
        except PlaygroundError as error:
            column.error(markdown_escape(str(error)))


def xray_view(session: XraySession) -> None:
    """Mount the component."""
    if (path := state.pop("xray.elsewhere", "")) != "":
        st.switch_page(path)

    def open_tokenize() -> None:
        name = state.component_value("xray", "elsewhere")
        if isinstance(name, str) and name:
            picker.choose(picker.ONE, [name])
        state.put("xray.elsewhere", str(PAGES / "tokenize.py"))

    data: XrayData = {
        "url": component.address(session.url),
        "revision": session.revision,
        "max_bytes": MAX_LOG_BYTES,
    }
    _component(key="xray", data=data, elsewhere=open_tokenize)
