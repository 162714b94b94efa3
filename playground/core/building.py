"""Building: how a tokenizer makes the tokens of a pretoken, as values that a view can match on.

The merging itself is in `bpe.merging`, its rules in `bpe.merge_rules`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar


class Pretoken(NamedTuple):
    """A stretch of text that is encoded on its own, after normalizing.

    `char_start:char_end` are the characters of the source that it was made of, half-open.

    >>> Pretoken("straße", 4, 10).text
    'straße'
    """

    text: str
    char_start: int
    char_end: int


class MergeStep(NamedTuple):
    """One merge: the bytes `start:middle` and `middle:end` of a pretoken become the token of this rank."""

    rank: int
    start: int
    middle: int
    end: int


class Merged(NamedTuple):
    """A pretoken built by merging: `steps` in the order in which the encoder applies them, by `rule`.

    `part_ends` are the byte offsets in `raw` where the parts end that merging leaves. `ids` are the tokens.
    `is_whole` tells that the encoder takes the pretoken as one token although merging leaves several parts.
    """

    rule: "MergeRule[Any]"
    raw: bytes
    steps: tuple[MergeStep, ...]
    part_ends: tuple[int, ...]
    ids: tuple[int, ...]
    is_whole: bool = False


class Given(NamedTuple):
    """A pretoken whose tokens have nothing inside: they are looked up, or are what the text is made of."""

    ids: tuple[int, ...]


#: How the tokens of a pretoken came about. A view matches on it, and ends with `assert_never`: another way
#: to build a token is a class more here, and the type checker names each view that must learn to show it.
Building = Merged | Given

#: A part of a pretoken while it is merged. Two parts are added to what a rule looks up: `b"a" + b"b"` where
#: any neighbours merge whose bytes are a token, `(97,) + (98,)` where a pair of ids does.
Part = TypeVar("Part", bytes, tuple[int, ...])


class MergeRule(Protocol[Part]):
    """Which neighbours may merge, which first, and what they become; by joined bytes or by pair of ids."""

    @property
    def find(self) -> Callable[[Part], int | None]:
        """The rank of the merge that makes one of two parts, given as their sum; None for no merge."""

    @property
    def made(self) -> Mapping[int, Part] | None:
        """The part that the merge of a rank makes; None where it is the sum itself."""

    def parts(self, raw: bytes) -> list[Part]:
        """What merging starts from: a part a byte. Raises UnknownTokenError for a byte without a token."""

    def id_of(self, part: Part) -> int:
        """The token that a part is."""

    def rank_of(self, token_id: int) -> int:
        """The rank of a token."""

    def build(self, raw: bytes) -> Merged:
        """Merge a pretoken. Raises UnknownTokenError for a byte without a token."""

    def inside(self, token_id: int) -> Merged:
        """A token of the vocabulary as merging makes it; `is_whole` where no merge does.

        Raises UnknownTokenError.
        """

    def parts_of(self, token_id: int) -> tuple[int, ...]:
        """The tokens that a token was merged from: two, none for a byte, more where no merge makes it.

        Raises UnknownTokenError.
        """


def place_pretokens(texts: Iterable[str]) -> Iterator[Pretoken]:
    """Pretokens that join to the text.

    >>> [pretoken.char_start for pretoken in place_pretokens(["a", " b"])]
    [0, 1]
    """
    start = 0
    for text in texts:
        end = start + len(text)
        yield _new_pretoken((text, start, end))
        start = end


_new_pretoken = partial(tuple.__new__, Pretoken)  # a long text has very many
