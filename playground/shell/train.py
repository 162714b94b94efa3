"""`train`: learn a vocabulary from files or standard input, and write it for other tools."""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import CannotHoldError, InvalidInputError, PlaygroundError
from playground.core.wording import counted
from playground.files.proof import Export
from playground.files.registry import FileFormat, format_of
from playground.shell.chosen_pattern import chosen_pattern
from playground.shell.messages import print_error, print_note
from playground.shell.progress import compiling_is_shown
from playground.shell.tokenizer_outputs import check_writable, note_lost, stem_of, write_files
from playground.shell.training_corpus import read_corpus
from playground.shell.usage import DEFAULT_PATTERN
from playground.training.pretoken_counts import PretokenCounts, count_pretokens
from playground.training.trainer import Trainer, model_of

_SLICE = 512  # merges between two looks at Ctrl-C and the bar


def run(arguments: argparse.Namespace) -> int:
    """Learn, write the files that were asked for, and print what came out."""
    outputs = [(Path(out), format_of(Path(out).name)) for out in arguments.out]
    for path, _ in outputs:
        check_writable(path)
    keeps = Path(arguments.keep_counts) if arguments.keep_counts else None
    if keeps:
        check_writable(keeps)
        if keeps.suffix != ".parquet":
            raise InvalidInputError(f"cannot write {keeps}: counts go to a file that ends in .parquet")
    if not (outputs or keeps or arguments.json):
        print_note("nothing will be written: --out FILE names a file, such as my.json")
    wished = chosen_pattern(arguments.pattern or DEFAULT_PATTERN)
    _rehearse(arguments, wished, outputs)
    try:
        pretokens, held_out, pattern = read_corpus(arguments)
    except KeyboardInterrupt:
        print_note("stopped; nothing was written")
        return 130
    if pattern != wished:  # that of kept counts
        _rehearse(arguments, pattern, outputs)
    if keeps:
        from playground.corpora.kept_counts import write_counts

        write_counts(keeps, pretokens, pattern)
    trainer = Trainer(pretokens, held_out=held_out, **_wishes(arguments))
    was_interrupted = _learn(trainer, prints_events=arguments.json)
    model = model_of(trainer, pattern, tuple(arguments.special))
    lines, errors, written = [_summary(trainer, pretokens, held_out, was_interrupted)], [], []
    for path, entry in outputs:
        try:
            export = _export(model, path, entry)
            beside = write_files(path, entry, export.files, stem_of(path, entry))
        except PlaygroundError as error:  # the others are written all the same
            errors.append(str(error))
            continue
        lines.append(f"{path}: {export.proof.sentence}{beside}")
        written.append((path, entry))
    if not arguments.json:
        print("\n".join(lines))
    sys.stdout.flush()
    own = arguments.pattern or pattern.expression
    for path, entry in written:
        note_lost(path, entry, arguments.special, own if pattern.name == "custom" else pattern.name)
    for message in errors:
        print_error(message)
    return 1 if errors else 130 if was_interrupted else 0


def _rehearse(
    arguments: argparse.Namespace, pattern: SplitPattern, outputs: Sequence[tuple[Path, FileFormat]]
) -> None:
    """Train on nothing: numbers, patterns and special tokens that cannot be are told before the work.

    Raises: InvalidInputError, CannotHoldError.
    """
    trainer = Trainer(count_pretokens([], pattern), **_wishes(arguments))
    untrained = model_of(trainer, pattern, tuple(arguments.special))
    for path, entry in outputs:
        _export(untrained, path, entry)


def _wishes(arguments: argparse.Namespace) -> dict[str, Any]:
    return {name: getattr(arguments, name) for name in ("vocab_size", "ties", "min_count")}


def _export(model: BpeModel, path: Path, entry: FileFormat) -> Export:
    """The files that stand for one `--out`. Raises CannotHoldError with its name."""
    try:
        return TrainedTokenizer(stem_of(path, entry), model).export_here(entry)
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
        f"{counted(trainer.n_merges, 'merge')}, {counted(trainer.n_vocab, 'token')}: {ending}",
        _compression(pretokens, trainer.n_tokens),
    ]
    if held_out:
        lines.append(f"held out: {_compression(held_out, trainer.n_held_out_tokens)}")
    if pretokens.n_unmatched_bytes:
        lines.append(
            f"{counted(pretokens.n_unmatched_bytes, 'byte')} matched no alternative of the pattern; "
            "nothing is left out"
        )
    return "\n".join(lines)


def _compression(pretokens: PretokenCounts, n_tokens: int) -> str:
    ratio = pretokens.n_bytes / max(n_tokens, 1)
    return (
        f"{counted(pretokens.n_bytes, 'byte')} became {counted(n_tokens, 'token')}, {ratio:.2f} bytes a token"
    )


@contextmanager
def _bar(n_merges: int) -> Iterator[Callable[[int], None]]:
    """A bar on a terminal's standard error; otherwise nothing."""
    if not sys.stderr.isatty() or "CI" in os.environ:
        yield lambda _n_done: None
        return
    import click  # only here: a training without a terminal need not wait for it

    with click.progressbar(length=n_merges, label="Merging", file=sys.stderr) as bar:
        with compiling_is_shown(bar):
            yield bar.update
        bar.length = max(bar.pos, 1)  # the text may give fewer merges than were asked for
        bar.render_progress()
