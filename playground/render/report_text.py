"""The report on tokenizers as JSON, CSV and Markdown."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict

from playground.analysis.report import FIGURES, Figure, ReportColumn
from playground.core.wording import listed


def shown_value(figure: Figure, value: float | None) -> str:
    """Return a value as people read it, with its unit; "–" where there is nothing to measure.

    >>> shown_value(FIGURES[0], 4.0), shown_value(FIGURES[5], 0.5), shown_value(FIGURES[2], 2.5)
    ('4.00', '50.0%', '2.50 × English')
    """
    if value is None:
        return "–"
    match figure.unit:
        case "%":
            return f"{value:.1%}" if value >= 0.01 else f"{value:.3%}"
        case "$":
            return f"${value:,.2f}" if value >= 1 else f"${value:.6f}"
        case "tokens":
            return f"{value:,.0f}"
        case "":
            return f"{value:.2f}"
        case unit:
            return f"{value:.2f} {unit}"


def report_json(columns: Sequence[ReportColumn], *, text_name: str, n_bytes: int) -> str:
    """Return the report with the meaning of each figure and the counts of each language."""
    document = {
        "text": text_name,
        "bytes": n_bytes,
        "figures": list(map(asdict, FIGURES)),
        "tokenizers": [
            {
                "tokenizer": column.tokenizer_name,
                "price_per_million_tokens": column.price,
                "values": dict(column.values),
                "languages": [
                    {
                        "language": count.language,
                        "code": count.code,
                        "tokens": count.n_tokens,
                        "times_english": count.times_english,
                        "loses_text": count.is_lossy,
                    }
                    for count in column.languages
                ],
            }
            for column in columns
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def report_csv(columns: Sequence[ReportColumn]) -> str:
    """Return a row for each figure: its name, unit and source, and a value for each tokenizer."""
    written = io.StringIO()
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow(["figure", "unit", *(column.tokenizer_name for column in columns), "source"])
    for figure in FIGURES:
        values = ["" if (value := column.values[figure.name]) is None else value for column in columns]
        rows.writerow([figure.name, figure.unit, *values, figure.source])
    return written.getvalue()


def report_markdown(columns: Sequence[ReportColumn], *, text_name: str, n_bytes: int) -> str:
    """Return a table with a row for each figure, and a list that says what each figure means."""
    names = [column.tokenizer_name.replace("|", "\\|") for column in columns]
    lines = [
        "# Tokenizer report",
        "",
        f"Text: {text_name}, {n_bytes:,} bytes.{_prices(columns)}",
        "",
        f"| figure | {' | '.join(names)} |",
        f"| --- |{' ---: |' * len(names)}",
    ]
    for figure in FIGURES:
        values = [shown_value(figure, column.values[figure.name]) for column in columns]
        lines.append(f"| {figure.title} | {' | '.join(values)} |")
    lines += ["", *notes(columns), "", "## What the figures mean", ""]
    lines += [f"- **{figure.title}**: {figure.sentence} Source: {figure.source}." for figure in FIGURES]
    return "\n".join(lines) + "\n"


def _prices(columns: Sequence[ReportColumn]) -> str:
    known = [
        f"${column.price:g} in {column.tokenizer_name}" for column in columns if column.price is not None
    ]
    return f" A million tokens cost {listed(known)}." if known else ""


def notes(columns: Sequence[ReportColumn]) -> list[str]:
    """Return sentences on the worst languages, and a warning for each tokenizer that loses text."""
    worst = [f"{column.worst_language} in {column.tokenizer_name}" for column in columns]
    return [
        f"Most tokens for the same content: {listed(worst)}.",
        *(
            f"{column.tokenizer_name} loses text in {len(column.lossy_languages)} of "
            f"{len(column.languages)} languages, so its low counts there do not mean good compression."
            for column in columns
            if column.lossy_languages
        ),
    ]
