"""Formats: the same data costs more or fewer tokens by how it is written."""

import streamlit as st

from playground.formats.advice import advise, describe_price
from playground.formats.conversion import Job
from playground.formats.costs import CostTable
from playground.formats.roles import count_tokens_by_role
from playground.render.token_html import advice_html, note_html
from playground.server.memory_session import BEFORE
from playground.ui import page, share, state
from playground.ui.formats import views as format_views
from playground.ui.formats.controls import (
    READ_AS,
    Chosen,
    choose_input,
    choose_tokenizers,
    read_again,
    shared_data,
    take_share_link,
    text_of,
)
from playground.ui.formats.session import FormatSession
from playground.ui.formats.waiting import format_session, wait_for
from playground.ui.save_chart import choose_view_of_chart
from playground.ui.tokenizer_files import show_opener_in_bar

VIEWS = ["Cost", "Where the tokens go", "Side by side", "How it scales"]
#: What was read last: the name of a file, or what it is.
SHOWN = "formats.shown"
#: The views that have a chart, and the name of the file that it is saved as.
PICTURES = {
    "Cost": "tokens-by-format",
    "Where the tokens go": "where-the-tokens-go",
    "How it scales": "tokens-by-size",
}


def show_answer(chosen: Chosen) -> None:
    """The advice, then the chosen view; of data that cannot be read, those of the data before it.

    Everything has its place in each run. Streamlit keeps what stood elsewhere until the run's end: two charts
    would stand there, one of other data.
    """
    said, detect, bring_back, said_before, note = (st.empty() for _ in range(5))
    session = format_session()
    table = None
    if chosen.is_empty:
        said.info("The field is empty. Type or paste data, choose an example, or open a file.")
    else:
        table = wait_for(
            "table",
            session,
            lambda on_wait: session.table(
                chosen.source, chosen.input_format, chosen.options, chosen.tokenizers, on_wait=on_wait
            ),
            said,
            read_as_yaml=lambda: READ_AS.put("YAML"),
        )
    if table is not None:
        state.put(SHOWN, chosen.name or "the text")
        with st.container(key="formats-answer"):
            show_views(chosen, session, table)
        text = text_of(chosen.source)
        state.put(BEFORE, [] if text is None else [text])
        return
    if chosen.input_format is not None and not (chosen.is_empty or session.is_stopped):
        detect.button("Detect the format", on_click=READ_AS.put, args=(READ_AS.default,))
    older: list[str] = state.keep(BEFORE, list)  # after a reload some that were never read may stand first
    text = older[0] if older else None
    if text is not None and not chosen.is_empty and chosen.source != text:
        bring_back.button("Bring the data before back", on_click=read_again, args=(text,))
    before = session.table_before(chosen.tokenizers)
    if before is None and text is not None and not session.is_stopped:  # the tab was reloaded
        before = wait_for(
            "before",
            session,
            lambda on_wait: session.table(text, None, chosen.options, chosen.tokenizers, on_wait=on_wait),
            said_before,
        )
        if before is None and not session.is_stopped:  # it was never read: its error stands here else
            state.put(BEFORE, older[1:])
            st.rerun()
        state.put(SHOWN, "the data")
    if before is not None:
        note.html(note_html(f"What follows is of {state.kept(SHOWN, 'the data')}, which was read before."))
        with st.container(key="formats-before"):  # the style sheet makes it pale
            show_views(chosen, session, before)


def show_views(chosen: Chosen, session: FormatSession, table: CostTable) -> None:
    """The advice, and the view that is chosen."""
    tokenizers = [tokenizer for tokenizer in chosen.tokenizers if tokenizer.name in table.n_tokens]
    first = tokenizers[0]
    sentence, rest = advise(table, first.name)
    st.html(advice_html(sentence, rest, describe_price(table, first.name, chosen.price)))
    view = choose_view_of_chart("formats", VIEWS, format_views.CHART, PICTURES)
    theme = page.theme()
    match view:
        case "Where the tokens go":
            format_views.show_roles(session, first, theme)
        case "Side by side":
            format_views.show_side_by_side(session, first, theme)
        case "How it scales":
            format_views.show_growth(session, first, session.options, theme)
        case _:
            format_views.show_costs(session, table, tokenizers, chosen.price, session.options, theme)


bar = page.open_page("Formats", claim="The same data costs more or fewer tokens by how it is written.")
take_share_link()
with bar.share:
    share.share_button("formats", shared_data, is_live=False)
share.tell_of_link("formats")
with bar.opener:
    show_opener_in_bar()
with bar.picker:
    tokenizers = choose_tokenizers(told=bar.told)
left, right = page.settings_and_figure((3, 8))
with left:
    chosen = choose_input(tokenizers)
with right:
    show_answer(chosen)
page.show_source(Job, count_tokens_by_role, advise)
