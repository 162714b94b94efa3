"""`cut`: cut a text to a token budget, into chunks or to its ends."""

import argparse
import json
import sys
from dataclasses import asdict

from playground.analysis.token_budget import cut_into_chunks, truncate
from playground.core.errors import InvalidInputError
from playground.core.wording import counted
from playground.corpora.text_files import iter_text_chunks, open_binary
from playground.shell.terminal import print_note
from playground.shell.tokenizer_arguments import chosen_tokenizer


def run(arguments: argparse.Namespace) -> int:
    """Print a JSON object for each chunk, or the shortened text."""
    tokenizer = chosen_tokenizer(arguments.tokenizer, arguments.pattern)
    with open_binary(arguments.file) as file:
        text = "".join(part for part, _ in iter_text_chunks(arguments.file, file))
    allowed = frozenset(tokenizer.special_tokens) if arguments.allow_special else frozenset[str]()
    if not arguments.keep:
        for chunk in cut_into_chunks(
            tokenizer,
            text,
            n_tokens=arguments.tokens,
            overlap=arguments.overlap,
            by=arguments.by,
            allowed_special=allowed,
        ):
            print(json.dumps(asdict(chunk), ensure_ascii=False))
        return 0
    if arguments.overlap:
        raise InvalidInputError("--overlap is for chunks; leave out --keep or --overlap")
    cut = truncate(
        tokenizer,
        text,
        n_tokens=arguments.tokens,
        keep=arguments.keep,
        by=arguments.by,
        allowed_special=allowed,
    )
    sys.stdout.write(cut.text)
    start, end = cut.removed
    print_note(
        f"{counted(cut.n_tokens, 'token')} in {tokenizer.name}; {counted(end - start, 'character')} cut"
    )
    return 0
