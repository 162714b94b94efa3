"""Merge rules whose leaves are characters: SentencePiece's and Hugging Face's.

`ByScore` is the rule of SentencePiece BPE, `BySpelledPair` that of a tokenizer.json. The rules of byte-level
BPE are in `merging`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np
import regex

from playground.bpe.merging import merge_parts, merge_trees
from playground.core.building import Leaves, Merged, MergeStep
from playground.core.errors import UnknownTokenError

#: First bytes, found in no UTF-8 text, of parts that merge with nothing.
_BYTE, _SYMBOL, _UNKNOWN = b"\xfe", b"\xff", b"\xfd"
#: The rank of the first merge, as tiktoken numbers bytes and merges.
FIRST_RANK = 256


class Scored(NamedTuple):
    """The id and the score of a piece."""

    id: int
    score: float


class ByScore:
    """Neighbours merge if their joined characters are a piece, the best score first, then the leftmost.

    `pieces` are by their bytes. `symbols` are pieces that are taken wherever a text spells them and that
    never merge. A character without a piece becomes its bytes (`byte_ids`); without byte tokens, adjacent
    characters without a piece become one `unknown_id`. A merge has rank 256 plus the number of better scores.

    >>> pieces = {b"a": Scored(3, -9), b"b": Scored(4, -9), b"ab": Scored(5, -1), b"ba": Scored(6, -2)}
    >>> rule = ByScore(pieces, unknown_id=0)
    >>> built = rule.build("bab🙂🙂".encode())
    >>> built.ids, built.steps, rule.parts_of(6)
    ((4, 5, 0), (MergeStep(rank=256, start=1, middle=2, end=3),), (4, 3))
    """

    made = None  # the sum of two parts is what they become

    def __init__(
        self,
        pieces: Mapping[bytes, Scored],
        *,
        unknown_id: int,
        byte_ids: Sequence[int] = (),
        symbols: Iterable[str] = (),
    ) -> None:
        self._ids = {raw: piece.id for raw, piece in pieces.items()}
        self._byte_ids = byte_ids
        self._unknown_id = unknown_id
        self._symbols = frozenset(symbols)
        longest_first = sorted(self._symbols, key=len, reverse=True)
        self._leaf = regex.compile("(?s)" + "|".join([*map(regex.escape, longest_first), "."]))
        scores = {raw: piece.score for raw, piece in pieces.items() if _is_joined(raw, self._symbols)}
        best_first = sorted(set(scores.values()), reverse=True)
        place_of = {score: FIRST_RANK + place for place, score in enumerate(best_first)}
        self._ranks = {raw: place_of[score] for raw, score in scores.items()}
        self.find = self._ranks.get

    def parts(self, raw: bytes) -> list[bytes]:
        """Return one part per character, and one per symbol."""
        return [
            _SYMBOL + leaf.encode() if leaf in self._symbols else leaf.encode()
            for leaf in self._leaf.findall(raw.decode())
        ]

    def id_of(self, part: bytes) -> int:
        """Return the token of a part; the unknown token for a character without a piece."""
        kind = part[:1]
        if kind == _BYTE:
            return self._byte_ids[part[1]]
        return self._ids.get(part[1:] if kind == _SYMBOL else part, self._unknown_id)

    def rank_of(self, token_id: int) -> int:
        """Return the rank of the merge that makes a token; -1 if no merge does."""
        return self._ranks.get(self._raw_by_id.get(token_id, b""), -1)

    def build(self, raw: bytes) -> Merged:
        """Merge a pretoken."""
        parts = self.parts(raw)
        bounds = [0]
        for part in parts:
            bounds.append(bounds[-1] + len(part.removeprefix(_SYMBOL)))
        steps, _left, left_ends = merge_parts(list(parts), self.find)
        leaf_parts: list[bytes] = []
        leaf_ends: list[int] = []
        part_ends: list[int] = []
        ids: list[int] = []
        left = [*pairwise((0, *left_ends))]
        for is_known, group in groupby(left, lambda ends: self._is_known(parts, ends)):
            if is_known:
                for start, end in group:
                    leaf_parts += parts[start:end]
                    leaf_ends += bounds[start + 1 : end + 1]
                    part_ends.append(bounds[end])
                    ids.append(self.id_of(parts[start] if end - start == 1 else b"".join(parts[start:end])))
                continue
            unknown = [*group]
            first, last = bounds[unknown[0][0]], bounds[unknown[-1][1]]
            bytes_or_unknown = self._without_piece(raw[first:last])
            leaf_parts += bytes_or_unknown
            ends = range(first + 1, last + 1) if self._byte_ids else [last]
            leaf_ends += ends
            part_ends += ends
            ids += map(self.id_of, bytes_or_unknown)
        byte_steps = [MergeStep(rank, bounds[a], bounds[b], bounds[c]) for rank, a, b, c in steps]
        return Merged(
            self, raw, tuple(byte_steps), tuple(part_ends), tuple(ids),
            leaves=Leaves(tuple(leaf_parts), tuple(leaf_ends)),
        )  # fmt: skip

    def inside(self, token_id: int) -> Merged:
        """Return a token as its own characters merge; taken whole if they become other tokens.

        Raises UnknownTokenError.
        """
        if token_id in self._byte_ids:
            byte = bytes([self._byte_ids.index(token_id)])
            return Merged(self, byte, (), (1,), (token_id,), leaves=Leaves((_BYTE + byte,), (1,)))
        raw = self._raw_by_id.get(token_id)
        if raw is None:
            raise UnknownTokenError(f"no token that merges has id {token_id}")
        built = self.build(raw)
        return built if built.ids == (token_id,) else built._replace(ids=(token_id,), is_whole=True)

    def parts_of(self, token_id: int) -> tuple[int, ...]:
        """Return the tokens that a token was merged from. Raises UnknownTokenError."""
        inside = self.inside(token_id)
        if inside.is_whole:
            return self.build(inside.raw).ids
        if not inside.steps:
            return ()
        middle = inside.steps[-1].middle
        return self.id_of(inside.raw[:middle]), self.id_of(inside.raw[middle:])

    def _is_known(self, parts: Sequence[bytes], ends: tuple[int, int]) -> bool:
        """Whether a remaining part is a piece: a merged one always is, a single character may not be."""
        start, end = ends
        return end - start > 1 or parts[start] in self._ids or parts[start][:1] == _SYMBOL

    def _without_piece(self, raw: bytes) -> list[bytes]:
        """Return what characters without a piece become: their bytes, or one unknown part."""
        return [_BYTE + bytes([byte]) for byte in raw] if self._byte_ids else [_UNKNOWN + raw]

    @cached_property
    def _raw_by_id(self) -> dict[int, bytes]:
        return {token_id: raw for raw, token_id in self._ids.items()}


def _is_joined(raw: bytes, symbols: frozenset[str]) -> bool:
    """Whether a piece has several characters and is made by merging."""
    text = raw.decode()
    return len(text) > 1 and text not in symbols


_IdPart = tuple[int, ...]


class PairOptions(NamedTuple):
    """How a file's BPE model merges; field names are the file's.

    `unknown_id` is the id of `unk_token`; None if a character without a token is dropped.
    """

    continuing_subword_prefix: str = ""
    end_of_word_suffix: str = ""
    unknown_id: int | None = None
    fuse_unk: bool = False
    byte_fallback: bool = False
    ignore_merges: bool = False


class BySpelledPair:
    """Listed pairs of tokens merge, the first listed first, then the leftmost.

    Leaves are characters as the file spells them, bytes where it falls back on them, and the unknown token.
    `merges` are pairs of tokens by spelling. `spell` spells a pretoken's bytes, `unspell` returns the bytes
    of a spelled character, `raw_of` those of a token. A merge has rank 256 plus its index in the list; a pair
    that is listed twice has the rank of the last. The attribute `merges` has the ids of the two parts and of
    the joined token of each pair, shape (pairs, 3), and `options` those that were given.

    >>> id_of = {"a": 0, "b": 1, "b</w>": 2, "ab</w>": 3}
    >>> rule = BySpelledPair(
    ...     id_of, [("a", "b</w>")], PairOptions(end_of_word_suffix="</w>"),
    ...     spell=bytes.decode, unspell=str.encode, raw_of=[b"a", b"b", b"b", b"ab"].__getitem__,
    ... )
    >>> rule.build(b"ab").ids, rule.build(b"ba").ids, rule.parts_of(3)
    ((3,), (1,), (0, 2))
    """

    def __init__(
        self,
        id_of: Mapping[str, int],
        merges: Sequence[tuple[str, str]],
        options: PairOptions,
        *,
        spell: Callable[[bytes], str],
        unspell: Callable[[str], bytes],
        raw_of: Callable[[int], bytes],
    ) -> None:
        self._id_of, self.options = id_of, options
        self._spell, self._unspell, self._raw_of = spell, unspell, raw_of
        n_prefix = len(options.continuing_subword_prefix)
        # The loops are in Python so that other threads can run meanwhile.
        columns = (
            [id_of[left] for left, _right in merges],
            [id_of[right] for _left, right in merges],
            [id_of[left + right[n_prefix:]] for left, right in merges],
        )
        self.merges = np.array(columns, np.int64).T
        self.made: Mapping[int, _IdPart] = _Made(self.merges[:, 2])

    @cached_property
    def _rank_of_pair(self) -> dict[int, int]:
        # One number per pair: for half a million pairs, tuples take twice the memory.
        pairs = (self.merges[:, 0] << 32 | self.merges[:, 1]).tolist()
        return dict(zip(pairs, range(FIRST_RANK, FIRST_RANK + len(pairs)), strict=True))

    def find(self, part: _IdPart) -> int | None:
        """Return the rank of a pair of tokens; None if it is not listed."""
        return self._rank_of_pair.get(part[0] << 32 | part[1])

    def parts(self, raw: bytes) -> list[_IdPart]:
        """Return one part per leaf."""
        return [(token_id,) for token_id, _raw in self._iter_leaves(self._spell(raw))]

    def id_of(self, part: _IdPart) -> int:
        """Return the token id of a part."""
        return part[0]

    def rank_of(self, token_id: int) -> int:
        """Return the rank of a token, the lowest of several merges that make it; -1 if none does."""
        return self._rank_by_id.get(token_id, -1)

    def build(self, raw: bytes) -> Merged:
        """Merge a pretoken."""
        return self.build_word(self._spell(raw))

    def build_word(self, word: str) -> Merged:
        """Merge a pretoken in the file's spelling; `raw` of the result lacks dropped characters."""
        merged = self._merged([*self._iter_leaves(word)])
        whole = self._id_of.get(word) if self.options.ignore_merges else None
        if whole is None or merged.ids == (whole,):
            return merged
        return merged._replace(ids=(whole,), is_whole=True)

    def inside(self, token_id: int) -> Merged:
        """Return a token as its own leaves merge, or by its listed merges if they merge differently.

        Raises UnknownTokenError.
        """
        listed = self._listed(token_id)
        parts = () if listed.leaves is None else listed.leaves.parts
        built = self._merged([(leaf, self._raw_of(leaf)) for (leaf,) in parts])
        return built if built.ids == (token_id,) else listed

    def parts_of(self, token_id: int) -> tuple[int, ...]:
        """Return the two tokens that a token was merged from; none for a leaf. Raises UnknownTokenError."""
        rank = self.rank_of(token_id)
        if rank >= 0 and self._n_merges_of[token_id] == 1:
            left, right, _new = self.merges[rank - FIRST_RANK].tolist()
            return left, right
        (tree,) = merge_trees(self.inside(token_id))
        return tuple([child.id for child in tree.children])

    def _iter_leaves(self, word: str) -> Iterator[tuple[int, bytes]]:
        """Yield the leaves of a word: a token and its bytes in the pretoken."""
        options, unknown = self.options, b""
        for place, character in enumerate(word):
            spelled = options.continuing_subword_prefix + character if place else character
            if place == len(word) - 1:
                spelled += options.end_of_word_suffix
            token_id = self._id_of.get(spelled)
            raw = self._unspell(character)
            if token_id is None and options.byte_fallback:
                found = [self._id_of.get(f"<0x{byte:02X}>") for byte in spelled.encode()]
                if None not in found and len(found) == len(raw):
                    for byte_id, byte in zip(found, raw, strict=True):
                        yield byte_id or 0, bytes([byte])
                    continue
            if token_id is None and options.unknown_id is None:
                continue  # dropped
            if unknown and (token_id is not None or not options.fuse_unk):
                yield options.unknown_id or 0, unknown
                unknown = b""
            if token_id is None:
                unknown += raw
            else:
                yield token_id, raw
        if unknown:
            yield options.unknown_id or 0, unknown

    def _merged(self, leaves: Sequence[tuple[int, bytes]]) -> Merged:
        parts: list[_IdPart] = [(token_id,) for token_id, _raw in leaves]
        bounds = [0, *np.cumsum([len(raw) for _id, raw in leaves], dtype=np.int64).tolist()]
        steps, left, ends = merge_parts(list(parts), self.find, self.made)
        return Merged(
            self,
            b"".join([raw for _id, raw in leaves]),
            tuple([MergeStep(rank, bounds[a], bounds[b], bounds[c]) for rank, a, b, c in steps]),
            tuple([bounds[end] for end in ends]),
            tuple([token_id for (token_id,) in left]),
            leaves=Leaves(tuple(parts), tuple(bounds[1:])),
        )

    def _listed(self, token_id: int) -> Merged:
        """Return a token by the merges listed for it and its parts, ignoring any other merge."""
        nodes: list[tuple[int, int]] = []  # rank and token, parents first, left to right
        waiting = [token_id]
        while waiting:
            whole = waiting.pop()
            rank = self.rank_of(whole)
            left, right = (whole, whole) if rank < 0 else self.merges[rank - FIRST_RANK, :2].tolist()
            if whole in (left, right):  # a leaf, or a merge that only adds a prefix
                nodes.append((-1, whole))
            else:
                nodes.append((rank, whole))
                waiting += [right, left]
        leaves = [whole for rank, whole in nodes if rank < 0]
        bounds = [0, *np.cumsum([len(self._raw_of(leaf)) for leaf in leaves], dtype=np.int64).tolist()]
        steps = []
        spans: list[tuple[int, int]] = []  # spans of leaves, from the right, without a parent so far
        n_leaves = len(leaves)
        for rank, _whole in reversed(nodes):
            if rank < 0:
                n_leaves -= 1
                spans.append((n_leaves, n_leaves + 1))
                continue
            (start, middle), (_middle, end) = spans.pop(), spans.pop()
            steps.append(MergeStep(rank, bounds[start], bounds[middle], bounds[end]))
            spans.append((start, end))
        return Merged(
            self,
            b"".join(map(self._raw_of, leaves)),
            tuple(sorted(steps)),
            (bounds[-1],),
            (token_id,),
            leaves=Leaves(tuple([(leaf,) for leaf in leaves]), tuple(bounds[1:])),
        )

    @cached_property
    def _rank_by_id(self) -> dict[int, int]:
        new_ids, first = np.unique(self.merges[:, 2], return_index=True)
        return dict(zip(new_ids.tolist(), (first + FIRST_RANK).tolist(), strict=True))

    @cached_property
    def _n_merges_of(self) -> dict[int, int]:
        new_ids, counts = np.unique(self.merges[:, 2], return_counts=True)
        return dict(zip(new_ids.tolist(), counts.tolist(), strict=True))


class _Made(Mapping[int, _IdPart]):
    """Map each rank to the part its merge makes, computed on access."""

    def __init__(self, new_ids: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> None:
        self._new_ids = new_ids

    def __getitem__(self, rank: int) -> _IdPart:
        return (int(self._new_ids[rank - FIRST_RANK]),)

    def __iter__(self) -> Iterator[int]:
        return iter(range(FIRST_RANK, FIRST_RANK + len(self._new_ids)))

    def __len__(self) -> int:
        return len(self._new_ids)
