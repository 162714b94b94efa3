"""The trees and merge steps of a text's pretokens, as JSON within limits."""

from collections.abc import Sequence
from typing import TypedDict, assert_never

import numpy as np

from playground.analysis.traces import Trace, encoding_frames, trace_text
from playground.core.building import Building, Given, Lattice, Merged, Pretoken, PretokenIdentity, Probed
from playground.core.encoding import Encoding
from playground.core.tokenizer import Tokenizer
from playground.core.vocabulary import Ids, Vocabulary
from playground.render.building import MAX_LEAVES, building_svg
from playground.render.merge_tree import Height
from playground.render.probes import MAX_ROWS
from playground.render.visible_text import shown_bytes

#: The number of characters that are traced; only tokens are counted beyond.
MAX_TRACE_CHARS = 100_000
#: Longest pretoken that the player shows; the parts of longer ones don't fit on a screen.
MAX_PLAYER_BYTES = 300


class PlayedPretoken(TypedDict, total=False):
    """A pretoken as the player shows it; empty if it is not shown.

    `leaves` and `pair_ranks` are those of `EncodingFrames`; a step is a `FrameStep` and the token it makes.
    """

    text: str
    leaves: Sequence[str]
    pair_ranks: Sequence[int | None]
    steps: Sequence[tuple[int, int, int | None, int | None, str]]
    ids: Sequence[int]
    is_whole: bool


class DrawnPretoken(PlayedPretoken):
    """A pretoken's trees as SVG, and its steps."""

    svg: str


class MergeTrees(TypedDict):
    """The pretokens of a text by number, with the drawings of those that the browser does not have yet.

    `n_inserted` counts the tokens that cover no text and are not drawn, `n_tokens` all others. `intro` says
    how this tokenizer makes its tokens. One of `n_merges`, `n_tries` and `n_pieces` counts its operations.
    `why` says why some tokens have no tree.
    """

    intro: str
    pretokens: list[int]
    new: dict[int, DrawnPretoken]
    n_tokens: int
    n_inserted: int
    n_merges: int
    n_tries: int
    n_pieces: int
    why: str
    limit: str
    problem: str


def draw_merge_trees(
    text: str,
    tokenizer: Tokenizer,
    *,
    height_by: Height = "depth",
    number_of: dict[PretokenIdentity, int] | None = None,
) -> MergeTrees:
    """Return the pretokens of a text by number, and the drawings of new ones, as JSON.

    `number_of` has the pretokens drawn earlier for the same tokenizer and settings; new ones are added. A
    number stands for a pretoken's trees as SVG, and its steps if the player shows it. `problem` says where
    the tokenizer's own encoder gives different ids than the trees. Raises UnknownTokenError and
    InvalidInputError.

    >>> from playground.catalog.openai import load_openai
    >>> data = draw_merge_trees("Hello Hello Hello", load_openai("gpt2"))
    >>> data["pretokens"], list(data["new"]), data["n_tokens"]
    ([0, 1, 1], [0, 1], 3)
    """
    number_of = {} if number_of is None else number_of
    trace = trace_text(tokenizer, text[:MAX_TRACE_CHARS])
    encoding = tokenizer.encode(text)
    covering = _covering(encoding)
    shown, n_leaves = _within_limit(trace)
    has_hex = not text[:MAX_TRACE_CHARS].isascii()
    new: dict[int, DrawnPretoken] = {}
    for pretoken, building in shown:
        if pretoken.identity not in number_of:
            number = number_of[pretoken.identity] = len(number_of)
            new[number] = _draw(pretoken, building, tokenizer.vocabulary, height_by, has_hex)
    is_long = len(text) > MAX_TRACE_CHARS
    return {
        "intro": next((intro for _pretoken, building in shown if (intro := _intro(building))), ""),
        "pretokens": [number_of[pretoken.identity] for pretoken, _building in shown],
        "new": new,
        "n_tokens": len(covering),
        "n_inserted": len(encoding) - len(covering),
        "n_merges": trace.n_merges,
        "n_tries": trace.n_tries,
        "n_pieces": trace.n_pieces,
        "why": " ".join(dict.fromkeys(b.why for _pretoken, b in shown if isinstance(b, Given))),
        "limit": _limit_sentence(text, trace, [pretoken for pretoken, _building in shown], n_leaves),
        "problem": _difference(
            trace, _covering(tokenizer.encode(trace.text)) if is_long else covering, tokenizer
        ),
    }


def _draw(
    pretoken: Pretoken, building: Building, vocabulary: Vocabulary, height_by: Height, has_hex: bool
) -> DrawnPretoken:
    svg = building_svg(pretoken.text, building, vocabulary, height_by=height_by, has_hex=has_hex)
    if isinstance(building, Merged) and _is_played(pretoken):
        return {"svg": svg, **_played(building)}
    return {"svg": svg}


def _intro(building: Building) -> str:
    """Say how a tokenizer of this kind makes tokens; empty if it only looks them up.

    >>> _intro(Probed((), (), ()))
    'WordPiece takes the longest piece that fits, then goes on with the rest of the word.'
    """
    match building:
        case Merged():
            unit = "bytes" if building.leaves is None else "characters"
            return (
                f"BPE starts from {unit} and repeatedly joins the neighbouring pair that was learned first "
                "(the lowest rank)."
            )
        case Lattice():
            return "Unigram takes the pieces whose scores have the highest sum."
        case Probed():
            return "WordPiece takes the longest piece that fits, then goes on with the rest of the word."
        case Given():
            return ""
        case _:
            assert_never(building)


def _n_drawn(building: Building) -> int:
    """Return the number of drawn elements of a pretoken; a tree has two for each leaf."""
    match building:
        case Lattice():
            return len(building.edges) // 2
        case Probed():
            return min(len(building.probes), MAX_ROWS) // 2
        case _:
            return 0


def _is_played(pretoken: Pretoken) -> bool:
    return len(pretoken.text.encode()) <= MAX_PLAYER_BYTES


def _within_limit(trace: Trace) -> tuple[list[tuple[Pretoken, Building]], int]:
    shown = []
    n_leaves = 0
    for pretoken, building in zip(trace.pretokens, trace.buildings, strict=True):
        if n_leaves >= MAX_LEAVES:
            break
        shown.append((pretoken, building))
        n_leaves += max(len(pretoken.text.encode()), _n_drawn(building))
    return shown, n_leaves


def _played(merged: Merged) -> PlayedPretoken:
    frames = encoding_frames(merged)
    return {
        "text": shown_bytes(frames.raw),
        "leaves": [*map(shown_bytes, frames.leaves)],
        "pair_ranks": frames.pair_ranks,
        "steps": [
            (*frame, shown_bytes(frames.raw[step.start : step.end]))
            for frame, step in zip(frames.steps, merged.steps, strict=True)
        ],
        "ids": merged.ids,
        "is_whole": merged.is_whole,
    }


def _covering(encoding: Encoding) -> Ids:
    """Return the ids that cover text; inserted tokens cover none."""
    return encoding.ids if encoding.is_tiling else encoding.ids[encoding.ends > encoding.starts]


def _difference(trace: Trace, own: Ids, tokenizer: Tokenizer) -> str:
    """Say where the encoder's ids, `own`, differ from those of the trees."""
    drawn = np.array(trace.ids, np.uint32)
    if np.array_equal(own, drawn):
        return ""
    n_same = min(len(own), len(drawn))
    differing = np.flatnonzero(own[:n_same] != drawn[:n_same])
    place = int(differing[0]) if len(differing) else n_same
    return (
        f"The trees differ from the encoder of {tokenizer.name} from token {place + 1:,} on: the encoder "
        f"gives {_named(own, place, tokenizer.vocabulary)}, the trees "
        f"{_named(drawn, place, tokenizer.vocabulary)}."
    )


def _named(ids: Ids, place: int, vocabulary: Vocabulary) -> str:
    if place >= len(ids):
        return "no more token"
    return f"id {ids[place]} (“{shown_bytes(vocabulary.raw_of(int(ids[place])))}”)"


def _limit_sentence(text: str, trace: Trace, shown: list[Pretoken], n_leaves: int) -> str:
    sentences = []
    if (
        len(shown) < len(trace.pretokens)
        or n_leaves > MAX_LEAVES + MAX_PLAYER_BYTES
        or len(text) > MAX_TRACE_CHARS
    ):
        n_characters = min(sum(len(pretoken.text) for pretoken in shown), MAX_LEAVES)
        sentences.append(
            f"Trees are drawn for about the first {n_characters:,} of {len(text):,} characters. All tokens "
            "are counted."
        )
    if len(text) > MAX_TRACE_CHARS:
        sentences.append(f"Merges are counted for the first {MAX_TRACE_CHARS:,} characters.")
    if trace.n_merges and not all(map(_is_played, shown)):
        sentences.append(f"The replay leaves out pretokens of more than {MAX_PLAYER_BYTES} bytes.")
    return " ".join(sentences)


#: The answer for a text without trees.
NO_TREES: MergeTrees = {
    "intro": "",
    "pretokens": [],
    "new": {},
    "n_tokens": 0,
    "n_inserted": 0,
    "n_merges": 0,
    "n_tries": 0,
    "n_pieces": 0,
    "why": "",
    "limit": "",
    "problem": "",
}
