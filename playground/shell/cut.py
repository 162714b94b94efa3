"""`cut`: cut a text to a token budget, into chunks or to its ends."""

import json
import sys
from dataclasses import asdict
from typing import Any

import click

from playground.analysis.token_budget import cut_into_chunks, truncate
from playground.core.errors import InvalidInputError
from playground.core.tokenizer import NO_SPECIAL
from playground.core.wording import counted
from playground.corpora.text_files import read_text
from playground.shell.commands import POSITIVE, Arguments, Whole, command
from playground.shell.corpus_arguments import file_argument
from playground.shell.terminal import print_note
from playground.shell.tokenizer_arguments import SPECIAL_OPTION, chosen_tokenizer, tokenizer_options


@command(
    "cut",
    "tessera cut notes.md --max-tokens 500 --overlap 50 --by sections > chunks.jsonl",
    "tessera cut log.txt --max-tokens 4000 --keep end -t gpt-4o",
    notes="Chunks are printed as JSON Lines. `n_tokens` counts each chunk encoded by itself.",
)
@file_argument("UTF-8 text")
@click.option(
    "--max-tokens",
    "--tokens",
    "tokens",
    type=POSITIVE,
    required=True,
    help="The most tokens of a chunk or a shortened text.",
)
@click.option(
    "--by",
    type=click.Choice(["tokens", "sentences", "lines", "sections"]),
    default="tokens",
    show_default=True,
    help="Where to cut; sections begin at Markdown headings.",
)
@click.option(
    "--overlap",
    type=Whole(0),
    default=0,
    show_default=True,
    help="The most tokens that a chunk repeats from the end of the previous one.",
)
@click.option(
    "--keep",
    type=click.Choice(["start", "end", "both"]),
    help="Print only the start, the end, or both ends of the text instead of all chunks.",
)
@tokenizer_options()
@SPECIAL_OPTION
def run(arguments: Arguments) -> int:
    """Print a JSON object for each chunk, or the shortened text."""
    if arguments.keep and arguments.overlap:
        raise InvalidInputError("--overlap is for chunks; leave out --keep or --overlap")
    tokenizer = chosen_tokenizer(arguments.tokenizer, arguments.pattern, arguments.models)
    text = read_text(arguments.file)
    allowed = frozenset(tokenizer.special_tokens) if arguments.allow_special else NO_SPECIAL
    rules: dict[str, Any] = {"n_tokens": arguments.tokens, "by": arguments.by, "allowed_special": allowed}
    if not arguments.keep:
        for chunk in cut_into_chunks(tokenizer, text, overlap=arguments.overlap, **rules):
            print(json.dumps(asdict(chunk), ensure_ascii=False))
        return 0
    cut = truncate(tokenizer, text, keep=arguments.keep, **rules)
    sys.stdout.write(cut.text)
    start, end = cut.removed
    print_note(
        f"{counted(cut.n_tokens, 'token')} in {tokenizer.name}; {counted(end - start, 'character')} cut"
    )
    return 0
