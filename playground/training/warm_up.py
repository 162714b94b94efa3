"""Everything compiled, before it is wanted: seconds on a machine's first start, a fraction of one later."""

import threading

from playground.bpe.split_pattern import SplitPattern
from playground.training.kernel.pretoken_table import copy_rows, new_table
from playground.training.pretoken_counts import PretokenCounter
from playground.training.trainer import Trainer

_lock = threading.Lock()
_is_warm = threading.Event()


def is_warm() -> bool:
    """Whether the trainer is compiled in this process."""
    return _is_warm.is_set()


def warm_up() -> None:
    """Compile the trainer, or load it compiled; returns at once when that is done already."""
    with _lock:
        if not is_warm():
            _compile()
            _is_warm.set()


def _compile() -> None:
    counter, other = (PretokenCounter(SplitPattern.named("gpt2")) for _ in range(2))
    other.add("warm up, warm up")
    counter.absorb(other)
    copy_rows(new_table(n_pretokens=1).rows, new_table(n_pretokens=2).rows)
    Trainer(counter.result(), vocab_size=260).advance()
