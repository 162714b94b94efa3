"""The costs of data in every format as a page: a table whose bars need no browser code."""

from collections.abc import Mapping, Sequence
from html import escape

from playground.core.errors import InvalidInputError
from playground.core.tokenizer import Tokenizer
from playground.core.wording import counted, listed
from playground.formats.advice import headline, lines_of_losses
from playground.formats.costs import CostTable, baselines, in_order, percent_change, saving
from playground.formats.registry import FORMATS
from playground.render.palette import tokenizer_css_colors
from playground.render.token_html import lines_html
from playground.server.saved_page.page import SavedPage, named

_DASH = "–"


def saved_formats(
    table: CostTable, tokenizers: Sequence[Tokenizer], *, input_format: str, n_given: Mapping[str, int]
) -> SavedPage:
    """Return the page with the costs of data; bars are of the first tokenizer.

    `input_format` is the format of the data as it was given, and `n_given` its tokens by tokenizer name.
    Raises InvalidInputError if no format holds the data.
    """
    first, names = tokenizers[0], [named(tokenizer) for tokenizer in tokenizers]
    counts = table.n_tokens[first.name]
    if not counts:
        raise InvalidInputError("no format holds this data")
    fidelities = {found.format_name: found.fidelity for found in table.conversions}
    order = in_order(counts, fidelities)
    lossy = [name for name in order if fidelities[name] != "equal"]
    head = [
        "format",
        f"tokens in {names[0]}",
        *(f"in {name}" for name in names[1:]),
        "vs. pretty JSON",
        "vs. compact JSON",
        "bytes",
    ]
    rows = [_row(table, tokenizers, name) for name in order if name not in lossy]
    if lossy:
        rows.append(f'<tr class="part"><th colspan="{len(head)}">These lose something</th></tr>')
        rows += [_row(table, tokenizers, name) for name in lossy]
    lost = lines_of_losses(table)
    losses = (
        f'<details class="fold"><summary>What is lost</summary>{lines_html(lost)}</details>' if lost else ""
    )
    return SavedPage(
        name=f"formats-{first.name}",
        title=headline(table, first.name, input_format, n_given[first.name]),
        caption=(
            f"The same data, given as {input_format}, in {counted(len(order), 'format')}: tokens of each in "
            f"{listed(names)}."
        ),
        made_from=", ".join(names),
        figure=(
            '<div class="compare"><div class="figures" role="region" aria-label="Tokens of each format" '
            'tabindex="0"><table>'
            f"<thead><tr>{''.join(f'<th>{escape(cell)}</th>' for cell in head)}</tr></thead>"
            f"<tbody>{''.join(rows)}</tbody></table></div>{losses}</div>"
        ),
        look=("compare/compare.css", "saved_page/formats.css"),
    )


def _row(table: CostTable, tokenizers: Sequence[Tokenizer], name: str) -> str:
    counts = table.n_tokens[tokenizers[0].name]
    most = max(counts.values())
    changes = [percent_change(saving(counts[name], base)) for base in baselines(counts)]
    others = [table.n_tokens[tokenizer.name].get(name) for tokenizer in tokenizers[1:]]
    found = table.conversion(name)
    cells = [*(_DASH if n is None else f"{n:,}" for n in others), *changes, f"{found.n_bytes:,}"]
    (color,) = tokenizer_css_colors([tokenizers[0].name])
    opacity = "" if found.fidelity == "equal" else "; opacity: 0.4"
    bar = f'<i style="width: {100 * counts[name] / most:.2f}%; background: {color}{opacity}"></i>'
    return (
        f'<tr><td>{escape(FORMATS[name].label)}</td><td class="count">'
        f'<span class="number" style="min-width: {len(f"{most:,}")}ch">{counts[name]:,}</span>'
        f'<span class="track">{bar}</span></td>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
    )
