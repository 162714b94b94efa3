"""Compile the kernels once on each machine, and load them before they are needed.

`compile_once` compiles in another process, because compiling blocks the interpreter for many seconds; Numba
stores the result on disk. There are two groups of kernels, so that a command waits only for its own: PIECES
learns Unigram, WordPiece and parity-aware BPE, TRAINER does the rest. `warm_up` also loads the trainer into
this process. `make run` runs this module before the app starts, and the app then calls `warm_up_app` in a
thread. Run as a command, this module compiles the named groups, or the trainer.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from playground.training.kernel.cache_folder import is_compiled, mark_compiled

#: Message while kernels are compiled.
COMPILING = "Compiling the trainer, once on this computer: about 20 s"
#: Names of the groups of kernels.
TRAINER, PIECES = "trainer", "pieces"
_COMPILE_SECONDS, _COMPILE_BYTES = 600.0, 4_000_000_000

_locks = {kernels: threading.Lock() for kernels in (TRAINER, PIECES)}
_is_warm = threading.Event()
_listeners: list[Callable[[bool], object]] = []


def is_warm() -> bool:
    """Whether the trainer is loaded in this process."""
    return _is_warm.is_set()


def warm_up() -> None:
    """Load the trainer; compile it first if needed."""
    compile_once(TRAINER)
    with _locks[TRAINER]:
        if not is_warm():
            use_trainer()
            _is_warm.set()


def warm_up_app() -> None:
    """Load the trainer, then compile all other kernels."""
    warm_up()
    compile_once(PIECES)


def compile_once(kernels: str) -> None:
    """Compile a group of kernels in another process, if needed; return when the result is on disk."""
    if is_compiled(kernels):
        return
    from playground.core.errors import LimitExceededError
    from playground.workers import pool
    from playground.workers.process import CancelledError

    with _locks[kernels]:
        if is_compiled(kernels):
            return
        # If compiling fails here, the kernels compile when they are called.
        with compiling(), suppress(LimitExceededError, CancelledError):
            pool.run(
                "playground.training.warm_up.compile_here",
                kernels,
                what="compiling",
                seconds=_COMPILE_SECONDS,
                memory_bytes=_COMPILE_BYTES,
            )


@contextmanager
def listening(tell: Callable[[bool], object]) -> Iterator[None]:
    """While open, call `tell(True)` when compiling begins in this process and `tell(False)` when it ends.

    A previous listener is not called meanwhile.
    """
    _listeners.append(tell)
    try:
        yield
    finally:
        _listeners.remove(tell)


@contextmanager
def compiling() -> Iterator[None]:
    """While open, tell the listener that kernels are being compiled."""
    tell = _listeners[-1] if _listeners else lambda _is_compiling: None
    tell(True)
    try:
        yield
    finally:
        tell(False)


def compile_here(kernels: str) -> None:
    """Call a group of kernels with their usual argument types, which compiles them, and record that."""
    if kernels == TRAINER:
        from playground.training.embeddings import use_skip_gram

        use_trainer()
        use_skip_gram()
    else:
        use_pieces()
    mark_compiled(kernels)


def use_trainer() -> None:
    """Count and train on a few words."""
    from playground.bpe.split_pattern import SplitPattern
    from playground.training.algorithms.bpe import BpeLearner
    from playground.training.kernel.pretoken_table import copy_rows, new_table
    from playground.training.pretoken_counts import PretokenCounter

    counter, other = (PretokenCounter(SplitPattern.named("gpt2")) for _ in range(2))
    other.add("warm up, warm up")
    counter.absorb(other)
    PretokenCounter(SplitPattern.typed(r"\w+")).add("warm up, warm up")
    copy_rows(new_table(n_pretokens=1).rows, new_table(n_pretokens=2).rows)
    BpeLearner(counter.result(), vocab_size=260).advance()


def use_pieces() -> None:
    """Learn Unigram, MinGram, WordPiece and parity-aware BPE from a few words."""
    from playground.bpe.split_pattern import SplitPattern
    from playground.training.algorithms.learner import TrainingTexts
    from playground.training.algorithms.parity import ParityLearner
    from playground.training.algorithms.unigram import UnigramLearner
    from playground.training.algorithms.wordpiece import WordPieceLearner
    from playground.training.corpora import Corpus
    from playground.training.pretoken_counts import count_pretokens

    pattern = SplitPattern.named("gpt2")
    ParityLearner(
        TrainingTexts(count_pretokens([], pattern), None, Corpus("", ("warm", "up")), pattern), 258, {}
    ).advance()
    texts = TrainingTexts(count_pretokens(["warm up, warm up"], pattern), None, None, pattern)
    for is_minimal in (False, True):
        UnigramLearner(texts, 300, {"is_minimal": is_minimal}).advance()
    WordPieceLearner(texts, 300, {}).advance()


if __name__ == "__main__":
    for kernels in sys.argv[1:] or [TRAINER]:
        if not is_compiled(kernels):
            print(f"Compiling the {kernels}, once on this computer: about 20 s", flush=True)
            compile_here(kernels)
