"""The work of a run, in a worker process: count a corpus, learn from it, and report the steps."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from playground.catalog.opened import model_of
from playground.catalog.registry import get_tokenizer
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError
from playground.training.algorithms.learner import Learner, TrainingTexts
from playground.training.algorithms.registry import get_algorithm
from playground.training.corpora import Corpus, split_held_out
from playground.training.counted_corpus import CountedCorpus
from playground.training.pretoken_counts import PretokenCounts, count_pretokens
from playground.training.run.events import CandidatesAt, Changes, Chunk, Learned, Prepared
from playground.training.run.settings import RunSettings
from playground.workers.progress import report

#: A larger held-out part would not measure better, and it is encoded for each measurement.
MAX_HELD_OUT_CHARACTERS, MAX_HELD_OUT_TEXTS = 4_000_000, 20_000
#: CPU time after which a run ends with what it has learned.
MAX_SECONDS = 120.0
_TOO_LONG = (
    f"{MAX_SECONDS:.0f} s of CPU time are used up. To learn more, train in a shell: tessera train FILE"
)
_MAX_KEPT_CHARACTERS, _MAX_KEPT_TEXTS = 1_000_000, 20_000
#: Progress is reported after each hundredth of the text, because a corpus may have a million texts.
_N_REPORTS = 100
#: A chunk is sent after this time; a slice, after which Stop takes effect, takes about a tenth of it.
_CHUNK_SECONDS, _SLICE_SECONDS = 0.2, 0.02
#: The number of candidates of each record; all of the first steps have one, later steps each further 32nd.
N_CANDIDATES, _N_EACH, _SPACING = 8, 256, 32


def learn(
    corpus: Corpus | CountedCorpus, settings: RunSettings, base: TrainedTokenizer | str | None, stop_file: str
) -> Learned:
    """Learn a corpus, and report first the share counted, then `Prepared`, then each `Chunk`.

    `base` is the tokenizer of Continue and Prune, or its name. The run ends early once `stop_file` exists.
    Raises PlaygroundError.
    """
    settings = replace(settings, base=get_tokenizer(base) if isinstance(base, str) else base)
    texts, prepared = count(corpus, settings)
    started = time.process_time()
    options = {"ties": settings.ties, "min_count": settings.min_count, **settings.options}
    learner = get_algorithm(settings.algorithm).start(texts, settings.vocab_size, options)
    learner.tokenizer("this run", settings.special_tokens)  # raises for an invalid special token
    cutter = learner.cutter()
    report(
        replace(
            prepared,
            score_name=learner.score_name,
            cutter=None if cutter.follows == "states" else cutter,
        )
    )
    stop = Path(stop_file)
    is_late = False

    def is_over() -> bool:
        nonlocal is_late
        is_late = time.process_time() - started > MAX_SECONDS
        return is_late or stop.exists()

    for chunk in iter_chunks(learner, is_over):
        report(chunk)
    reason = learner.stop_reason
    return Learned(
        model_of(learner.tokenizer("this run", settings.special_tokens)),
        learner.cutter(),
        reason or (_TOO_LONG if is_late else ""),
        not reason,
        learner.removals(),
        time.process_time() - started,
    )


def iter_chunks(
    learner: Learner, is_over: Callable[[], bool], *, chunk_seconds: float = _CHUNK_SECONDS
) -> Iterator[Chunk]:
    """Advance a learner to its end, or until `is_over`, and yield the steps in chunks."""
    n_sent = n_raws = 0
    n_slice, is_first = 1, True
    candidates: list[CandidatesAt] = []
    due, recorded = 0, -1  # the steps of the next and of the last record of candidates
    sent_at = time.perf_counter()
    while True:
        n_steps = learner.n_steps
        if n_steps >= due:
            candidates.append((n_steps, learner.candidates(N_CANDIDATES)))
            recorded, due = n_steps, n_steps + (1 if n_steps < _N_EACH else n_steps // _SPACING)
        began = time.perf_counter()
        n_wanted = min(n_slice, due - n_steps)
        n_made = 0 if is_over() else learner.advance(n_wanted)
        now = time.perf_counter()
        if now - began > 2 * _SLICE_SECONDS:
            n_slice = max(1, n_wanted // 2)
        elif n_made == n_slice and now - began < _SLICE_SECONDS:
            n_slice *= 2
        if n_made and now - sent_at < chunk_seconds:
            continue
        if not n_made and recorded != n_steps:
            candidates.append((n_steps, learner.candidates(N_CANDIDATES)))
        first = n_sent + (not is_first)  # the first chunk has the state before the first step too
        raws = learner.token_bytes()
        yield Chunk(
            learner.curve()[first:].copy(),
            Changes.of(learner.changes(n_sent)),
            tuple(raws[n_raws:]),
            tuple(candidates),
            {title: values[first:].copy() for title, values in learner.lines().items()},
            learner.n_steps_wanted,
        )
        if not n_made:
            return
        n_sent, n_raws, is_first, candidates = learner.n_steps, len(raws), False, []
        sent_at = time.perf_counter()


def count(corpus: Corpus | CountedCorpus, settings: RunSettings) -> tuple[TrainingTexts, Prepared]:
    """Split and count a corpus, and report the share done. Raises PlaygroundError."""
    algorithm = get_algorithm(settings.algorithm)
    if isinstance(corpus, CountedCorpus):
        if algorithm.needs_texts:
            raise InvalidInputError(
                f"{algorithm.title} learns from texts, not from counts; choose a corpus of texts"
            )
        texts = TrainingTexts(corpus.counts, None, None, settings.pattern, base=settings.base)
        return texts, _facts(corpus.counts, None, corpus.texts, ())
    share = min(
        settings.held_out_share,
        MAX_HELD_OUT_CHARACTERS / max(corpus.n_characters, 1),
        MAX_HELD_OUT_TEXTS / max(corpus.n_texts, 1),
    )
    training, held_out_texts = split_held_out(corpus, share)
    pretokens = count_pretokens(_with_reports(training), settings.pattern)
    held_out = count_pretokens(held_out_texts, settings.pattern)
    texts = TrainingTexts(
        pretokens,
        held_out,
        corpus if algorithm.needs_texts else None,
        settings.pattern,
        share,
        base=settings.base,
    )
    return texts, _facts(pretokens, held_out, _beginnings(training), held_out_texts)


def _facts(
    pretokens: PretokenCounts,
    held_out: PretokenCounts | None,
    training_texts: tuple[str, ...],
    held_out_texts: tuple[str, ...],
) -> Prepared:
    return Prepared(
        training_texts,
        held_out_texts,
        pretokens.n_bytes,
        held_out.n_bytes if held_out else 0,
        len(pretokens),
        pretokens.n_unmatched_bytes,
        "",
        None,
    )


def _with_reports(texts: Sequence[Sequence[str]]) -> Iterator[Iterator[str]]:
    """Yield the pieces of texts, and report the share done at intervals."""
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
