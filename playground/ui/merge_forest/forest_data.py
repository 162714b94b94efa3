"""What the merge forest shows: each token's tree as SVG, and the encoder's steps, within stated limits."""

from collections.abc import Mapping
from typing import Any

from playground.analysis.encoding_frames import encoding_frames
from playground.bpe.encode import PretokenTrace, Trace, encode_with_trace, pretoken_trees
from playground.render.merge_tree import Height, leaf_characters, merge_tree_svg
from playground.render.shown_bytes import shown_bytes

#: A text is traced up to here.
MAX_TRACE_CHARS = 100_000
#: Trees are drawn for this many bytes: about 2,500 characters of English stay quick to draw and to scroll.
MAX_LEAVES = 4_000
#: The player shows pretokens up to this length; the parts of a longer one do not fit a screen.
MAX_PLAYER_BYTES = 300
#: Drawn pretokens that a session keeps.
MAX_DRAWN = 5_000

DrawnTrees = dict[tuple[str, Height, bool], list[str]]


def forest_data(
    text: str,
    mergeable_ranks: Mapping[bytes, int],
    split_pattern: str,
    *,
    height_by: Height = "depth",
    drawn: DrawnTrees | None = None,
) -> dict[str, Any]:
    """Trees, groups by pretoken, and the player's steps, as JSON. Raises UnknownTokenError.

    `drawn` keeps pretokens from one key press to the next; it belongs to one vocabulary.

    >>> from playground.catalog.openai import load_openai
    >>> gpt2 = load_openai("gpt2")
    >>> data = forest_data("Hello Hello", gpt2.mergeable_ranks, gpt2.split_pattern)
    >>> len(data["trees"]), data["groups"], data["n_tokens"]
    (2, [[0], [1]], 2)
    """
    drawn = {} if drawn is None or len(drawn) > MAX_DRAWN else drawn
    trace = encode_with_trace(text[:MAX_TRACE_CHARS], mergeable_ranks, split_pattern=split_pattern)
    shown, n_leaves = _within_limit(trace)
    has_hex = not all(pretoken.text.isascii() for pretoken in shown)
    trees: list[str] = []
    first_tree: dict[str, list[int]] = {}
    groups = []
    for pretoken in shown:
        if pretoken.text not in first_tree:
            key = (pretoken.text, height_by, has_hex)
            svgs = drawn.get(key) or _pretoken_svgs(pretoken, mergeable_ranks, height_by, has_hex)
            drawn[key] = svgs
            first_tree[pretoken.text] = list(range(len(trees), len(trees) + len(svgs)))
            trees.extend(svgs)
        groups.append(first_tree[pretoken.text])
    kinds: dict[str, int] = {}
    played = [pretoken for pretoken in shown if len(pretoken.text.encode()) <= MAX_PLAYER_BYTES]
    for pretoken in played:
        kinds.setdefault(pretoken.text, len(kinds))
    first_of = {pretoken.text: pretoken for pretoken in reversed(played)}
    return {
        "trees": trees,
        "groups": groups,
        "pretokens": [kinds[pretoken.text] for pretoken in played],
        "kinds": [_player_kind(first_of[kind], mergeable_ranks) for kind in kinds],
        "n_tokens": len(trace.ids),
        "n_merges": trace.n_steps,
        "height_by": height_by,
        "limit": _limit_sentence(text, trace, shown, played, n_leaves),
    }


def _within_limit(trace: Trace) -> tuple[list[PretokenTrace], int]:
    shown: list[PretokenTrace] = []
    n_leaves = 0
    for pretoken in trace.pretokens:
        if n_leaves >= MAX_LEAVES:
            break
        shown.append(pretoken)
        n_leaves += len(pretoken.text.encode())
    return shown, n_leaves


def _pretoken_svgs(
    pretoken: PretokenTrace, mergeable_ranks: Mapping[bytes, int], height_by: Height, has_hex: bool
) -> list[str]:
    raw = pretoken.text.encode()
    svgs = []
    start = 0
    for tree in pretoken_trees(pretoken, mergeable_ranks):
        if start >= MAX_LEAVES:
            break
        characters = leaf_characters(raw, start, start + len(tree.raw))
        svgs.append(merge_tree_svg(tree, characters=characters, height_by=height_by, has_hex=has_hex))
        start += len(tree.raw)
    return svgs


def _player_kind(pretoken: PretokenTrace, mergeable_ranks: Mapping[bytes, int]) -> dict[str, Any]:
    frames = encoding_frames(pretoken, mergeable_ranks)
    return {
        "text": shown_bytes(frames.raw),
        "leaves": [shown_bytes(bytes([byte])) for byte in frames.raw],
        "pair_ranks": frames.pair_ranks,
        "steps": [
            [*frame, shown_bytes(frames.raw[step.start : step.end])]
            for frame, step in zip(frames.steps, pretoken.steps, strict=True)
        ],
        "ids": pretoken.ids,
        "is_whole": pretoken.is_whole,
    }


def _limit_sentence(
    text: str, trace: Trace, shown: list[PretokenTrace], played: list[PretokenTrace], n_leaves: int
) -> str:
    sentences = []
    if (
        len(shown) < len(trace.pretokens)
        or n_leaves > MAX_LEAVES + MAX_PLAYER_BYTES
        or len(text) > MAX_TRACE_CHARS
    ):
        n_characters = min(sum(len(pretoken.text) for pretoken in shown), MAX_LEAVES)
        sentences.append(
            f"Trees stop after about {n_characters:,} of {len(text):,} characters, because more do not draw "
            "as fast as one types. Your text is kept whole."
        )
    if len(text) > MAX_TRACE_CHARS:
        sentences.append(f"Tokens and merges are counted for the first {MAX_TRACE_CHARS:,} characters.")
    if len(played) < len(shown):
        sentences.append(f"The player leaves out pretokens of more than {MAX_PLAYER_BYTES} bytes.")
    return " ".join(sentences)


#: What is shown where there is nothing to show.
NO_TREES: dict[str, Any] = {
    "trees": [],
    "groups": [],
    "pretokens": [],
    "kinds": [],
    "n_tokens": 0,
    "n_merges": 0,
    "limit": "",
}
