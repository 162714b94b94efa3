"""TrainingRun: a training in its own thread that can be paused, stepped and watched.

It knows nothing of pages; a page reads its state and draws it.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from playground.bpe.model import BpeModel
from playground.catalog.opened import OpenedTokenizer
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError, PlaygroundError
from playground.core.tokenizer import replace_lone_surrogates
from playground.training.algorithms.bpe import BpeLearner
from playground.training.algorithms.learner import Candidate, Change, Film, Learner, Removals
from playground.training.algorithms.registry import get_algorithm
from playground.training.corpora import Corpus
from playground.training.counted_corpus import CountedCorpus
from playground.training.kernel.cache_folder import is_compiled
from playground.training.merges import Merge
from playground.training.run.candidates import N_CANDIDATES, CandidateRecord
from playground.training.run.preparation import count_tokens, prepare
from playground.training.run.settings import RunSettings, Status, speed_at
from playground.training.warm_up import COMPILING, TRAINER, compile_once, warm_up
from playground.workers.priority import lower_thread_priority
from playground.workers.process import CancelledError

REFERENCES = ("gpt2", "cl100k_base", "o200k_base")

#: Limits the cores for all runs, so that key presses stay fast.
_at_work = threading.BoundedSemaphore(2)


class _StoppedError(Exception):
    """The run was stopped during its preparation."""


class Together:
    """Runs shown side by side, which advance by the same share of their steps and pause together.

    Seven prunings of Unigram and a thousand merges of BPE then begin and end at the same time. The longest
    run has the chosen speed; no run is ahead of another by more than a hundredth and less than a step. The
    runs share one lock, so that all of them pause at once.
    """

    _AHEAD = 0.01

    def __init__(self) -> None:
        self.runs: list[TrainingRun] = []
        self.changed = threading.Condition()
        self.asking: list[None] = []  # an item for each thread that waits for a pause between merges

    def is_longest(self, run: "TrainingRun") -> bool:
        """Whether no other run has more steps."""
        return all(other.n_merges_wanted <= run.n_merges_wanted for other in self.runs)

    def n_allowed(self, run: "TrainingRun") -> int:
        """Return how many steps a run may make before another run has to make one."""
        others = [other for other in self.runs if other is not run and not other.status.is_over]
        if not others:
            return _MAX_SLICE
        if not all(other.is_prepared for other in others):
            return 0
        share = min(
            max(
                (other.n_merges + 1) / other.n_merges_wanted,
                other.n_merges / other.n_merges_wanted + self._AHEAD,
            )
            for other in others
        )
        return int(share * run.n_merges_wanted + 1e-9) - run.n_merges

    def steps_to(self, n_more: int) -> "dict[TrainingRun, int]":
        """Return the steps of each run that follow `n_more` steps of the longest one."""
        longest = max(self.runs, key=lambda run: run.n_merges_wanted)
        share = (longest.n_merges + n_more) / max(longest.n_merges_wanted, 1)
        return {
            run: n_more if run is longest else int(share * run.n_merges_wanted + 1e-9) - run.n_merges
            for run in self.runs
        }


class TrainingRun:
    """A run over a corpus; `close` ends its thread and may be called twice.

    A counted corpus determines the split pattern and has no held-out text. `merges_per_second` and
    `pause_at`, the number of merges to pause at, can be changed at any time. With `starts_paused` the run
    waits at merge 0 once the corpus is counted. Runs with the same `together` advance side by side.

    >>> run = TrainingRun(Corpus("toy", ("aaabdaaabac",)), RunSettings(vocab_size=258, held_out_share=0))
    >>> run.wait()
    >>> run.status.value, [merge.raw for merge in run.merges()]
    ('finished', [b'aa', b'aaa'])
    """

    def __init__(
        self,
        corpus: Corpus | CountedCorpus,
        settings: RunSettings,
        *,
        merges_per_second: float | None = None,
        pause_at: int | None = None,
        starts_paused: bool = False,
        together: Together | None = None,
    ) -> None:
        if isinstance(corpus, CountedCorpus):
            settings = replace(settings, pattern=corpus.pattern, held_out_share=0.0)
        self.settings = settings
        self.status = Status.PREPARING
        self.error = ""
        self.stage = "Splitting and counting the text"
        self.share_prepared = 0.0
        self.training_texts: tuple[str, ...] = ()  # samples for display: long texts are cut
        self.held_out_texts: tuple[str, ...] = ()
        self.n_bytes = 0
        self.n_held_out_bytes = 0
        self.n_pretokens = 0
        self.n_unmatched_bytes = 0
        self.references: dict[str, float] = {}
        self.is_measuring = False  # counts with the reference tokenizers, from another thread
        self.merges_per_second = merges_per_second
        self.pause_at = pause_at
        self._starts_paused = starts_paused
        self._pace = Pace(speed_at(merges_per_second, 0))
        self._candidates = CandidateRecord()
        self.learner: Learner | None = None
        self._steps = 0
        self._seconds_at_work = 0.0
        self._stopped = threading.Event()
        self._together = together if together is not None else Together()
        self._together.runs.append(self)
        self._changed, self._asking = self._together.changed, self._together.asking
        self._thread = threading.Thread(target=self._work, args=([corpus],), name="training", daemon=True)
        self._thread.start()

    @property
    def is_active(self) -> bool:
        """Whether the run's state still changes."""
        return self.status in (Status.PREPARING, Status.RUNNING) or self._steps > 0

    @property
    def is_prepared(self) -> bool:
        """Whether the corpus is counted, so that merging can begin."""
        return self.learner is not None

    @property
    def n_merges(self) -> int:
        """The number of merges, or other steps, so far."""
        return self.learner.n_steps if self.learner is not None else 0

    @property
    def n_merges_wanted(self) -> int:
        """The number of merges, or other steps, of the whole run, as far as it is known."""
        return self.settings.vocab_size - 256 if self.learner is None else self.learner.n_steps_wanted

    @property
    def pace(self) -> float:
        """Merges per second, as last measured or as set; 0.0 if unknown."""
        return self._pace.merges_per_second

    @property
    def seconds_left(self) -> float | None:
        """The remaining seconds at this pace; None if unknown."""
        return (self.n_merges_wanted - self.n_merges) / self.pace if self.pace else None

    @property
    def seconds(self) -> float:
        """Seconds since merging began, including pauses."""
        return self._seconds_at_work

    @property
    def has_held_out(self) -> bool:
        """Whether there is held-out text besides white space."""
        return self.n_held_out_bytes > 0 and any(map(str.strip, self.held_out_texts))

    @property
    def stop_reason(self) -> str:
        """Why the run finished, in words; "" before."""
        return self.learner.stop_reason if self.learner is not None else ""

    def pause(self) -> None:
        """Pause after the current merge."""
        with self.between_merges():
            if self.status is Status.RUNNING:
                self.status = Status.PAUSED
                self._changed.notify_all()

    def resume(self) -> None:
        """Continue."""
        with self.between_merges():
            if self.status is Status.PAUSED:
                self._pace.resume(self.n_merges)
                self.status = Status.RUNNING
                self._changed.notify_all()

    def step(self, n_merges: int) -> None:
        """Make this many merges of a paused run, and return when they are done."""
        with self.between_merges():
            if self.status is Status.PAUSED:
                self._pace.resume(self.n_merges)
                self._steps += n_merges
                self._changed.notify_all()
                self._changed.wait_for(
                    lambda: self._steps == 0 or self.status is not Status.PAUSED, timeout=5
                )

    def stop(self) -> None:
        """End the run and keep what it has learned."""
        with self.between_merges():
            if self.status in (Status.PREPARING, Status.RUNNING, Status.PAUSED):
                self.status = Status.STOPPED
                self._stopped.set()
                self._steps = 0
                self._changed.notify_all()

    def close(self) -> None:
        """Stop without waiting for the current merges; called on the event loop."""
        threading.Thread(target=self.stop, name="closing a training", daemon=True).start()

    def wait(self, seconds: float = 60) -> None:
        """Wait until the thread has ended. Raises TimeoutError."""
        self._thread.join(seconds)
        if self._thread.is_alive():
            raise TimeoutError(f"the training has not ended after {seconds:g} s")

    def merges(self, first: int = 0, last: int | None = None) -> list[Merge]:
        """Return the merges of the ranks `first:last`; none of an algorithm other than BPE."""
        with self.between_merges():
            return self._trainer.merges(first, last) if self._trainer is not None else []

    def columns(self) -> npt.NDArray[np.int64]:
        """Return the merges of BPE as in `MergeLearner.columns`; no rows for another algorithm."""
        with self.between_merges():
            return self._trainer.columns() if self._trainer is not None else np.empty((0, 6), np.int64)

    def curve(self) -> npt.NDArray[np.int64]:
        """Return the states so far as in `Learner.curve`; no rows before preparation."""
        with self.between_merges():
            return self.learner.curve() if self.learner is not None else np.empty((0, 3), np.int64)

    def changes(self, first: int = 0, last: int | None = None) -> Sequence[Change]:
        """Return the tokens that the steps `first:last` added or removed."""
        with self.between_merges():
            return self.learner.changes(first, last) if self.learner is not None else []

    def removals(self) -> Removals:
        """Return what the removals so far cost and free."""
        with self.between_merges():
            return self.learner.removals() if self.learner is not None else Removals()

    def candidates(self, n_candidates: int = 8) -> Sequence[Candidate]:
        """Return the likeliest next changes now, the next one first."""
        with self.between_merges():
            return self.learner.candidates(n_candidates) if self.learner is not None else []

    def token_bytes(self) -> Sequence[bytes]:
        """Return the bytes of each id so far."""
        with self.between_merges():
            return self.learner.token_bytes() if self.learner is not None else []

    def lines(self) -> Mapping[str, npt.NDArray[np.float64]]:
        """Return further lines of the chart as in `Learner.lines`; none before preparation."""
        with self.between_merges():
            return self.learner.lines() if self.learner is not None else {}

    def film(self, text: str) -> Film:
        """Return the film of a short text up to the latest step, for a prepared run."""
        with self.between_merges():
            assert self.learner is not None
            return self.learner.film(text)

    def follow(self, film: Film) -> None:
        """Add the steps since the last call to a film of this run."""
        with self.between_merges():
            film.follow()

    def earlier_pairs(self, n_merges: int) -> list[tuple[int, Sequence[Candidate]]]:
        """Return the recorded most frequent pairs of the first `n_merges`, each with its number of merges."""
        with self.between_merges():
            return self._candidates.until(n_merges)

    def model(self) -> BpeModel:
        """Return the model of merges learned so far. Raises InvalidInputError for an algorithm without it."""
        if self.learner is None:
            return BpeModel(self.settings.pattern, ())
        tokenizer = self.tokenizer("this run")
        if not isinstance(tokenizer, TrainedTokenizer):
            raise InvalidInputError(f"{self.settings.algorithm} learns a vocabulary without merges of bytes")
        return tokenizer.model

    def tokenizer(self, name: str) -> OpenedTokenizer:
        """Return the tokenizer learned so far."""
        with self.between_merges():
            if self.learner is None:
                return TrainedTokenizer(name, BpeModel(self.settings.pattern, ()))
            return self.learner.tokenizer(name, self.settings.special_tokens)

    @property
    def _trainer(self) -> BpeLearner | None:
        return self.learner if isinstance(self.learner, BpeLearner) else None

    @contextmanager
    def between_merges(self) -> Iterator[None]:
        """Hold the run between two merges, for several reads of one state; the merging thread waits."""
        self._asking.append(None)
        try:
            self._changed.acquire()
        finally:
            self._asking.pop()
        try:
            yield
        finally:
            self._changed.release()

    def _work(self, corpora: list[Corpus | CountedCorpus]) -> None:
        try:
            self._prepare(corpora)
            self._learn()
        except (_StoppedError, CancelledError):
            return
        except PlaygroundError as error:
            self._fail(str(error))
        except MemoryError:
            self._fail("the text does not fit in memory; choose a smaller one")
        except Exception as error:
            self._fail(f"the training failed because of an error in Tessera: {error!r}")
            raise

    def _fail(self, message: str) -> None:
        with self._changed:
            self.error = message
            self.status = Status.FAILED
            self._changed.notify_all()

    def _prepare(self, corpora: list[Corpus | CountedCorpus]) -> None:
        kernels = get_algorithm(self.settings.algorithm).kernels
        if not (is_compiled(TRAINER) and is_compiled(kernels)):
            self.stage = COMPILING
        warm_up()
        compile_once(kernels)
        self.stage = "Splitting and counting the text"
        prepared = prepare(
            corpora, self.settings, at_work=_at_work, on_progress=self._tell_prepared, stopped=self._stopped
        )
        self.training_texts, self.held_out_texts = prepared.training_texts, prepared.held_out_texts
        self.n_bytes, self.n_held_out_bytes = prepared.n_bytes, prepared.n_held_out_bytes
        self.n_pretokens, self.n_unmatched_bytes = prepared.n_pretokens, prepared.n_unmatched_bytes
        self.is_measuring = True
        threading.Thread(target=self._measure_references, name="references", daemon=True).start()
        with self._changed:
            self.learner = prepared.learner
            if self.status is Status.PREPARING:
                self.status = Status.PAUSED if self._starts_paused else Status.RUNNING

    def _tell_prepared(self, share: float) -> None:
        self.share_prepared = share
        if self.status is Status.STOPPED:
            raise _StoppedError

    def _measure_references(self) -> None:
        text = replace_lone_surrogates("".join(self.held_out_texts) or "".join(self.training_texts)[:200_000])
        n_bytes = len(text.encode())
        try:
            for name in REFERENCES:
                if text and self.status is not Status.STOPPED:
                    self.references = {**self.references, name: n_bytes / count_tokens(name, text)}
        finally:
            self.is_measuring = False

    def _learn(self) -> None:
        learner = self.learner
        assert learner is not None
        lower_thread_priority()  # not during preparation, which starts processes for a typed pattern
        self._pace.resume(learner.n_steps)
        while True:
            with self._changed:
                if self.status is Status.PAUSED and not self._steps:
                    self._changed.wait_for(lambda: self.status is not Status.PAUSED or self._steps > 0)
                if self.status is Status.STOPPED:
                    return
                self._merge(learner)
                self._changed.notify_all()
                if self.status is Status.FINISHED:
                    return
                waits = self._together.n_allowed(self) < 1
            speed = self._speed()
            # Even a sleep of 0 lets other threads run.
            time.sleep(min(0.05, 1 / speed) if speed else 0.002 if waits else 0)
            while self._asking:
                time.sleep(0.0005)

    def _merge(self, learner: Learner) -> None:
        """Make the requested steps, or a slice of merges, up to the merge to pause at."""
        is_longest = self._together.is_longest(self)
        n_steps, n_to_pause = self._steps, (self.pause_at or 0) - learner.n_steps if is_longest else 0
        speed = self._speed()
        n_wanted = n_steps or min(self._pace.n_wanted(speed), self._together.n_allowed(self))
        if n_to_pause > 0 and not n_steps:
            n_wanted = min(n_wanted, n_to_pause)
        with _at_work:
            started = time.perf_counter()
            n_done = self._advance(learner, n_wanted)
            seconds = time.perf_counter() - started
        self._seconds_at_work += seconds
        self._pace.did(n_done, seconds=seconds, n_merges=learner.n_steps, merges_per_second=speed)
        self._steps = 0
        if 0 < n_to_pause <= n_done:
            for run in self._together.runs:
                if run.status is Status.RUNNING:
                    run.status = Status.PAUSED
        if learner.stop_reason:
            self.status = Status.FINISHED

    def _speed(self) -> float | None:
        """Return the merges per second now; None for as many as possible."""
        return speed_at(self.merges_per_second, self.n_merges) if self._together.is_longest(self) else None

    def _advance(self, learner: Learner, n_wanted: int) -> int:
        """Make up to `n_wanted` merges, record candidates on the way, and return the number of merges."""
        n_done = 0
        while True:
            n_until_next = self._candidates.n_until_next(learner.n_steps)
            if not n_until_next:
                self._candidates.add(learner.n_steps, learner.candidates(N_CANDIDATES))
                continue
            n_made = learner.advance(n) if (n := min(n_wanted - n_done, n_until_next)) > 0 else 0
            n_done += n_made
            if n_made < n_until_next:
                return n_done


_SLICE_SECONDS = 0.02
_MEASURED_SECONDS = 0.5
_MAX_SLICE = 4096


class Pace:
    """Sizes the slices of work and measures merges per second.

    A slice takes about 20 ms, so that a pause takes effect at once. At a set speed, merges become due as time
    passes, at most a second's worth: time in a pause does not count.

    >>> pace = Pace(None)
    >>> pace.n_wanted(None)
    64
    >>> pace.did(64, seconds=0.01, n_merges=64, merges_per_second=None)
    >>> pace.n_wanted(None)
    128
    """

    def __init__(
        self, merges_per_second: float | None, *, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._clock = clock
        #: As measured, or as set before the first measurement.
        self.merges_per_second = merges_per_second or 0.0
        self._slice = 64
        self.resume(0)

    def resume(self, n_merges: int) -> None:
        """Measure from now on, after a pause at `n_merges`."""
        self._owed = 0.0  # merges due at the set speed
        self._last = self._clock()
        self._measured_from = self._last, n_merges

    def n_wanted(self, merges_per_second: float | None) -> int:
        """Return the number of merges to make now, at the set speed or at full speed."""
        now = self._clock()
        if merges_per_second is None:
            self._last = now
            return self._slice
        self._owed = min(self._owed + (now - self._last) * merges_per_second, merges_per_second)
        self._last = now
        return min(int(self._owed), self._slice)

    def did(self, n_done: int, *, seconds: float, n_merges: int, merges_per_second: float | None) -> None:
        """Record that merges took this many seconds; `n_merges` are done in all."""
        self._owed = max(0.0, self._owed - n_done)  # at full speed nothing is due
        now = self._clock()
        began, n_before = self._measured_from
        if now - began >= max(_MEASURED_SECONDS, 4 / merges_per_second if merges_per_second else 0):
            self.merges_per_second = (n_merges - n_before) / (now - began)
            self._measured_from = now, n_merges
        if n_done == self._slice:
            self._slice = max(1, min(_MAX_SLICE, int(self._slice * _SLICE_SECONDS / max(seconds, 1e-4))))
