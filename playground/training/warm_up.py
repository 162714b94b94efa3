"""Everything compiled, before it is wanted: seconds on a machine's first start, a fraction of one later."""

from playground.bpe.split_pattern import SplitPattern
from playground.training.kernel.pretoken_table import copy_rows, new_table
from playground.training.pretoken_counts import PretokenCounter
from playground.training.trainer import Trainer


def compile_trainer() -> None:
    """Compile the trainer, or load it compiled; the second time is quick."""
    counter, other = (PretokenCounter(SplitPattern.named("gpt2")) for _ in range(2))
    other.add("warm up, warm up")
    counter.absorb(other)
    copy_rows(new_table(n_pretokens=1).rows, new_table(n_pretokens=2).rows)
    Trainer(counter.result(), vocab_size=260).advance()
