"""The film of a training as a page."""

from collections.abc import Sequence
from html import escape
from typing import Literal, get_args

import numpy as np

from playground.core.errors import InvalidInputError
from playground.core.text_units import Column
from playground.core.wording import counted, listed
from playground.render.merge_tree import TREE_CSS
from playground.render.palette import run_css, token_css
from playground.render.visible_text import shown_bytes
from playground.server.saved_page.page import SavedPage
from playground.server.train.session import RunView, Sample, Shown, TrainSession, view_of
from playground.server.train.streaming import ChunkStream
from playground.training.run import REFERENCES
from playground.training.run.events import Changes, Chunk

#: What the film's curve shows; see `web/train/curve.js`.
Unit = Literal["times", "share", "saved"]
UNITS = get_args(Unit)
#: A step that no run has; the film shows its last one.
MAX_STEP = 2**31 - 1
#: Changes that a browser without scripts lists.
_MAX_LISTED = 50


def saved_film(
    session: TrainSession,
    *,
    sample: Sample = "held_out",
    own_text: str = "",
    word: str | None = None,
    unit: Unit = "times",
    step: int = MAX_STEP,
) -> SavedPage:
    """Return the page with the film of the session's runs, as far as they have learned.

    `sample`, `own_text` and `word` (None for the longest of the text) are the film's text and the word whose
    trees it shows. Raises InvalidInputError if nothing is learned yet.
    """
    views: list[RunView] = []
    columns: list[Column] = []
    shown = [each for each in session.shown if each.run.n_steps]
    if not shown:
        raise InvalidInputError("nothing has been learned yet")
    for each in shown:
        view, own = _whole(each)
        views.append(view)
        columns += own
    cuts = session.cuts(sample, own_text)
    newest, run = views[0], shown[0].run
    step_name = counted(newest["last"], newest["step"])
    texts = {"held_out": "held-out text", "training": "training text", "own": "a typed text"}
    # A run that still learns has more steps than these.
    learned = f"the first {step_name} of {run.n_steps_wanted:,}" if run.is_active else step_name
    beside = f" beside {listed([view['name'] for view in views[1:]])}" if len(views) > 1 else ""
    return SavedPage(
        name=f"film-{run.settings.algorithm}",
        title=f"{newest['name']}{beside}, learned from {newest['corpus']}",
        caption=(
            f"{learned[0].upper()}{learned[1:]} of {newest['name']}{beside}, learned from "
            f"{counted(newest['n_bytes'], 'byte')} of {newest['corpus']}: a vocabulary of {newest['size']:,} "
            f"tokens{_compression(newest, run.curve()[newest['last']].tolist())}. The film shows "
            f"{texts[cuts['sample']]}."
        ),
        hint="Play it, go through its steps, or drag the slider or the curve.",
        made_from=f"{newest['name']} · split pattern {newest['pattern']}",
        figure="saved_page/film.html",
        look=(
            "shared/tree_colors.css",
            "shared/token_strip.css",
            "train/train.css",
            "saved_page/film.css",
        ),
        css=TREE_CSS + token_css() + run_css(REFERENCES),
        fallback=_fallback(shown[0]),
        module="saved_page/film.js",
        header={
            "runs": views,
            "cuts": cuts,
            "trees": session.trees(cuts["word"] if word is None else word),
            "unit": unit,
            "step": step,
        },
        columns=columns,
    )


def _whole(shown: Shown) -> tuple[RunView, list[Column]]:
    """Return a run as one that is over after the steps so far: its view with one chunk, and the columns."""
    whole = _joined(list(shown.run.chunks))
    stream = ChunkStream()
    stream.follow([whole])
    n_steps, n_vocab = len(whole.states) - 1, int(whole.states[-1, 0])
    view = view_of(shown)
    return {**view, "is_over": True, "last": n_steps, "size": n_vocab, "chunks": stream.heads}, [
        column for own in stream.columns for column in own
    ]


def _joined(chunks: Sequence[Chunk]) -> Chunk:
    """Return chunks as one: where a run is cut into chunks depends on time, what they hold does not."""
    return Chunk(
        np.concatenate([chunk.states for chunk in chunks]),
        Changes.joined(chunk.changes for chunk in chunks),
        tuple(raw for chunk in chunks for raw in chunk.raws),
        tuple(record for chunk in chunks for record in chunk.candidates),
        {title: np.concatenate([chunk.lines[title] for chunk in chunks]) for title in chunks[0].lines},
        chunks[-1].n_steps_wanted,
    )


def _compression(view: RunView, state: Sequence[int]) -> str:
    _n_vocab, n_tokens, n_held_out = state
    if view["n_held_out_bytes"]:
        return f", {view['n_held_out_bytes'] / max(n_held_out, 1):.2f} bytes per token of held-out text"
    return f", {view['n_bytes'] / max(n_tokens, 1):.2f} bytes per token of the training text"


def _fallback(shown: Shown) -> str:
    changes = shown.run.changes()[:_MAX_LISTED]
    items = "".join(
        f"<li value={change.step + 1}>{change.kind} {escape(shown_bytes(change.raw[:60]))}</li>"
        for change in changes
    )
    return f"<p>The first {counted(len(changes), 'change')}:</p><ol>{items}</ol>"
