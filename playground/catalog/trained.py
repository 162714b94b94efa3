"""Tokenizers that were learned here or read from a file; ids are exact, speed is tiktoken's where it can be.

Training itself is `training.trainer`; which of these a session has is `ui`'s business.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import regex
import tiktoken

from playground.bpe.model import BpeModel, encode_pretoken
from playground.bpe.pretokenize import SAFE_CUT
from playground.bpe.special_tokens import iter_special_parts
from playground.bpe.split_pattern import iter_pretokens
from playground.catalog.long_white_space import encode_known_pattern
from playground.core.errors import UnknownTokenError
from playground.core.tokenizer import NO_SPECIAL, replace_lone_surrogates, segment_lossless
from playground.core.tokens import Segmentation

_MAX_CACHED = 100_000


@dataclass(frozen=True)
class TrainedTokenizer:
    """A `BpeModel` with a name, as every page wants a tokenizer.

    >>> from playground.bpe.split_pattern import SplitPattern
    >>> merges = ((97, 97, 256), (256, 97, 257), (257, 98, 258))
    >>> TrainedTokenizer("lecture", BpeModel(SplitPattern.named("none"), merges)).encode("aaabdaaabac")
    [258, 100, 258, 97, 99]
    """

    name: str
    model: BpeModel
    _cache: dict[bytes, list[int]] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def n_vocab(self) -> int:
        """One more than the largest id."""
        return max([*self._raw_of, *self.special_tokens.values()]) + 1

    @property
    def special_tokens(self) -> Mapping[str, int]:
        """Special tokens by their text."""
        return self.model.special_tokens

    @property
    def safe_cut(self) -> regex.Pattern[str] | None:
        """Where a text may be cut and encoded in pieces; None without a pattern that is known."""
        return SAFE_CUT if self.model.pattern.is_known else None

    @property
    def split_pattern(self) -> str:
        """The pattern that cuts a text into pretokens; "" for none."""
        return self.model.pattern.expression

    @cached_property
    def mergeable_ranks(self) -> Mapping[bytes, int]:
        """Bytes to id."""
        return self.model.mergeable_ranks()

    @cached_property
    def is_exact_in_tiktoken(self) -> bool:
        """Whether tiktoken's rule, ranks without pairs, gives the same ids."""
        return next(self.model.misfits(), None) is None

    def encode(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> list[int]:
        """The ids of a text."""
        text = replace_lone_surrogates(text)
        allowed = [token for token in self.special_tokens if token in allowed_special]
        ids: list[int] = []
        for part, is_special in iter_special_parts(text, allowed):
            if is_special:
                ids.append(self.special_tokens[part])
            elif self._encoding is not None and self.model.pattern.is_known:
                ids.extend(encode_known_pattern(self._encoding, part))
            else:
                for pretoken, _ in iter_pretokens(part, self.model.pattern):
                    ids.extend(self._encode_pretoken(pretoken.encode()))
        return ids

    def token_bytes(self, token_id: int) -> bytes:
        """The bytes of a token. Raises UnknownTokenError."""
        try:
            return self._raw_of[token_id]
        except KeyError:
            for token, special_id in self.special_tokens.items():
                if special_id == token_id:
                    return token.encode()
        raise UnknownTokenError(f"{self.name} has no token {token_id}; its ids are 0 to {self.n_vocab - 1:,}")

    def segment(self, text: str, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Segmentation:
        """The text with its tokens placed in it."""
        return segment_lossless(self, text, allowed_special=allowed_special)

    def decode(self, ids: Iterable[int]) -> str:
        """The text of ids; bytes that are not UTF-8 become U+FFFD. Raises UnknownTokenError."""
        return b"".join(map(self.token_bytes, ids)).decode(errors="replace")

    def at_merge(self, n_merges: int) -> "TrainedTokenizer":
        """The tokenizer as it was after its first merges."""
        model = self.model
        return TrainedTokenizer(
            self.name, BpeModel(model.pattern, model.merges[:n_merges], {}, model.byte_ids)
        )

    @cached_property
    def _raw_of(self) -> dict[int, bytes]:
        return self.model.token_bytes()

    @cached_property
    def _ranks(self) -> dict[tuple[int, int], tuple[int, int]]:
        return self.model.ranks()

    @cached_property
    def _encoding(self) -> tiktoken.Encoding | None:
        if not self.is_exact_in_tiktoken:
            return None
        return tiktoken.Encoding(
            self.name,
            pat_str=self.split_pattern if self.model.pattern.is_known else r"(?s:.+)",
            mergeable_ranks=dict(self.mergeable_ranks),
            special_tokens={},
        )

    def _encode_pretoken(self, raw: bytes) -> list[int]:
        ids = self._cache.get(raw)
        if ids is None:
            if self._encoding is not None:
                ids = self._encoding._core_bpe.encode_single_piece(raw)
            else:
                ids = encode_pretoken(raw, self.model.byte_ids, self._ranks)
            if len(raw) < 100 and len(self._cache) < _MAX_CACHED:
                self._cache[raw] = ids
        return ids
