"""What `train` learns from: files that are counted, or counts that were kept; and what is held out."""

import argparse
import os
from collections.abc import Sequence
from typing import NamedTuple

from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError
from playground.core.wording import counted
from playground.corpora.corpus_pretokens import count_with_held_out
from playground.corpora.object_stores import is_address
from playground.corpora.sources import Source
from playground.corpora.text_files import STANDARD_INPUT
from playground.shell.chosen_pattern import chosen_pattern
from playground.shell.corpus_files import named_sources, note_left_out
from playground.shell.engines import engine_of
from playground.shell.messages import print_note
from playground.shell.progress import read_bar
from playground.shell.usage import DEFAULT_PATTERN
from playground.training.pretoken_counts import PretokenCounts

_MAX_HELD_OUT = 0.5


class TrainingCorpus(NamedTuple):
    """Pretokens to learn from, those held out, and the pattern that cuts them."""

    training: PretokenCounts
    held_out: PretokenCounts | None
    pattern: SplitPattern


def read_corpus(arguments: argparse.Namespace) -> TrainingCorpus:
    """Count the files, or read the counts that were kept. Raises InvalidInputError."""
    share = _share_of(arguments.held_out)
    sources = named_sources(arguments.files, arguments)
    held_out_sources = _held_out_sources(arguments) if share is None else []
    sources = _not_held_out(sources, held_out_sources, arguments.held_out)
    pattern = chosen_pattern(arguments.pattern) if arguments.pattern else None
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
            return TrainingCorpus(training, held_out, pattern)
    if not training.n_bytes:
        raise InvalidInputError("there is no text to learn from: all that was read is empty")
    if share is not None:
        return TrainingCorpus(training, None, pattern)
    kept_out = _kept_counts(held_out_sources, pattern)
    held_out = kept_out[0] if kept_out else _counted(held_out_sources, pattern, 0.0, arguments)[0]
    if not held_out.n_bytes:
        raise InvalidInputError(f"--held-out {arguments.held_out}: it has no text")
    return TrainingCorpus(training, held_out, pattern)


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


def _held_out_sources(arguments: argparse.Namespace) -> list[Source]:
    """The files of `--held-out`. Raises InvalidInputError for one that is not there: later is too late."""
    sources = named_sources([arguments.held_out], arguments)
    for source in sources:
        if not (source.path == STANDARD_INPUT or is_address(source.path) or os.path.lexists(source.path)):
            raise InvalidInputError(f"--held-out {source.path}: No such file or directory")
    return sources


def _not_held_out(sources: Sequence[Source], held_out: Sequence[Source], name: str) -> list[Source]:
    """The files to learn from but for those that are held out. Raises InvalidInputError where no other is."""
    places = {source.place for source in held_out}
    kept = [source for source in sources if source.place not in places]
    if not kept:
        raise InvalidInputError(f"--held-out {name}: no other file is left to learn from; name more files")
    if n_left_out := len(sources) - len(kept):
        print_note(f"--held-out {name}: {counted(n_left_out, 'file')} of {len(sources):,} not learned from")
    return kept


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
    counts, own_pattern = read_counts(kept[0])
    if pattern and pattern != own_pattern:
        raise InvalidInputError(
            f"{kept[0]}: its pretokens are cut by {own_pattern.name}, not by {pattern.name}; "
            "leave --pattern out"
        )
    return counts, own_pattern


def _counted(
    sources: Sequence[Source], pattern: SplitPattern, share: float, arguments: argparse.Namespace
) -> tuple[PretokenCounts, PretokenCounts]:
    limit = arguments.max_pretokens
    with engine_of(arguments) as client, read_bar(sources, "Reading") as on_read:
        if client is None:
            found = count_with_held_out(
                sources,
                pattern,
                share,
                n_threads=arguments.threads,
                max_pretokens=limit,
                on_read=on_read,
            )
        else:
            from playground.corpora import dask_engine  # only here: a count by threads does without it

            found = dask_engine.count_with_held_out(
                client, sources, pattern, share, max_pretokens=limit, on_read=on_read
            )
    note_left_out(found.n_left_out)
    return found.training, found.held_out
