"""MergeNode: a token as the tree of the merges that made it.

Which merges those are is found in `bpe.merging`; how a tree looks is decided in `render.merge_tree`.
"""

from collections.abc import Iterator
from typing import NamedTuple


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
