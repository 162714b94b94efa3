"""`cut`: cut a text to a token budget, into chunks or to its ends."""

import argparse
import json
import sys
from dataclasses import asdict
from typing import Any

from playground.analysis.token_budget import cut_into_chunks, truncate
from playground.core.errors import InvalidInputError
from playground.core.tokenizer import NO_SPECIAL
from playground.core.wording import counted
from playground.corpora.text_files import read_text
from playground.shell.terminal import print_note
from playground.shell.tokenizer_arguments import chosen_tokenizer


def run(arguments: argparse.Namespace) -> int:
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
