"""What the Formats page draws of the data: the advice and the chosen view, or why there is none yet."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from playground.core.errors import LimitExceededError, LooksLikeProseError, PlaygroundError
from playground.core.tokenizer import Tokenizer
from playground.expect.model_file import find_model, find_own
from playground.formats.advice import advise, describe_price, headline
from playground.formats.detection import Detection
from playground.render.token_html import headline_html, note_html
from playground.render.visible_text import markdown_escape
from playground.server.formats.session import Answer, FormatSession
from playground.server.work import Work
from playground.ui.formats import views
from playground.ui.formats.data import Settings, choose_reading, chosen_readings, read_as
from playground.ui.save_chart import choose_view_of_chart

T = TypeVar("T")
_PROSE = Detection("YAML", "guess", "YAML reads almost any text, even prose")
VIEWS = ["Cost", "Where the tokens go", "Side by side", "How it scales"]
#: The view for a machine with a small language model, which Expect brings.
_BITS = "Bits"
#: The views that have a chart, and the name of the file that it is saved as.
_PICTURES = {
    "Cost": "tokens-by-format",
    "Where the tokens go": "where-the-tokens-go",
    "How it scales": "tokens-by-size",
}
#: Seconds that a run waits for a result before it shows progress, and between two looks at it.
_PATIENCE_SECONDS, _LOOK_SECONDS = 0.4, 0.3


def show_results(
    session: FormatSession, settings: Settings, tokenizers: Sequence[Tokenizer], reading: DeltaGenerator
) -> None:
    """Draw the advice and the chosen view; until the data is converted, those of the previous data.

    `reading` is the container below the text, for the choice of the format to read.
    Messages and results each have one container: Streamlit keeps what a run does not draw until it ends, and
    two charts would be seen.
    """
    messages = st.container(key="formats-messages")
    answer, is_working = None, False
    with messages:
        if session.is_empty:
            st.info("The field is empty. Type or paste data, choose an example, or open a file.")
        else:
            work = session.answer(chosen_readings(session), settings.options, tokenizers)
            answer, is_working = finished(work, "answer"), not work.is_over
            with reading:
                _show_reading(session, work, answer or session.latest)
        if answer is not None:
            session.latest = answer
        elif session.latest is not None:
            name = f", {session.latest.name}" if session.latest.name else ""
            st.html(note_html(f"These results are for the previous data{name}."))
    if session.latest is None:
        return
    # The style sheet makes results of previous data pale.
    with st.container(key="formats-answer" if answer is not None else "formats-before"):
        _show_answer(session, session.latest, tokenizers, settings.price, is_working=is_working)


def _show_reading(session: FormatSession, work: Work[Answer], answer: Answer | None) -> None:
    """Draw the detected format and the choice of another, also for a text that could not be read."""
    failed = getattr(work.error, "detected", None)
    detection = None if answer is None else answer.document.detected
    if failed is not None:
        is_prose = isinstance(work.error, LooksLikeProseError)
        choose_reading(session, failed, _PROSE if is_prose else None)
    elif detection is not None:
        choose_reading(session, detection.name, detection)


def _show_answer(
    session: FormatSession,
    answer: Answer,
    tokenizers: Sequence[Tokenizer],
    price: float,
    *,
    is_working: bool,
) -> None:
    """Draw headline, chosen view and details; while newer data `is_working`, nothing else is computed."""
    counted = [tokenizer for tokenizer in tokenizers if answer.is_counted_by(tokenizer)]
    if not counted:
        return
    table, first = answer.table(counted), counted[0]
    st.html(
        headline_html(headline(table, first.name, answer.document.input_format, answer.n_given[first.name]))
    )
    offered = [*VIEWS, _BITS] if find_own() or find_model() else VIEWS
    view = choose_view_of_chart("formats", offered, views.CHART, _PICTURES)
    if view == "Where the tokens go":
        if not is_working:
            work = session.format_roles(answer, first)
            format_roles = finished(
                work, "format_roles", lambda: views.draw_roles(work.so_far, answer, first)
            )
            if format_roles is not None or work.is_stopped:
                views.show_roles(work.so_far if format_roles is None else format_roles, answer, first)
    elif view == _BITS:
        if not is_working:
            reading = session.bits(answer)
            expected = finished(reading, "bits", lambda: views.show_bits(reading.so_far))
            if expected is not None:
                views.show_bits(expected)
    elif view == "Side by side":
        views.show_side_by_side(answer, first)
    elif view == "How it scales":
        if (chosen := views.choose_growth()) and not is_working:
            formats, grow = chosen
            growth = finished(session.growth(answer, first, formats, grow), "growth")
            if growth is not None:
                views.show_growth(growth, answer, formats, grow)
    else:
        views.show_costs(answer, counted, price)
    for line in [*advise(table, first.name), describe_price(table, first.name, price)]:
        if line:
            st.html(note_html(line))


def finished(work: Work[T], name: str, meanwhile: Callable[[], None] = lambda: None) -> T | None:
    """Return a result; without one draw its progress, that it was stopped or its error, and return None.

    Progress is a fragment that draws itself again, with what `meanwhile` draws, and runs the page when the
    work is over. `name` distinguishes its buttons.
    """
    work.wait(_PATIENCE_SECONDS)
    if work.found is not None:
        return work.found
    if not work.is_over:
        draw = st.fragment(_show_progress, run_every=_LOOK_SECONDS)
        draw(work, name, meanwhile)
    elif work.is_stopped:
        st.info(markdown_escape(f"Stopped at: {work.what}."), icon=":material/stop_circle:")
        st.button("Go on", key=f"formats.go_on.{name}", on_click=work.start)
    elif isinstance(work.error, LooksLikeProseError):
        way_on = "choose a format under Read as to read it all the same"
        _tell(st.info, f"{work.error}; {way_on}", icon=":material/help:")
        st.button("Read it as YAML", on_click=read_as("YAML").put, args=("YAML",))
    elif isinstance(work.error, PlaygroundError):
        _tell(st.error, str(work.error), icon=":material/error:")
        if isinstance(work.error, LimitExceededError):
            st.button("Try again", key=f"formats.again.{name}", on_click=work.start)
    elif work.error is not None:
        raise work.error
    return None


def _show_progress(work: Work[T], name: str, meanwhile: Callable[[], None]) -> None:
    if work.is_over:
        st.rerun()
    st.progress(work.part, markdown_escape(work.what))
    help_text = "End this work; the data stays"
    icon = ":material/stop_circle:"
    st.button("Stop", key=f"formats.stop.{name}", icon=icon, help=help_text, on_click=work.stop)
    meanwhile()


def _tell(show: Callable[..., object], message: str, *, icon: str) -> None:
    show(markdown_escape(f"{message[:1].upper()}{message[1:]}."), icon=icon)
