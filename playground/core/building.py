"""Building: how a tokenizer makes the tokens of a pretoken, as values that a view can match on.

The merging itself is in `bpe.merging`, its rules in `bpe.merging`.
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


class Leaves(NamedTuple):
    """What merging starts from, where that is not a part a byte: the parts, and where each ends in bytes."""

    parts: tuple[Any, ...]
    ends: tuple[int, ...]


class Merged(NamedTuple):
    """A pretoken built by merging: `steps` in the order in which the encoder applies them, by `rule`.

    `part_ends` are the byte offsets in `raw` where the parts end that merging leaves. `ids` are the tokens.
    `is_whole` tells that the encoder takes the pretoken as one token although merging leaves several parts.
    `leaves` are what merging starts from; None: the bytes.
    """

    rule: "MergeRule[Any]"
    raw: bytes
    steps: tuple[MergeStep, ...]
    part_ends: tuple[int, ...]
    ids: tuple[int, ...]
    is_whole: bool = False
    leaves: Leaves | None = None


class Edge(NamedTuple):
    """A way over the characters `start:end` of a pretoken: a piece of the vocabulary, its score and its id.

    Where no piece spells a character, the way leads over an unknown one: `is_known` is False, and `ids` are
    its bytes or the unknown token, which characters that stand together share.
    """

    start: int
    end: int
    score: float
    ids: tuple[int, ...]
    is_known: bool = True


class Lattice(NamedTuple):
    """A pretoken built by scores: of all paths over its `edges`, the one with the best sum is taken.

    `best` and `second` are such paths, as places in `edges`; `second` is the next best one, empty where there
    is no other. `ids` are the tokens of the best: one for each edge, but for unknown characters.
    """

    text: str
    edges: tuple[Edge, ...]
    best: tuple[int, ...]
    second: tuple[int, ...]
    ids: tuple[int, ...]

    def score_of(self, path: tuple[int, ...]) -> float:
        """The sum of a path's scores."""
        return sum(self.edges[place].score for place in path)


class Probe(NamedTuple):
    """A piece that the encoder looks for at the characters `start:end` of a word, which has it or not."""

    start: int
    end: int
    spelled: str
    is_found: bool


class Probed(NamedTuple):
    """A word cut from the left into the longest pieces; `probes` are all pieces looked for, in order.

    A word in which one place has no piece is unknown as a whole, also when pieces were found before it.
    """

    text: str
    probes: tuple[Probe, ...]
    ids: tuple[int, ...]


class Given(NamedTuple):
    """A pretoken whose tokens have nothing inside; `why` says so in a sentence."""

    ids: tuple[int, ...]
    why: str = "Its tokens are looked up, and nothing is inside them."


#: How the tokens of a pretoken came about. A view matches on it, and ends with `assert_never`: another way
#: to build a token is a class more here, and the type checker names each view that must learn to show it.
Building = Merged | Lattice | Probed | Given

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
        """What merging starts from: a part a byte, or a character. Raises UnknownTokenError."""

    def id_of(self, part: Part) -> int:
        """The token that a part is."""

    def rank_of(self, token_id: int) -> int:
        """The rank of a token; -1 for one that is there before anything merges."""

    def build(self, raw: bytes) -> Merged:
        """Merge a pretoken. Raises UnknownTokenError for a byte without a token."""

    def inside(self, token_id: int) -> Merged:
        """A token of the vocabulary as merging makes it; `is_whole` where no merge does.

        Raises UnknownTokenError.
        """

    def parts_of(self, token_id: int) -> tuple[int, ...]:
        """The tokens that a token was merged from: two, none for a leaf, more where no merge makes it.

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


class MergeNode(NamedTuple):
    """A token, or a part of one, with the parts it was merged from; children spell the parent.

    A leaf has no children: it is one byte or character, or a token with nothing inside. A merge has two and a
    step. A node with children and no step is a token that no merge makes: an encoder may take a whole
    pretoken that is in the vocabulary without merging it, and the children are then the parts where merging
    it stops.

    `rank` is that of the merge or the byte, and -1 where nothing is ever merged. `step` counts the merges of
    a tree from 1, in the order in which the encoder applied them; 0: no merge.

    >>> tree = MergeNode(b"ab", 256, 256, (MergeNode(b"a", 97, 97), MergeNode(b"b", 98, 98)), step=1)
    >>> tree.is_recovered, [node.raw for node in tree.iter_nodes()]
    (True, [b'ab', b'a', b'b'])
    """

    raw: bytes
    id: int
    rank: int = -1
    children: tuple["MergeNode", ...] = ()
    step: int = 0

    @property
    def is_recovered(self) -> bool:
        """Whether this token is a merge of two parts, or a leaf."""
        return not self.children or (len(self.children) == 2 and self.step > 0)

    def iter_nodes(self) -> Iterator["MergeNode"]:
        """Yield this node and all below it, parents first, left to right."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))
