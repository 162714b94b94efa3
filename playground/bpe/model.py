"""BpeModel: what a training leaves behind, and all that a file of one must hold.

Files of it are read and written in `files`; the tokenizer made of it is `catalog.trained`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from playground.bpe.merge_recovery import iter_misfits
from playground.bpe.merge_rules import ByPair
from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError
from playground.core.wording import quoted

_IDENTITY = tuple(range(256))


@dataclass(frozen=True, slots=True)
class ReadFrom:
    """The files that a model was read from: the name of their format, as `files` has it, and their own."""

    format_name: str
    file_names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BpeModel:
    """Merges in rank order as `(left, right, new id)`; `byte_ids` gives the id of each byte.

    `read_from` is None where it was learned here.

    >>> model = BpeModel(SplitPattern.named("none"), ((97, 97, 256), (256, 97, 257), (257, 98, 258)))
    >>> model.merge_rule().build(b"aaabdaaabac").ids
    (258, 100, 258, 97, 99)
    """

    pattern: SplitPattern
    merges: tuple[tuple[int, int, int], ...]
    special_tokens: Mapping[str, int] = field(default_factory=dict)
    byte_ids: tuple[int, ...] = _IDENTITY
    read_from: ReadFrom | None = field(default=None, compare=False)

    def token_bytes(self) -> dict[int, bytes]:
        """The bytes of each id, special tokens left out."""
        raw_of = {token_id: bytes([byte]) for byte, token_id in enumerate(self.byte_ids)}
        for left, right, new_id in self.merges:
            raw_of[new_id] = raw_of[left] + raw_of[right]
        return raw_of

    def mergeable_ranks(self) -> dict[bytes, int]:
        """Bytes to id; of two ids that spell the same, the first."""
        ranks: dict[bytes, int] = {}
        for token_id, raw in self.token_bytes().items():
            ranks.setdefault(raw, token_id)
        return ranks

    def with_special_tokens(self, names: tuple[str, ...]) -> "BpeModel":
        """The model with special tokens behind all others. Raises InvalidInputError."""
        for name in names:
            if not name or names.count(name) > 1 or "\n" in name:
                raise InvalidInputError(
                    f"special token {quoted(name)} cannot be used: each needs a text of its own on one line"
                )
        first = max([*self.byte_ids, *(merge[2] for merge in self.merges)]) + 1
        special_tokens = {name: first + n for n, name in enumerate(names)}
        return BpeModel(self.pattern, self.merges, special_tokens, self.byte_ids)

    def merge_rule(self) -> ByPair:
        """The rule by which its merges merge."""
        return ByPair(self.byte_ids, self.merges)

    def misfits(self) -> Iterator[int]:
        """Yield the ids that no table of bytes and ranks, such as tiktoken's, can stand for exactly."""
        return iter_misfits(self.byte_ids, self.merges)
