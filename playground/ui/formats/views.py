"""The views of the Formats page, each drawn from an `Answer`."""

import csv
import io
from collections.abc import Sequence
from itertools import takewhile

import streamlit as st

from playground.core.tokenizer import Tokenizer, segment
from playground.core.wording import counted, listed
from playground.expect.reading import MAX_TOKENS
from playground.formats.advice import describe_losses, lines_of_losses
from playground.formats.costs import CostTable, baselines, percent_change, saving
from playground.formats.offloading import FormatRoles
from playground.formats.registry import COMPACT_JSON, FORMATS, PRETTY_JSON
from playground.formats.scaling import Grow, Growth, is_of_rows
from playground.formats.values import Conversion
from playground.render.charts import AnyChart, unchecked
from playground.render.format_charts import cost_chart, growth_chart, roles_chart
from playground.render.token_html import lines_html, note_html, tokens_html
from playground.server.formats.session import Answer, ExpectedFormat
from playground.server.saved_page.formats import saved_formats
from playground.ui import page, state
from playground.ui.controls import show_scrolled_code
from playground.ui.save_file import save_file

#: The key of the container that holds the chart of a view, if it has one.
CHART = "formats-chart"
#: Lines that a reader can tell apart; others are a click away.
_GROWN = [PRETTY_JSON, COMPACT_JSON, "yaml", "csv", "toon", "xml_elements"]
_GROW_BY = ["Rows", "Nesting depth"]
#: What "Converted text" opens with: it follows the data.
_CHEAPEST = "The cheapest that loses nothing"
CONVERTED = state.Field("formats.converted", _CHEAPEST)
IS_DIMMED = state.Field("formats.dimmed", False)
GROW_BY, GROWN = state.Field("formats.growth", _GROW_BY[0]), state.Field("formats.grown", _GROWN)
#: Characters of a converted text that are drawn as tokens, or shown as text.
_TOKEN_CHARACTERS, _TEXT_CHARACTERS = 20_000, 3_000


def show_costs(answer: Answer, tokenizers: Sequence[Tokenizer], price: float) -> None:
    """Draw the chart of costs, what each format loses, and one converted text with its downloads."""
    table, names = answer.table(tokenizers), [tokenizer.name for tokenizer in tokenizers]
    with st.container():  # notes come and go; the chart stays where it is
        _note(f"Tokens in {names[0]}, with the change against pretty and compact JSON.")
        if answer.document.notes:
            _note(" ".join(answer.document.notes))
    _chart(cost_chart(table, names, theme=page.theme(), type_scale=page.type_scale()))
    with st.empty():  # what follows has its place, with and without
        if escapes := answer.escape_counts(tokenizers[0]):
            plain, escaped = escapes
            cost = "cost" if answer.options.is_ascii else "would cost"
            change = percent_change(saving(escaped, plain))
            more = counted(escaped - plain, "token")
            _note(f"Escapes (\\u00e9 for é) {cost} {more} more in compact JSON ({change}).")
    lines = lines_of_losses(table)
    with st.empty():
        if lines:
            with st.expander("What is lost, by a real round trip through each parser"):
                st.html(lines_html(lines))
    written = list(table.n_tokens[names[0]])
    left_out = [found.format_name for found in table.conversions if found.text is None]
    best = table.cheapest(names[0])
    name = st.selectbox(
        "Converted text",
        choices := [*([_CHEAPEST] if best else []), *written, *left_out],
        format_func=lambda f: f if f == _CHEAPEST else FORMATS[f].label,
        **CONVERTED.one_of(choices),
    )
    if name == _CHEAPEST and best:
        name = best.format_name
    converted = table.conversion(name)
    with st.container(horizontal=True, vertical_alignment="center"):
        save_file("Table as CSV", "formats.csv", lambda: _table_csv(table, price))
        if written:
            save_file("Save as page", f"formats-{names[0]}.html", lambda: _page(answer, table, tokenizers))
        if (text := converted.text) is not None:
            save_file(f"Text as .{FORMATS[name].suffix}", f"data.{FORMATS[name].suffix}", lambda: text)
    if converted.text is None:
        _note_left_out(converted)
    else:
        _note_losses(converted)
        show_scrolled_code(converted.text[:_TEXT_CHARACTERS], language=None, height=220, wrap_lines=True)


def show_roles(format_roles: Sequence[FormatRoles], answer: Answer, tokenizer: Tokenizer) -> None:
    """Draw tokens by role for each format, and which formats were not counted."""
    _note(
        f"{tokenizer.name}. A token that spans two roles is divided by its bytes; the parts sum to the count."
    )
    draw_roles(format_roles, answer, tokenizer)
    undone: dict[str, list[str]] = {}
    for found in format_roles:
        if found.parts is None:
            undone.setdefault(found.reason, []).append(FORMATS[found.format_name].label)
    if undone:
        st.html(lines_html([(f"Not done: {'; '.join(names)}", why) for why, names in undone.items()]))


def draw_roles(format_roles: Sequence[FormatRoles], answer: Answer, tokenizer: Tokenizer) -> None:
    """Draw the chart of those formats that are counted so far, each at its final place."""
    parts = {found.format_name: found.parts for found in format_roles if found.parts is not None}
    fidelities = {found.format_name: found.fidelity for found in answer.conversions}
    if parts:
        totals = answer.counts[tokenizer.name][1]
        _chart(roles_chart(parts, fidelities, totals, theme=page.theme(), type_scale=page.type_scale()))


def show_bits(expected: Sequence[ExpectedFormat]) -> None:
    """Draw a table of what a small model expects of each format, those of the fewest bits first."""
    if not expected:
        return
    _note(
        f"Bits say how surprising the data is to {expected[0].model} in each format. Tokens that were all "
        "but certain cost as much as any other. The page Expect shows each token."
    )
    read = [(found.costs, found.format_name) for found in expected if found.costs is not None]
    rows = [
        {
            "Format": FORMATS[name].label,
            "Tokens": costs.n_tokens,
            "Bits": round(costs.bits),
            "All but certain": f"{costs.share_certain:.0%}",
        }
        for costs, name in sorted(read, key=lambda each: each[0].bits)
    ]
    st.dataframe(rows, hide_index=True, width="content")
    if too_long := [FORMATS[found.format_name].label for found in expected if found.costs is None]:
        _note(f"Without bits, because the model reads up to {MAX_TOKENS:,} tokens: {'; '.join(too_long)}.")


def show_side_by_side(answer: Answer, tokenizer: Tokenizer) -> None:
    """Draw two formats of the same data as coloured tokens, or why one of them cannot hold it."""
    conversions = {found.format_name: found for found in answer.conversions}
    names = list(conversions)
    is_dimmed = st.toggle("Dim the structure", **IS_DIMMED.shown())
    for column, side, default in zip(st.columns(2), ("left", "right"), (COMPACT_JSON, "yaml"), strict=True):
        with column:
            name = st.selectbox(
                f"{side.capitalize()} format",
                names,
                format_func=lambda f: FORMATS[f].label,
                **state.Field(f"formats.{side}", default).one_of(names),
            )
            text = conversions[name].text
            if text is None:
                _note_left_out(conversions[name])
                continue
            n_tokens = answer.counts[tokenizer.name][1][name]
            _note(f"{counted(n_tokens, 'token')}, {counted(len(text.encode()), 'byte')}")
            _note_losses(conversions[name])
            shown = text[:_TOKEN_CHARACTERS]
            spans = list(takewhile(lambda span: span[0] < _TOKEN_CHARACTERS, FORMATS[name].iter_roles(text)))
            label = f"Tokens of {FORMATS[name].label}"
            begun, n_all = segment(tokenizer, shown), None if shown == text else n_tokens
            st.html(
                tokens_html(
                    begun, spans, theme=page.theme(), is_dimmed=is_dimmed, label=label, n_tokens=n_all
                )
            )


def choose_growth() -> tuple[list[str], Grow] | None:
    """Draw the choice of what grows and of which formats; return both, or None without a format."""
    one, two = st.columns([2, 3])
    with one:
        by = st.segmented_control("Grow", _GROW_BY, required=True, **GROW_BY.some_of(_GROW_BY))
    with two:
        formats = st.multiselect(
            "Formats",
            list(FORMATS),
            format_func=lambda f: FORMATS[f].label,
            **GROWN.some_of(list(FORMATS)),
        )
    if not formats:
        _note("No format is chosen. Each format that you choose has a line.")
        return None
    return formats, "depth" if by == _GROW_BY[1] else "rows"


def show_growth(growth: Growth, answer: Answer, formats: Sequence[str], grow: Grow) -> None:
    """Draw tokens by rows or by depth, which formats have no line, and where lines cross."""
    points, crossings = growth
    is_rows = grow == "rows"
    rows = (
        "rows, sampled from your data"
        if is_of_rows(answer.document.data)
        else "copies of your data, which has no rows"
    )
    title = rows if is_rows else "levels of objects around one row"
    if points:
        chart = growth_chart(points, x_title=title, theme=page.theme(), is_per_row=is_rows)
        _chart(chart)
    drawn = {point.format_name for point in points}
    if without := [FORMATS[name].label for name in formats if name not in drawn]:
        _note(f"Without a line, because they cannot hold this data: {'; '.join(without)}.")
    lossy = {found.format_name for found in answer.conversions if found.fidelity == "lossy"} & drawn
    if lossy:
        labels = [FORMATS[name].label for name in formats if name in lossy]
        _note(f"Part of your data is lost in {listed(labels)}; “Cost” says which.")
    if not points:
        return
    unit = "rows" if is_rows else "levels"
    if crossings:
        lines = [
            (f"From {c.n:,} {unit}", f"{FORMATS[c.cheaper].label} costs less than {FORMATS[c.dearer].label}")
            for c in crossings
        ]
        st.html(lines_html(lines))
    else:
        _note(f"No lines cross: the order is the same for every number of {unit}.")


def _page(answer: Answer, table: CostTable, tokenizers: Sequence[Tokenizer]) -> str:
    """Return the table as a page."""
    input_format = answer.document.input_format
    return saved_formats(table, tokenizers, input_format=input_format, n_given=answer.n_given).html


def _table_csv(table: CostTable, price: float) -> str:
    """Return the table as a CSV file."""
    names = list(table.n_tokens)
    out = io.StringIO()
    writer = csv.writer(out)
    head = [
        f"{name} {what}"
        for name in names
        for what in ("tokens", "vs pretty", "vs compact", "$ per 1,000 calls")
    ]
    writer.writerow(["format", "fidelity", "lost", "bytes", *head])
    for found in table.conversions:
        cells: list[object] = []
        for name in names:
            counts = table.n_tokens[name]
            n_tokens = counts.get(found.format_name)
            changes = [
                "" if n_tokens is None or not base else f"{n_tokens / base - 1:.4f}"
                for base in baselines(counts)
            ]
            cost = "" if n_tokens is None or price < 0 else f"{n_tokens * price / 1_000:.4f}"
            cells += [n_tokens, *changes, cost]
        lost = found.reason or describe_losses(found.losses, n_kinds=8, n_names=20)
        writer.writerow([found.format_name, found.fidelity, lost, found.n_bytes, *cells])
    return out.getvalue()


def _chart(chart: AnyChart) -> None:
    """Draw a chart in the container that the save buttons use; only one is on the page."""
    with st.container(key=CHART):
        st.altair_chart(unchecked(chart), width="stretch")


def _note_left_out(found: Conversion) -> None:
    """Explain why a chosen format has no text of this data."""
    _note(f"{FORMATS[found.format_name].label} is left out: {found.reason}.")


def _note_losses(found: Conversion) -> None:
    """Draw a note on what a shown text has lost, if anything."""
    with st.empty():  # what follows has its place, with and without
        if found.losses:
            _note(f"{FORMATS[found.format_name].label} {describe_losses(found.losses)}.")


def _note(text: str) -> None:
    st.html(note_html(text))
