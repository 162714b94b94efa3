"""`report`: measure tokenizers on a text and in 39 languages, as Markdown, CSV or JSON."""

import click

from playground.analysis.report import report_column, tokenizer_figures
from playground.corpora.text_files import read_text
from playground.render.report_text import report_csv, report_json, report_markdown
from playground.shell.commands import Arguments, Real, command
from playground.shell.corpus_arguments import file_argument
from playground.shell.terminal import part_bar
from playground.shell.tokenizer_arguments import (
    COMPARED_TOKENIZERS,
    NAMES,
    chosen_tokenizers,
    tokenizer_options,
)


@command(
    "report", "tessera report article.txt > report.md", "tessera report article.txt -t gpt2 -t my.json --csv"
)
@file_argument("UTF-8 text that no tokenizer was trained on")
@tokenizer_options(f"{NAMES} Repeat it for each tokenizer.", default=COMPARED_TOKENIZERS, multiple=True)
@click.option(
    "--price",
    type=Real(0, 1e9, max_open=True),
    metavar="DOLLARS",
    help="Price of a million tokens, for the spend.",
)
@click.option("--format", type=click.Choice(["markdown", "csv", "json"]), default="markdown", hidden=True)
@click.option("--json", "format", flag_value="json", help="Print JSON.")
@click.option("--csv", "format", flag_value="csv", help="Print CSV.")
@click.option("--markdown", "format", flag_value="markdown", help="Print Markdown.")
def run(arguments: Arguments) -> int:
    """Print the report; of several formats the last one counts."""
    tokenizers = chosen_tokenizers(arguments.tokenizer, arguments.pattern, arguments.models)
    text, price = read_text(arguments.file), arguments.price
    columns = []
    with part_bar("Measuring") as on_progress:
        for place, tokenizer in enumerate(tokenizers):
            on_progress(place / len(tokenizers), tokenizer.name)
            columns.append(report_column(tokenizer, text, tokenizer_figures(tokenizer), price=price))
    n_bytes = len(text.encode(errors="surrogatepass"))
    text_name = "standard input" if arguments.file == "-" else arguments.file
    if arguments.format == "csv":
        print(report_csv(columns), end="")
    else:
        report = report_json if arguments.format == "json" else report_markdown
        print(report(columns, text_name=text_name, n_bytes=n_bytes), end="")
    return 0
