"""The table that the shell's `formats` prints."""

from playground.formats.advice import describe_losses
from playground.formats.costs import CostTable, baselines, saving
from playground.formats.registry import FORMATS
from playground.formats.values import Conversion
from playground.render.format_charts import percent_change

_DASH = "–"


def format_table(table: CostTable) -> str:
    """The table for a reader: cheapest first by the first tokenizer, what loses something below.

    >>> from playground.formats.costs import measure
    >>> from playground.catalog.registry import get_tokenizer
    >>> print(format_table(measure({"a": 1}, [get_tokenizer("gpt2")], formats=["json_compact", "csv"])))
    format        bytes  gpt2  vs pretty  vs compact  fidelity
    JSON, compact     7     5          –         0 %  equal
    CSV               –     –          –           –  cannot: a table needs a list of objects ...
    """
    names = list(table.n_tokens)
    first = table.n_tokens[names[0]]
    order = {"equal": 0, "lossy": 1, "cannot": 2}
    found = sorted(
        table.conversions, key=lambda c: (order[c.fidelity], first.get(c.format_name, 0), c.format_name)
    )
    rows = [["format", "bytes", *names, "vs pretty", "vs compact", "fidelity"]]
    for conversion in found:
        n_tokens = first.get(conversion.format_name)
        changes = [
            _DASH if n_tokens is None else percent_change(saving(n_tokens, n)) for n in baselines(first)
        ]
        counts = [table.n_tokens[name].get(conversion.format_name) for name in names]
        numbers = [_DASH if n is None else f"{n:,}" for n in (conversion.n_bytes, *counts)]
        rows.append([FORMATS[conversion.format_name].label, *numbers, *changes, _fidelity(conversion)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            [
                row[0].ljust(widths[0]),
                *(cell.rjust(w) for cell, w in zip(row[1:-1], widths[1:-1], strict=True)),
            ]
        )
        + f"  {row[-1]}"
        for row in rows
    )


def _fidelity(conversion: Conversion) -> str:
    detail = conversion.reason or describe_losses(conversion.losses)
    return f"{conversion.fidelity}: {detail}" if detail else conversion.fidelity
