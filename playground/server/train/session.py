"""One visitor's runs on the Train page, the routes of the transport buttons, and the view that is polled.

The page starts a run; after that only routes change it, so a button works whatever Streamlit is doing. The
browser asks for `look` several times a second while the run changes, and draws the answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypedDict, get_args

from starlette.responses import Response

from playground.core.errors import PlaygroundError
from playground.core.wording import counted
from playground.server.actions import Action, Actions
from playground.server.sessions import PageSession
from playground.server.shapes import Optional, Shape, integer, one_of, or_null, string, whole_text
from playground.server.train.film import (
    MAX_CHARACTERS,
    MAX_LISTED,
    MAX_LISTED_LIVE,
    MAX_WORD_CHARACTERS,
    ForestColumns,
    ListedCandidate,
    ListedChange,
    TokenColumns,
    forest_columns,
    labels_of,
    listed_candidates,
    listed_changes,
    longest_word,
    passages,
    token_columns,
)
from playground.server.wire import json_response
from playground.training.algorithms.learner import Film
from playground.training.algorithms.merge_learner import StopReason
from playground.training.algorithms.registry import get_algorithm
from playground.training.corpora import Corpus
from playground.training.counted_corpus import CountedCorpus
from playground.training.curve import MAX_LIVE_POINTS, MAX_POINTS, curve_points
from playground.training.run import SPEEDS, RunSettings, Status, Together, TrainingRun
from playground.training.run.candidates import N_CANDIDATES

MAX_EARLIER_RUNS = 4
#: Runs on the screen beside the newest one.
MAX_BESIDE = 2
DEFAULT_SPEED = next(iter(SPEEDS))
Sample = Literal["held_out", "training", "own"]


class Note(TypedDict):
    """A sentence below the progress bar."""

    kind: Literal["info", "warning", "error"]
    text: str


class CurveColumns(TypedDict):
    """Points of the curve as columns; compression is in bytes per token, `saved` in tokens per step.

    `name` is the algorithm's title, `step` its name of a step, and `size` the vocabulary at which the run
    ends. `held_out` is None where no text is held out; `references` are known encodings measured on the same
    text. `lines` are further lines by title.
    """

    name: str
    step: str
    size: int
    merges: list[int]
    vocabulary: list[int]
    training: list[float]
    held_out: list[float] | None
    saved: list[float]
    references: dict[str, float]
    lines: dict[str, list[float]]


class RunView(TypedDict):
    """What is shown of a run after its steps 0 to `n`; `last` is where the run ends.

    `candidates` are the likeliest changes after step `n`, and `earlier_candidates` those of earlier steps,
    each with its step; during a run only those of step 0. `score_name` is what orders them.
    """

    title: str
    n: int
    last: int
    is_over: bool
    text: str
    tokens: TokenColumns
    changes: list[ListedChange]
    candidates: list[ListedCandidate]
    earlier_candidates: list[tuple[int, list[ListedCandidate]]]
    score_name: str
    labels: dict[int, str]
    curve: CurveColumns


class FilmView(RunView):
    """The newest run, with the choice of a text, and the merge trees of a word."""

    is_live: bool
    samples: list[Sample]
    sample: Sample
    word: str
    forest: ForestColumns


class TrainView(TypedDict):
    """A run as the browser draws it; `result` changes when the page's results are out of date.

    `status` is a `Status`, or "" without a run. The browser asks again while `is_changing`.
    """

    run: int
    status: str
    is_changing: bool
    result: str
    share: float
    progress: str
    notes: list[Note]
    speed: str
    pause_at: int | None
    film: FilmView | None
    beside: list[RunView]


class TrainAnswer(TypedDict):
    """The view, or None where the browser has this revision of it already."""

    revision: str
    view: TrainView | None


@dataclass(frozen=True, slots=True)
class _Beside:
    """A run that is shown beside the newest one, with what it was started from."""

    title: str
    run: TrainingRun
    corpus: Corpus | CountedCorpus


@dataclass(eq=False)
class TrainSession(PageSession):
    """The run in progress and earlier ones, by title with the latest last."""

    run: TrainingRun | None = field(init=False, default=None)
    title: str = field(init=False, default="")
    learned_from: str = field(init=False, default="")
    earlier: dict[str, TrainingRun] = field(init=False, default_factory=dict)
    n_started: int = field(init=False, default=0)
    speed: str = field(init=False, default=DEFAULT_SPEED)
    pause_at: int | None = field(init=False, default=None)
    #: Whether the visitor started the run or pressed its buttons; that of a first visit starts by itself.
    is_own: bool = field(init=False, default=False)
    is_closed: bool = field(init=False, default=False)
    beside: list[_Beside] = field(init=False, default_factory=list)
    _corpus: Corpus | CountedCorpus | None = field(init=False, default=None)
    _together: Together = field(init=False, default_factory=Together)
    _rows: dict[TrainingRun, tuple[int, list[ListedChange]]] = field(init=False, default_factory=dict)
    _films: dict[tuple[TrainingRun, str], tuple[str, Film]] = field(init=False, default_factory=dict)

    @property
    def is_bounded(self) -> bool:
        """Whether small requests make small work: not with a pattern of one's own, which may be slow."""
        run = self.run
        return run is None or run.settings.pattern.is_known or run.settings.pattern.is_none

    # ---- runs

    def start(
        self,
        corpus: Corpus | CountedCorpus,
        settings: RunSettings,
        *,
        is_paused: bool = False,
        is_beside: bool = False,
    ) -> None:
        """Start a run and keep what the previous one has learned for comparison; `is_paused` at merge 0.

        With `is_beside` the shown runs start again beside the new one, up to `MAX_BESIDE` of them.
        """
        with self.lock:
            if self.is_closed:
                return
            if self.run is not None:
                self.run.stop()
                if self.run.n_merges:
                    self.earlier[_title_of(self.title, self.run)] = self.run
            while len(self.earlier) > MAX_EARLIER_RUNS:
                del self.earlier[next(iter(self.earlier))]
            self.is_own = self.n_started > 0
            shown = list(self.beside)
            if self.run is not None and self._corpus is not None and self.run.status is not Status.FAILED:
                shown.append(_Beside(self.title, self.run, self._corpus))
            self._show_beside(shown[-MAX_BESIDE:] if is_beside else [], is_paused=is_paused)
            self._start(corpus, settings, is_paused=is_paused)

    def reset(self) -> None:
        """Forget what the run has learned: the same corpus and settings wait at merge 0."""
        with self.lock:
            if self.run is None or self._corpus is None or self.is_closed:
                return
            self.run.stop()
            self._show_beside(self.beside, is_paused=True)
            self._start(self._corpus, self.run.settings, is_paused=True)

    @property
    def would_discard(self) -> bool:
        """Whether starting another run ends one that the visitor is watching."""
        return self.is_own and any(not run.status.is_over for run in self._shown())

    def runs(self) -> dict[str, TrainingRun]:
        """Return all runs that have learned something, by title; the title of an ended run has its size."""
        if self.run is None or not self.run.n_merges:
            return dict(self.earlier)
        title = _title_of(self.title, self.run) if self.run.status.is_over else self.title
        return {**self.earlier, title: self.run}

    def close(self) -> None:
        """End all runs, refuse new ones and drop the texts; the visitor's tab was closed."""
        self.is_closed = True
        for run in [*self.earlier.values(), *self._shown()]:
            run.close()
        self.beside = []
        self.run = self._corpus = None
        self.earlier.clear()
        self._films.clear()
        self._rows.clear()

    def _start(self, corpus: Corpus | CountedCorpus, settings: RunSettings, *, is_paused: bool) -> None:
        self.n_started += 1
        self._corpus = corpus
        self.learned_from = corpus.title.split(": ")[0]
        self.run = self._new_run(corpus, settings, is_paused=is_paused)
        pattern = self.run.settings.pattern.name
        base = settings.base.name if settings.base is not None else ""
        source = " · ".join(filter(None, [get_algorithm(settings.algorithm).title, base, self.learned_from]))
        self.title = f"{self.n_started} · {source} · {settings.vocab_size:,} tokens · {pattern}"
        self._rows.clear()
        self._films.clear()

    def _new_run(
        self, corpus: Corpus | CountedCorpus, settings: RunSettings, *, is_paused: bool
    ) -> TrainingRun:
        return TrainingRun(
            corpus,
            settings,
            merges_per_second=SPEEDS[self.speed],
            pause_at=self.pause_at,
            starts_paused=is_paused,
            together=self._together,
        )

    def _show_beside(self, shown: Sequence[_Beside], *, is_paused: bool) -> None:
        """Stop the runs beside the newest one, and start `shown` again from merge 0."""
        for old in self.beside:
            old.run.stop()
        self._together = Together()
        self.beside = [
            _Beside(old.title, self._new_run(old.corpus, old.run.settings, is_paused=is_paused), old.corpus)
            for old in shown
        ]

    def _shown(self) -> list[TrainingRun]:
        """Return the runs on the screen, which the buttons control together."""
        return [*([self.run] if self.run is not None else []), *(other.run for other in self.beside)]

    # ---- transport

    def pause(self) -> None:
        """Pause after the current merge."""
        for run in self._pressed():
            run.pause()

    def resume(self) -> None:
        """Continue a paused run."""
        for run in self._pressed():
            run.resume()

    def step(self, n_merges: int) -> None:
        """Do some steps of the longest paused run, and bring the others to the same share of theirs."""
        self.is_own = True
        for run, n in self._together.steps_to(n_merges).items():
            if n > 0:
                run.step(n)

    def stop(self) -> None:
        """End the run and keep what it has learned."""
        for run in self._pressed():
            run.stop()

    def set_pace(self, speed: str, pause_at: int | None) -> None:
        """Set the speed, a key of `SPEEDS`, and the merge to pause at, of this run and of later ones."""
        with self.lock:
            self.speed, self.pause_at = speed, pause_at
            for run in self._shown():
                run.merges_per_second, run.pause_at = SPEEDS[speed], pause_at

    def _pressed(self) -> list[TrainingRun]:
        self.is_own = True
        return self._shown()

    # ---- view

    @property
    def status(self) -> str:
        """The status of a run on the screen that is not over, else of the newest run; "" without a run."""
        shown = sorted(self._shown(), key=lambda run: run.status.is_over)
        return shown[0].status.value if shown else ""

    @property
    def result(self) -> str:
        """A key that changes with what the page's results are computed from."""
        run = self.run
        return "" if run is None else f"{self.n_started} {run.n_merges} {run.status.value}"

    def look(self, *, seen: str, sample: Sample, own_text: str, word: str | None) -> TrainAnswer:
        """Return the run as the browser draws it, or no view if the browser has `seen` this revision.

        `sample` is the text that the film shows, `own_text` the one for "own"; `word` is the word whose merge
        trees are drawn, None for the longest of the text. Raises PlaygroundError for a pattern that takes too
        long on this text.
        """
        with self.lock:
            run, shown = self.run, self._shown()
            is_live = any(each.is_active for each in shown)
            state = (
                self.result, run and (run.stage, run.share_prepared, len(run.references)), is_live,
                self.speed, self.pause_at, sample, own_text, word,
                [(each.n_merges, each.status, each.is_prepared) for each in shown],
            )  # fmt: skip
            revision = repr(state)
            if revision == seen:
                return {"revision": revision, "view": None}
            if run is None:
                share, progress, notes = (
                    0.0,
                    "",
                    [_note("Nothing is being learned. Choose a corpus and press Start.")],
                )
            else:
                share, progress, notes = progress_of(run, self.learned_from)
            view: TrainView = {
                "run": self.n_started,
                "status": self.status,
                "is_changing": is_live or any(each.is_measuring for each in shown),
                "result": self.result,
                "share": share,
                "progress": progress,
                "notes": notes,
                "speed": self.speed,
                "pause_at": self.pause_at,
                "film": None,
                "beside": [],
            }
            if run is not None and run.is_prepared:
                try:
                    view["film"] = made = self._film_view(
                        run, sample, own_text[:MAX_CHARACTERS], word, is_live=is_live
                    )
                    view["beside"] = [
                        self._run_view(other.run, other.title, made["text"], is_live=is_live)
                        for other in self.beside
                        if other.run.is_prepared
                    ]
                except PlaygroundError as error:  # a pattern of one's own that takes too long for this text
                    view["notes"] = [*notes, _note(str(error), "error")]
            return {"revision": revision, "view": view}

    def _film_view(
        self, run: TrainingRun, sample: Sample, own_text: str, word: str | None, *, is_live: bool
    ) -> FilmView:
        samples = list(get_args(Sample))
        if not run.has_held_out:
            samples.remove("held_out")
        if sample not in samples:
            sample = samples[0]
        if sample == "own":
            text = own_text
        else:
            text = passages(run.held_out_texts if sample == "held_out" else run.training_texts)
        word = longest_word(text) if word is None else word[:MAX_WORD_CHARACTERS]
        return {
            **self._run_view(run, self.title, text, is_live=is_live),
            "is_live": is_live,
            "samples": samples,
            "sample": sample,
            "word": word,
            "forest": forest_columns(self._film(run, "word", word), only_now=is_live),
        }

    def _run_view(self, run: TrainingRun, title: str, text: str, *, is_live: bool) -> RunView:
        with run.between_merges():  # one wait for the current merges, not one for each value
            return self._view_of_now(run, title, text, is_live=is_live)

    def _view_of_now(self, run: TrainingRun, title: str, text: str, *, is_live: bool) -> RunView:
        film = self._film(run, "text", text)
        n = film.n_steps
        changes = self._listed(run, n)[-(MAX_LISTED_LIVE if is_live else MAX_LISTED) :]
        candidates = listed_candidates(run.candidates(N_CANDIDATES))
        earlier = [(k, listed_candidates(each)) for k, each in run.earlier_pairs(0 if is_live else n)]
        ids = {token_id for _, _, new, parts, *_ in changes for token_id in (new, *parts)}
        for rows in (candidates, *(rows for _, rows in earlier)):
            ids |= {token_id for row in rows for token_id in row[:2] if token_id >= 0}
        return {
            "title": title,
            "n": n,
            "last": max(run.n_merges if run.status.is_over else run.n_merges_wanted, 1),
            "is_over": run.status.is_over,
            "text": film.text,
            "tokens": token_columns(film, only_now=is_live),
            "changes": changes,
            "candidates": candidates,
            "earlier_candidates": earlier,
            "score_name": run.learner.score_name if run.learner is not None else "",
            "labels": dict(labels_of(sorted(ids), run.token_bytes())),
            "curve": _curve_of(run),
        }

    def _film(self, run: TrainingRun, name: str, text: str) -> Film:
        """Return the film of a text up to the latest step; it is made once and follows the run."""
        if (run, name) not in self._films or self._films[run, name][0] != text:
            self._films[run, name] = text, run.film(text)
        film = self._films[run, name][1]
        run.follow(film)
        return film

    def _listed(self, run: TrainingRun, n: int) -> list[ListedChange]:
        """Return the rows of the last changes of a run's first `n` steps; each is made once."""
        n_known, rows = self._rows.get(run, (0, []))
        first = max(n_known, n - MAX_LISTED)
        if n > n_known:
            states = run.curve()[first + 1 : n + 1].tolist()
            rows += listed_changes(run.changes(first, n), states, first)
            self._rows[run] = n, rows[-MAX_LISTED:]
        return rows[-MAX_LISTED:]


def progress_of(run: TrainingRun, learned_from: str) -> tuple[float, str, list[Note]]:
    """Return how far a run is: the share that is done from 0 to 1, a line of text, and notes on its end."""
    n_done, n_wanted = run.n_merges, run.n_merges_wanted
    step = get_algorithm(run.settings.algorithm).step
    if run.status is Status.FAILED:
        return 0.0, "Failed", [_note(run.error, "error")]
    if run.status is Status.PREPARING:
        share = run.share_prepared
        return share, f"{run.stage} · {share:.0%}" if share else f"{run.stage} …", []
    if not run.is_prepared:
        stopped = "Stopped while counting the corpus. Nothing was learned. Press Start to try again."
        return 0.0, "Stopped", [_note(stopped)]
    parts = [f"{run.status.value.capitalize()} · {n_done:,} of {counted(n_wanted, step)}"]
    left = run.seconds_left
    if run.status is Status.RUNNING and left is not None:
        parts.append(f"{run.pace:,.{0 if run.pace >= 3 else 1}f} {step}s per second, {_duration(left)} left")
    elif run.seconds and n_done:
        parts.append(f"{_duration(run.seconds)} of CPU time")
    n_bytes, n_pretokens = counted(run.n_bytes, "byte"), counted(run.n_pretokens, "distinct pretoken")
    parts.append(f"{n_bytes} of {learned_from} in {n_pretokens}")
    is_done = run.status is Status.FINISHED
    notes = []
    if is_done and n_done < n_wanted:
        more = "" if run.stop_reason == StopReason.NO_PAIR.value else ", or a lower minimum count"
        notes.append(
            _note(
                f"This text gives {counted(n_done, step)}, so a vocabulary of {n_learned(run):,}: "
                f"then {run.stop_reason}. To learn more, choose a longer text{more}."
            )
        )
    elif is_done and (n_learned(run) < run.settings.vocab_size or run.settings.base is not None):
        reason = run.stop_reason
        notes.append(_note(f"{reason[0].upper()}{reason[1:].removesuffix('.')}."))
    if run.n_unmatched_bytes:
        unmatched = counted(run.n_unmatched_bytes, "byte")
        text = f"The split pattern leaves {unmatched} unmatched. They are kept as pretokens of their own."
        notes.append(_note(text, "warning"))
    return 1.0 if is_done else min(n_done / n_wanted, 1.0), " · ".join(parts), notes


def _curve_of(run: TrainingRun) -> CurveColumns:
    algorithm = get_algorithm(run.settings.algorithm)
    n_points = MAX_LIVE_POINTS if run.is_active else MAX_POINTS
    points = curve_points(run, max_points=n_points, has_tokens=False)
    held_out = [point.held_out for point in points if point.held_out is not None]
    places = [point.n_merges for point in points]
    return {
        "name": algorithm.title,
        "step": algorithm.step,
        "size": n_learned(run) if run.status.is_over else run.settings.vocab_size,
        "merges": places,
        "vocabulary": [point.n_vocab for point in points],
        "training": [point.training for point in points],
        "held_out": held_out or None,
        "saved": [point.saved for point in points],
        "references": dict(run.references),
        "lines": {title: line[places].tolist() for title, line in run.lines().items() if places},
    }


def _title_of(title: str, run: TrainingRun) -> str:
    """Return a run's title with the size that it reached: a text may end early, or someone stops the run."""
    source, _, pattern = title.rsplit(" · ", 2)
    return f"{source} · {n_learned(run):,} tokens · {pattern}"


def n_learned(run: TrainingRun) -> int:
    """Return the size of the vocabulary that a run has learned so far."""
    states = run.curve()
    return int(states[-1, 0]) if len(states) else 256


def _note(text: str, kind: Literal["info", "warning", "error"] = "info") -> Note:
    return {"kind": kind, "text": text}


def _duration(seconds: float) -> str:
    if seconds < 1:
        return f"{max(1, round(seconds * 1000)):,} ms"
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


# ---- routes


def _look(session: TrainSession, *, seen: str, sample: Sample, own_text: str, word: str | None) -> Response:
    return json_response(session.look(seen=seen, sample=sample, own_text=own_text, word=word))


def _pause(session: TrainSession) -> Response:
    session.pause()
    return json_response({"status": session.status})


def _resume(session: TrainSession) -> Response:
    session.resume()
    return json_response({"status": session.status})


def _step(session: TrainSession, *, n_merges: int) -> Response:
    session.step(n_merges)
    return json_response({"status": session.status})


def _stop(session: TrainSession) -> Response:
    session.stop()
    return json_response({"status": session.status})


def _reset(session: TrainSession) -> Response:
    session.reset()
    return json_response({"status": session.status})


def _pace(session: TrainSession, *, speed: str, pause_at: int | None) -> Response:
    session.set_pace(speed, pause_at)
    return json_response({})


TRAIN_ACTIONS: Actions = {
    "look": Action(
        _look,
        Shape(
            {
                "seen": string(),
                "sample": one_of(*get_args(Sample)),
                "own_text": Optional(whole_text, ""),
                "word": Optional(or_null(whole_text)),
            }
        ),
    ),
    "pause": Action(_pause, Shape({})),
    "resume": Action(_resume, Shape({})),
    "step": Action(_step, Shape({"n_merges": integer(1, 1_000)})),
    "stop": Action(_stop, Shape({})),
    "reset": Action(_reset, Shape({})),
    "pace": Action(_pace, Shape({"speed": one_of(*SPEEDS), "pause_at": or_null(integer(1, 10**9))})),
}
