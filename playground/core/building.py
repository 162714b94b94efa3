"""How a tokenizer makes the tokens of a pretoken, as values that a view can match on.

`Building` is what `Tokenizer.build` returns, `MergeNode` the tree inside a token. Merging itself and its
rules are in `bpe.merging`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar


class Pretoken(NamedTuple):
    """A piece of text that is encoded on its own, after normalizing.

    `char_start:char_end` (half-open) are the characters of the source text that the pretoken was made of.
    `key` is set if `text` alone does not determine the tokens: the model's own spelling of the pretoken, or
    the id of an added token. Pretokens with equal `text` and `key` have equal tokens.

    >>> Pretoken("straße", 4, 10).text
    'straße'
    """

    text: str
    char_start: int
    char_end: int
    key: str | int | None = None

    @property
    def identity(self) -> "PretokenIdentity":
        """What determines the tokens: the text and the key."""
        return self.text, self.key


PretokenIdentity = tuple[str, str | int | None]


class MergeStep(NamedTuple):
    """One merge: the bytes `start:middle` and `middle:end` of a pretoken become the token of this rank."""

    rank: int
    start: int
    middle: int
    end: int


class Leaves(NamedTuple):
    """The parts that merging starts from, with the byte offset at which each ends.

    Used where a part is not a single byte.
    """

    parts: tuple[Any, ...]
    ends: tuple[int, ...]


class Merged(NamedTuple):
    """A pretoken built by merging: `steps` in the order in which the encoder applies them, by `rule`.

    `part_ends` are the byte offsets in `raw` at which the remaining parts end, and `ids` the tokens. With
    `is_whole` the encoder takes the pretoken as one token although merging leaves several parts. `leaves` are
    the parts that merging starts from; None means one part per byte.
    """

    rule: "MergeRule[Any]"
    raw: bytes
    steps: tuple[MergeStep, ...]
    part_ends: tuple[int, ...]
    ids: tuple[int, ...]
    is_whole: bool = False
    leaves: Leaves | None = None


class Edge(NamedTuple):
    """A piece of the vocabulary that spells the characters `start:end` of a pretoken, with its score and id.

    A character that no piece spells is an unknown edge: `is_known` is False and `ids` are the ids of its
    bytes, or the unknown token, which adjacent unknown characters share.
    """

    start: int
    end: int
    score: float
    ids: tuple[int, ...]
    is_known: bool = True


class Lattice(NamedTuple):
    """A pretoken built by scores: the path over `edges` with the best sum is taken.

    `best` and `second` are paths as indexes into `edges`; `second` is the next best path, or empty. `ids` are
    the tokens of `best`: one for each edge, except for unknown characters.
    """

    text: str
    edges: tuple[Edge, ...]
    best: tuple[int, ...]
    second: tuple[int, ...]
    ids: tuple[int, ...]

    def score_of(self, path: tuple[int, ...]) -> float:
        """Return the sum of a path's scores."""
        return sum(self.edges[place].score for place in path)


class Probe(NamedTuple):
    """A piece that the encoder looks up at the characters `start:end` of a word, and whether it exists."""

    start: int
    end: int
    spelled: str
    is_found: bool


class Probed(NamedTuple):
    """A word that is cut from the left into the longest pieces; `probes` are all pieces looked up, in order.

    If no piece fits at some place, the whole word becomes the unknown token, even after pieces were found.
    """

    text: str
    probes: tuple[Probe, ...]
    ids: tuple[int, ...]


class Given(NamedTuple):
    """A pretoken whose tokens have no inner structure; `why` is a sentence that says so."""

    ids: tuple[int, ...]
    why: str = "Its tokens are looked up, and nothing is inside them."


#: How the tokens of a pretoken come about. Views match on it and end with `assert_never`, so the type checker
#: names every view that has to learn a new class here.
Building = Merged | Lattice | Probed | Given

#: A part of a pretoken during merging. The sum of two parts is the key that a rule looks up: `b"a" + b"b"`
#: where neighbours merge by their bytes, `(97,) + (98,)` where they merge by their ids.
Part = TypeVar("Part", bytes, tuple[int, ...])


class MergeRule(Protocol[Part]):
    """Which neighbours may merge, in which order, and what they become; by joined bytes or by pair of ids."""

    @property
    def find(self) -> Callable[[Part], int | None]:
        """Return the rank of the merge that makes the sum of two parts; None if there is no such merge."""

    @property
    def made(self) -> Mapping[int, Part] | None:
        """Map a merge's rank to the part it makes; None where that is the sum of the two parts."""

    def parts(self, raw: bytes) -> list[Part]:
        """Return the parts that merging starts from, one per byte or character. Raises UnknownTokenError."""

    def id_of(self, part: Part) -> int:
        """Return the token id of a part."""

    def rank_of(self, token_id: int) -> int:
        """Return the rank of a token; -1 for a token that no merge makes."""

    def build(self, raw: bytes) -> Merged:
        """Merge a pretoken. Raises UnknownTokenError for a byte without a token."""

    def inside(self, token_id: int) -> Merged:
        """Return a token of the vocabulary as merging makes it; `is_whole` if no merge makes it.

        Raises UnknownTokenError.
        """

    def parts_of(self, token_id: int) -> tuple[int, ...]:
        """Return the tokens that a token was merged from: two; none for a leaf; more if no merge makes it.

        Raises UnknownTokenError.
        """


def place_pretokens(texts: Iterable[str]) -> Iterator[Pretoken]:
    """Yield pretokens that join to the text, with their character offsets.

    >>> [pretoken.char_start for pretoken in place_pretokens(["a", " b"])]
    [0, 1]
    """
    start = 0
    for text in texts:
        end = start + len(text)
        yield _new_pretoken((text, start, end, None))
        start = end


_new_pretoken = partial(tuple.__new__, Pretoken)  # faster than the constructor; a long text has many


class MergeNode(NamedTuple):
    """A token, or a part of one, with the parts it was merged from; children spell the parent.

    A leaf has no children: it is a byte, a character, or a token without inner structure. A merge has two
    children and a step. A node with children and step 0 is a token that no merge makes: an encoder may take a
    whole pretoken that is in the vocabulary, and the children are then the parts at which merging stops.

    `rank` is that of the merge or the byte; -1 if nothing merges. `step` counts the merges of a tree from 1
    in the order in which the encoder applies them.

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
        """Whether the token is a leaf or a merge of two parts."""
        return not self.children or (len(self.children) == 2 and self.step > 0)

    def iter_nodes(self) -> Iterator["MergeNode"]:
        """Yield this node and all nodes below it, parents first, left to right."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))
