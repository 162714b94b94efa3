"""`encode`: print the ids of a text, or write the ids of many files to a file of ids."""

import json
import math
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import click

from playground.bpe.safe_cuts import SafeCuts, iter_safe_blocks
from playground.core.encoding import Encoding
from playground.core.errors import InvalidInputError
from playground.core.tokenizer import Tokenizer
from playground.core.wording import counted, listed
from playground.corpora.blocks import common_cuts, iter_blocks
from playground.corpora.documents import iter_chunks
from playground.corpora.encode_files import Encoded, Plan, begin_encoding, closing_id_of, without_own_files
from playground.corpora.id_files import SHARD_IDS, shard_path
from playground.corpora.sources import Source
from playground.corpora.streams import unheard
from playground.corpora.text_files import as_str
from playground.shell.commands import FILE, JSON, POSITIVE, Arguments, Real, Whole, command, flag, out_option
from playground.shell.corpus_arguments import (
    CORPUS_OPTIONS,
    ENGINE_OPTIONS,
    engine_of,
    named_sources,
    note_left_out,
)
from playground.shell.interruption import STATUS
from playground.shell.terminal import print_note, read_bar
from playground.shell.tokenizer_arguments import SPECIAL_OPTION, chosen_tokenizer, tokenizer_options


def iter_encoded_blocks(
    tokenizer: Tokenizer, source: Source, *, allow_special: bool = False
) -> Iterator[tuple[str, Encoding]]:
    """Yield `(block, ids)` in file order; joined, both are those of the whole file.

    Only a few blocks are in memory at a time. A text without safe cuts is one block. Raises
    InvalidInputError.
    """
    allowed = frozenset(tokenizer.special_tokens) if allow_special else frozenset[str]()
    cuts = SafeCuts(tokenizer.safe_cut, allowed)
    texts = (chunk.raw.decode() for chunk in iter_chunks(source, unheard))
    for block in iter_safe_blocks(texts, cuts):
        yield block, tokenizer.encode(block, allowed_special=allowed)


#: Characters of JSON held in memory; longer output goes to a temporary file.
_IN_MEMORY = 1 << 24
#: Options that only apply with --out.
_OF_FILES_OF_IDS = ("shard_tokens", "validation", "validation_share", "seed", "force", "scheduler")
#: Options that only apply with --out or --field.
_OF_ROWS = ("skip_bad_rows", "separator")


@command(
    "encode",
    "echo 'Hello world' | tessera encode -t gpt2",
    "tessera encode corpus/*.jsonl --field text --out train.npy",
)
@CORPUS_OPTIONS
@tokenizer_options()
@SPECIAL_OPTION
@out_option(
    "Write the ids of all files to a .npy, .bin or .parquet file (one id per row), and how they were made to "
    "FILE.json; to a folder, as shards train_00000.bin, …; if interrupted, the same command continues."
)
@click.option(
    "--shard-tokens",
    type=POSITIVE,
    help="Write shards of N ids, FILE_00000.bin and so on. Default for a folder: 100,000,000.",
)
@click.option(
    "--separator", default="", metavar="TOKEN", help="A special token to write after each document."
)
@click.option("--validation", type=FILE, default="", help="A second output file, for validation.")
@click.option(
    "--validation-share",
    type=Real(0, 1, min_open=True, max_open=True),
    metavar="SHARE",
    help="Share of documents for --validation; with a folder for its shards val_00000.bin, ….",
)
@click.option(
    "--seed",
    type=Whole(0, (1 << 64) - 1),
    help="Choose the rows of --validation by a hash of their text and N: equal rows stay together.",
)
@flag("--force", "Replace a finished file of ids of another tokenizer.")
@ENGINE_OPTIONS
@JSON
def run(arguments: Arguments) -> int:
    """Print ids in one line as they come, or one JSON object when it is complete; or write files of ids."""
    tokenizer = chosen_tokenizer(arguments.tokenizer, arguments.pattern, arguments.models)
    if arguments.out:
        return _write_files(tokenizer, arguments)
    without_effect = (*_OF_FILES_OF_IDS, *(() if arguments.field else _OF_ROWS))
    given = [
        f"--{name.replace('_', '-')}"
        for name in without_effect
        if getattr(arguments, name) not in ("", False, None)
    ]
    if arguments.engine != "threads":
        given.append(f"--engine {arguments.engine}")
    if given:
        verb = "is" if len(given) == 1 else "are"
        raise InvalidInputError(f"{listed(given)} {verb} for a file of ids: name it with --out")
    if arguments.field:
        return _print_rows(tokenizer, arguments)
    source, *others = named_sources(arguments.files, arguments)
    if others:
        raise InvalidInputError(f"{1 + len(others):,} files go to a file of ids: name it with --out")
    if source.kind != "text":  # Parquet has rows without --field, too
        return _print_rows(tokenizer, arguments)
    if not arguments.json:
        _write_ids(sys.stdout.write, " ", tokenizer, source, arguments)
        sys.stdout.write("\n")
        return 0
    with tempfile.SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="utf-8", newline="") as answer:
        answer.write(f'{{"tokenizer": {json.dumps(tokenizer.name)}, "ids": [')
        n_tokens = _write_ids(answer.write, ", ", tokenizer, source, arguments)
        answer.write(f'], "count": {n_tokens}}}\n')
        answer.seek(0)
        shutil.copyfileobj(answer, sys.stdout)
    return 0


def _print_rows(tokenizer: Tokenizer, arguments: Arguments) -> int:
    """Print the ids of each row in a line of its own; with --json as an object with the list of ids."""
    allowed = frozenset(tokenizer.special_tokens) if arguments.allow_special else frozenset[str]()
    closing_id = closing_id_of(tokenizer, arguments.separator)
    closing = [closing_id] if arguments.separator else []
    cuts = common_cuts([tokenizer], allow_special=arguments.allow_special)
    blocks = iter_blocks(named_sources(arguments.files, arguments), cuts, on_read=lambda _n_bytes: None)

    n_left_out = 0
    for block in blocks:
        n_left_out += block.n_left_out
        for text in block.texts:
            ids = [*tokenizer.encode(as_str(text), allowed_special=allowed), *closing]
            print(json.dumps({"ids": ids, "count": len(ids)}) if arguments.json else " ".join(map(str, ids)))
    sys.stdout.flush()
    note_left_out(n_left_out)
    return 0


def _write_files(tokenizer: Tokenizer, arguments: Arguments) -> int:
    """Encode into `--out`, and print a summary."""
    out, validation, shard_tokens = _outputs(arguments)
    if arguments.seed is not None and not validation:
        raise InvalidInputError(
            f"--seed {arguments.seed} chooses rows for validation: name --validation FILE"
        )
    sources = named_sources(arguments.files, arguments)
    outs = [out, *([validation] if validation else [])]
    plan = Plan(
        without_own_files(sources, outs, are_shards=bool(shard_tokens)),
        tokenizer,
        out,
        validation=validation,
        validation_share=arguments.validation_share or 0.0,
        seed=arguments.seed,
        force=arguments.force,
        shard_tokens=shard_tokens,
        separator=arguments.separator,
        allow_special=arguments.allow_special,
        n_cores=arguments.threads,
    )
    try:
        with engine_of(arguments) as client:
            encode = begin_encoding(replace(plan, client=client), on_note=print_note)
            with read_bar(plan.sources, "Encoding") as on_read:
                encoded = encode(on_read)
    except KeyboardInterrupt:
        print_note(f"stopped; the same command continues from here, and {plan.out} is written when it ends")
        return STATUS
    _print(plan, encoded, as_json=arguments.json)
    return 0


def _outputs(arguments: Arguments) -> tuple[Path, Path | None, int]:
    """Return the file for training, the one for validation if any, and the ids of a shard, 0 for no shards.

    A folder, which is made if its name ends in a slash, gets shards of both. Raises InvalidInputError.
    """
    share = arguments.validation_share
    if arguments.out.endswith(("/", os.sep)) or os.path.isdir(arguments.out):
        if arguments.validation:
            raise InvalidInputError(
                f"--validation {arguments.validation} is for a file: with the folder {arguments.out}, "
                "--validation-share alone writes its shards val_00000.bin, …"
            )
        folder = Path(arguments.out)
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise InvalidInputError(f"cannot make the folder {folder}: {error.strerror}") from error
        return (
            folder / "train.bin",
            folder / "val.bin" if share else None,
            arguments.shard_tokens or SHARD_IDS,
        )
    if bool(arguments.validation) != bool(share):
        raise InvalidInputError("--validation FILE and --validation-share SHARE go together")
    validation = Path(arguments.validation) if arguments.validation else None
    return Path(arguments.out), validation, arguments.shard_tokens or 0


def _print(plan: Plan, encoded: Encoded, *, as_json: bool) -> None:
    paths = [plan.out, *([plan.validation] if plan.validation else [])]
    found = list(zip(paths, encoded.n_ids, encoded.n_documents, strict=False))
    if as_json:
        files = [
            {
                "file": str(path),
                "tokens": n,
                "documents": n_documents,
                **({"shards": _n_shards(plan, n)} if plan.shard_tokens else {}),
            }
            for path, n, n_documents in found
        ]
        answer = {"tokenizer": plan.tokenizer.name, "files": files, "left_out_rows": encoded.n_left_out}
        print(json.dumps(answer, indent=2))
    else:
        for path, n_ids, n_documents in found:
            what = f"{counted(n_ids, 'token')} of {counted(n_documents, 'document')}"
            if plan.shard_tokens:
                print(f"{shard_path(path, 0)}: {what} in {counted(_n_shards(plan, n_ids), 'shard')}")
            else:
                print(f"{path}: {what}")
    sys.stdout.flush()
    note_left_out(encoded.n_left_out)
    if encoded.n_ids_before:
        print_note(f"{counted(encoded.n_ids_before, 'token')} were already encoded by an earlier run")
    if encoded.is_by_library:
        print_note(f"{plan.tokenizer.name} was run by its own library, which is slow")
    for path, n_ids, _ in found:
        if not n_ids:
            print_note(f"{path} has no tokens: there were too few documents to divide")


def _n_shards(plan: Plan, n_ids: int) -> int:
    return max(1, math.ceil(n_ids / plan.shard_tokens))


def _write_ids(
    write: Callable[[str], object], separator: str, tokenizer: Tokenizer, source: Source, arguments: Arguments
) -> int:
    """Write the ids of a file; return their number."""
    n_tokens = 0
    for _, ids in iter_encoded_blocks(tokenizer, source, allow_special=arguments.allow_special):
        write((separator if n_tokens else "") + separator.join(map(str, ids)))
        n_tokens += len(ids)
    return n_tokens
