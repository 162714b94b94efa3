"""`decode`: print the text of ids, or of a file of ids."""

import json
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from playground.analysis.pasted_ids import parse_ids
from playground.core.errors import InvalidInputError, UnknownTokenizerError
from playground.core.text_units import is_utf8
from playground.core.tokenizer import Tokenizer, decode_bytes
from playground.core.vocabulary import Ids
from playground.corpora.id_files import ENDINGS, iter_ids, read_about
from playground.corpora.object_stores import is_address
from playground.corpora.text_files import read_text
from playground.shell.commands import JSON, Arguments, command
from playground.shell.corpus_arguments import files_argument
from playground.shell.tokenizer_arguments import DEFAULT_TOKENIZER, NAMES, chosen_tokenizer, tokenizer_options


@command("decode", "echo '15496 995' | tessera decode -t gpt2", "tessera decode train.npy")
@files_argument(
    "One file: ids with spaces or commas, a list, a printed tensor or table, or output of `tessera encode`; "
    "or all shards of one."
)
@tokenizer_options(
    f"{NAMES} Default: the tokenizer that wrote the file of ids, or {DEFAULT_TOKENIZER}.", default=""
)
@JSON
def run(arguments: Arguments) -> int:
    """Write the text, or the raw bytes if they aren't valid UTF-8; JSON has U+FFFD and the bytes in hex."""
    names = arguments.files
    are_files_of_ids = all(Path(name).suffix in ENDINGS and not is_address(name) for name in names)
    if len(names) > 1 and not are_files_of_ids:
        raise InvalidInputError(f"decode reads one file or the shards of one, not {len(names)} files")
    if are_files_of_ids:
        tokenizer = _tokenizer_for(Path(names[0]), arguments)
        blocks = chain.from_iterable(iter_ids(Path(name)) for name in names)
        if _joins_bytes(tokenizer) and not arguments.json:
            return _write(tokenizer, blocks)
        ids = [token_id for block in blocks for token_id in block.tolist()]
    else:
        tokenizer = chosen_tokenizer(
            arguments.tokenizer or DEFAULT_TOKENIZER, arguments.pattern, arguments.models
        )
        ids = parse_ids(read_text(names[0]), max_ids=None)
    raw = decode_bytes(tokenizer, ids)
    if is_utf8(raw):  # word-level tokenizers insert spaces
        raw = tokenizer.decode(ids).encode()
    if arguments.json:
        answer = {"tokenizer": tokenizer.name, "text": raw.decode(errors="replace"), "bytes": raw.hex()}
        raw = json.dumps(answer).encode() + b"\n"
    sys.stdout.buffer.write(raw)
    sys.stdout.buffer.flush()
    return 0


def _tokenizer_for(path: Path, arguments: Arguments) -> Tokenizer:
    """Return the tokenizer that is named, or the one that wrote the file of ids."""
    made_by = read_about(path).get("tokenizer")
    name = arguments.tokenizer or made_by or DEFAULT_TOKENIZER
    try:
        return chosen_tokenizer(str(name), arguments.pattern, arguments.models)
    except UnknownTokenizerError:
        if arguments.tokenizer:
            raise
        raise InvalidInputError(
            f"{path} was written with {name}, a tokenizer file: pass it as --tokenizer FILE"
        ) from None


def _joins_bytes(tokenizer: Tokenizer) -> bool:
    """Whether decoding only joins the tokens' bytes, as in byte-level BPE."""
    return hasattr(getattr(tokenizer, "base", tokenizer), "mergeable_ranks")


def _write(tokenizer: Tokenizer, blocks: Iterator[Ids]) -> int:
    for block in blocks:
        sys.stdout.buffer.write(b"".join(tokenizer.vocabulary.raws_of(block)))
    sys.stdout.buffer.flush()
    return 0
