"""`train`: learn a vocabulary from files, standard input or kept counts, and write it for other tools."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from playground.analysis.language_counts import article_text
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import CannotHoldError, InvalidInputError, PlaygroundError
from playground.core.wording import counted
from playground.files.proof import Export
from playground.files.registry import FileFormat, format_of
from playground.shell.commands import (
    FILE,
    POSITIVE,
    Arguments,
    Word,
    command,
    flag,
    out_option,
)
from playground.shell.corpus_arguments import CORPUS_OPTIONS, ENGINE_OPTIONS
from playground.shell.learner_training import run_learner
from playground.shell.terminal import print_error, print_note
from playground.shell.tokenizer_arguments import (
    PATTERN,
    TOKENIZER,
    chosen_pattern,
    chosen_tokenizer,
)
from playground.shell.tokenizer_outputs import check_writable, note_lost, stem_of, write_files
from playground.shell.training_corpus import DEFAULT_PATTERN, read_corpus
from playground.training.algorithms.base import base_of, count_tokens
from playground.training.algorithms.bpe import BpeLearner
from playground.training.algorithms.continued import continue_bpe
from playground.training.algorithms.pruned import prune
from playground.training.algorithms.registry import ALGORITHMS, get_algorithm
from playground.training.merges import TIE_RULES
from playground.training.pretoken_counts import PretokenCounts, count_pretokens

#: The algorithms that begin with `--base`, and the options that only some algorithms have.
_FROM_BASE = ("continue", "prune")
_ONLY_FOR = {
    "base": ("--base", _FROM_BASE),
    "new_tokens": ("--new-tokens", ("continue",)),
    "ids": ("--ids", ("prune",)),
}


def _check_fitting(arguments: Arguments) -> None:
    """Raise InvalidInputError for an option that the algorithm does not have, and set the defaults."""
    algorithm = arguments.algorithm
    if algorithm not in _FROM_BASE:
        get_algorithm(algorithm)
    for name, (typed, users) in _ONLY_FOR.items():
        if getattr(arguments, name) and algorithm not in users:
            raise InvalidInputError(f"{typed} is for --algorithm {' and '.join(users)}; omit it")
    if algorithm in _FROM_BASE and arguments.ties:
        raise InvalidInputError(f"--ties is not for --algorithm {algorithm}; omit it")
    if algorithm in ("bpe", *_FROM_BASE):
        if arguments.option:
            raise InvalidInputError(
                f"--algorithm {algorithm} takes no --option; use --min-count and the like"
            )
        arguments.ties = arguments.ties or "first-seen"
        arguments.min_count = 1 if arguments.min_count is None else arguments.min_count
    arguments.new_tokens = arguments.new_tokens or 1000
    arguments.ids = arguments.ids or "kept"


_SLICE = 512  # merges between updates of the bar and checks for Ctrl-C


@command(
    "train",
    "tessera train corpus.txt --vocab-size 8192 --out my.json",
    "tessera train corpus/ --field text --special '<|endoftext|>' --out my.tiktoken",
)
@CORPUS_OPTIONS
@click.option(
    "--algorithm",
    default="bpe",
    show_default=True,
    type=Word("name", lambda: ALGORITHMS),
    help=f"One of {', '.join(ALGORITHMS)}; continue adds --new-tokens tokens to --base, and prune removes "
    "the tokens of --base that the text does not use.",
)
@click.option(
    "--option",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of the algorithm, such as shrink=0.8 for unigram; repeatable (an unknown name lists "
    "those of the algorithm).",
)
@click.option(
    "--base",
    default="",
    type=TOKENIZER,
    help="The byte-level BPE tokenizer that continue and prune start from: a name, a model or a file.",
)
@click.option(
    "--new-tokens",
    type=POSITIVE,
    help="Number of tokens that continue adds. Default: 1000.",
)
@click.option(
    "--ids",
    type=click.Choice(["kept", "renumbered"]),
    help="Whether prune keeps the ids of the tokens that stay, or numbers them again without gaps. Default: "
    "kept.",
)
@click.option(
    "--vocab-size",
    type=int,
    metavar="N",
    default=4096,
    show_default=True,
    help="Vocabulary size: 256 bytes and the merges, without special tokens.",
)
@click.option(
    "--pattern",
    type=PATTERN,
    help="Split pattern, which cuts texts into pretokens before any merge: none, gpt2, cl100k, o200k, "
    f"llama3, a tokenizer's name or a regular expression. Default: {DEFAULT_PATTERN}, or the saved one.",
)
@click.option(
    "--ties",
    type=click.Choice(TIE_RULES),
    help="Which of several equally frequent pairs is merged first: the first in the text, the one with the "
    "lowest ids, or Hugging Face's choice. Default: first-seen.",
)
@click.option(
    "--min-count",
    type=int,
    metavar="N",
    help="Least count of a pair to be merged, or of a token that prune keeps. Default: 1.",
)
@click.option(
    "--held-out",
    type=FILE,
    default="",
    metavar="SHARE|FILE",
    help="Also report compression of held-out text: a share of the documents, such as 0.05, or a file, "
    "folder or glob.",
)
@click.option(
    "--keep-counts",
    type=FILE,
    default="",
    help="Write the pretoken counts to a .parquet file, from which `tessera train FILE` can train again.",
)
@click.option(
    "--max-pretokens",
    type=POSITIVE,
    help="Stop if there are more distinct pretokens than this, to bound memory.",
)
@click.option(
    "--special",
    multiple=True,
    metavar="TOKEN",
    help="A special token to add after all others, such as <|endoftext|>; repeatable.",
)
@out_option(
    "File to write, in the format of its ending: .model, .tiktoken, .json or vocab.bpe; repeatable.",
    multiple=True,
)
@flag("--json", "Print each merge as a line of JSON.")
@ENGINE_OPTIONS
def run(arguments: Arguments) -> int:
    """Train, write the requested files, and print a summary."""
    _check_fitting(arguments)
    if arguments.algorithm in _FROM_BASE:
        return _run_from_base(arguments)
    if arguments.algorithm != "bpe":
        return run_learner(arguments)
    outputs = [(Path(out), format_of(Path(out).name)) for out in arguments.out]
    for path, _ in outputs:
        check_writable(path)
    keeps = Path(arguments.keep_counts) if arguments.keep_counts else None
    if keeps:
        check_writable(keeps)
        if keeps.suffix != ".parquet":
            raise InvalidInputError(
                f"cannot write {keeps}: the name of a file of counts must end in .parquet"
            )
    if not (outputs or keeps or arguments.json):
        print_note("nothing will be written; add --out FILE, such as --out my.json")
    requested_pattern = chosen_pattern(arguments.pattern or DEFAULT_PATTERN)
    _rehearse(arguments, requested_pattern, outputs)
    try:
        texts = read_corpus(arguments)
    except KeyboardInterrupt:
        print_note("stopped; nothing was written")
        return 130
    pretokens, held_out, pattern = texts.pretokens, texts.held_out, texts.pattern
    if pattern != requested_pattern:  # the pattern of saved counts
        _rehearse(arguments, pattern, outputs)
    if keeps:
        from playground.corpora.kept_counts import write_counts

        write_counts(keeps, pretokens, pattern)
    trainer = BpeLearner(pretokens, pattern=pattern, held_out=held_out, **_trainer_options(arguments))
    was_interrupted = _learn(trainer, prints_events=arguments.json)
    model = trainer.model(tuple(arguments.special))
    summary = _summary(trainer, pretokens, held_out, was_interrupted)
    is_written = _write_outputs(outputs, model, "" if arguments.json else summary, arguments.pattern)
    return 1 if not is_written else 130 if was_interrupted else 0


def _write_outputs(
    outputs: Sequence[tuple[Path, FileFormat]], model: BpeModel, summary: str, typed_pattern: str | None
) -> bool:
    """Write the files and, with a summary, print it and their proofs; return whether all were written."""
    lines, errors, written = [summary], [], []
    for path, entry in outputs:
        try:
            export = _export(model, path, entry)
            beside = write_files(path, entry, export.files, stem_of(path, entry))
        except PlaygroundError as error:  # the other files are still written
            errors.append(str(error))
            continue
        lines.append(f"{path}: {export.proof.sentence}{beside}")
        written.append((path, entry))
    if summary:
        print("\n".join(lines))
    sys.stdout.flush()
    pattern = model.pattern
    own = typed_pattern or pattern.expression
    for path, entry in written:
        note_lost(path, entry, model.special_tokens, own if pattern.name == "custom" else pattern.name)
    for message in errors:
        print_error(message)
    return not errors


def _run_from_base(arguments: Arguments) -> int:
    """Continue or prune the tokenizer of `--base`, write the requested files, and print a summary."""
    if not arguments.base:
        raise InvalidInputError(
            f"--algorithm {arguments.algorithm} starts from a tokenizer; name it: --base cl100k_base"
        )
    if arguments.pattern:
        raise InvalidInputError("the split pattern of --base is used; omit --pattern")
    if arguments.keep_counts:
        raise InvalidInputError("--keep-counts is for --algorithm bpe; omit it")
    if arguments.special:
        raise InvalidInputError("the special tokens of --base are kept, and none is added; omit --special")
    outputs = [(Path(out), format_of(Path(out).name)) for out in arguments.out]
    for path, _ in outputs:
        check_writable(path)
    if not (outputs or arguments.json):
        print_note("nothing will be written; add --out FILE, such as --out my.json")
    base = base_of(chosen_tokenizer(arguments.base, ""))
    pattern = SplitPattern.of(base.split_pattern)
    texts = read_corpus(arguments, pattern)
    pretokens, held_out = texts.pretokens, texts.held_out
    if arguments.algorithm == "continue":
        added = continue_bpe(base, pretokens, n_tokens=arguments.new_tokens, min_count=arguments.min_count)
        tokenizer = added.tokenizer
        lines = [
            f"{counted(len(added.added), 'token')} added to {base.name}"
            + (": no further pair occurs often enough" if len(added.added) < arguments.new_tokens else "")
        ]
        if added.n_avoided:
            lines.append(
                f"{counted(added.n_avoided, 'pair')} left alone: {base.name} has a token of the same bytes, "
                "so the new token could never be reached"
            )
        if added.unreachable:
            lines.append(f"never reached by the encoder: {', '.join(map(str, added.unreachable))}")
        changes = [
            {"id": merge.id, "raw": merge.raw.hex(), "left": merge.left, "right": merge.right,
             "count": merge.count}
            for merge in added.added
        ]  # fmt: skip
    else:
        pruned = prune(base, pretokens, min_count=arguments.min_count, ids=arguments.ids)
        tokenizer = pruned.tokenizer
        lines = [
            f"{counted(len(pruned.removed), 'token')} removed from {base.name}, "
            f"{counted(len(tokenizer.vocabulary), 'token')} stay, "
            f"{len(pruned.scaffold):,} of them only as parts of longer tokens"
        ]
        changes = [{"id": token_id, "raw": raw.hex()} for token_id, raw in pruned.removed.items()]
    english = count_pretokens([article_text("eng", None)], pattern)
    for title, counts in (("the text", pretokens), ("held out", held_out), ("English (UDHR)", english)):
        if counts is not None:
            before, after = count_tokens(base, counts), count_tokens(tokenizer, counts)
            lines.append(f"{title}: {before:,} tokens before, {after:,} after ({after / before - 1:+.1%})")
    if arguments.json:
        print("\n".join(map(json.dumps, changes)), end="\n" if changes else "")
    return (
        0 if _write_outputs(outputs, tokenizer.model, "" if arguments.json else "\n".join(lines), None) else 1
    )


def _rehearse(
    arguments: Arguments, pattern: SplitPattern, outputs: Sequence[tuple[Path, FileFormat]]
) -> None:
    """Train on an empty corpus, so that invalid options and impossible exports fail before the work.

    Raises: InvalidInputError, CannotHoldError.
    """
    trainer = BpeLearner(count_pretokens([], pattern), pattern=pattern, **_trainer_options(arguments))
    untrained = trainer.model(tuple(arguments.special))
    for path, entry in outputs:
        _export(untrained, path, entry)


def _trainer_options(arguments: Arguments) -> dict[str, Any]:
    return {name: getattr(arguments, name) for name in ("vocab_size", "ties", "min_count")}


def _export(model: BpeModel, path: Path, entry: FileFormat) -> Export:
    """Return the files of one `--out`. Raises CannotHoldError with its name."""
    try:
        return TrainedTokenizer(stem_of(path, entry), model).export_here(entry)
    except CannotHoldError as error:
        raise CannotHoldError(f"cannot write {path}: {error}") from None


def _learn(trainer: BpeLearner, *, prints_events: bool) -> bool:
    """Merge to the end; return True if Ctrl-C ended it early."""
    n_wanted = trainer.vocab_size - 256
    try:
        with _bar(n_wanted) as bar:
            while not trainer.stop_reason:
                first = trainer.n_steps
                n_done = trainer.advance(_SLICE)
                if prints_events:
                    for merge in trainer.merges(first):
                        print(json.dumps(merge._asdict() | {"raw": merge.raw.hex()}))
                bar(n_done)
    except KeyboardInterrupt:
        return True
    return False


def _summary(
    trainer: BpeLearner, pretokens: PretokenCounts, held_out: PretokenCounts | None, was_interrupted: bool
) -> str:
    ending = "interrupted" if was_interrupted else trainer.stop_reason
    lines = [
        f"{counted(trainer.n_steps, 'merge')}, {counted(trainer.n_vocab, 'token')}: {ending}",
        _compression(pretokens, trainer.n_tokens),
    ]
    if held_out:
        lines.append(f"held out: {_compression(held_out, trainer.n_held_out_tokens)}")
    if pretokens.n_unmatched_bytes:
        lines.append(
            f"{counted(pretokens.n_unmatched_bytes, 'byte')} matched no alternative of the pattern "
            "and became pretokens of their own"
        )
    return "\n".join(lines)


def _compression(pretokens: PretokenCounts, n_tokens: int) -> str:
    ratio = pretokens.n_bytes / max(n_tokens, 1)
    n_bytes = counted(pretokens.n_bytes, "byte")
    return f"{n_bytes} became {counted(n_tokens, 'token')}, {ratio:.2f} bytes per token"


@contextmanager
def _bar(n_merges: int) -> Iterator[Callable[[int], None]]:
    """Yield a function that advances a bar on a terminal; elsewhere it does nothing."""
    if not sys.stderr.isatty() or "CI" in os.environ:
        yield lambda _n_done: None
        return
    import click  # imported late: only terminals need it

    with click.progressbar(length=n_merges, label="Merging", file=sys.stderr) as bar:
        yield bar.update
        bar.length = max(bar.pos, 1)  # there may be fewer merges than requested
        bar.render_progress()
