"""The trainings of one visitor; closing the tab ends them and frees their memory."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import streamlit as st

from playground.training.corpora import Corpus, novel
from playground.training.run import SPEEDS, RunSettings, TrainingRun

MAX_EARLIER_RUNS = 4
EXAMPLE_SPEED = "100"
#: A click that meets Streamlit's timer of a fragment is sent twice (1.67).
_DOUBLE_CLICK_SECONDS = 0.5

#: Begins a run at a speed, to pause at a merge.
StartRun = Callable[[float | None, int | None], None]


@dataclass
class TrainingSession:
    """The run in hand and those before it, by title, the latest last."""

    run: TrainingRun | None = None
    title: str = ""
    earlier: dict[str, TrainingRun] = field(default_factory=dict)
    n_started: int = 0
    uploaded: tuple[tuple[str, ...], Corpus] | None = None  # by the ids of its files
    chosen: Corpus | None = None  # what the next run learns from; here, so that `close` lets go of it
    _started_at: float = 0.0
    _last_wish: tuple[RunSettings, str, int] | None = None

    def start(
        self,
        settings: RunSettings,
        merges_per_second: float | None,
        pause_at: int | None = None,
    ) -> None:
        """Begin a new run on `chosen`; what the one before has learned is kept for comparison."""
        corpus = self.chosen
        if corpus is None:
            return
        wish = (settings, corpus.title, corpus.n_characters)
        if wish == self._last_wish and time.monotonic() - self._started_at < _DOUBLE_CLICK_SECONDS:
            return
        self._last_wish, self._started_at = wish, time.monotonic()
        if self.run is not None:
            self.run.stop()
            if self.run.n_merges:
                self.earlier[self.title] = self.run
        while len(self.earlier) > MAX_EARLIER_RUNS:
            del self.earlier[next(iter(self.earlier))]
        self.n_started += 1
        self.title = f"{self.n_started} · {corpus.title.split(':')[0]}, {settings.pattern.name}"
        self.run = TrainingRun(corpus, settings, merges_per_second=merges_per_second, pause_at=pause_at)

    def runs(self) -> dict[str, TrainingRun]:
        """All runs that have learned something, by title."""
        current = {self.title: self.run} if self.run is not None and self.run.n_merges else {}
        return {**self.earlier, **current}

    def reset(self) -> None:
        """End and forget the run in hand."""
        if self.run is not None:
            self.run.stop()
        self.run = None

    def close(self) -> None:
        """End every run."""
        for run in [*self.earlier.values(), *([self.run] if self.run is not None else [])]:
            run.close()
        self.run = None
        self.uploaded = self.chosen = None
        self.earlier.clear()


@st.cache_resource(scope="session", on_release=lambda session: session.close(), show_spinner=False)
def training_session() -> TrainingSession:
    """This visitor's trainings; the first visit starts an example."""
    session = TrainingSession(chosen=novel())
    session.start(RunSettings(), SPEEDS[EXAMPLE_SPEED])
    return session
