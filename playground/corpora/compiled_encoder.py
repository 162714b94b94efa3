"""Encoding and counting in compiled code, for tokenizers that merge by rank within a known split pattern.

`CompiledEncoder` serves one tokenizer, `CountingTogether` several that count the same texts. `recipe_of` says
whether a tokenizer can have one. Import this module only once there is much text: it loads Numba.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from playground.bpe.special_tokens import iter_special_parts
from playground.bpe.split_pattern import OPEN_MODEL_PATTERNS, SPLIT_PATTERNS
from playground.catalog.normalized import NormalizedTokenizer, nfc_text
from playground.catalog.ranked import RankedTokenizer
from playground.catalog.tokenizer_json_file import TokenizerJsonFile
from playground.core.tokenizer import Tokenizer
from playground.core.vocabulary import Ids
from playground.corpora.file_ranks import ranks_of_file
from playground.corpora.text_files import Text, as_str, as_utf8
from playground.files.proof import new_texts, proof_texts
from playground.training.kernel.encoding import (
    ROOM_BEHIND_IDS,
    STOP,
    Space,
    count_listed,
    encode_parts,
    new_cache,
    new_space,
)
from playground.training.kernel.merging import START
from playground.training.kernel.pretoken_table import PAD, Bytes, Longs, Words
from playground.training.kernel.rank_table import MAX_TOKENS, RankTable, TokenRow, new_rank_table
from playground.training.kernel.scanners import QWEN, SCANNERS, TEKKEN, character_classes
from playground.training.kernel.segment_counts import (
    MAX_TOGETHER,
    SEGMENTS_DONE,
    find_segments,
    new_lists,
    new_segment_rows,
)
from playground.training.warm_up import COUNTING_TOGETHER, compile_once

#: Split pattern to its scanner. Whisper's spelling of GPT-2's pattern cuts alike.
_SCANNER_OF = {SPLIT_PATTERNS[name]: scanner for name, scanner in SCANNERS.items()} | {
    OPEN_MODEL_PATTERNS["qwen"]: QWEN,
    OPEN_MODEL_PATTERNS["tekken"]: TEKKEN,
    OPEN_MODEL_PATTERNS["gpt2"]: SCANNERS["gpt2"],
}
_NO_IDS = np.zeros(0, np.uint32)
_ZEROS = bytes(PAD)


@dataclass(frozen=True)
class RankRecipe:
    """Tokens in the order of their ranks, their ids, the scanner, and a normalization of the text.

    `added` tokens are found in every text, with their ids.
    """

    tokens: TokenRow
    ids: Ids
    scanner: int
    normalize: Callable[[str], str] | None = None
    added: Mapping[str, int] = field(default_factory=dict)


def recipe_of(tokenizer: Tokenizer) -> RankRecipe | None:
    """Return the recipe of a tokenizer; None if it merges otherwise or its pattern has no scanner.

    >>> from playground.catalog.registry import get_tokenizer
    >>> recipe_of(get_tokenizer("gpt2")).tokens.n_tokens, recipe_of(get_tokenizer("characters"))
    (50256, None)
    """
    if isinstance(tokenizer, TokenizerJsonFile):
        made = ranks_of_file(tokenizer)
        scanner = made and _SCANNER_OF.get(made.pattern.expression)
        if made is None or scanner is None:
            return None
        row = TokenRow.of(made.tokens)
        if row.n_tokens > MAX_TOKENS:
            return None
        recipe = RankRecipe(row, made.ids, scanner, made.normalize, tokenizer.added_tokens)
        return recipe if _is_proven(recipe, tokenizer) else None
    normalize = None
    if isinstance(tokenizer, NormalizedTokenizer):
        normalize, tokenizer = partial(nfc_text, nfc=tokenizer.nfc), tokenizer.base
    if not isinstance(tokenizer, RankedTokenizer):
        from playground.catalog.trained import TrainedTokenizer  # only here: it imports the file readers

        if not isinstance(tokenizer, TrainedTokenizer) or not tokenizer.is_exact_in_tiktoken:
            return None
    scanner = _SCANNER_OF.get(tokenizer.split_pattern)
    if scanner is None:
        return None
    ranks = tokenizer.mergeable_ranks
    tokens, ids = list(ranks), np.fromiter(ranks.values(), np.uint32, len(ranks))
    order = np.argsort(ids, kind="stable")
    row = TokenRow.of([tokens[n] for n in order.tolist()])
    if row.n_tokens > MAX_TOKENS or not row.has_all_bytes():
        return None  # its library raises an error for a byte without a token
    return RankRecipe(row, ids[order], scanner, normalize)


def _is_proven(recipe: RankRecipe, tokenizer: Tokenizer) -> bool:
    """Whether the compiled encoder gives the ids of the tokenizer's library on the test text."""
    special = tokenizer.special_tokens
    for allowed in ({}, special):
        encoder = CompiledEncoder.of(recipe, {**recipe.added, **allowed})
        for text in [*proof_texts([*recipe.added, *special]), *new_texts()]:
            if encoder.encode([text]).tolist() != list(
                tokenizer.encode(text, allowed_special=frozenset(allowed))
            ):
                return False
    return True


@dataclass
class CompiledEncoder:
    """The encoder of a recipe; `special` maps the special tokens to treat as such to their ids."""

    recipe: RankRecipe
    special: Mapping[str, int]
    ranks: RankTable = field(repr=False)
    is_compiled: bool = True
    _cache: Words = field(init=False, repr=False, default_factory=new_cache)
    _space: Space = field(init=False, repr=False, default_factory=lambda: new_space(0))

    @classmethod
    def of(cls, recipe: RankRecipe, special: Mapping[str, int]) -> "CompiledEncoder":
        """Make an encoder, with a table of the recipe's tokens."""
        return cls(recipe, special, new_rank_table(recipe.tokens))

    def fork(self) -> "CompiledEncoder":
        """Return an encoder for another thread, which shares the table of tokens."""
        return replace(self)

    def count(self, texts: Sequence[Text]) -> int:
        """Return the number of ids of all texts."""
        return self._run(texts, -1, writes=False)[0]

    def encode(self, texts: Sequence[Text], *, closing_id: int = -1) -> Ids:
        """Return the ids of all texts, each followed by the closing id (-1 for none)."""
        return self._run(texts, closing_id, writes=True)[1]

    def count_listed(self, text: Bytes, listed: Longs, n_listed: int, segments: Words, lane: int) -> int:
        """Count pretokens that `segment_counts` has listed; returns the ids of those of no segment."""
        if not n_listed:
            return 0
        self._make_room(int((listed[:n_listed, STOP] - listed[:n_listed, START]).max()))
        return count_listed(
            self._cache, self.ranks, self.recipe.ids, self._space, text, listed, n_listed, segments, lane
        )

    def is_given(self, raws: Sequence[bytes]) -> bool:
        """Whether the scanner reads exactly these bytes: no special tokens, nothing to normalize."""
        return not self.special and (
            self.recipe.normalize is None or all(self._normalized(raw) == raw for raw in raws)
        )

    def _run(self, texts: Sequence[Text], closing_id: int, *, writes: bool) -> tuple[int, Ids]:
        joined, parts = self._parts(texts, closing_id)
        if not len(parts):
            return 0, _NO_IDS
        self._make_room(int((parts[:, STOP] - parts[:, START]).max()))
        # At most one id per byte, and the closing ids, which use the zeros after each text.
        out = np.empty(len(joined) + ROOM_BEHIND_IDS, np.uint32) if writes else _NO_IDS
        n_ids = encode_parts(
            self._cache, self.ranks, self.recipe.ids, self._space,
            np.frombuffer(joined, np.uint8), parts, out, character_classes(), self.recipe.scanner,
        )  # fmt: skip
        return n_ids, out[:n_ids]

    def _make_room(self, n_bytes: int) -> None:
        """Make room to merge a pretoken of `n_bytes`; memory is taken only for what is used."""
        if n_bytes > len(self._space.long.pair) - 2:
            self._space = new_space(2 * n_bytes)

    def _parts(self, texts: Sequence[Text], closing_id: int) -> tuple[bytes, Longs]:
        """Return the bytes of all texts, zeros behind each, and the rows of `encode_parts`."""
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
        """Split a text into ordinary parts, normalized, each with the special token behind it or -1."""
        if not self.special:
            return [(self._normalized(text), -1)]
        found: list[tuple[bytes, int]] = []
        for part, is_special in iter_special_parts(as_str(text), self.special):
            found.append((b"", self.special[part]) if is_special else (self._normalized(part), -1))
        return found

    def _normalized(self, text: Text) -> bytes:
        normalize = self.recipe.normalize
        return as_utf8(normalize(as_str(text)) if normalize else text)


class CountingTogether:
    """Counts for several encoders at once; pieces of text that all of them cut alike are looked up once.

    Three tokenizers count a corpus in half the time that they need one after the other. The cache of such
    pieces has `n_lines` of two entries, a power of two up to 2 ** 20; the default takes 32 MB.

    >>> from playground.catalog.registry import get_tokenizer
    >>> recipes = [recipe_of(get_tokenizer(name)) for name in ("gpt2", "cl100k_base")]
    >>> encoders = [CompiledEncoder.of(recipe, {}) for recipe in recipes]
    >>> CountingTogether().count(dict(enumerate(encoders)), [b"def f():", b"    return 1"])
    {0: 8, 1: 7}
    """

    def __init__(self, *, n_lines: int = 1 << 19) -> None:
        compile_once(COUNTING_TOGETHER)
        self._n_lines = n_lines
        self._groups: dict[tuple[int, ...], _Group] = {}

    def count(self, encoders: Mapping[int, CompiledEncoder], raws: Sequence[bytes]) -> dict[int, int]:
        """Return the numbers of ids for the encoders that can count together.

        An encoder has the same number in each call.
        """
        alike = [number for number, encoder in encoders.items() if encoder.is_given(raws)]
        counted: dict[int, int] = {}
        for start in range(0, len(alike), MAX_TOGETHER):
            numbers = tuple(alike[start : start + MAX_TOGETHER])
            if len(numbers) > 1:
                # A count that is interrupted leaves unfinished segments, so its group is not used again.
                group = self._groups.pop(numbers, None)
                if group is None:
                    group = _Group([encoders[number] for number in numbers], self._n_lines)
                counted |= zip(numbers, group.count(raws), strict=True)
                self._groups[numbers] = group
        return counted


class _Group:
    """Two to MAX_TOGETHER encoders, and the cache of segments that all of them cut alike."""

    def __init__(self, encoders: Sequence[CompiledEncoder], n_lines: int) -> None:
        scanners = sorted({encoder.recipe.scanner for encoder in encoders})
        self._encoders = encoders
        self._numbers = [scanners.index(encoder.recipe.scanner) for encoder in encoders]
        self._scanners = np.array(scanners, np.int64)
        self._rows, self._lists = new_segment_rows(n_lines), new_lists(len(scanners))

    def count(self, raws: Sequence[bytes]) -> list[int]:
        joined, parts = joined_parts(raws)
        text, lists = np.frombuffer(joined, np.uint8), self._lists
        progress, totals = np.zeros(2 + MAX_TOGETHER, np.int64), np.zeros(MAX_TOGETHER, np.int64)
        while True:
            ended = find_segments(
                self._rows, lists, self._scanners, text, parts, progress, totals, character_classes()
            )
            for lane, (encoder, number) in enumerate(zip(self._encoders, self._numbers, strict=True)):
                totals[lane] += encoder.count_listed(
                    text, lists.pretokens[number], int(lists.n_pretokens[number]), lists.segments, lane
                )
            if ended == SEGMENTS_DONE and not lists.n_pretokens.any():
                return [int(n_ids) for n_ids in totals[: len(self._encoders)]]


def joined_parts(raws: Sequence[bytes]) -> tuple[bytes, Longs]:
    """Join texts with zeros behind each; returns also where each starts and stops, shape (texts, 2)."""
    lengths = np.fromiter(map(len, raws), np.int64, len(raws))
    stops = np.cumsum(lengths + PAD) - PAD
    return _ZEROS.join([*raws, 2 * _ZEROS]), np.stack([stops - lengths, stops], axis=1)
