"""`decode`: the text of ids."""

import argparse
import json
import sys

from playground.analysis.ids_text import parse_ids
from playground.catalog.registry import get_tokenizer
from playground.core.tokenizer import decode_bytes
from playground.shell.text_files import iter_text_chunks, open_binary


def run(arguments: argparse.Namespace) -> int:
    """Write the bytes as they are, with nothing added; as JSON what is not UTF-8 becomes U+FFFD."""
    tokenizer = get_tokenizer(arguments.tokenizer)
    with open_binary(arguments.file) as file:
        ids = parse_ids("".join(text for text, _ in iter_text_chunks(arguments.file, file)), max_ids=None)
    raw = decode_bytes(tokenizer, ids)
    if arguments.json:
        answer = {"tokenizer": tokenizer.name, "text": raw.decode(errors="replace"), "bytes": raw.hex()}
        raw = json.dumps(answer).encode() + b"\n"
    sys.stdout.buffer.write(raw)
    sys.stdout.buffer.flush()
    return 0
