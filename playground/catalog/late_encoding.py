"""LateEncoding: tiktoken's encoding, whose ranks and whose engine are made by the first who needs them.

Much text is encoded by our own engine, which reads the lines of the file itself.
"""

from collections.abc import Mapping
from typing import Any

import tiktoken

from playground.catalog.shipped_vocabularies import RankLines, parse_ranks
from playground.core.once import Once


class LateEncoding(tiktoken.Encoding):
    """What a `tiktoken.Encoding` of the same definition is; its engine takes 0.2 s for 100,000 tokens.

    >>> encoding = LateEncoding("toy", pat_str=r"\\w+", mergeable_ranks={b"a": 0}, special_tokens={})
    >>> "_core_bpe" in vars(encoding), encoding.encode_ordinary("aa"), "_core_bpe" in vars(encoding)
    (False, [0, 0], True)
    """

    def __init__(
        self, name: str, *, pat_str: str, mergeable_ranks: dict[bytes, int] | RankLines,
        special_tokens: dict[str, int], explicit_n_vocab: int | None = None,
    ) -> None:  # fmt: skip
        self.name = name
        self._pat_str = pat_str
        #: The file of ranks, as long as nobody has asked for them.
        self.rank_lines: RankLines | None = None
        if isinstance(mergeable_ranks, dict):
            self._mergeable_ranks = mergeable_ranks
        else:
            self.rank_lines = mergeable_ranks
        self._parsed: Once[dict[bytes, int]] = Once()
        self._special_tokens = special_tokens
        self._n_vocab = explicit_n_vocab
        self._made: Once[Mapping[str, Any]] = Once()

    def __getattr__(self, attribute: str) -> Any:
        """What tiktoken sets in a whole encoding: asked for once, as it then is an attribute of this one."""
        if attribute == "_mergeable_ranks":
            self._mergeable_ranks = self._parsed.get(self._parse)
            self.rank_lines = None
            return self._mergeable_ranks
        if attribute not in ("_core_bpe", "max_token_value", "_special_token_values"):
            raise AttributeError(f"{type(self).__name__} has no attribute {attribute!r}")
        vars(self).update(self._made.get(self._whole))
        return vars(self)[attribute]

    def _parse(self) -> dict[bytes, int]:
        assert self.rank_lines is not None  # it is let go once they are parsed
        return parse_ranks(self.rank_lines)

    def _whole(self) -> Mapping[str, Any]:
        return vars(
            tiktoken.Encoding(
                self.name,
                pat_str=self._pat_str,
                mergeable_ranks=self._mergeable_ranks,
                special_tokens=self._special_tokens,
                explicit_n_vocab=self._n_vocab,
            )
        )
