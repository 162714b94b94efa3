"""One visitor's runs on the Train page, and the routes by which the browser follows and cuts.

The browser asks for `look` while a run learns and gets the chunks that it does not have yet. It plays them by
itself: pace, pauses and steps need no request.
"""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, TypedDict, get_args

from playground.analysis.traces import trace_text
from playground.core.building import Merged
from playground.core.text_units import Column
from playground.core.tokenizer import replace_lone_surrogates
from playground.core.wording import counted
from playground.server.merge_tree.data import draw_merge_trees
from playground.server.sessions import PageSession
from playground.server.train.cuts import (
    MAX_CHARACTERS,
    MAX_WORD_CHARACTERS,
    RunCut,
    cut_by,
    longest_word,
    passages,
)
from playground.server.train.streaming import ChunkHead, ChunkStream
from playground.training.algorithms.registry import get_algorithm
from playground.training.corpora import Corpus
from playground.training.counted_corpus import CountedCorpus
from playground.training.run import RunSettings, Status, TrainingRun

MAX_EARLIER_RUNS = 4
#: Runs on the screen beside the newest one.
MAX_BESIDE = 2
Sample = Literal["held_out", "training", "own"]


class Note(TypedDict):
    """A sentence below the progress line."""

    kind: Literal["info", "warning", "error"]
    text: str


class RunView(TypedDict):
    """One shown run, with the heads of the chunks that the browser does not have; their columns follow.

    `number` tells runs apart. `name` is the algorithm's title and `step` its name of a step; `size` is the
    vocabulary at which the run ends, and `last` the number of its steps. `score_name` is what orders the
    candidates; `corpus` and `pattern` are names. `references` are bytes per token of known encodings on the
    text that is measured.
    """

    number: int
    title: str
    name: str
    corpus: str
    pattern: str
    step: str
    size: int
    last: int
    is_over: bool
    n_bytes: int
    n_held_out_bytes: int
    score_name: str
    references: dict[str, float]
    chunks: list[ChunkHead]


class TrainView(TypedDict):
    """The shown runs, the newest first; `result` changes when the page's results are out of date.

    `status` is a `Status`, or "" without a run. The browser asks again while `is_changing`.
    """

    status: str
    is_changing: bool
    result: str
    share: float
    progress: str
    notes: list[Note]
    starts_paused: bool
    samples: list[Sample]
    runs: list[RunView]


class TrainCuts(TypedDict):
    """A short text, its longest word, and how the shown runs cut it; runs that are not ready are missing."""

    sample: Sample
    text: str
    word: str
    runs: list[RunCut]


class TrainTrees(TypedDict):
    """The merge trees of a word's pretokens as SVG, and how the newest run cuts it; no tree if none is built.

    `leaves` are the numbers of bytes of the trees' leaves, from left to right.
    """

    word: str
    trees: list[str]
    leaves: list[int]
    cut: RunCut | None


@dataclass(frozen=True, slots=True)
class Shown:
    """A run on the screen: its number, its title and corpus, and its chunks as the browser gets them."""

    number: int
    title: str
    corpus: str
    run: TrainingRun
    stream: ChunkStream = field(default_factory=ChunkStream)


@dataclass(eq=False)
class TrainSession(PageSession):
    """The runs on the screen, the newest first, and earlier ones, by title with the latest last."""

    shown: list[Shown] = field(init=False, default_factory=list)
    earlier: dict[str, TrainingRun] = field(init=False, default_factory=dict)
    learned_from: str = field(init=False, default="")
    n_started: int = field(init=False, default=0)
    starts_paused: bool = field(init=False, default=False)
    is_closed: bool = field(init=False, default=False)

    @property
    def run(self) -> TrainingRun | None:
        """The newest run."""
        return self.shown[0].run if self.shown else None

    @property
    def title(self) -> str:
        """The title of the newest run."""
        return self.shown[0].title if self.shown else ""

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
        """Start a run, and end those that still learn unless they stay beside it; `is_paused` at step 0."""
        with self.lock:
            if self.is_closed:
                return
            if (run := self.run) is not None and run.learned is not None and run.n_steps:
                self.earlier[_title_of(self.title, run)] = run
            while len(self.earlier) > MAX_EARLIER_RUNS:
                del self.earlier[next(iter(self.earlier))]
            beside = (
                [each for each in self.shown if each.run.status is not Status.FAILED] if is_beside else []
            )
            for each in self.shown:
                if each not in beside[:MAX_BESIDE] and each.run.is_active:
                    each.run.close()
            self.n_started += 1
            self.starts_paused = is_paused
            self.learned_from = corpus.title.split(": ")[0]
            run = TrainingRun(corpus, settings, visitor=self.id)
            base = settings.base.name if settings.base is not None else ""
            parts = [get_algorithm(settings.algorithm).title, base, self.learned_from]
            source, pattern = " · ".join(filter(None, parts)), run.settings.pattern.name
            title = f"{self.n_started} · {source} · {settings.vocab_size:,} tokens · {pattern}"
            self.shown = [Shown(self.n_started, title, self.learned_from, run), *beside[:MAX_BESIDE]]

    def runs(self) -> dict[str, TrainingRun]:
        """Return all runs that have learned something, by title; the title of an ended run has its size."""
        run = self.run
        if run is None or not run.n_steps or run.learned is None:
            return dict(self.earlier)
        return {**self.earlier, _title_of(self.title, run): run}

    def stop(self) -> None:
        """End the runs that still learn, and keep what they have learned."""
        for each in self.shown:
            each.run.stop()

    def close(self) -> None:
        """End all runs and refuse new ones; the visitor's tab was closed."""
        self.is_closed = True
        for each in self.shown:
            each.run.close()
        self.shown = []
        self.earlier.clear()

    # ---- view

    @property
    def result(self) -> str:
        """A key that changes with what the page's results are computed from."""
        run = self.run
        return "" if run is None else f"{self.n_started} {run.status.value if run.status.is_over else ''}"

    def look(self, have: dict[int, int]) -> tuple[TrainView, list[Column]]:
        """Return the shown runs, and the columns of chunks beyond those that the browser has of each run."""
        with self.lock:
            run = self.run
            is_waiting = run is not None and run.status is Status.PREPARING  # then all runs begin together
            runs = [] if is_waiting else [each for each in self.shown if each.run.prepared is not None]
            views, columns = [], []
            # Flags are read before chunks, so that a run that is over has all of its chunks.
            is_changing = any(each.run.is_active or each.run.is_measuring for each in self.shown)
            for each in runs:
                view = view_of(each)
                each.stream.follow(each.run.chunks)
                first = have.get(each.number, 0)
                view["chunks"] = each.stream.heads[first:]
                views.append(view)
                columns += [column for chunk in each.stream.columns[first:] for column in chunk]
            if run is None:
                share, progress, notes = 0.0, "", [_note("Choose a corpus and press Start.")]
            else:
                share, progress, notes = progress_of(run, self.learned_from)
            active = [each.run.status.value for each in self.shown if each.run.is_active]
            return {
                "status": [*active, run.status.value if run else ""][0],
                "is_changing": is_changing,
                "result": self.result,
                "share": share,
                "progress": progress,
                "notes": notes,
                "starts_paused": self.starts_paused,
                "samples": self._samples(),
                "runs": views,
            }, columns

    def cuts(self, sample: Sample, own_text: str) -> TrainCuts:
        """Return how the shown runs cut a text. Raises PlaygroundError for a pattern that takes too long."""
        run, samples = self.run, self._samples()
        if sample not in samples:
            sample = samples[0]
        if sample == "own" or run is None:
            text = own_text[:MAX_CHARACTERS]
        else:
            text = passages(run.held_out_texts if sample == "held_out" else run.training_texts)
        text = replace_lone_surrogates(text)
        return {
            "sample": sample,
            "text": text,
            "word": longest_word(text),
            "runs": [
                cut_by(each.run.cutter, text, each.number, each.run.n_steps)
                for each in list(self.shown)
                if each.run.cutter is not None
            ],
        }

    def trees(self, word: str) -> TrainTrees:
        """Return the merge trees of a word in the newest run's tokenizer, once it is learned."""
        word, run = word[:MAX_WORD_CHARACTERS], self.run
        nothing: TrainTrees = {"word": word, "trees": [], "leaves": [], "cut": None}
        if run is None or run.learned is None or run.removals.n_removed:
            return nothing
        tokenizer, cutter = run.tokenizer("this run"), run.learned.cutter
        leaves: list[int] = []
        for building in trace_text(tokenizer, word).buildings:
            if not isinstance(building, Merged):
                return nothing
            ends = range(1, len(building.raw) + 1) if building.leaves is None else building.leaves.ends
            leaves += [end - start for start, end in pairwise((0, *ends))]
        trees = draw_merge_trees(word, tokenizer)
        return {
            "word": word,
            "trees": [trees["new"][number]["svg"] for number in trees["pretokens"]],
            "leaves": leaves,
            "cut": cut_by(cutter, word, self.n_started, run.n_steps),
        }

    def _samples(self) -> list[Sample]:
        run, samples = self.run, list(get_args(Sample))
        if run is not None and not run.has_held_out:
            samples.remove("held_out")
        return samples


def view_of(shown: Shown) -> RunView:
    """Return a run without its chunks."""
    run = shown.run
    algorithm, is_over = get_algorithm(run.settings.algorithm), run.status.is_over
    return {
        "number": shown.number,
        "title": shown.title,
        "name": algorithm.title,
        "corpus": shown.corpus,
        "pattern": run.settings.pattern.name,
        "step": algorithm.step,
        "size": n_learned(run) if is_over else run.settings.vocab_size,
        "last": max(run.n_steps if is_over else run.n_steps_wanted, 1),
        "is_over": is_over,
        "n_bytes": run.n_bytes,
        "n_held_out_bytes": run.n_held_out_bytes if run.has_held_out else 0,
        "score_name": run.prepared.score_name if run.prepared else "",
        "references": dict(run.references),
        "chunks": [],
    }


def progress_of(run: TrainingRun, learned_from: str) -> tuple[float, str, list[Note]]:
    """Return how far a run is: the share that is done from 0 to 1, a line of text, and notes on its end."""
    n_done, n_wanted = run.n_steps, run.n_steps_wanted
    step = get_algorithm(run.settings.algorithm).step
    if run.status is Status.FAILED:
        return 0.0, "Failed", [_note(run.error, "error")]
    prepared, learned = run.prepared, run.learned
    if run.status is Status.PREPARING:
        share = run.share_counted
        return share, "Splitting and counting the text" + (f" · {share:.0%}" if share else " …"), []
    if prepared is None or (run.status.is_over and learned is None):
        return 0.0, "Stopped", [_note("Stopped. Nothing was learned. Press Start to try again.")]
    parts = [f"{run.status.value.capitalize()} · {n_done:,} of {counted(n_wanted, step)}"]
    if learned is not None and n_done:
        parts.append(f"{_duration(learned.seconds)} of CPU time")
    n_bytes, n_pretokens = (
        counted(prepared.n_bytes, "byte"),
        counted(prepared.n_pretokens, "distinct pretoken"),
    )
    parts.append(f"{n_bytes} of {learned_from} in {n_pretokens}")
    is_done = run.status is Status.FINISHED
    reason = learned.stop_reason if learned is not None else ""
    notes = []
    if is_done and n_done < n_wanted:
        more = "" if reason.startswith("no pair is left") else ", or a lower minimum count"
        notes.append(
            _note(
                f"This text gives {counted(n_done, step)}, so a vocabulary of {n_learned(run):,}: "
                f"then {reason}. To learn more, choose a longer text{more}."
            )
        )
    elif reason and (n_learned(run) < run.settings.vocab_size or run.settings.base is not None):
        notes.append(_note(f"{reason[0].upper()}{reason[1:].removesuffix('.')}."))
    if prepared.n_unmatched_bytes:
        unmatched = counted(prepared.n_unmatched_bytes, "byte")
        text = f"The split pattern leaves {unmatched} unmatched. They are kept as pretokens of their own."
        notes.append(_note(text, "warning"))
    return 1.0 if is_done else min(n_done / n_wanted, 1.0), " · ".join(parts), notes


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
