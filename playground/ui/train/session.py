"""The trainings of one visitor; closing the tab ends them and frees their memory."""

import secrets
from dataclasses import dataclass, field

import streamlit as st

from playground.core.errors import PlaygroundError
from playground.training.corpora import Corpus, novel
from playground.training.counted_corpus import CountedCorpus
from playground.training.run import SPEEDS, RunSettings, TrainingRun

MAX_EARLIER_RUNS = 4
#: What the fields open with, and the example learns with.
EXAMPLE_SPEED, EXAMPLE_SPECIAL = "100", "<|endoftext|>"


@dataclass
class TrainingSession:
    """The run in hand and those before it, by title, the latest last."""

    run: TrainingRun | None = None
    title: str = ""
    learned_from: str = ""
    earlier: dict[str, TrainingRun] = field(default_factory=dict)
    n_started: int = 0
    #: What was read last of uploaded files, by their ids and the field of their rows.
    uploaded: tuple[object, Corpus | CountedCorpus | PlaygroundError] | None = None
    #: The fields of those that have rows, by id.
    fields: dict[str, list[str] | PlaygroundError] = field(default_factory=dict)
    visitor: str = field(default_factory=lambda: secrets.token_hex(8))
    is_closed: bool = False
    _last_wish: tuple[RunSettings, str, int] | None = None

    def start(
        self,
        corpus: Corpus | CountedCorpus,
        settings: RunSettings,
        merges_per_second: float | None,
        pause_at: int | None = None,
        *,
        n_seen: int | None = None,
    ) -> None:
        """Begin a new run; what the one before has learned is kept for comparison.

        `n_seen` is how many runs had begun when the pressed button was drawn. Streamlit's browser code (1.67)
        sends a press with each timer of a fragment that it meets, and then once more; one that wishes what
        has begun since is the same.
        """
        wish = _wish_of(corpus, settings)
        is_repeated = wish == self._last_wish and n_seen is not None and n_seen < self.n_started
        if is_repeated or self.is_closed:
            return
        self._last_wish = wish
        if self.run is not None:
            self.run.stop()
            if self.run.n_merges:
                self.earlier[_learned_title(self.title, self.run)] = self.run
        while len(self.earlier) > MAX_EARLIER_RUNS:
            del self.earlier[next(iter(self.earlier))]
        self.n_started += 1
        self.learned_from = corpus.title.split(": ")[0]
        self.run = TrainingRun(corpus, settings, merges_per_second=merges_per_second, pause_at=pause_at)
        pattern = self.run.settings.pattern.name
        self.title = f"{self.n_started} · {self.learned_from} · {settings.vocab_size:,} tokens · {pattern}"

    def is_of(self, corpus: Corpus | CountedCorpus, settings: RunSettings) -> bool:
        """Whether the last run was begun with these."""
        return self._last_wish == _wish_of(corpus, settings)

    def runs(self) -> dict[str, TrainingRun]:
        """All runs that have learned something, by title; that of a run that is over says how much it has."""
        if self.run is None or not self.run.n_merges:
            return dict(self.earlier)
        title = _learned_title(self.title, self.run) if self.run.status.is_over else self.title
        return {**self.earlier, title: self.run}

    def reset(self) -> None:
        """End and forget the run in hand."""
        if self.run is not None:
            self.run.stop()
        self.run = None

    def close(self) -> None:
        """End every run, begin no other, and let go of the texts."""
        self.is_closed = True
        for run in [*self.earlier.values(), *([self.run] if self.run is not None else [])]:
            run.close()
        self.run = None
        self.uploaded = None
        self.earlier.clear()


def _learned_title(title: str, run: TrainingRun) -> str:
    n_missing = run.n_merges_wanted - run.n_merges  # a text has no pair left, or someone has stopped the run
    source, _, pattern = title.rsplit(" · ", 2)
    return f"{source} · {run.settings.vocab_size - n_missing:,} tokens · {pattern}"


def _wish_of(corpus: Corpus | CountedCorpus, settings: RunSettings) -> tuple[RunSettings, str, int]:
    files = () if isinstance(corpus, CountedCorpus) else corpus.files  # which are equal only to themselves
    return settings, corpus.title, hash((corpus.texts, files))


@st.cache_resource(scope="session", on_release=lambda session: session.close(), show_spinner=False)
def training_session() -> TrainingSession:
    """This visitor's trainings; the first visit starts an example."""
    session = TrainingSession()
    session.start(novel(), RunSettings(special_tokens=(EXAMPLE_SPECIAL,)), SPEEDS[EXAMPLE_SPEED])
    return session
