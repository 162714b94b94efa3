"""Encode many files into files of ids. An interrupted run continues where it stopped.

What is in `NAME.part` and recorded in `NAME.state` is not encoded again.
"""

import json
import os
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from playground.catalog.ranked import RankedTokenizer
from playground.core.errors import InvalidInputError
from playground.core.tokenizer import Tokenizer
from playground.core.vocabulary import Ids
from playground.core.wording import quoted
from playground.corpora import documents, text_files
from playground.corpora.blocks import common_cuts, is_document_held_out, iter_blocks
from playground.corpora.cores import encoders_of, iter_done
from playground.corpora.encoders import Encoder
from playground.corpora.id_files import (
    ENDINGS,
    IdFile,
    IdShards,
    check_id_file,
    id_type,
    read_about,
    shard_path,
    without_shard,
)
from playground.corpora.parts import parts_of
from playground.corpora.sources import OnNote, Source
from playground.corpora.streams import OnRead
from playground.corpora.text_files import STANDARD_INPUT, Text

#: Seconds between two saves of the progress.
_NOTE_SECONDS = 2.0
_TRAINING, _VALIDATION = 0, 1
_ENDINGS = (".part", ".packing", ".state", ".state.new", ".json", ".json.new")
_PROBE = "The quick brown fox jumps over 13 lazy dogs; über naïve cafés, 東京 и Москва.\n\tdef f(x): return x"


@dataclass(frozen=True)
class Plan:
    """Settings of an encoding. A share of the documents goes to `validation`.

    Documents are chosen by their numbers; with a `seed`, rows by a hash of their text, so that equal rows are
    on the same side. Finished files of another tokenizer are only replaced with `force`. With `shard_tokens`,
    `out` and `validation` are written as shards of so many ids, such as train_00000.bin for train.bin.
    """

    sources: Sequence[Source]
    tokenizer: Tokenizer
    out: Path
    validation: Path | None = None
    validation_share: float = 0.0
    seed: int | None = None
    force: bool = False
    shard_tokens: int = 0
    separator: str = ""
    allow_special: bool = False
    n_cores: int = 1
    client: Any = None  # settings of the Dask cluster, if there is one
    part_bytes: int = 1 << 24  # largest part of a worker, whose ids must fit this machine's memory


@dataclass
class Progress:
    """Progress of a run: `n_blocks` blocks, or parts, of file number `file` are encoded."""

    file: int = 0
    n_blocks: int = 0
    n_documents: int = 0
    n_ids: tuple[int, ...] = (0, 0)
    n_documents_in: tuple[int, ...] = (0, 0)
    n_left_out: int = 0  # rows without a text


@dataclass(frozen=True)
class Encoded:
    """Result of a run: tokens and documents for training and for validation."""

    n_ids: tuple[int, ...]
    n_documents: tuple[int, ...]
    n_left_out: int  # rows without a text
    n_ids_before: int  # existed before
    is_by_library: bool  # much text, which is slow


def encode_files(plan: Plan, *, on_read: OnRead = lambda _n_bytes: None) -> Encoded:
    """Write the files of ids, each with a JSON file that says how it was made.

    Raises InvalidInputError, with the file and place, for what cannot be read or written. Progress is saved
    then, as after Ctrl-C, and the same call continues from there.
    """
    return begin_encoding(plan)(on_read)


def begin_encoding(plan: Plan, *, on_note: OnNote = lambda _sentence: None) -> Callable[[OnRead], Encoded]:
    """Prepare `encode_files` and return the function that runs it; `on_note` gets notes on an earlier run.

    Raises: InvalidInputError for what cannot be written.
    """
    return _Work(plan, on_note).encode


def without_own_files(
    sources: Sequence[Source], outs: Sequence[Path], *, are_shards: bool = False
) -> list[Source]:
    """Return the sources without the output files, which may be in a folder that is read.

    >>> without_own_files([Source("a/b.txt"), Source("a/ids.bin.part")], [Path("a/ids.bin")])
    [Source(path='a/b.txt', kind='text', compression='', field='', skips_bad_rows=None)]
    """
    own = {os.path.abspath(f"{out}{ending}") for out in outs for ending in ("", *_ENDINGS)}
    name = without_shard if are_shards else str
    return [source for source in sources if name(source.place) not in own]


class _Job(NamedTuple):
    """Texts of a block by output file, the id after each or -1, and the progress after the block."""

    texts: list[list[Text]]
    closing_id: int
    after: Progress


def encode_job(encoders: Sequence[Encoder], job: _Job) -> list[Ids]:
    """Return the ids of a block by output file. Raises PlaygroundError."""
    return [encoders[0].encode(texts, closing_id=job.closing_id) for texts in job.texts]


class _Work:
    def __init__(self, plan: Plan, on_note: OnNote) -> None:
        self._plan = plan
        self._paths = [plan.out, *([plan.validation] if plan.validation else [])]
        for path in self._paths:
            check_id_file(path)
        if plan.validation and os.path.abspath(plan.out) == os.path.abspath(plan.validation):
            raise InvalidInputError(f"{plan.out} cannot be both parts: name another file for validation")
        self._finished = [shard_path(path, 0) if plan.shard_tokens else path for path in self._paths]
        for path in self._finished if not plan.force else ():
            _check_replaceable(path, plan.tokenizer)
        self._closing_id = closing_id_of(plan.tokenizer, plan.separator)
        self._state = plan.out.with_name(plan.out.name + ".state")
        self._n_vocab = _n_vocab_of(plan.tokenizer)
        self._dtype = id_type(self._n_vocab)
        self._is_resumable = all(source.path != STANDARD_INPUT for source in plan.sources)
        self._files = [
            IdShards(path, self._dtype, plan.shard_tokens) if plan.shard_tokens else IdFile(path, self._dtype)
            for path in self._paths
        ]
        self._done = self._read_state(on_note) if self._is_resumable else Progress()
        self._n_ids_before = sum(self._done.n_ids)
        for file, n_ids in zip(self._files, self._done.n_ids, strict=False):
            file.go_on(n_ids)
        self._note_what_is_there(on_note)
        self._encoders = encoders_of([plan.tokenizer], allow_special=plan.allow_special)
        self._n_bytes = sum(source.n_bytes for source in plan.sources)

    def encode(self, on_read: OnRead) -> Encoded:
        """Encode everything; if an error or Ctrl-C interrupts the run, its progress is saved."""
        try:
            self._run(on_read)
            return self._finish()
        except BaseException:
            self._keep()
            raise

    def _run(self, on_read: OnRead) -> None:
        """Encode the remaining blocks or parts, several at once, and write their ids in order."""
        noted = time.monotonic()
        with closing(self._by_dask(on_read) if self._plan.client else self._by_cores(on_read)) as steps:
            for after, encoded in steps:
                for file, ids in zip(self._files, encoded, strict=False):
                    file.write(ids)
                after.n_ids = tuple(file.n_ids for file in self._files)
                self._done = after
                if time.monotonic() - noted > _NOTE_SECONDS:
                    self._write_state()
                    noted = time.monotonic()

    def _keep(self) -> None:
        """Save the progress, so that a later run can continue from it."""
        self._write_state()
        for file in self._files:
            file.close()

    def _finish(self) -> Encoded:
        """Give the finished files their names."""
        for number, file in enumerate(self._files):
            self._write_about(file, number)
            file.finish()
        self._state.unlink(missing_ok=True)
        done = self._done
        is_by_library = self._encoders[0].needs_library(self._n_bytes)
        return Encoded(done.n_ids, done.n_documents_in, done.n_left_out, self._n_ids_before, is_by_library)

    def _by_cores(self, on_read: OnRead) -> Generator[tuple[Progress, list[Ids]]]:
        """Yield the ids of blocks, each with the progress after it."""
        plan = self._plan
        encoded = iter_done(
            self._jobs(on_read), encode_job, self._encoders,
            allow_special=plan.allow_special, n_cores=plan.n_cores, n_bytes=self._n_bytes,
        )  # fmt: skip
        with closing(encoded) as steps:
            for job, ids in steps:
                yield job.after, ids

    def _by_dask(self, on_read: OnRead) -> Generator[tuple[Progress, list[Ids]]]:
        """Yield the ids of parts, each with the progress after it."""
        from playground.corpora import dask_engine  # only here: threads do without it
        from playground.corpora.part_work import Split, TokenizerParcel

        plan, done = self._plan, self._done
        cuts = common_cuts([plan.tokenizer], allow_special=plan.allow_special)
        parts = parts_of(plan.sources, cuts, part_bytes=plan.part_bytes)
        split = Split(
            plan.validation_share if plan.validation else 0.0, plan.seed, self._closing_id, self._dtype.str
        )
        parcel = TokenizerParcel.of([plan.tokenizer], allow_special=plan.allow_special)
        firsts = dask_engine.first_documents(plan.client, parts, cuts) if split.share else [0] * len(parts)
        first = next((n for n, part in enumerate(parts) if part.file == done.file), 0) + done.n_blocks
        on_read(sum(part.n_bytes for part in parts[:first]))
        encoded = dask_engine.iter_encoded(plan.client, parts[first:], firsts[first:], parcel, split)
        n_documents, n_in = done.n_documents, done.n_documents_in
        file, n_blocks, n_left_out = done.file, done.n_blocks, done.n_left_out
        for part, (ids, n_more, n_more_left_out) in zip(parts[first:], encoded, strict=True):
            file, n_blocks = (file, n_blocks + 1) if part.file == file else (part.file, 1)
            n_documents += sum(n_more)
            n_in = (n_in[0] + n_more[0], n_in[1] + n_more[1])
            n_left_out += n_more_left_out
            on_read(part.n_bytes)
            yield Progress(file, n_blocks, n_documents, (), n_in, n_left_out), ids

    def _jobs(self, on_read: OnRead) -> Iterator[_Job]:
        """Yield the blocks that remain to be encoded."""
        first, n_skipped, n_documents = self._done.file, self._done.n_blocks, self._done.n_documents
        n_in, n_left_out = list(self._done.n_documents_in), self._done.n_left_out
        on_read(sum(source.n_bytes for source in self._plan.sources[:first]))

        cuts = common_cuts([self._plan.tokenizer], allow_special=self._plan.allow_special)
        blocks = iter_blocks(self._plan.sources[first:], cuts, on_read=on_read)
        file, n_blocks = first, 0
        for block in blocks:
            if block.file + first != file:
                file, n_blocks = block.file + first, 0
            n_blocks += 1
            if file == first and n_blocks <= n_skipped:
                continue
            n_left_out += block.n_left_out
            texts: list[list[Text]] = [[], []]
            for text in block.texts:
                part = self._part_of(n_documents, text, ends=block.ends)
                texts[part].append(text)
                if block.ends:
                    n_documents += 1
                    n_in[part] += 1
            after = Progress(file, n_blocks, n_documents, (), tuple(n_in), n_left_out)
            yield _Job(texts, self._closing_id if block.ends else -1, after)

    def _part_of(self, document: int, text: Text, *, ends: bool) -> int:
        plan = self._plan
        is_validation = plan.validation and is_document_held_out(
            document, text if ends else b"", plan.validation_share, plan.seed
        )
        return _VALIDATION if is_validation else _TRAINING

    def _note_what_is_there(self, on_note: OnNote) -> None:
        """Note which finished files of an earlier run will be replaced, and which stay."""
        for path in filter(Path.exists, self._finished):
            what = (
                "and the shards behind it are there, and are"
                if self._plan.shard_tokens
                else "is there, and is"
            )
            on_note(f"{path} {what} replaced once all is encoded")
        own = {os.path.abspath(path) for path in self._paths}
        for path in _validation_beside(self._plan.out):
            if os.path.abspath(path) not in own:
                on_note(f"{path} stays: it is the validation part of an earlier run of {self._plan.out}")

    def _settings(self) -> dict[str, object]:
        """Return the settings and files that must be unchanged for a run to continue."""
        plan = self._plan
        return {
            "tokenizer": plan.tokenizer.name,
            "vocabulary": self._n_vocab,
            "probe": list(plan.tokenizer.encode(_PROBE)),  # a file of the same name may be different
            "out": [str(path) for path in self._paths],
            # Another version of this program may divide files differently.
            "step": plan.part_bytes if plan.client else [text_files.BLOCK_BYTES, documents.BATCH_CHARACTERS],
            "validation_share": plan.validation_share,
            "seed": plan.seed,
            "shard_tokens": plan.shard_tokens,
            "separator": plan.separator,
            "allow_special": plan.allow_special,
        }

    def _sources(self, n_files: int) -> list[list[object]]:
        """Return the size and time of each file; after a change, encoding starts again."""
        found: list[list[object]] = []
        for source in self._plan.sources[:n_files]:
            about = os.stat(source.path) if os.path.exists(source.path) else None
            # The option makes no difference if no row was skipped.
            same = source._replace(skips_bad_rows=None)
            found.append([*same, source.n_bytes, about and about.st_mtime_ns])
        return found

    def _write_state(self) -> None:
        if not self._is_resumable:
            return
        for file in self._files:
            file.sync()
        state = {
            "settings": self._settings(),
            "sources": self._sources(self._done.file + 1),
            "progress": asdict(self._done),
        }
        _write_whole(self._state, json.dumps(state))

    def _read_state(self, on_note: OnNote) -> Progress:
        """Return the progress of an earlier run of the same plan, or the beginning if there is none."""
        if not self._state.exists():
            return Progress()
        why = "was damaged"
        try:
            state = json.loads(self._state.read_text(encoding="utf-8"))
            done = Progress(**state["progress"])
            done.n_ids, done.n_documents_in = tuple(done.n_ids), tuple(done.n_documents_in)
            may_leave_out = any(source.skips_bad_rows for source in self._plan.sources)
            is_same = state["settings"] == self._settings() and state["sources"] == self._sources(
                done.file + 1
            )
            if not is_same or (done.n_left_out and not may_leave_out):
                why = "had other settings or files"
            elif all(file.holds(n_ids) for file, n_ids in zip(self._files, done.n_ids, strict=False)):
                return done
        except (OSError, ValueError, KeyError, TypeError):
            pass
        on_note(f"the earlier run of {self._plan.out} {why}; starting again")
        return Progress()

    def _write_about(self, file: IdFile | IdShards, number: int) -> None:
        plan = self._plan
        about = {
            "file": file.path.name,
            "shards": file.names if isinstance(file, IdShards) else None,
            "tokens": file.n_ids,
            "documents": self._done.n_documents_in[number],
            "left_out_rows": self._done.n_left_out,
            "dtype": self._dtype.name,
            "byte_order": "little",
            "tokenizer": plan.tokenizer.name,
            "vocabulary_size": self._n_vocab,
            "separator": {"text": plan.separator, "id": self._closing_id} if plan.separator else None,
            "special_tokens_in_text": plan.allow_special,
            "part": ("training", "validation")[number] if plan.validation else "all",
            "validation_share": plan.validation_share if plan.validation else None,
            "seed": plan.seed if plan.validation else None,
            "sources": [{**source._asdict(), "bytes": source.n_bytes} for source in plan.sources],
        }
        _write_whole(
            file.path.with_name(file.path.name + ".json"), json.dumps(about, indent=2, ensure_ascii=False)
        )


def _validation_beside(out: Path) -> Iterator[Path]:
    """Return the validation files that an earlier run wrote together with this training file."""
    own = _about(out)
    if own.get("part") != "training":
        return
    for path in sorted(out.parent.glob("*.json")):
        other = path.with_suffix("")
        if other.suffix in ENDINGS and other.exists():
            about = _about(other)
            same = ("tokenizer", "separator", "special_tokens_in_text", "validation_share", "sources")
            if about.get("part") == "validation" and all(about.get(key) == own.get(key) for key in same):
                yield other


def _about(path: Path) -> dict[str, Any]:
    """Return the JSON that describes a file of ids; empty if it is missing or unreadable."""
    try:
        return read_about(path)
    except InvalidInputError:
        return {}


def _check_replaceable(path: Path, tokenizer: Tokenizer) -> None:
    """Check that a finished file, if there is one, has ids of this tokenizer. Raises InvalidInputError."""
    other = _about(path).get("tokenizer") if path.exists() else None
    if other and other != tokenizer.name:
        raise InvalidInputError(
            f"{path} has ids of {other}; --force replaces it with ids of {tokenizer.name}, "
            "or name another file"
        )


def closing_id_of(tokenizer: Tokenizer, separator: str) -> int:
    """Return the id of the special token after each document, -1 for none. Raises InvalidInputError."""
    if not separator:
        return -1
    special = tokenizer.special_tokens
    if separator not in special:
        known = ", ".join(list(special)[:8]) or "none"
        raise InvalidInputError(
            f"{tokenizer.name} has no special token {quoted(separator)} to separate documents; it has {known}"
        )
    return special[separator]


def _n_vocab_of(tokenizer: Tokenizer) -> int:
    """Return the largest id plus one, without building the vocabulary of a rank file, which takes 0.1 s."""
    lines = tokenizer.rank_lines if isinstance(tokenizer, RankedTokenizer) else None
    if lines is None:
        return tokenizer.vocabulary.n_vocab
    return 1 + max([int(lines.rsplit(maxsplit=1)[-1]), *tokenizer.special_tokens.values()])


def _write_whole(path: Path, text: str) -> None:
    """Write a small file atomically."""
    part = path.with_name(path.name + ".new")
    try:
        part.write_text(text, encoding="utf-8", errors="surrogateescape")
        os.replace(part, path)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise InvalidInputError(f"cannot write {path}: {error.strerror or error}") from error
