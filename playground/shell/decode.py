"""`decode`: the text of ids."""

import argparse
import json
import sys

from playground.analysis.ids_text import parse_ids
from playground.core.errors import InvalidInputError
from playground.core.text_units import is_utf8
from playground.core.tokenizer import decode_bytes
from playground.corpora.text_files import STANDARD_INPUT, iter_text_chunks, open_binary
from playground.shell.chosen_tokenizer import chosen_tokenizer


def run(arguments: argparse.Namespace) -> int:
    """Write the text, or the bytes as they are where they are none; as JSON these become U+FFFD."""
    tokenizer = chosen_tokenizer(arguments.tokenizer, arguments.pattern)
    if len(arguments.files) > 1:
        raise InvalidInputError(f"ids come from one file, not from {len(arguments.files)}")
    name = arguments.files[0] if arguments.files else STANDARD_INPUT
    with open_binary(name) as file:
        ids = parse_ids("".join(text for text, _ in iter_text_chunks(name, file)), max_ids=None)
    raw = decode_bytes(tokenizer, ids)
    if is_utf8(raw):  # a tokenizer of words writes the spaces between them
        raw = tokenizer.decode(ids).encode()
    if arguments.json:
        answer = {"tokenizer": tokenizer.name, "text": raw.decode(errors="replace"), "bytes": raw.hex()}
        raw = json.dumps(answer).encode() + b"\n"
    sys.stdout.buffer.write(raw)
    sys.stdout.buffer.flush()
    return 0
