"""TrainingRun: a training in a worker process, and what the server keeps of it.

It knows nothing of pages; a page reads its state and draws it.
"""

import shutil
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SPLIT_PATTERNS
from playground.catalog.opened import OpenedTokenizer, tokenizer_of
from playground.catalog.registry import get_tokenizer
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError, PlaygroundError, TextTooLongError
from playground.core.tokenizer import replace_lone_surrogates
from playground.training.algorithms.cutters import Cutter
from playground.training.algorithms.learner import Change, Removals
from playground.training.corpora import Corpus
from playground.training.counted_corpus import CountedCorpus
from playground.training.merges import Merge
from playground.training.run.events import Changes, Chunk, Learned, Prepared
from playground.training.run.learning import MAX_SECONDS
from playground.training.run.settings import RunSettings, Status
from playground.workers import pool
from playground.workers.process import CancelledError

REFERENCES = ("gpt2", "cl100k_base", "o200k_base")
#: Longest corpus for other patterns: only the known ones have a fast scanner that needs little memory.
MAX_SLOW_CHARACTERS = 20_000_000
#: A longer held-out text is counted in a process, because counting would delay key presses.
MAX_TEXT_HERE = 500_000
#: Limits of the CPU time of counting: in all, and for each text, because a typed pattern takes 0.15 ms.
_COUNTING_SECONDS, _SECONDS_A_TEXT = 120.0, 0.0003
#: Memory of the process: for each byte of the corpus, its characters and its place in a table.
_MEMORY_BYTES, _MEMORY_BYTES_A_BYTE = 1_500_000_000, 20


class TrainingRun:
    """A run over a corpus, which begins at once in a worker process; `visitor` shares the processes fairly.

    A counted corpus determines the split pattern and has no held-out text. `chunks` only grows; the other
    attributes change once, in the order `prepared`, `learned`, `references`.

    >>> run = TrainingRun(Corpus("toy", ("aaabdaaabac",)), RunSettings(vocab_size=258, held_out_share=0))
    >>> run.wait()
    >>> run.status.value, [change.raw for change in run.changes()]
    ('finished', [b'aa', b'aaa'])
    """

    def __init__(self, corpus: Corpus | CountedCorpus, settings: RunSettings, *, visitor: str = "") -> None:
        if isinstance(corpus, CountedCorpus):
            settings = replace(settings, pattern=corpus.pattern, held_out_share=0.0)
        self.settings = settings
        self.status = Status.PREPARING
        self.error = ""
        self.share_counted = 0.0
        self.prepared: Prepared | None = None
        self.chunks: list[Chunk] = []
        self.learned: Learned | None = None
        self.references: dict[str, float] = {}
        self.is_measuring = False  # counts with the reference tokenizers
        self._visitor = visitor
        self._closed = threading.Event()
        self._folder = Path(tempfile.mkdtemp(prefix="tessera-run-"))
        self._thread = threading.Thread(target=self._work, args=(corpus,), name="training", daemon=True)
        self._thread.start()

    # ---- control

    def stop(self) -> None:
        """End the run after the current step; what it has learned is kept."""
        if self.prepared is None:
            self.close()  # nothing is learned yet
        elif not self.status.is_over:
            (self._folder / "stop").touch()

    def close(self) -> None:
        """End the run and its process at once."""
        self._closed.set()

    def wait(self, seconds: float = 60) -> None:
        """Wait until the run is over and its text is measured. Raises TimeoutError."""
        self._thread.join(seconds)
        if self._thread.is_alive():
            raise TimeoutError(f"the training has not ended after {seconds:g} s")

    # ---- state

    @property
    def is_active(self) -> bool:
        """Whether the run still learns."""
        return not self.status.is_over

    @property
    def n_steps(self) -> int:
        """The number of steps so far."""
        return max(0, sum(len(chunk.states) for chunk in self.chunks) - 1)

    @property
    def n_steps_wanted(self) -> int:
        """The number of steps of the whole run, as far as it is known."""
        return self.chunks[-1].n_steps_wanted if self.chunks else max(1, self.settings.vocab_size - 256)

    @property
    def n_bytes(self) -> int:
        """The number of bytes of the training text."""
        return self.prepared.n_bytes if self.prepared else 0

    @property
    def n_held_out_bytes(self) -> int:
        """The number of bytes of the held-out text."""
        return self.prepared.n_held_out_bytes if self.prepared else 0

    @property
    def training_texts(self) -> tuple[str, ...]:
        """The beginnings of the training texts."""
        return self.prepared.training_texts if self.prepared else ()

    @property
    def held_out_texts(self) -> tuple[str, ...]:
        """The held-out texts."""
        return self.prepared.held_out_texts if self.prepared else ()

    @property
    def has_held_out(self) -> bool:
        """Whether there is held-out text besides white space."""
        return self.n_held_out_bytes > 0 and any(map(str.strip, self.held_out_texts))

    @property
    def cutter(self) -> Cutter | None:
        """How the run cuts a short text; None until it is known."""
        if self.learned is not None:
            return self.learned.cutter
        return self.prepared.cutter if self.prepared else None

    @property
    def removals(self) -> Removals:
        """What the removals cost and free."""
        return self.learned.removals if self.learned else Removals()

    def curve(self) -> npt.NDArray[np.int64]:
        """Return the states so far as in `Learner.curve`."""
        return np.concatenate([np.empty((0, 3), np.int64), *(chunk.states for chunk in self.chunks)])

    def changes(self) -> Sequence[Change]:
        """Return all tokens that the steps so far added or removed."""
        return Changes.joined(chunk.changes for chunk in self.chunks).unpacked(self.token_bytes())

    def token_bytes(self) -> list[bytes]:
        """Return the bytes of each id so far."""
        return [raw for chunk in self.chunks for raw in chunk.raws]

    def lines(self) -> Mapping[str, npt.NDArray[np.float64]]:
        """Return further lines of the chart as in `Learner.lines`."""
        titles = self.chunks[0].lines if self.chunks else ()
        return {title: np.concatenate([chunk.lines[title] for chunk in self.chunks]) for title in titles}

    def merges(self) -> list[Merge]:
        """Return the merges of BPE over bytes; none of another algorithm."""
        if self.settings.algorithm != "bpe":
            return []
        states = self.curve()[1:].tolist()
        return [
            Merge(c.step, c.parts[0], c.parts[1], c.id, c.raw, c.count, n_tokens, n_held_out)
            for c, (_n_vocab, n_tokens, n_held_out) in zip(self.changes(), states, strict=True)
        ]

    def tokenizer(self, name: str) -> OpenedTokenizer:
        """Return the learned tokenizer. Raises InvalidInputError before the end of the run."""
        if self.learned is None:
            raise InvalidInputError("the run has not learned a tokenizer yet")
        return tokenizer_of(name, self.learned.model)

    def model(self) -> BpeModel:
        """Return the learned merges. Raises InvalidInputError for an algorithm without merges of bytes."""
        tokenizer = self.tokenizer("this run")
        if not isinstance(tokenizer, TrainedTokenizer):
            raise InvalidInputError(f"{self.settings.algorithm} learns a vocabulary without merges of bytes")
        return tokenizer.model

    # ---- work

    def _work(self, corpus: Corpus | CountedCorpus) -> None:
        try:
            self._learn(corpus)
            del corpus
            self._measure_references()
        except CancelledError:
            self.status = Status.STOPPED
        except PlaygroundError as error:
            self._fail(str(error))
        except Exception as error:
            self._fail(f"the training failed because of an error in Tessera: {error!r}")
            raise
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _fail(self, message: str) -> None:
        self.error = message
        self.status = Status.FAILED

    def _learn(self, corpus: Corpus | CountedCorpus) -> None:
        n_bytes, n_texts = 0, 1
        if isinstance(corpus, Corpus):
            _check_length(corpus, self.settings)
            n_bytes = sum(map(len, corpus.texts)) + sum(len(file.raw) for file in corpus.files)
            n_texts = corpus.n_texts
        base = self.settings.base
        learned: Learned = pool.run(
            "playground.training.run.learning.learn",
            corpus,
            replace(self.settings, base=None),
            base if base is None or isinstance(base, TrainedTokenizer) else base.name,
            str(self._folder / "stop"),
            what="this training",
            visitor=self._visitor,
            seconds=MAX_SECONDS + _COUNTING_SECONDS + _SECONDS_A_TEXT * n_texts,
            memory_bytes=_MEMORY_BYTES + _MEMORY_BYTES_A_BYTE * n_bytes,
            cancelled=self._closed,
            on_progress=self._hear,
        )
        self.learned = learned
        self.is_measuring = True
        self.status = Status.STOPPED if learned.is_stopped else Status.FINISHED

    def _hear(self, said: Any) -> None:
        if isinstance(said, Chunk):
            self.chunks.append(said)
        elif isinstance(said, Prepared):
            self.prepared = said
            self.status = Status.LEARNING
        else:
            self.share_counted = said

    def _measure_references(self) -> None:
        text = replace_lone_surrogates("".join(self.held_out_texts) or "".join(self.training_texts)[:200_000])
        n_bytes = len(text.encode())
        try:
            for name in REFERENCES:
                if text and not self._closed.is_set():
                    self.references = {**self.references, name: n_bytes / self._count(name, text)}
        finally:
            self.is_measuring = False

    def _count(self, name: str, text: str) -> int:
        if len(text) <= MAX_TEXT_HERE:
            return count_tokens(name, text)
        n_tokens: int = pool.run(
            "playground.training.run.training_run.count_tokens",
            name,
            text,
            what="counting the held-out text",
            visitor=self._visitor,
            cancelled=self._closed,
        )
        return n_tokens


def count_tokens(name: str, text: str) -> int:
    """Return the number of tokens of a text in a named tokenizer."""
    return len(get_tokenizer(name).encode(text))


def _check_length(corpus: Corpus, settings: RunSettings) -> None:
    n_characters = corpus.n_characters
    if n_characters > MAX_SLOW_CHARACTERS and settings.pattern.name not in SPLIT_PATTERNS:
        raise TextTooLongError(
            f"the text has {n_characters:,} characters; with no split pattern or one of your own, at "
            f"most {MAX_SLOW_CHARACTERS:,} can be learned from here. Use less text, or choose one of "
            f"{', '.join(SPLIT_PATTERNS)}"
        )
