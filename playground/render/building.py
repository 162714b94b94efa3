"""Draw how a pretoken was built as SVG: merge trees, a lattice, or tries of the longest match."""

from collections.abc import Iterator
from typing import assert_never

from playground.analysis.traces import token_trees
from playground.core.building import Building, Given, Lattice, Merged, Probed
from playground.core.vocabulary import Vocabulary
from playground.render.lattice import lattice_svg
from playground.render.merge_tree import Height, leaf_characters, merge_tree_svg
from playground.render.probes import probes_svg

#: Limit on the bytes of a drawing: 4,000 are about 2,500 characters of English, which scroll smoothly.
MAX_LEAVES = 4_000


def building_svg(
    text: str,
    building: Building,
    vocabulary: Vocabulary,
    *,
    height_by: Height = "depth",
    has_hex: bool = False,
) -> str:
    """Return a pretoken as SVG elements side by side: one for each merge tree, or one for the whole.

    `has_hex` reserves room for hex bytes, so that pretokens side by side share a baseline.

    >>> from playground.catalog.registry import get_tokenizer
    >>> tokenizer = get_tokenizer("gpt2")
    >>> (pretoken,) = tokenizer.iter_pretokens(" Egg")
    >>> building_svg(" Egg", tokenizer.build(pretoken), tokenizer.vocabulary).count("<svg")
    1
    """
    match building:
        case Lattice():
            return lattice_svg(building)
        case Probed():
            return probes_svg(building)
        case Merged() | Given():
            return "".join(_iter_tree_svgs(text.encode(), building, vocabulary, height_by, has_hex))
        case _:
            assert_never(building)


def _iter_tree_svgs(
    raw: bytes, building: Building, vocabulary: Vocabulary, height_by: Height, has_hex: bool
) -> Iterator[str]:
    trees = token_trees(building, vocabulary)
    is_spelled_by_them = b"".join(tree.raw for tree in trees) == raw
    start = 0
    for tree in trees:
        if start >= MAX_LEAVES:
            break
        end = start + len(tree.raw)
        characters = leaf_characters(raw, start, end) if is_spelled_by_them else leaf_characters(tree.raw)
        yield merge_tree_svg(tree, characters=characters, height_by=height_by, has_hex=has_hex)
        start = end
