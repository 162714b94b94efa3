"""`train`: learn a vocabulary from files or standard input, and write it for other tools."""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import CannotHoldError, InvalidInputError
from playground.corpora.text_files import STANDARD_INPUT, standard_input
from playground.files.proof import Export
from playground.files.registry import FileFormat, format_of
from playground.shell.messages import print_error
from playground.training.pretoken_counts import PretokenCounts, count_file_pretokens
from playground.training.trainer import Trainer, model_of

_SLICE = 512  # merges between two looks at Ctrl-C and the bar


def run(arguments: argparse.Namespace) -> int:
    """Learn, write the files that were asked for, and print what came out."""
    outputs = [(Path(out), format_of(Path(out).name)) for out in arguments.out]
    for path, _ in outputs:
        _check_writable(path)
    pattern = SplitPattern.parse(arguments.pattern)
    with _paths(arguments.files or [STANDARD_INPUT]) as paths:
        pretokens = count_file_pretokens(paths, pattern)
    trainer = Trainer(
        pretokens, vocab_size=arguments.vocab_size, ties=arguments.ties, min_count=arguments.min_count
    )
    untrained = model_of(trainer, pattern, tuple(arguments.special))
    for path, entry in outputs:  # a pattern or special token that a file cannot hold is told before the work
        _export(untrained, path, entry)
    was_interrupted = _learn(trainer, prints_events=arguments.json)
    model = model_of(trainer, pattern, tuple(arguments.special))
    lines, errors = [_summary(trainer, pretokens, was_interrupted)], []
    for path, entry in outputs:
        try:
            export = _export(model, path, entry)
        except CannotHoldError as error:
            errors.append(str(error))
            continue
        _write(path.parent, export.files)
        lines.append(f"{path}: {export.proof.sentence}")
    if not arguments.json:
        print("\n".join(lines))
    sys.stdout.flush()
    for message in errors:
        print_error(message)
    return 1 if errors else 130 if was_interrupted else 0


def _check_writable(path: Path) -> None:
    """Hours of work later is too late. Raises InvalidInputError."""
    if not path.parent.is_dir():
        raise InvalidInputError(f"cannot write {path}: there is no folder {path.parent}")
    if path.is_dir():
        raise InvalidInputError(f"cannot write {path}: it is a folder")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InvalidInputError(f"cannot write {path}: permission denied")


def _export(model: BpeModel, path: Path, entry: FileFormat) -> Export:
    """The files that stand for one `--out`. Raises CannotHoldError with its name."""
    try:
        return TrainedTokenizer(_stem(path, entry), model).export_here(entry)
    except CannotHoldError as error:
        raise CannotHoldError(f"cannot write {path}: {error}") from None


def _learn(trainer: Trainer, *, prints_events: bool) -> bool:
    """Merge to the end; True where Ctrl-C ended it first."""
    n_wanted = trainer.vocab_size - 256
    try:
        with _bar(n_wanted) as bar:
            while trainer.stop_reason is None:
                first = trainer.n_merges
                n_done = trainer.advance(_SLICE)
                if prints_events:
                    for merge in trainer.merges(first):
                        print(json.dumps(merge._asdict() | {"raw": merge.raw.hex()}))
                bar(n_done)
    except KeyboardInterrupt:
        return True
    return False


def _summary(trainer: Trainer, pretokens: PretokenCounts, was_interrupted: bool) -> str:
    ending = "interrupted" if was_interrupted else trainer.stop_reason.value if trainer.stop_reason else ""
    lines = [
        f"{trainer.n_merges:,} merges, {trainer.n_vocab:,} tokens: {ending}",
        f"{pretokens.n_bytes:,} bytes became {trainer.n_tokens:,} tokens, "
        f"{pretokens.n_bytes / max(trainer.n_tokens, 1):.2f} bytes a token",
    ]
    if pretokens.n_unmatched_bytes:
        lines.append(
            f"{pretokens.n_unmatched_bytes:,} bytes matched no alternative of the pattern and were kept"
        )
    return "\n".join(lines)


def _write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        target = folder / name
        try:
            target.write_text(text, encoding="utf-8", newline="")
        except OSError as error:
            raise InvalidInputError(f"cannot write {target}: {error.strerror}") from error


def _stem(path: Path, entry: FileFormat) -> str:
    """The name without the ending that chose the format: "my.tiktoken" gives "my"."""
    for ending in entry.endings:
        if path.name.endswith(ending):
            return path.name[: -len(ending)].rstrip(".") or "tokenizer"
    return path.stem


@contextmanager
def _paths(files: Sequence[str]) -> Iterator[list[Path]]:
    """The files as paths; standard input is kept in a temporary one, for blocks are read by two threads."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for file in files:
            if file == STANDARD_INPUT:
                path = Path(folder) / "standard input"
                source = standard_input()
                with path.open("wb") as target:
                    while block := source.read(1 << 20):
                        target.write(block)
                paths.append(path)
            else:
                paths.append(Path(file))
        yield paths


@contextmanager
def _bar(n_merges: int) -> Iterator[Callable[[int], None]]:
    """A bar on a terminal's standard error; otherwise nothing."""
    if not sys.stderr.isatty() or "CI" in os.environ:
        yield lambda _n_done: None
        return
    import click  # only here: a training without a terminal need not wait for it

    with click.progressbar(length=n_merges, label="Merging", file=sys.stderr) as bar:
        yield bar.update
        bar.length = max(bar.pos, 1)  # the text may give fewer merges than were asked for
        bar.render_progress()
