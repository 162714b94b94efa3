"""Formats: the same data costs more or fewer tokens by how it is written."""

import streamlit as st

from playground.formats.advice import advise, describe_price
from playground.formats.conversion import Job
from playground.formats.roles import count_tokens_by_role
from playground.render.format_tokens import advice_html
from playground.ui import controls, page, share
from playground.ui.formats import views as format_views
from playground.ui.formats.controls import (
    Chosen,
    choose_input,
    choose_tokenizers,
    shared_data,
    take_share_link,
)
from playground.ui.formats.waiting import format_session, wait_for

VIEWS = ["Cost", "Where the tokens go", "Side by side", "How it scales"]


def show_answer(chosen: Chosen) -> None:
    """The advice, then the chosen view."""
    session = format_session()
    table = wait_for(
        "table",
        session,
        lambda on_wait: session.table(
            chosen.source, chosen.input_format, chosen.options, chosen.tokenizers, on_wait=on_wait
        ),
    )
    if table is None:
        return
    first = chosen.tokenizers[0]
    st.html(advice_html(advise(table, first.name), describe_price(table, first.name, chosen.price)))
    view = controls.choose_view("formats", VIEWS)
    theme = page.theme()
    match view:
        case "Where the tokens go":
            format_views.show_roles(session, first, theme)
        case "Side by side":
            format_views.show_side_by_side(session, first, theme)
        case "How it scales":
            format_views.show_growth(session, first, chosen.options, theme)
        case _:
            format_views.show_costs(session, table, chosen.tokenizers, chosen.price, chosen.options, theme)


bar = page.open_page("Formats", claim="The same data costs more or fewer tokens by how it is written.")
take_share_link()
with bar.share:
    share.share_button("formats", shared_data, is_live=False)
share.tell_of_link("formats")
with bar.picker:
    tokenizers = choose_tokenizers()
left, right = st.columns([3, 8], gap="medium")
with left:
    chosen = choose_input(tokenizers)
with right:
    show_answer(chosen)
page.show_source(Job, count_tokens_by_role, advise)
