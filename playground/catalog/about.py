"""About: what a person is told of a tokenizer beside its name, before it is loaded."""

from typing import NamedTuple


class About(NamedTuple):
    """Which models use a tokenizer, how it builds tokens, how many ids it has, and under which licence.

    Family and licence are empty where there is none to name.

    >>> str(About("GPT-2", "byte-level BPE", 50_257, "MIT"))
    'GPT-2 · byte-level BPE · 50,257 tokens · MIT'
    """

    family: str
    kind: str
    n_vocab: int
    licence: str

    def __str__(self) -> str:
        return " · ".join(filter(None, [self.family, self.kind, f"{self.n_vocab:,} tokens", self.licence]))
