"""`report`: measure tokenizers on a text and in 39 languages, as Markdown, CSV or JSON."""

import argparse

from playground.analysis.report import report_column, tokenizer_figures
from playground.corpora.text_files import read_text
from playground.render.report_text import report_csv, report_json, report_markdown
from playground.shell.terminal import part_bar
from playground.shell.tokenizer_arguments import chosen_tokenizers
from playground.shell.usage import COMPARED_TOKENIZERS


def run(arguments: argparse.Namespace) -> int:
    """Print the report in the format of `--format`."""
    names = arguments.tokenizer or COMPARED_TOKENIZERS
    tokenizers = chosen_tokenizers(names, arguments.pattern, arguments.models)
    text, price = read_text(arguments.file), arguments.price
    columns = []
    with part_bar("Measuring") as tell:
        for place, tokenizer in enumerate(tokenizers):
            tell(place / len(tokenizers), tokenizer.name)
            columns.append(report_column(tokenizer, text, tokenizer_figures(tokenizer), price=price))
    n_bytes = len(text.encode(errors="surrogatepass"))
    text_name = "standard input" if arguments.file == "-" else arguments.file
    match "json" if arguments.json else arguments.format:
        case "json":
            print(report_json(columns, text_name=text_name, n_bytes=n_bytes), end="")
        case "csv":
            print(report_csv(columns), end="")
        case _:
            print(report_markdown(columns, text_name=text_name, n_bytes=n_bytes), end="")
    return 0
