"""TrainingRun: a training in a thread of its own, which a class can start, pause, step and follow.

It knows nothing of pages; a page reads it and draws.
"""

import threading
import time
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
import numpy.typing as npt

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SPLIT_PATTERNS, SplitPattern
from playground.catalog.registry import get_tokenizer
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import PlaygroundError, TextTooLongError
from playground.core.tokenizer import replace_lone_surrogates
from playground.training.corpora import Corpus, split_held_out
from playground.training.merges import Merge
from playground.training.pretoken_counts import count_pretokens
from playground.training.trainer import PairCount, Trainer, model_of
from playground.training.warm_up import compile_trainer

#: Merges a second; None is as fast as the machine goes.
SPEEDS: dict[str, float | None] = {
    "1 a second": 1,
    "5": 5,
    "25": 25,
    "100": 100,
    "400": 400,
    "full speed": None,
}
REFERENCES = ("gpt2", "cl100k_base", "o200k_base")

#: A larger held-out part would be no better measure, and is encoded whenever it is looked at.
MAX_HELD_OUT_CHARACTERS = 4_000_000
#: Only the known patterns have a scanner that takes hundreds of megabytes in seconds and in little memory.
MAX_SLOW_CHARACTERS = 20_000_000

_MAX_KEPT_CHARACTERS = 1_000_000
_SLICE_SECONDS = 0.02
_PACE_SECONDS = 0.5
#: So that classes that train do not take all cores from a visitor who types.
_at_work = threading.BoundedSemaphore(2)
_warm_lock = threading.Lock()
_is_warm = threading.Event()


class Status(Enum):
    """Where a run stands."""

    PREPARING = "preparing"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    STOPPED = "stopped"
    FAILED = "failed"

    @property
    def is_over(self) -> bool:
        """Whether no merge will follow."""
        return self in (Status.FINISHED, Status.STOPPED, Status.FAILED)


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What a person chose for a run."""

    vocab_size: int = 1256
    pattern: SplitPattern = field(default_factory=lambda: SplitPattern.named("gpt2"))
    ties: str = "first-seen"
    min_count: int = 2
    special_tokens: tuple[str, ...] = ()
    held_out_share: float = 0.1


class TrainingRun:
    """A run over a corpus. `close` ends its thread and is safe to call twice.

    `merges_per_second` and `pause_at`, the number of merges at which it holds, may be changed as it runs.

    >>> run = TrainingRun(Corpus("toy", ("aaabdaaabac",)), RunSettings(vocab_size=258, held_out_share=0))
    >>> run.wait()
    >>> run.status.value, [merge.raw for merge in run.merges()]
    ('finished', [b'aa', b'aaa'])
    """

    def __init__(
        self,
        corpus: Corpus,
        settings: RunSettings,
        *,
        merges_per_second: float | None = None,
        pause_at: int | None = None,
    ) -> None:
        self._corpus: Corpus | None = corpus
        self.settings = settings
        self.status = Status.PREPARING
        self.error = ""
        self.stage = "Splitting and counting the text"
        self.training_texts: tuple[str, ...] = ()  # to look at: of a long text the beginning
        self.held_out_texts: tuple[str, ...] = ()
        self.n_bytes = 0
        self.n_held_out_bytes = 0
        self.n_pretokens = 0
        self.n_unmatched_bytes = 0
        self.references: dict[str, float] = {}
        self.merges_per_second = merges_per_second
        self.pace = merges_per_second or 0.0
        self.pause_at = pause_at
        self._trainer: Trainer | None = None
        self._steps = 0
        self._seconds_at_work = 0.0
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="training", daemon=True)
        self._thread.start()

    @property
    def is_active(self) -> bool:
        """Whether a page should keep looking."""
        return self.status in (Status.PREPARING, Status.RUNNING) or self._steps > 0

    @property
    def n_merges(self) -> int:
        """Merges done so far."""
        return self._trainer.n_merges if self._trainer is not None else 0

    @property
    def n_merges_wanted(self) -> int:
        """Merges asked for."""
        return self.settings.vocab_size - 256

    @property
    def seconds_left(self) -> float | None:
        """At `pace`, the merges a second measured last; None where nothing was measured yet."""
        return (self.n_merges_wanted - self.n_merges) / self.pace if self.pace else None

    @property
    def seconds(self) -> float:
        """Time spent merging, waiting for the class included."""
        return self._seconds_at_work

    @property
    def stop_reason(self) -> str:
        """Why it finished, in words; "" before."""
        reason = self._trainer.stop_reason if self._trainer is not None else None
        return reason.value if reason is not None else ""

    def pause(self) -> None:
        """Hold after the merge in hand."""
        with self._changed:
            if self.status is Status.RUNNING:
                self.status = Status.PAUSED
                self._changed.notify()

    def resume(self) -> None:
        """Go on."""
        with self._changed:
            if self.status is Status.PAUSED:
                self.status = Status.RUNNING
                self._changed.notify()

    def step(self, n_merges: int) -> None:
        """Do so many merges of a paused run, and return when they are done."""
        with self._changed:
            if self.status is Status.PAUSED:
                self._steps += n_merges
                self._changed.notify()
                self._changed.wait_for(
                    lambda: self._steps == 0 or self.status is not Status.PAUSED, timeout=5
                )

    def stop(self) -> None:
        """End the run and keep what it has learned."""
        with self._changed:
            if self.status in (Status.PREPARING, Status.RUNNING, Status.PAUSED):
                self.status = Status.STOPPED
                self._steps = 0
                self._changed.notify_all()

    close = stop

    def wait(self, seconds: float = 60) -> None:
        """Wait until the thread has ended."""
        self._thread.join(seconds)

    def merges(self, first: int = 0, last: int | None = None) -> list[Merge]:
        """The merges from rank `first` up to, not including, `last`."""
        with self._changed:
            return self._trainer.merges(first, last) if self._trainer is not None else []

    def columns(self) -> npt.NDArray[np.int64]:
        """The merges so far as in `Trainer.columns`; no merge, no row."""
        with self._changed:
            return self._trainer.columns() if self._trainer is not None else np.empty((0, 6), np.int64)

    def token_bytes(self) -> list[bytes]:
        """The bytes of each id so far."""
        with self._changed:
            return self._trainer.token_bytes() if self._trainer is not None else []

    def top_pairs(self, n_pairs: int = 8) -> list[PairCount]:
        """The pairs that occur most often now."""
        with self._changed:
            return self._trainer.top_pairs(n_pairs) if self._trainer is not None else []

    def model(self) -> BpeModel:
        """What has been learned so far."""
        with self._changed:
            if self._trainer is None:
                return BpeModel(self.settings.pattern, ())
            return model_of(self._trainer, self.settings.pattern, self.settings.special_tokens)

    def tokenizer(self, name: str) -> TrainedTokenizer:
        """What has been learned so far, as a tokenizer."""
        return TrainedTokenizer(name, self.model())

    def _work(self) -> None:
        try:
            self._prepare()
            self._learn()
        except PlaygroundError as error:
            self._fail(str(error))
        except MemoryError:
            self._fail("the text does not fit in memory; choose a smaller one")
        except Exception as error:
            self._fail(f"the training broke off, which is a fault of ours: {error!r}")
            raise

    def _fail(self, message: str) -> None:
        with self._changed:
            self.error = message
            self.status = Status.FAILED
            self._changed.notify_all()

    def _prepare(self) -> None:
        if not _is_warm.is_set():
            self.stage = "Compiling the trainer: the first start on a computer takes about ten seconds"
        warm_up()
        self.stage = "Splitting and counting the text"
        settings = self.settings
        corpus = self._corpus
        assert corpus is not None
        n_characters = corpus.n_characters
        if n_characters > MAX_SLOW_CHARACTERS and settings.pattern.name not in SPLIT_PATTERNS:
            raise TextTooLongError(
                f"the text has {n_characters:,} characters; with no split pattern, or one of one's own, at "
                f"most {MAX_SLOW_CHARACTERS:,} can be learned from here. Choose less text, or one of "
                f"{', '.join(SPLIT_PATTERNS)}"
            )
        share = min(settings.held_out_share, MAX_HELD_OUT_CHARACTERS / max(n_characters, 1))
        training, held_out = split_held_out(corpus, share)
        self._corpus = corpus = None  # a large text is held no longer than it is counted
        self.training_texts, self.held_out_texts = _first_characters(training), held_out
        with _at_work:
            pretokens = count_pretokens(training, settings.pattern)
            del training
            held_out_pretokens = count_pretokens(held_out, settings.pattern)
            trainer = Trainer(
                pretokens,
                vocab_size=settings.vocab_size,
                ties=settings.ties,
                min_count=settings.min_count,
                held_out=held_out_pretokens,
            )
        model_of(trainer, settings.pattern, settings.special_tokens)  # raises where a special token is bad
        self.n_bytes, self.n_held_out_bytes = pretokens.n_bytes, held_out_pretokens.n_bytes
        self.n_pretokens = len(pretokens)
        self.n_unmatched_bytes = pretokens.n_unmatched_bytes
        threading.Thread(target=self._measure_references, name="references", daemon=True).start()
        with self._changed:
            self._trainer = trainer
            if self.status is Status.PREPARING:
                self.status = Status.RUNNING

    def _measure_references(self) -> None:
        text = replace_lone_surrogates("".join(self.held_out_texts) or "".join(self.training_texts)[:200_000])
        for name in REFERENCES:
            if text and self.status is not Status.STOPPED:
                n_tokens = len(get_tokenizer(name).encode(text))
                self.references = {**self.references, name: len(text.encode()) / n_tokens}

    def _learn(self) -> None:
        trainer = self._trainer
        assert trainer is not None
        owed = 0.0  # merges that the speed allows by now
        last = time.perf_counter()
        pace_from = last, trainer.n_merges
        slice_merges = 64
        while True:
            with self._changed:
                if self.status is Status.PAUSED and not self._steps:
                    self._changed.wait_for(lambda: self.status is not Status.PAUSED or self._steps > 0)
                    last = time.perf_counter()
                    pace_from, owed = (last, trainer.n_merges), 0.0
                if self.status is Status.STOPPED:
                    return
                is_stepping = self.status is Status.PAUSED
                if is_stepping:
                    n_wanted = self._steps
                elif self.merges_per_second is None:
                    n_wanted = slice_merges
                else:
                    now = time.perf_counter()
                    owed = min(owed + (now - last) * self.merges_per_second, self.merges_per_second)
                    last = now
                    n_wanted = min(int(owed), slice_merges)
                n_to_pause = (self.pause_at or 0) - trainer.n_merges
                if n_to_pause > 0 and not is_stepping:
                    n_wanted = min(n_wanted, n_to_pause)
                with _at_work:
                    started = time.perf_counter()
                    n_done = trainer.advance(n_wanted) if n_wanted > 0 else 0
                    took = time.perf_counter() - started
                owed -= n_done
                self._seconds_at_work += took
                speed = self.merges_per_second
                if started + took - pace_from[0] >= max(_PACE_SECONDS, 4 / speed if speed else 0):
                    self.pace = (trainer.n_merges - pace_from[1]) / (started + took - pace_from[0])
                    pace_from = started + took, trainer.n_merges
                if is_stepping:
                    self._steps = 0
                elif 0 < n_to_pause <= n_done:
                    self.status = Status.PAUSED
                if trainer.stop_reason is not None:
                    self.status = Status.FINISHED
                    self._changed.notify_all()
                    return
                self._changed.notify_all()
                if n_done == slice_merges:
                    slice_merges = max(1, min(4096, int(slice_merges * _SLICE_SECONDS / max(took, 1e-4))))
            idle = 0.0 if self.merges_per_second is None else min(0.05, 1 / self.merges_per_second)
            time.sleep(idle)  # also where nothing is to wait for, so that others get their turn


def _first_characters(texts: tuple[str, ...]) -> tuple[str, ...]:
    kept = []
    n_left = _MAX_KEPT_CHARACTERS
    for text in texts:
        if n_left > 0:
            kept.append(text[:n_left])
            n_left -= len(text)
    return tuple(kept)


def warm_up() -> None:
    """Compile the trainer, or load it compiled; returns at once when that is done already."""
    with _warm_lock:
        if not _is_warm.is_set():
            compile_trainer()
            _is_warm.set()
