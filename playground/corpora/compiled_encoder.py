"""CompiledEncoder: pretokens by the compiled scanner, each distinct one merged once, in bounded memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from playground.bpe.special_tokens import iter_special_parts
from playground.core.vocabulary import Ids
from playground.corpora.rank_recipes import RankRecipe
from playground.corpora.texts import Text, as_str, as_utf8
from playground.training.kernel import scanners
from playground.training.kernel.character_classes import character_classes
from playground.training.kernel.compiled import laid_out
from playground.training.kernel.encode_parts import (
    DONE,
    N_IDS,
    NEEDS_ROOM,
    ROOM_BEHIND_IDS,
    START,
    STOP,
    Space,
    count_listed,
    encode_parts,
    new_space,
)
from playground.training.kernel.memo import MAX_REMEMBERED, Memo, larger_memo, new_memo
from playground.training.kernel.merge_lanes import ROOM_BEHIND_TEXT
from playground.training.kernel.pretoken_table import PAD, Bytes, Longs, Words
from playground.training.kernel.rank_table import RankTable, new_rank_table

_SCANNERS = scanners.SCANNERS | {"qwen": scanners.QWEN, "tekken": scanners.TEKKEN}
_NO_IDS = np.zeros(0, np.uint32)
_ZEROS = bytes(PAD)


@dataclass
class CompiledEncoder:
    """The encoder of a recipe; `special` are the special tokens to honour, with their ids.

    `max_pretokens` bounds the table of those whose ids are known; a full one gives way to an empty one. A
    pretoken of more than 128 bytes is merged each time it comes.
    """

    recipe: RankRecipe
    special: Mapping[str, int]
    ranks: RankTable = field(repr=False)
    max_pretokens: int = 1 << 18
    is_compiled: bool = True
    _memo: Memo = field(init=False, repr=False, default_factory=new_memo)
    _laid_out: tuple[Memo, RankTable, Ids, Space] | None = field(init=False, repr=False, default=None)
    _space: Space = field(init=False, repr=False, default_factory=lambda: new_space(MAX_REMEMBERED))

    @classmethod
    def of(cls, recipe: RankRecipe, special: Mapping[str, int]) -> "CompiledEncoder":
        """With a table of the recipe's tokens."""
        return cls(recipe, special, new_rank_table(recipe.tokens))

    def count(self, texts: Sequence[Text]) -> int:
        """How many ids the texts have."""
        return self._run(texts, -1, writes=False)[0]

    def encode(self, texts: Sequence[Text], *, closing_id: int = -1) -> Ids:
        """The ids of the texts in a row; the closing id behind each, -1 for none."""
        return self._run(texts, closing_id, writes=True)[1]

    @property
    def scanner(self) -> int:
        """The number of the compiled scanner."""
        return _SCANNERS[self.recipe.scanner]

    def is_given(self, raws: Sequence[bytes]) -> bool:
        """Whether the scanner reads just these bytes: no special token is cut out, and nothing normalized."""
        return not self.special and (
            self.recipe.normalize is None or all(self._normalized(raw) == raw for raw in raws)
        )

    def fork(self) -> "CompiledEncoder":
        """With the same table of tokens, and a table of pretokens of its own."""
        return replace(self)

    def _run(self, texts: Sequence[Text], closing_id: int, *, writes: bool) -> tuple[int, Ids]:
        joined, parts = self._parts(texts, closing_id)
        if not len(parts):
            return 0, _NO_IDS
        text = np.frombuffer(joined, np.uint8)
        progress = np.zeros(3, np.int64)
        # No id without a byte, but for those that close a text, behind which zeros stand.
        out = np.empty(len(joined) + ROOM_BEHIND_IDS, np.uint32) if writes else _NO_IDS
        while True:
            ended = encode_parts(
                *self._tables(), text, parts, progress, out, character_classes(), self.scanner
            )
            if ended == DONE:
                n_ids = int(progress[N_IDS])
                return n_ids, out[:n_ids]
            self._make_room(ended, parts)

    def count_listed(
        self, text: Bytes, parts: Longs, listed: Longs, n_listed: int, segments: Words, lane: int
    ) -> int:
        """How many ids listed pretokens have that belong to no segment; see `kernel.segment_counts`."""
        if not n_listed:
            return 0
        progress = np.array([0, n_listed, 0], np.int64)
        while True:
            ended = count_listed(*self._tables(), text, listed, segments, lane, progress, _NO_IDS)
            if ended == DONE:
                return int(progress[2])
            self._make_room(ended, parts)

    def _tables(self) -> tuple[Memo, RankTable, Ids, Space]:
        if self._laid_out is None:
            self._laid_out = (
                laid_out(self._memo), laid_out(self.ranks), laid_out(self.recipe.ids), laid_out(self._space),
            )  # fmt: skip
        return self._laid_out

    def _make_room(self, ended: int, parts: Longs) -> None:
        self._laid_out = None
        if ended == NEEDS_ROOM:
            self._memo = larger_memo(self._memo, self.max_pretokens)
        else:
            self._space = new_space(int((parts[:, STOP] - parts[:, START]).max()))

    def _parts(self, texts: Sequence[Text], closing_id: int) -> tuple[bytes, Longs]:
        """The bytes of all, zeros behind each; and where each part starts and stops, and what closes it."""
        raws: list[bytes] = []
        closings: list[int] = []
        for text in texts:
            for raw, token_id in self._split(text):
                raws.append(raw)
                closings.append(token_id)
            if closing_id >= 0:
                raws.append(b"")
                closings.append(closing_id)
        joined, parts = joined_parts(raws)
        return joined, np.column_stack([parts, np.array(closings, np.int64)])

    def _split(self, text: Text) -> list[tuple[bytes, int]]:
        """Ordinary parts, normalized, with the special token that follows each; -1 for none."""
        if not self.special:
            return [(self._normalized(text), -1)]
        found: list[tuple[bytes, int]] = []
        for part, is_special in iter_special_parts(as_str(text), self.special):
            found.append((b"", self.special[part]) if is_special else (self._normalized(part), -1))
        return found

    def _normalized(self, text: Text) -> bytes:
        normalize = self.recipe.normalize
        return as_utf8(normalize(as_str(text)) if normalize else text)


def joined_parts(raws: Sequence[bytes]) -> tuple[bytes, Longs]:
    """Texts in a row, zeros behind each, and where each starts and stops; shape (texts, 2)."""
    lengths = np.fromiter(map(len, raws), np.int64, len(raws))
    stops = np.cumsum(lengths + PAD) - PAD
    return _ZEROS.join([*raws, bytes(ROOM_BEHIND_TEXT)]), np.stack([stops - lengths, stops], axis=1)
