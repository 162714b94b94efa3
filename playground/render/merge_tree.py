"""Draw merge trees as SVG: leaves are bytes below their characters, joints have a piece and its rank.

Trees are found in `bpe.merging`; `web/shared/tree_view.js` makes them interactive.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from html import escape
from typing import Literal, NamedTuple
from unicodedata import east_asian_width

from playground.core.building import MergeNode
from playground.core.text_units import widened_to_characters
from playground.core.wording import counted
from playground.render.visible_text import shown_bytes, shown_text

Height = Literal["depth", "order"]

#: Lengths in SVG units, which are CSS pixels.
LEAF_WIDTH = 28
CHARACTER_HEIGHT = 24
HEX_HEIGHT = 14
CAPTION_HEIGHT, CAPTION_LETTER = 18, 6.7
JOINT_HEIGHT = 33
#: Height of a joint in a tall tree, which shows only its rank.
LOW_JOINT_HEIGHT = 18
LEVEL_HEIGHT: dict[Height, int] = {"depth": 46, "order": 36}
MAX_TREE_HEIGHT = 900
MARGIN = 4
#: Drawings of nodes up to this many bytes are cached.
_SHORT = 16
#: Zero-width joiners, which are invisible by themselves.
_JOINERS = ("\u200c", "\u200d")

#: Styles of every tree; the page sets the variables, and the fallbacks are for a file on its own.
TREE_CSS = """
.tree { font-family: var(--mono, ui-monospace, monospace); font-size: 11px; overflow: visible; }
.tree path { fill: none; stroke: var(--tree-line, #8b9297); stroke-width: 1; }
.tree .joint { fill: var(--tree-paper, #fbfaf7); stroke: var(--tree-line, #8b9297); }
.tree text { fill: var(--tree-ink, #1c2326); text-anchor: middle; stroke: none; }
.tree .piece { font-size: 12px; white-space: pre; }
.tree .rank { font-size: 11px; fill: var(--tree-muted, #566066); }
.tree .root > .joint { fill: var(--tree-root, #0b6e62); stroke: var(--tree-root, #0b6e62); }
.tree .root > .rank, .tree .root > .piece { fill: var(--tree-paper, #fbfaf7); font-weight: 600; }
.tree .character { fill: var(--tree-leaf, #f1efe9); stroke: var(--tree-edge, #d9d5ca); }
.tree .touch { fill: transparent; }
.tree .lit > path { stroke: var(--tree-root, #0b6e62); stroke-width: 2; }
.tree .top > path { stroke: var(--tree-line, #8b9297); stroke-width: 1; }
.tree .lit > .joint { fill: var(--tree-lit, #cfe6e1); stroke: var(--tree-root, #0b6e62); }
.tree .lit > .touch { fill: var(--tree-root, #0b6e62); fill-opacity: 0.28; }
.tree .root.lit > .joint { fill: var(--tree-root, #0b6e62); }
.tree .partial { stroke-dasharray: 3 2; }
.tree .glyph { font-size: 13px; }
.tree .hex, .tree .caption { font-size: 11px; fill: var(--tree-muted, #566066); }
.tree.growing > .caption, .tree .later > .joint, .tree .later > text,
.tree .loose > path { visibility: hidden; }
.tree .made > .joint { stroke: var(--tree-root, #0b6e62); stroke-width: 2.5; }
.tree .whole > path, .tree .whole > .joint { stroke-dasharray: 3 2; }
.tree .way > .span { fill: var(--tree-paper, #fbfaf7); stroke: var(--tree-line, #8b9297); }
.tree .way > .piece { fill: var(--tree-ink, #1c2326); font-weight: 400; }
.tree .way > .rank { fill: var(--tree-muted, #566066); font-weight: 400; }
.tree .best > .span { fill: var(--tree-root, #0b6e62); stroke: var(--tree-root, #0b6e62); }
.tree .best > .piece, .tree .best > .rank { fill: var(--tree-paper, #fbfaf7); font-weight: 600; }
.tree .second > .span { fill: var(--tree-lit, #cfe6e1); stroke: var(--tree-root, #0b6e62); }
.tree .refused > .span { stroke-dasharray: 3 2; }
.tree .refused > .piece, .tree .more { fill: var(--tree-muted, #566066); }
.tree .sum, .tree .more { font-size: 10.5px; text-anchor: start; }
.tree .way.lit > .span { stroke: var(--tree-ink, #1c2326); stroke-width: 2; }
.tree .axis { stroke: var(--tree-edge, #d9d5ca); }
.tree .axis-title { font-size: 11px; fill: var(--tree-muted, #566066); }
.tree .axis-label { text-anchor: end; font-size: 10px; fill: var(--tree-muted, #566066); }
.tree .name { font-size: 13px; font-weight: 600; text-anchor: start; }
.tree .summary { text-anchor: start; fill: var(--tree-muted, #566066); }
.tree .dot { stroke: var(--tree-paper, #fbfaf7); stroke-width: 1.5; }
.tree .dot-rank { text-anchor: start; font-size: 10px; paint-order: stroke;
  stroke: var(--tree-paper, #fbfaf7); stroke-width: 3px; }
"""


class LeafCharacter(NamedTuple):
    """A character and the number of its bytes that a token holds; `text` is "" if the bytes are not UTF-8."""

    text: str
    n_bytes: int
    is_partial: bool


def leaf_characters(raw: bytes, start: int = 0, end: int | None = None) -> tuple[LeafCharacter, ...]:
    r"""Return the characters that the bytes `start:end` touch; invalid UTF-8 is a partial, unknown character.

    >>> leaf_characters("é!".encode(), 1, 3)
    (LeafCharacter(text='é', n_bytes=1, is_partial=True),
     LeafCharacter(text='!', n_bytes=1, is_partial=False))
    >>> leaf_characters(b"\xe2\x82")
    (LeafCharacter(text='', n_bytes=1, is_partial=True), LeafCharacter(text='', n_bytes=1, is_partial=True))
    """
    end = len(raw) if end is None else end
    first, last = widened_to_characters(raw, start, end)
    characters = []
    position = first
    for character in raw[first:last].decode(errors="surrogateescape"):
        is_byte = 0xDC80 <= ord(character) < 0xDD00
        n_bytes = 1 if is_byte else len(character.encode())
        n_inside = min(position + n_bytes, end) - max(position, start)
        if n_inside > 0:
            text = "" if is_byte else character
            characters.append(LeafCharacter(text, n_inside, is_byte or n_inside < n_bytes))
        position += n_bytes
    return tuple(characters)


def merge_tree_svg(
    tree: MergeNode,
    *,
    characters: Sequence[LeafCharacter] | None = None,
    height_by: Height = "depth",
    has_hex: bool | None = None,
) -> str:
    """Return one token's tree as an SVG element with the styles of `TREE_CSS`.

    Groups of class "node" are ordered children first, so that a parent is painted over its lines; `data-n`
    counts the nodes of a subtree, which are the groups before it. `has_hex` reserves room for hex bytes,
    so that trees side by side share a baseline.

    >>> merge_tree_svg(MergeNode(b"<", 27, 27)).count("&lt;")
    3
    """
    characters = leaf_characters(tree.raw) if characters is None else characters
    has_hex = needs_hex(characters) if has_hex is None else has_hex
    nodes = list(tree.iter_nodes())
    levels = _levels(nodes, height_by)
    n_leaves = len(tree.raw)
    top_level = max(levels)
    level_height = min(LEVEL_HEIGHT[height_by], MAX_TREE_HEIGHT / max(top_level, 1))
    leaf_y = MARGIN + JOINT_HEIGHT / 2 + top_level * level_height if top_level else float(MARGIN)
    width = n_leaves * LEAF_WIDTH + 2 * MARGIN
    shift = (width - n_leaves * LEAF_WIDTH) / 2
    ys = [leaf_y - level * level_height for level in levels]
    height = leaf_y + CHARACTER_HEIGHT + (HEX_HEIGHT if has_hex else 0) + CAPTION_HEIGHT
    caption_y = leaf_y + CHARACTER_HEIGHT + (HEX_HEIGHT if needs_hex(characters) else 0) + 13
    caption = f"id {tree.id}"
    if CAPTION_LETTER * len(caption) > width:
        caption = str(tree.id)  # would cover the neighbour's
    parts = [
        open_svg("tree", width, height, describe_tree(tree)),
        *iter_characters_svg(characters, shift, leaf_y),
        *_iter_nodes_svg(
            nodes, place_centres(nodes, shift), ys, leaf_y, characters, is_low=level_height < JOINT_HEIGHT
        ),
        f'<text class="caption" x="{width / 2:g}" y="{caption_y:g}">{caption}</text></svg>',
    ]
    return "".join(parts)


def open_svg(kind: str, width: float, height: float, label: str) -> str:
    """Return the start tag of an SVG element with a label for screen readers."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{kind}" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(label, quote=True)}">'
    )


def describe_tree(tree: MergeNode) -> str:
    """Describe a token's tree in words, for screen readers.

    >>> describe_tree(MergeNode(b"!", 0, 0)), describe_tree(MergeNode(b"!", 33))
    ('token "!", rank 0, one byte', 'token "!", id 33, nothing inside')
    """
    name = f'token "{shown_bytes(tree.raw)}"'
    name += f", id {tree.id}" if tree.rank < 0 else f", rank {tree.rank}"
    if tree.rank < 0 and not tree.children:
        return f"{name}, nothing inside"
    if not tree.children:
        return f"{name}, one byte" if len(tree.raw) == 1 else name
    if not tree.is_recovered:
        return f"{name}, taken whole: no merge makes it"
    left, right = tree.children
    merges = counted(sum(len(node.children) == 2 for node in tree.iter_nodes()), "merge")
    return f'{name}, {merges}, the last of "{shown_bytes(left.raw)}" and "{shown_bytes(right.raw)}"'


def needs_hex(characters: Sequence[LeafCharacter]) -> bool:
    """Whether a character is not one whole byte, so that its bytes are shown in hex."""
    return any(character.n_bytes > 1 or character.is_partial for character in characters)


def _levels(nodes: Sequence[MergeNode], height_by: Height) -> list[int]:
    """Return the level of each node above the leaves, in the order of `iter_nodes`."""
    levels = [0] * len(nodes)
    for index, children in iter_children(nodes):
        if children:
            above = 1 + max(levels[child] for child in children)
            # A token that is taken whole has no step of its own, and is above all others.
            levels[index] = max(above, nodes[index].step) if height_by == "order" else above
    return levels


def place_centres(nodes: Sequence[MergeNode], shift: float) -> list[float]:
    """Return the x of each node's centre: a leaf's at its bytes, a joint's between its outer children."""
    centres = [0.0] * len(nodes)
    end = len(nodes[0].raw)
    for index, children in iter_children(nodes):
        if children:
            centres[index] = (centres[children[0]] + centres[children[-1]]) / 2
        else:
            n_bytes = len(nodes[index].raw)
            centres[index] = shift + (end - n_bytes / 2) * LEAF_WIDTH
            end -= n_bytes
    return centres


def iter_children(nodes: Sequence[MergeNode]) -> Iterator[tuple[int, list[int]]]:
    """Yield `(index, indices of its children)`, from the last node in parents-first order to the first."""
    waiting: list[int] = []  # subtrees to the right without a parent so far, the nearest last
    for index in range(len(nodes) - 1, -1, -1):
        n_children = len(nodes[index].children)
        children = [waiting.pop() for _ in range(n_children)]
        waiting.append(index)
        yield index, children


def _iter_nodes_svg(
    nodes: Sequence[MergeNode],
    centres: Sequence[float],
    ys: Sequence[float],
    leaf_y: float,
    characters: Sequence[LeafCharacter],
    *,
    is_low: bool,
) -> Iterator[str]:
    parent_of = [-1] * len(nodes)
    n_below = [1] * len(nodes)
    for index, children in iter_children(nodes):
        for child in children:
            parent_of[child] = index
            n_below[index] += n_below[child]
    shows_hex = [c.n_bytes > 1 or c.is_partial for c in characters for _ in range(c.n_bytes)]
    end = len(shows_hex)
    for index in range(len(nodes) - 1, -1, -1):
        node, x, y, parent = nodes[index], centres[index], ys[index], parent_of[index]
        kinds = "node" + (" root" if parent < 0 else "") + ("" if node.is_recovered else " whole")
        shown = _short_attribute(node.raw) if len(node.raw) <= _SHORT else _attribute(node.raw)
        step = f' data-step="{node.step}"' if node.step else ""
        yield f'<g class="{kinds}" data-n="{n_below[index]}" data-text="{shown}"'
        rank = "" if node.rank < 0 else f' data-rank="{node.rank}"'
        yield f"{rank}{step}>"
        if parent >= 0:
            yield f'<path d="M{x:g} {y:g}V{ys[parent]:g}H{centres[parent]:g}"/>'
        if node.children:
            yield _low_joint_svg(node.rank, x, y) if is_low else _joint_svg(node, x, y, is_root=parent < 0)
        else:
            n_bytes = len(node.raw)
            if any(shows_hex[end - n_bytes : end]):
                hex_y = leaf_y + CHARACTER_HEIGHT + 11
                yield f'<text class="hex" x="{x:g}" y="{hex_y:g}">{node.raw.hex(" ").upper()}</text>'
            end -= n_bytes
            width = n_bytes * LEAF_WIDTH
            yield (
                f'<rect class="touch" x="{x - width / 2 + 1.5:g}" y="{leaf_y + 0.5:g}" '
                f'width="{width - 3}" height="{CHARACTER_HEIGHT - 1}" rx="3"/>'
            )
        yield "</g>"


def _attribute(raw: bytes) -> str:
    return escape(shown_bytes(raw), quote=True)


_short_attribute = lru_cache(maxsize=4_096)(_attribute)  # a text repeats few distinct nodes


def iter_characters_svg(
    characters: Sequence[LeafCharacter], shift: float, leaf_y: float, *, width: float | None = None
) -> Iterator[str]:
    """Yield a box for each character below a tree, of the given width or as wide as its bytes."""
    given_width = width
    x = shift
    for character in characters:
        width = given_width or character.n_bytes * LEAF_WIDTH
        kind = "character partial" if character.is_partial else "character"
        yield (
            f'<rect class="{kind}" x="{x + 1.5:g}" y="{leaf_y + 0.5:g}" width="{width - 3:g}" '
            f'height="{CHARACTER_HEIGHT - 1}" rx="3"/>'
        )
        shown = shown_text(character.text)
        if character.text in _JOINERS:
            shown = f"{ord(character.text):04X}"
        elif shown.startswith("⟨"):
            shown = shown.strip("⟨⟩")  # a code point: the box is its bracket
        fits = (
            f' textLength="{width - 5:g}" lengthAdjust="spacingAndGlyphs"' if len(shown) * 8 > width else ""
        )
        y = leaf_y + CHARACTER_HEIGHT - 7
        yield f'<text class="glyph" x="{x + width / 2:g}" y="{y:g}"{fits}>{escape(shown)}</text>'
        x += width


def fitted(text: str, room: float) -> str:
    """Return SVG attributes that fit a text into its room; "" if it fits already.

    >>> fitted("token", 60), fitted("token", 20)
    ('', ' textLength="20" lengthAdjust="spacingAndGlyphs"')
    """
    fits = _text_width(text) <= room
    return "" if fits else f' textLength="{max(room, 1):g}" lengthAdjust="spacingAndGlyphs"'


def _joint_svg(node: MergeNode, x: float, y: float, *, is_root: bool) -> str:
    """Return a joint: its piece, and below it the rank, at most as wide as its bytes.

    The word "rank" stands before the rank of a whole token if there is room.
    """
    piece, piece_width = _piece(node.raw) if len(node.raw) > _SHORT else _short_piece(node.raw)
    room = len(node.raw) * LEAF_WIDTH - 2.0
    rank = _rank_text(node.rank)
    if is_root and node.rank >= 0 and 9 + 6.7 * len(f"rank {rank}") <= room:
        rank = f"rank {rank}"
    width = min(max(10 + piece_width, 9 + 6.7 * len(rank)), room)
    fits = "" if piece_width + 8 <= width else f' textLength="{width - 8:g}" lengthAdjust="spacingAndGlyphs"'
    return (
        f'<rect class="joint" x="{x - width / 2:g}" y="{y - JOINT_HEIGHT / 2:g}" width="{width:g}" '
        f'height="{JOINT_HEIGHT}" rx="6"/>'
        f'<text class="piece" x="{x:g}" y="{y - 2.5:g}"{fits}>{piece}</text>'
        f'<text class="rank" x="{x:g}" y="{y + 11:g}">{rank}</text>'
    )


def _low_joint_svg(rank: int, x: float, y: float) -> str:
    shown = _rank_text(rank)
    width = 10 + 6.7 * len(shown)
    return (
        f'<rect class="joint" x="{x - width / 2:g}" y="{y - LOW_JOINT_HEIGHT / 2:g}" width="{width:g}" '
        f'height="{LOW_JOINT_HEIGHT}" rx="8"/><text class="rank" x="{x:g}" y="{y + 4:g}">{shown}</text>'
    )


def _rank_text(rank: int) -> str:
    """Return a rank, or a dash for a token that no merge makes."""
    return str(rank) if rank >= 0 else "–"


def _piece(raw: bytes) -> tuple[str, float]:
    """Return the escaped text of a piece, in hex if it is not UTF-8, and its width."""
    try:
        raw.decode()
        shown = shown_bytes(raw)
    except UnicodeDecodeError:
        shown = raw.hex(" ").upper()
    return escape(shown), _text_width(shown)


def _text_width(shown: str) -> float:
    return sum(12.5 if east_asian_width(letter) in "WF" else 7.3 for letter in shown)


_short_piece = lru_cache(maxsize=4_096)(_piece)
