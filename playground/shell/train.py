"""`train`: learn a vocabulary from files or standard input, and write it for other tools."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import CannotHoldError, InvalidInputError
from playground.corpora.corpus_pretokens import count_with_held_out
from playground.corpora.sources import Source, find_sources
from playground.files.proof import Export
from playground.files.registry import FileFormat, format_of
from playground.shell.messages import print_error
from playground.shell.progress import read_bar
from playground.shell.usage import DEFAULT_PATTERN
from playground.training.pretoken_counts import PretokenCounts
from playground.training.trainer import Trainer, model_of

_MAX_HELD_OUT = 0.5
_SLICE = 512  # merges between two looks at Ctrl-C and the bar


def run(arguments: argparse.Namespace) -> int:
    """Learn, write the files that were asked for, and print what came out."""
    outputs = [(Path(out), format_of(Path(out).name)) for out in arguments.out]
    for path, _ in outputs:
        _check_writable(path)
    pretokens, held_out, pattern = _pretokens(arguments)
    if arguments.keep_counts:
        from playground.corpora.kept_counts import write_counts

        write_counts(Path(arguments.keep_counts), pretokens, pattern)
    trainer = Trainer(
        pretokens,
        vocab_size=arguments.vocab_size,
        ties=arguments.ties,
        min_count=arguments.min_count,
        held_out=held_out,
    )
    untrained = model_of(trainer, pattern, tuple(arguments.special))
    for path, entry in outputs:  # a pattern or special token that a file cannot hold is told before the work
        _export(untrained, path, entry)
    was_interrupted = _learn(trainer, prints_events=arguments.json)
    model = model_of(trainer, pattern, tuple(arguments.special))
    lines, errors = [_summary(trainer, pretokens, held_out, was_interrupted)], []
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


def _pretokens(arguments: argparse.Namespace) -> tuple[PretokenCounts, PretokenCounts | None, SplitPattern]:
    """The pretokens of the corpus, or those that were kept; those held out; the pattern that cuts them."""
    if arguments.keep_counts:
        path = Path(arguments.keep_counts)
        _check_writable(path)
        if path.suffix != ".parquet":
            raise InvalidInputError(f"cannot write {path}: counts go to a file that ends in .parquet")
    share = _share_of(arguments.held_out)
    sources = find_sources(arguments.files, field=arguments.field)
    held_out_sources = find_sources([arguments.held_out], field=arguments.field) if share is None else []
    pattern = SplitPattern.parse(arguments.pattern) if arguments.pattern else None
    if kept := _kept_counts(sources, pattern):
        if share:
            raise InvalidInputError(
                f"{sources[0].path}: kept counts have no texts of which {arguments.held_out} could be held "
                "out; name a file: --held-out FILE"
            )
        training, pattern = kept
    else:
        pattern = pattern or SplitPattern.named(DEFAULT_PATTERN)
        training, held_out = _counted(sources, pattern, share or 0.0, arguments)
        if share:
            if not (training.n_bytes and held_out.n_bytes):
                side = "held out" if training.n_bytes else "left to learn from"
                raise InvalidInputError(
                    f"--held-out {arguments.held_out}: nothing is {side}, for the corpus is too small or "
                    "cannot be cut; name a file: --held-out FILE"
                )
            return training, held_out, pattern
    if share is not None:
        return training, None, pattern
    kept_out = _kept_counts(held_out_sources, pattern)
    held_out = kept_out[0] if kept_out else _counted(held_out_sources, pattern, 0.0, arguments)[0]
    if not held_out.n_bytes:
        raise InvalidInputError(f"--held-out {arguments.held_out}: it has no text")
    return training, held_out, pattern


def _share_of(held_out: str) -> float | None:
    """The share that is held out, 0 for nothing; None where a file is named. Raises InvalidInputError."""
    try:
        share = float(held_out or 0)
    except ValueError:
        return None
    if os.path.lexists(held_out):
        return None
    if not 0 <= share <= _MAX_HELD_OUT or (held_out and not share):
        raise InvalidInputError(
            f"--held-out {held_out}: a share above 0 and up to {_MAX_HELD_OUT}, or a file, can be held out"
        )
    return share


def _kept_counts(
    sources: Sequence[Source], pattern: SplitPattern | None
) -> tuple[PretokenCounts, SplitPattern] | None:
    """Counts that were kept, and their pattern; None for texts. Raises InvalidInputError."""
    if all(source.kind != "parquet" for source in sources):
        return None
    from playground.corpora.kept_counts import are_kept_counts, read_counts  # only here: it loads pyarrow

    kept = [source.path for source in sources if are_kept_counts(source.path)]
    if not kept:
        return None
    if len(sources) > 1:
        raise InvalidInputError(f"{kept[0]}: kept counts are a whole corpus; name no other file")
    counts, own_pattern = read_counts(Path(kept[0]))
    if pattern and pattern != own_pattern:
        raise InvalidInputError(
            f"{kept[0]}: its pretokens are cut by {own_pattern.name}, not by {pattern.name}; "
            "leave --pattern out"
        )
    return counts, own_pattern


def _counted(
    sources: Sequence[Source], pattern: SplitPattern, share: float, arguments: argparse.Namespace
) -> tuple[PretokenCounts, PretokenCounts]:
    with read_bar(sources, "Reading") as on_read:
        return count_with_held_out(
            sources, pattern, share, max_pretokens=arguments.max_pretokens, on_read=on_read
        )


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


def _summary(
    trainer: Trainer, pretokens: PretokenCounts, held_out: PretokenCounts | None, was_interrupted: bool
) -> str:
    ending = "interrupted" if was_interrupted else trainer.stop_reason.value if trainer.stop_reason else ""
    lines = [
        f"{trainer.n_merges:,} merges, {trainer.n_vocab:,} tokens: {ending}",
        _compression(pretokens, trainer.n_tokens),
    ]
    if held_out:
        lines.append(f"held out: {_compression(held_out, trainer.n_held_out_tokens)}")
    if pretokens.n_unmatched_bytes:
        lines.append(
            f"{pretokens.n_unmatched_bytes:,} bytes matched no alternative of the pattern and were kept"
        )
    return "\n".join(lines)


def _compression(pretokens: PretokenCounts, n_tokens: int) -> str:
    ratio = pretokens.n_bytes / max(n_tokens, 1)
    return f"{pretokens.n_bytes:,} bytes became {n_tokens:,} tokens, {ratio:.2f} bytes a token"


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
