"""`compare`: compare tokenizers on the same files, as a table or as JSON."""

import json
import sys
from dataclasses import asdict

from playground.analysis.comparison import (
    Agreement,
    ComparisonRow,
    comparison_rows,
    count_agreement,
    cut_text,
    row_figures,
)
from playground.core.errors import InvalidInputError
from playground.shell.commands import JSON, Arguments, command
from playground.shell.corpus_arguments import GITIGNORE_OPTION, files_argument
from playground.shell.count_tree import Tree
from playground.shell.terminal import aligned, print_error
from playground.shell.tokenizer_arguments import (
    COMPARED_TOKENIZERS,
    NAMES,
    chosen_tokenizers,
    tokenizer_options,
)

_HEADINGS = (
    "tokenizer",
    "tokens",
    "against first",
    "bytes/token",
    "chars/token",
    "tokens/word",
    "shared",
    "vocabulary",
)


def format_comparison(rows: list[ComparisonRow], agreement: Agreement) -> str:
    """Return a table with a row for each tokenizer, and a line that counts common boundaries.

    >>> row = ComparisonRow("gpt2", 50257, 4, 9, 9, 2, 1.0, 0)
    >>> print(format_comparison([row], Agreement(3, 0, 0)))
    tokenizer  tokens  against first  bytes/token  chars/token  tokens/word  shared  vocabulary
    gpt2            4              0         2.25         2.25         2.00    100%      50,257
    boundaries: 3 in all, 0 in some, 0 in one only
    """
    table = aligned([_HEADINGS, *map(_cells, rows)], names=[0])
    found = f"{agreement.in_all:,} in all, {agreement.in_some:,} in some, {agreement.in_one:,} in one only"
    return f"{table}\nboundaries: {found}"


def _cells(row: ComparisonRow) -> tuple[str, ...]:
    return (
        row.tokenizer_name,
        f"{row.n_tokens:,}",
        f"{row.tokens_against_first:+,}" if row.tokens_against_first else "0",
        f"{row.bytes_per_token:.2f}",
        f"{row.characters_per_token:.2f}",
        f"{row.tokens_per_word:.2f}",
        f"{row.shared_boundaries:.0%}",
        f"{row.n_vocab:,}",
    )


@command(
    "compare",
    "tessera compare README.md",
    "tessera compare notes.txt -t qwen3 -t tokenizer.json",
    notes="`shared` is the number of token boundaries that a tokenizer has in common with the first one, "
    "divided by the boundaries that either has. The last line counts the boundaries that all, some or only "
    "one of the tokenizers have.",
)
@files_argument("Files and folders of UTF-8 text, also .gz and .zst; standard input if omitted or -.")
@tokenizer_options(
    f"{NAMES} Repeat it for each tokenizer; the others are compared with the first.",
    default=COMPARED_TOKENIZERS,
    multiple=True,
)
@GITIGNORE_OPTION
@JSON
def run(arguments: Arguments) -> int:
    """Print a table for each file; files that can't be read are reported, and the others compared."""
    tokenizers = chosen_tokenizers(arguments.tokenizer, arguments.pattern, arguments.models)
    answers = []
    tree = Tree(arguments.files, obeys_gitignore=not arguments.no_gitignore)
    errors = [*tree.walk.errors]
    for source in tree.sources:
        path = source.path
        try:
            raw = tree.read(source)
        except InvalidInputError as error:
            errors.append(str(error))
            continue
        if raw is None:
            continue
        text = raw.decode()
        cuts = [cut_text(tokenizer, text) for tokenizer in tokenizers]
        answers.append((path, comparison_rows(text, cuts), count_agreement(cuts)))
    if arguments.json:
        files = [
            {
                "file": path,
                "rows": [row_figures(row) for row in rows],
                "boundaries": asdict(agreement),
            }
            for path, rows, agreement in answers
        ]
        print(json.dumps({"files": files, "errors": errors}, indent=2))
    else:
        tables = [
            (f"{path}\n" if len(answers) > 1 else "") + format_comparison(rows, agreement)
            for path, rows, agreement in answers
        ]
        print("\n\n".join(tables), end="\n" if tables else "")
    sys.stdout.flush()
    tree.note_left_out()
    for message in errors:
        print_error(message)
    if not answers and not errors:
        raise InvalidInputError("there is no text to compare")
    return 1 if errors else 0
