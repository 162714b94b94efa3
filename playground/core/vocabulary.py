"""Vocabulary: the bytes, spelling, kind and rank of each token; ids may be sparse.

How a token is built of others is in `core.building`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from playground.core.errors import UnknownTokenError
from playground.core.text_units import Positions

Ids = NDArray[np.uint32]
Kind = Literal["piece", "byte", "continuation", "special", "unknown"]

#: Up to this many ids per token, positions are looked up in a table of all ids; above, by bisection. (A
#: vocabulary of six tokens may have an id of two billion.)
_MAX_IDS_A_TOKEN = 4


class Entry(NamedTuple):
    """What a vocabulary knows of a token.

    `raw` are the bytes it stands for. `spelled` is the spelling in files of its kind: "Ġthe", "##ing",
    "▁the", "<0x0A>". `rank` counts as in tiktoken, bytes first and then merges in the order of learning; None
    if nothing merges. `score` is that of a Unigram piece.

    >>> Entry(1916, b"ing", "##ing", "continuation").rank is None
    True
    """

    id: int
    raw: bytes
    spelled: str
    kind: Kind
    rank: int | None = None
    score: float | None = None


class Vocabulary(Protocol):
    """The tokens of a tokenizer, including special ones; memory depends on their number, not the largest id.

    A token has a position from 0 to `len(vocabulary) - 1`, so any column has one item per position.
    """

    def __hash__(self) -> int:
        """Return the hash of the object: vocabularies are compared by identity."""

    def __len__(self) -> int:
        """Return the number of tokens."""

    @property
    def n_vocab(self) -> int:
        """The largest id plus one, as tiktoken counts; ids may have gaps."""

    @property
    def ids(self) -> Ids:
        """The id of each token, by position."""

    @property
    def ranks(self) -> Positions:
        """The rank of each token, by position; -1 for no rank."""

    def entry(self, token_id: int) -> Entry:
        """Return everything known about a token. Raises UnknownTokenError."""

    def raw_of(self, token_id: int) -> bytes:
        """Return the bytes of a token. Raises UnknownTokenError."""

    def ids_of(self, raw: bytes) -> tuple[int, ...]:
        """Return the ids of all tokens with these bytes, in ascending order."""

    def positions_of(self, ids: Ids) -> Positions:
        """Return the position of each id. Raises UnknownTokenError."""

    def raws_of(self, ids: Ids) -> Sequence[bytes]:
        """Return the bytes of each id. Raises UnknownTokenError."""

    def n_bytes_of(self, ids: Ids) -> Positions:
        """Return the length of each id in bytes. Raises UnknownTokenError."""


class TableVocabulary:
    """A vocabulary in a table, sorted by id.

    `raws`, `ranks` and `scores` have one item per id; rank -1 means none. The kind is "piece", or "special"
    for special tokens, unless `kinds` says otherwise. `spell(id, raw)` returns a token's spelling in files; a
    special token with several names is spelled by the first. `id_of` maps bytes to ordinary tokens, for
    callers that already have such a table without duplicates.

    >>> vocabulary = TableVocabulary("toy", [2**31, 7], [b"ab", b"a"], special_tokens={"<s>": 9})
    >>> len(vocabulary), vocabulary.ids.tolist(), vocabulary.ids_of(b"ab"), vocabulary.entry(9).kind
    (3, [7, 9, 2147483648], (2147483648,), 'special')

    Raises: ValueError if two tokens have the same id.
    """

    def __init__(
        self,
        name: str,
        ids: Iterable[int],
        raws: Iterable[bytes],
        *,
        ranks: Iterable[int] | None = None,
        scores: Iterable[float] | None = None,
        kinds: Mapping[int, Kind] | None = None,
        special_tokens: Mapping[str, int] | None = None,
        spell: Callable[[int, bytes], str] = lambda _token_id, raw: raw.decode(errors="replace"),
        id_of: Mapping[bytes, int] | None = None,
    ) -> None:
        special = dict(special_tokens or {})
        names: dict[int, str] = {}
        for name_of_token, token_id in special.items():
            names.setdefault(token_id, name_of_token)
        column = np.concatenate([np.fromiter(ids, np.uint32), np.fromiter(names, np.uint32)])
        raw_column = (*raws, *(token.encode() for token in names.values()))
        order = np.argsort(column, kind="stable")
        if (order[1:] < order[:-1]).any():
            column, raw_column = column[order], tuple(map(raw_column.__getitem__, order.tolist()))
        if len(column) != len(raw_column) or (column[1:] == column[:-1]).any():
            raise ValueError(f"the tokens of {name} do not have an id each")
        self.name = name
        self.ids: Ids = column
        self._raws = raw_column
        self.ranks: Positions = _in_order([] if ranks is None else ranks, order, np.int64)
        self._scores = None if scores is None else _in_order(scores, order, np.float64)
        self._special = special
        self._given_id_of = id_of
        self._names = names
        self._kinds: Mapping[int, Kind] = {**dict.fromkeys(names, "special"), **(kinds or {})}
        self._spell = spell

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def n_vocab(self) -> int:
        """The largest id plus one; 0 for an empty vocabulary."""
        return int(self.ids[-1]) + 1 if len(self.ids) else 0

    def entry(self, token_id: int) -> Entry:
        """Return everything known about a token. Raises UnknownTokenError."""
        position = self._position_of(token_id)
        raw, rank = self._raws[position], int(self.ranks[position])
        return Entry(
            token_id,
            raw,
            self._names.get(token_id) or self._spell(token_id, raw),
            self._kinds.get(token_id, "piece"),
            None if rank < 0 else rank,
            None if self._scores is None or token_id in self._names else float(self._scores[position]),
        )

    def raw_of(self, token_id: int) -> bytes:
        """Return the bytes of a token. Raises UnknownTokenError."""
        return self._raws[self._position_of(token_id)]

    def ids_of(self, raw: bytes) -> tuple[int, ...]:
        """Return the ids of all tokens with these bytes, in ascending order."""
        found = list(self._twins.get(raw, ()))
        if raw in self._id_of:
            found.append(self._id_of[raw])
        special_id = self._special.get(raw.decode(errors="replace"))
        if special_id is not None and special_id not in found:
            found.append(special_id)
        return tuple(sorted(found))

    def positions_of(self, ids: Ids) -> Positions:
        """Return the position of each id. Raises UnknownTokenError."""
        if not len(ids):
            return np.zeros(0, np.int64)
        table = self._position_table
        if table is None:
            positions = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
            is_known = self.ids[positions] == ids
        else:
            if int(ids.max()) >= len(table):
                raise self._unknown(int(ids.max()))
            positions = table[ids]
            is_known = positions >= 0
        if not is_known.all():
            raise self._unknown(int(ids[np.argmin(is_known)]))
        return positions

    def raws_of(self, ids: Ids) -> Sequence[bytes]:
        """Return the bytes of each id. Raises UnknownTokenError."""
        positions = self.positions_of(ids)
        if len(positions) and np.all(np.diff(positions) == 1):
            return self._raws[positions[0] : positions[-1] + 1]
        return list(map(self._raws.__getitem__, positions.tolist()))

    def n_bytes_of(self, ids: Ids) -> Positions:
        """Return the length of each id in bytes. Raises UnknownTokenError."""
        return self._n_bytes[self.positions_of(ids)]

    def _position_of(self, token_id: int) -> int:
        table = self._position_table
        position = -1
        if table is not None:
            if 0 <= token_id < len(table):
                position = table.item(token_id)
        elif 0 <= token_id < self.n_vocab:
            nearest = int(np.searchsorted(self.ids, token_id))
            position = nearest if self.ids[nearest] == token_id else -1
        if position < 0:
            raise self._unknown(token_id)
        return position

    def _unknown(self, token_id: int) -> UnknownTokenError:
        if not len(self.ids):
            return UnknownTokenError(f"{self.name} has no token {token_id}; it has none at all")
        first, last = int(self.ids[0]), int(self.ids[-1])
        has_gaps = last - first >= len(self.ids) and first <= token_id <= last
        return UnknownTokenError(
            f"{self.name} has no token {token_id}; its ids are {first:,} to {last:,}"
            + (", with gaps" if has_gaps else "")
        )

    @cached_property
    def _n_bytes(self) -> Positions:
        return np.fromiter(map(len, self._raws), np.int64, len(self._raws))

    @cached_property
    def _position_table(self) -> Positions | None:
        """The position of each id, -1 for a gap; None if ids are too sparse for a table."""
        if self.n_vocab > _MAX_IDS_A_TOKEN * len(self.ids):
            return None
        table = np.full(self.n_vocab, -1, np.int64)
        table[self.ids] = np.arange(len(self.ids))
        return table

    @cached_property
    def _id_of(self) -> Mapping[bytes, int]:
        """The last id of each spelling."""
        if self._given_id_of is not None:
            return self._given_id_of
        return dict(zip(self._raws, self.ids.tolist(), strict=True))

    @cached_property
    def _twins(self) -> dict[bytes, list[int]]:
        """The other ids of spellings that several tokens share (few)."""
        twins: dict[bytes, list[int]] = {}
        if self._given_id_of is None:
            for raw, token_id in zip(self._raws, self.ids.tolist(), strict=True):
                if self._id_of[raw] != token_id:
                    twins.setdefault(raw, []).append(token_id)
        return twins


def _in_order(
    values: Iterable[int] | Iterable[float], order: Positions, dtype: type[np.int64] | type[np.float64]
) -> NDArray[Any]:
    """Return a column sorted by id; special tokens, which have no value, get -1."""
    given = np.fromiter(values, dtype)
    return np.concatenate([given, np.full(len(order) - len(given), -1, dtype)])[order]
