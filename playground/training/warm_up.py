"""Everything compiled, before it is wanted: seconds on a machine's first start, a fraction of one later.

What is not yet on disk is compiled by another process: here it would hold the interpreter, and so every
visitor.
"""

import threading
from collections.abc import Callable
from contextlib import suppress

from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import LimitExceededError
from playground.training.kernel.compiled import NotKeptError, only_kept
from playground.training.kernel.pretoken_table import copy_rows, new_table
from playground.training.pretoken_counts import PretokenCounter
from playground.training.trainer import Trainer
from playground.workers import pool
from playground.workers.process import CancelledError

_COMPILE_SECONDS, _COMPILE_BYTES = 300.0, 2_000_000_000

_lock = threading.Lock()
_is_warm = threading.Event()


def is_warm() -> bool:
    """Whether the trainer is compiled in this process."""
    return _is_warm.is_set()


def warm_up() -> None:
    """Compile the trainer, or load it compiled; returns at once when that is done already."""
    with _lock:
        if not is_warm():
            load_or_compile(use_trainer)
            _is_warm.set()


def load_or_compile(use: Callable[[], object]) -> None:
    """Call a function that uses what is compiled; another process does it first where that is not on disk.

    It is named by its module, so it stands at the top of one. Where that process fails, this one compiles.
    """
    with suppress(NotKeptError), only_kept():
        use()
        return
    with suppress(LimitExceededError, CancelledError):
        pool.run(
            f"{use.__module__}.{use.__qualname__}",
            what="compiling the trainer",
            seconds=_COMPILE_SECONDS,
            memory_bytes=_COMPILE_BYTES,
        )
    use()


def use_trainer() -> None:
    """Count and learn a little."""
    counter, other = (PretokenCounter(SplitPattern.named("gpt2")) for _ in range(2))
    other.add("warm up, warm up")
    counter.absorb(other)
    PretokenCounter(SplitPattern.typed(r"\w+")).add("warm up, warm up")
    copy_rows(new_table(n_pretokens=1).rows, new_table(n_pretokens=2).rows)
    Trainer(counter.result(), vocab_size=260).advance()


def use_counter() -> None:
    """Count a little; what is compiled for one split pattern serves the others."""
    PretokenCounter(SplitPattern.named("gpt2")).add("warm up, warm up")
