"""What the merge forest shows: each pretoken's trees as SVG, and the encoder's steps; both within limits."""

from collections.abc import Iterator, Mapping
from typing import Any

from playground.analysis.encoding_frames import encoding_frames
from playground.bpe.merging import PretokenTrace, Trace, encode_with_trace, pretoken_trees
from playground.render.merge_tree import Height, leaf_characters, merge_tree_svg
from playground.render.shown_bytes import shown_bytes

#: A text is traced up to here.
MAX_TRACE_CHARS = 100_000
#: Trees are drawn for this many bytes: about 2,500 characters of English stay quick to draw and to scroll.
MAX_LEAVES = 4_000
#: The player shows pretokens up to this length; the parts of a longer one do not fit a screen.
MAX_PLAYER_BYTES = 300


def draw_forest(
    text: str,
    mergeable_ranks: Mapping[bytes, int],
    split_pattern: str,
    *,
    height_by: Height = "depth",
    number_of: dict[str, int] | None = None,
) -> dict[str, Any]:
    """The pretokens of a text by number, and what is to be drawn of those that are new, as JSON.

    `number_of` has the pretokens that were drawn before, in the same vocabulary and manner; new ones join it.
    A number stands for a pretoken's trees as SVG, and its steps where the player shows it.
    Raises: UnknownTokenError, InvalidInputError.

    >>> from playground.catalog.openai import load_openai
    >>> gpt2 = load_openai("gpt2")
    >>> data = draw_forest("Hello Hello Hello", gpt2.mergeable_ranks, gpt2.split_pattern)
    >>> data["pretokens"], list(data["new"]), data["n_tokens"]
    ([0, 1, 1], [0, 1], 3)
    """
    number_of = {} if number_of is None else number_of
    trace = encode_with_trace(text[:MAX_TRACE_CHARS], mergeable_ranks, split_pattern=split_pattern)
    shown, n_leaves = _within_limit(trace)
    has_hex = not text[:MAX_TRACE_CHARS].isascii()
    new: dict[int, dict[str, Any]] = {}
    for pretoken in shown:
        if pretoken.text not in number_of:
            number = number_of[pretoken.text] = len(number_of)
            new[number] = {"svg": "".join(_iter_svgs(pretoken, mergeable_ranks, height_by, has_hex))}
            if _is_played(pretoken):
                new[number] |= _player_kind(pretoken, mergeable_ranks)
    n_played = sum(map(_is_played, shown))
    return {
        "pretokens": [number_of[pretoken.text] for pretoken in shown],
        "new": new,
        "n_tokens": len(trace.ids),
        "n_merges": trace.n_steps,
        "limit": _limit_sentence(text, trace, shown, n_played, n_leaves),
    }


def _is_played(pretoken: PretokenTrace) -> bool:
    return len(pretoken.text.encode()) <= MAX_PLAYER_BYTES


def _within_limit(trace: Trace) -> tuple[list[PretokenTrace], int]:
    shown: list[PretokenTrace] = []
    n_leaves = 0
    for pretoken in trace.pretokens:
        if n_leaves >= MAX_LEAVES:
            break
        shown.append(pretoken)
        n_leaves += len(pretoken.text.encode())
    return shown, n_leaves


def _iter_svgs(
    pretoken: PretokenTrace, mergeable_ranks: Mapping[bytes, int], height_by: Height, has_hex: bool
) -> Iterator[str]:
    raw = pretoken.text.encode()
    start = 0
    for tree in pretoken_trees(pretoken, mergeable_ranks):
        if start >= MAX_LEAVES:
            break
        characters = leaf_characters(raw, start, start + len(tree.raw))
        yield merge_tree_svg(tree, characters=characters, height_by=height_by, has_hex=has_hex)
        start += len(tree.raw)


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


def _limit_sentence(text: str, trace: Trace, shown: list[PretokenTrace], n_played: int, n_leaves: int) -> str:
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
    if n_played < len(shown):
        sentences.append(f"The player leaves out pretokens of more than {MAX_PLAYER_BYTES} bytes.")
    return " ".join(sentences)


#: What is shown where there is nothing to show.
NO_TREES: dict[str, Any] = {
    "pretokens": [],
    "new": {},
    "n_tokens": 0,
    "n_merges": 0,
    "limit": "",
}
