"""CountedCorpus: a corpus that exists only as distinct pretokens with their counts."""

from dataclasses import dataclass

from playground.bpe.split_pattern import SplitPattern
from playground.training.pretoken_counts import PretokenCounts

_N_SHOWN = 400


@dataclass(frozen=True, slots=True)
class CountedCorpus:
    """Pretokens with their counts, and the split pattern that cut them; `texts` is a sample for display."""

    title: str
    counts: PretokenCounts
    pattern: SplitPattern

    @property
    def texts(self) -> tuple[str, ...]:
        """The most frequent pretokens as one text, in the order of the corpus.

        >>> from playground.training.pretoken_counts import count_pretokens
        >>> gpt2 = SplitPattern.named("gpt2")
        >>> CountedCorpus("counts", count_pretokens(["to be or not to be"], gpt2), gpt2).texts
        ('to be or not to',)
        """
        frequent = sorted(self.counts.counts.values(), reverse=True)[:_N_SHOWN]
        most = [raw for raw, count in self.counts.items() if count >= frequent[-1]] if frequent else []
        return (b"".join(most[:_N_SHOWN]).decode(errors="replace"),)
