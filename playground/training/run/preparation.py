"""Prepare a training run: divide, split and count its corpus, in another process if it is large."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from threading import Event

from playground.bpe.split_pattern import SPLIT_PATTERNS
from playground.catalog.registry import get_tokenizer
from playground.core.errors import InvalidInputError, LimitExceededError, TextTooLongError
from playground.training.algorithms.learner import Learner, TrainingTexts
from playground.training.algorithms.registry import get_algorithm
from playground.training.corpora import Corpus, split_held_out
from playground.training.counted_corpus import CountedCorpus
from playground.training.pretoken_counts import PretokenCounts, count_pretokens
from playground.training.run.settings import RunSettings
from playground.training.token_counter import TokenCounter
from playground.workers import pool
from playground.workers.progress import listening, report

#: A larger held-out part would not measure better, and it is encoded for each measurement.
MAX_HELD_OUT_CHARACTERS, MAX_HELD_OUT_TEXTS = 4_000_000, 20_000
#: Larger corpora are counted in a process, because counting would delay key presses; for smaller ones,
#: starting a process takes longer than counting.
MAX_CHARACTERS_HERE, MAX_TEXTS_HERE, MAX_TEXT_HERE = 2_000_000, 10_000, 500_000
#: Limits of CPU time in all, and of time between two pieces; 256 MB take 3 s on a fast core.
_SECONDS = 120.0
#: Added for each text: a typed pattern takes 0.15 ms.
_SECONDS_A_TEXT = 0.0003
#: Memory of the process: for each byte of the corpus, its characters and its place in a table.
_MEMORY_BYTES, _MEMORY_BYTES_A_BYTE = 1_000_000_000, 16
_MAX_KEPT_CHARACTERS, _MAX_KEPT_TEXTS = 1_000_000, 20_000
#: Progress is reported after each thousandth of the text, because a corpus may have a million texts.
_N_REPORTS = 1_000


@dataclass(frozen=True, slots=True)
class Counted:
    """Distinct pretokens of the training and held-out texts; long training texts are stored only in part."""

    pretokens: PretokenCounts
    held_out: PretokenCounts
    training_texts: tuple[str, ...]
    held_out_texts: tuple[str, ...]


def count(
    corpora: list[Corpus], settings: RunSettings, *, on_progress: Callable[[float], None], stopped: Event
) -> Counted:
    """Count the only corpus of a list, and remove it from the list, so that its memory can be freed.

    `on_progress` gets the share done, from 0 to 1, and may raise. Raises CancelledError if `stopped` is set
    while waiting for a process.
    """
    corpus = corpora.pop()
    is_long = corpus.n_characters > MAX_CHARACTERS_HERE
    # Other patterns start processes of their own for a long text.
    is_for_a_process = is_long and (settings.pattern.is_known or settings.pattern.is_none)
    if is_for_a_process or corpus.n_texts > MAX_TEXTS_HERE:
        n_bytes = sum(map(len, corpus.texts)) + sum(len(file.raw) for file in corpus.files)
        # If no process is available, or the result is too large, this process counts.
        with suppress(LimitExceededError):
            counted: Counted = pool.run(
                "playground.training.run.preparation.count_here",
                corpus,
                replace(settings, base=None),  # counting does not need the tokenizer
                what="splitting and counting the text",
                seconds=_SECONDS + _SECONDS_A_TEXT * corpus.n_texts,
                memory_bytes=_MEMORY_BYTES + _MEMORY_BYTES_A_BYTE * n_bytes,
                cancelled=stopped,
                on_progress=on_progress,
            )
            return counted
    with listening(on_progress):
        return count_here(corpus, settings)


def count_tokens(name: str, text: str) -> int:
    """Return the number of tokens of a text in a named tokenizer; a process counts a long text."""
    if len(text) > MAX_TEXT_HERE:
        with suppress(LimitExceededError):
            n_tokens: int = pool.run(
                "playground.training.run.preparation.count_tokens_here",
                name,
                text,
                what="counting the held-out text",
                seconds=_SECONDS,
            )
            return n_tokens
    return count_tokens_here(name, text)


def count_tokens_here(name: str, text: str) -> int:
    """Return the number of tokens of a text in a named tokenizer, counted in this thread."""
    return TokenCounter(get_tokenizer(name)).count(text)


def count_here(corpus: Corpus, settings: RunSettings) -> Counted:
    """Count a corpus in this thread, and report the share done."""
    training, held_out_texts = split_held_out(corpus, _held_out_share(corpus, settings))
    training_texts = _beginnings(training)
    pretokens = count_pretokens(_with_reports(training), settings.pattern)
    del training
    held_out = count_pretokens(held_out_texts, settings.pattern)
    return Counted(pretokens, held_out, training_texts, held_out_texts)


def _held_out_share(corpus: Corpus, settings: RunSettings) -> float:
    """Return the part of a corpus that is held out: less than asked for where the corpus is large."""
    return min(
        settings.held_out_share,
        MAX_HELD_OUT_CHARACTERS / max(corpus.n_characters, 1),
        MAX_HELD_OUT_TEXTS / max(corpus.n_texts, 1),
    )


def _with_reports(texts: Sequence[Sequence[str]]) -> Iterator[Iterator[str]]:
    """Yield the pieces of texts, and report the share done at intervals and at the end."""
    n_characters = sum(len(piece) for pieces in texts for piece in pieces)
    n_taken = due = 0

    def with_reports(pieces: Sequence[str]) -> Iterator[str]:
        nonlocal n_taken, due
        for piece in pieces:
            if n_taken >= due:
                report(n_taken / n_characters if n_characters else 0.0)
                due = n_taken + n_characters // _N_REPORTS
            yield piece
            n_taken += len(piece)

    yield from map(with_reports, texts)
    report(1.0)


def _beginnings(texts: Sequence[Sequence[str]]) -> tuple[str, ...]:
    kept = []
    n_left = _MAX_KEPT_CHARACTERS
    for pieces in texts[:_MAX_KEPT_TEXTS]:
        parts = []
        for piece in pieces:
            if n_left > 0:
                parts.append(piece[:n_left])
                n_left -= len(piece)
        if parts:
            kept.append("".join(parts))
    return tuple(kept)


#: Longest corpus for other patterns: only the known ones have a fast scanner that needs little memory.
MAX_SLOW_CHARACTERS = 20_000_000


@dataclass(frozen=True, slots=True)
class Prepared:
    """A learner before its first step, and facts about its texts; long training texts are cut."""

    learner: Learner
    training_texts: tuple[str, ...]
    held_out_texts: tuple[str, ...]
    n_bytes: int
    n_held_out_bytes: int
    n_pretokens: int
    n_unmatched_bytes: int


def prepare(
    corpora: list[Corpus | CountedCorpus],
    settings: RunSettings,
    *,
    at_work: AbstractContextManager[object],
    on_progress: Callable[[float], None],
    stopped: Event,
) -> Prepared:
    """Split and count the only corpus of a list, and remove it from the list; see `count`.

    The work is done inside `at_work`. Raises PlaygroundError and CancelledError.
    """
    corpus = corpora.pop()
    algorithm = get_algorithm(settings.algorithm)
    if isinstance(corpus, CountedCorpus):
        if algorithm.needs_texts:
            raise InvalidInputError(
                f"{algorithm.title} learns from texts, not from counts; choose a corpus of texts"
            )
        with at_work:
            return _prepared(corpus.counts, None, None, settings, corpus.texts, ())
    _check_length(corpus, settings)
    texts = [corpus]
    kept = corpus if algorithm.needs_texts else None
    del corpus
    with at_work:
        counted = count(texts, settings, on_progress=on_progress, stopped=stopped)
        return _prepared(
            counted.pretokens,
            counted.held_out,
            kept,
            settings,
            counted.training_texts,
            counted.held_out_texts,
        )


def _prepared(
    pretokens: PretokenCounts,
    held_out: PretokenCounts | None,
    corpus: Corpus | None,
    settings: RunSettings,
    training_texts: tuple[str, ...],
    held_out_texts: tuple[str, ...],
) -> Prepared:
    share = _held_out_share(corpus, settings) if corpus is not None else 0.0
    texts = TrainingTexts(pretokens, held_out, corpus, settings.pattern, share, base=settings.base)
    options = {"ties": settings.ties, "min_count": settings.min_count, **settings.options}
    learner = get_algorithm(settings.algorithm).start(texts, settings.vocab_size, options)
    if settings.special_tokens:
        learner.tokenizer("this run", settings.special_tokens)  # raises for an invalid special token
    return Prepared(
        learner,
        training_texts,
        held_out_texts,
        pretokens.n_bytes,
        held_out.n_bytes if held_out else 0,
        len(pretokens),
        pretokens.n_unmatched_bytes,
    )


def _check_length(corpus: Corpus, settings: RunSettings) -> None:
    n_characters = corpus.n_characters
    if n_characters > MAX_SLOW_CHARACTERS and settings.pattern.name not in SPLIT_PATTERNS:
        raise TextTooLongError(
            f"the text has {n_characters:,} characters; with no split pattern or one of your own, at "
            f"most {MAX_SLOW_CHARACTERS:,} can be learned from here. Use less text, or choose one of "
            f"{', '.join(SPLIT_PATTERNS)}"
        )
