"""BpeModel: everything a training learns and a tokenizer file contains; merges recovered from ranks.

A table of ranks, such as tiktoken's, merges any neighbours whose joined bytes are a token. That gives the
same ids as merging listed pairs if each token's bytes, merged with lower ranks only, end as the two parts it
was made of. `recovered_merges` and `iter_misfits` decide this from the two parts, without merging again.

Files of a model are read and written in `files`; its tokenizer is `catalog.trained`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from playground.bpe.merging import ByPair, ByRank
from playground.bpe.removing import ByEvents
from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import CannotHoldError, InvalidInputError
from playground.core.wording import quoted

_IDENTITY = tuple(range(256))


@dataclass(frozen=True, slots=True)
class ReadFrom:
    """The files that a model was read from: the name of their format in `files`, and their file names."""

    format_name: str
    file_names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BpeModel:
    """Merges in rank order as `(left, right, new id)`; `byte_ids` has the id of each byte.

    Tokens in `whole`, given as bytes and id, are not made of two tokens of lower rank: a pretoken becomes
    such a token only if it has exactly its bytes, or by a table of ranks. `removals` are tokens that training
    removed, each as the number of merges before and the id. `read_from` is None for a model trained here.

    >>> model = BpeModel(SplitPattern.named("none"), ((97, 97, 256), (256, 97, 257), (257, 98, 258)))
    >>> model.merge_rule().build(b"aaabdaaabac").ids
    (258, 100, 258, 97, 99)
    """

    pattern: SplitPattern
    merges: tuple[tuple[int, int, int], ...]
    special_tokens: Mapping[str, int] = field(default_factory=dict)
    byte_ids: tuple[int, ...] = _IDENTITY
    whole: tuple[tuple[bytes, int], ...] = ()
    read_from: ReadFrom | None = field(default=None, compare=False)
    removals: tuple[tuple[int, int], ...] = ()

    def token_bytes(self) -> dict[int, bytes]:
        """Map each id to its bytes, without special tokens."""
        raw_of = {token_id: bytes([byte]) for byte, token_id in enumerate(self.byte_ids)}
        for left, right, new_id in self.merges:
            raw_of[new_id] = raw_of[left] + raw_of[right]
        rule = self.merge_rule() if self.removals else None
        if isinstance(rule, ByEvents):
            return {token_id: raw for token_id, raw in raw_of.items() if token_id not in rule.removed}
        return raw_of | {token_id: raw for raw, token_id in self.whole}

    def mergeable_ranks(self) -> dict[bytes, int]:
        """Map bytes to ids; if two ids have the same bytes, the first counts."""
        ranks: dict[bytes, int] = {}
        for token_id, raw in self.token_bytes().items():
            ranks.setdefault(raw, token_id)
        return ranks

    def with_special_tokens(self, names: tuple[str, ...]) -> "BpeModel":
        """Return the model with special tokens numbered after all others. Raises InvalidInputError."""
        for name in names:
            if not name or names.count(name) > 1 or "\n" in name:
                raise InvalidInputError(
                    f"special token {quoted(name)} cannot be used: each needs a unique text on a single line"
                )
        first = max([*self.byte_ids, *(merge[2] for merge in self.merges)]) + 1
        special_tokens = {name: first + n for n, name in enumerate(names)}
        return replace(self, special_tokens=special_tokens)

    def merge_rule(self) -> ByPair:
        """Return the rule that merges its listed pairs, with removals if it has any."""
        if self.removals:
            return ByEvents(self.byte_ids, self.merges, self.removals)
        return ByPair(self.byte_ids, self.merges)

    def need_plain_merges(self) -> None:
        """Raise CannotHoldError if the model has removals, which no file can list."""
        if self.removals:
            raise CannotHoldError(
                "no tokenizer file can hold this tokenizer: training removed tokens that were parts of "
                "others, and files list only merges"
            )

    def need_merges(self, ending: str) -> None:
        """Raise CannotHoldError, with the ending of a file that lists merges, if a token has no merge."""
        for raw, token_id in self.whole:
            raise CannotHoldError(
                f"a {ending} file cannot hold token {token_id} ({raw[:40]!r}), which is not made of two "
                "tokens of lower rank; choose .tiktoken or tokenizer.json"
            )

    def misfits(self) -> Iterator[int]:
        """Yield the ids that no table of ranks, such as tiktoken's, can represent exactly."""
        return iter_misfits(self.byte_ids, self.merges)


ListedMerge = tuple[int, int, int]  # left, right, new id
_BYTE = -1  # the order of a byte: before all merges


def recovered_merges(rank_of: Mapping[bytes, int]) -> tuple[ListedMerge, ...]:
    """Return the merges behind a table of ranks: each token as its bytes merge with lower ranks only.

    Raises InvalidInputError if no merge makes a token.

    >>> recovered_merges({b"a": 0, b"b": 1, b"ab": 2, b"abb": 3})
    ((0, 1, 2), (2, 1, 3))
    """
    merges, whole = merges_and_whole(rank_of)
    for raw, rank in whole:
        shown = f"{raw[:40]!r}{'…' if len(raw) > 40 else ''}"
        raise InvalidInputError(f"token {rank} ({shown}) is not made of two tokens of lower rank")
    return merges


def merges_and_whole(
    rank_of: Mapping[bytes, int],
) -> tuple[tuple[ListedMerge, ...], tuple[tuple[bytes, int], ...]]:
    """Return the merges behind a table of ranks, and the tokens that are not made of two of lower rank.

    A token of n bytes takes n look-ups of at most n bytes.

    >>> merges_and_whole({b"a": 0, b"b": 1, b"ab": 2, b"aaa": 3})
    (((0, 1, 2),), ((b'aaa', 3),))
    """
    whole: list[tuple[bytes, int]] = []
    merges: list[ListedMerge] = []
    pairs = _Pairs(rank for raw, rank in rank_of.items() if len(raw) == 1)
    known = {raw: rank for raw, rank in rank_of.items() if len(raw) == 1}
    longer = [(rank, raw) for raw, rank in rank_of.items() if len(raw) != 1]
    longer.sort()
    for rank, raw in longer:
        for n in range(1, len(raw)):
            left = known.get(raw[:n])
            if left is None:
                continue
            right = known.get(raw[n:])
            if right is not None and pairs.stay_apart(left, right):
                break
        else:
            whole.append((raw, rank))
            continue
        pairs.add(left, right, rank)
        known[raw] = rank
        merges.append((left, right, rank))
    return tuple(merges), tuple(whole)


def iter_late_tokens(ranks: Mapping[bytes, int], whole: Iterable[tuple[bytes, int]]) -> Iterator[bytes]:
    """Yield the tokens of `whole` that a table of ranks merges after all, from tokens of higher rank.

    >>> list(iter_late_tokens({b"a": 0, b"aaa": 1, b"aa": 2}, [(b"aaa", 1)]))
    [b'aaa']
    """
    rule = ByRank(ranks)
    return (raw for raw, _ in whole if not rule.build(raw).is_whole)


def iter_misfits(byte_ids: Sequence[int], merges: Iterable[ListedMerge]) -> Iterator[int]:
    """Yield the ids that no table of bytes and ranks can represent exactly; nothing if a table is exact.

    Of the ids after the first, some are misfits only because they contain one.

    >>> list(iter_misfits(range(256), [(97, 98, 256), (98, 99, 257), (256, 99, 258), (97, 257, 259)]))
    [259]
    """
    pairs = _Pairs(byte_ids)
    highest = -1
    for left, right, new_id in merges:
        fits = new_id > highest and left in pairs and right in pairs
        if fits and pairs.stay_apart(left, right):
            pairs.add(left, right, new_id)
            highest = new_id
        else:
            yield new_id


class _Pairs:
    """Merges by pair, and whether two adjacent tokens stay apart.

    After `is_valid_token_pair` of github/rust-gems (crates/bpe).
    """

    def __init__(self, byte_ids: Iterable[int]) -> None:
        self._order = dict.fromkeys(byte_ids, _BYTE)
        self._parts: list[tuple[int, int]] = []
        self._order_of_pair: dict[tuple[int, int], int] = {}

    def __contains__(self, token_id: int) -> bool:
        return token_id in self._order

    def add(self, left: int, right: int, new_id: int) -> None:
        """Add a merge after all others; its parts must be known."""
        self._order[new_id] = self._order_of_pair[left, right] = len(self._parts)
        self._parts.append((left, right))

    def stay_apart(self, left: int, right: int) -> bool:
        """Whether merging the joined bytes of two tokens gives these two tokens.

        Goes back in time: of the two tokens at the border, the one made later is split into its parts. A
        merge across the border that is older than that token would have consumed one of its parts.
        """
        order, order_of_pair, parts = self._order, self._order_of_pair, self._parts
        limit = len(parts)
        left_order, right_order = order[left], order[right]
        while True:
            across = order_of_pair.get((left, right))
            if across is not None and across < limit:
                return False
            if left_order > right_order:
                limit = left_order
                left = parts[left_order][1]
                left_order = order[left]
            elif right_order >= 0:
                limit = right_order + 1  # of equal ranks the leftmost merges first: the one across the border
                right = parts[right_order][0]
                right_order = order[right]
            else:
                return True
