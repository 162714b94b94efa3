"""The actions of Train's browser code: it follows the runs, and asks how they cut a text."""

from collections.abc import Sequence
from typing import get_args

from starlette.responses import Response

from playground.server.actions import Action, Actions
from playground.server.saved_page.film import MAX_STEP, UNITS, Unit, saved_film
from playground.server.shapes import Shape, array, integer, one_of, or_null, whole_text
from playground.server.train.session import MAX_BESIDE, Sample, TrainSession
from playground.server.wire import columns_response, json_response


def _look(session: TrainSession, *, runs: Sequence[int], n_chunks: Sequence[int]) -> Response:
    view, columns = session.look(dict(zip(runs, n_chunks, strict=False)))
    return columns_response(dict(view), columns)


def _cuts(session: TrainSession, *, sample: Sample, own_text: str) -> Response:
    return json_response(session.cuts(sample, own_text))


def _trees(session: TrainSession, *, word: str) -> Response:
    return json_response(session.trees(word))


def _page(
    session: TrainSession, *, sample: Sample, own_text: str, word: str | None, unit: Unit, step: int
) -> Response:
    page = saved_film(session, sample=sample, own_text=own_text, word=word, unit=unit, step=step)
    return json_response(page.file)


def _stop(session: TrainSession) -> Response:
    session.stop()
    return json_response({})


_NUMBERS = array(integer(0, 10**9), max_items=1 + MAX_BESIDE)

TRAIN_ACTIONS: Actions = {
    "look": Action(_look, Shape({"runs": _NUMBERS, "n_chunks": _NUMBERS})),
    "cuts": Action(_cuts, Shape({"sample": one_of(*get_args(Sample)), "own_text": whole_text})),
    "trees": Action(_trees, Shape({"word": whole_text})),
    "page": Action(
        _page,
        Shape(
            {
                "sample": one_of(*get_args(Sample)),
                "own_text": whole_text,
                "word": or_null(whole_text),
                "unit": one_of(*UNITS),
                "step": integer(0, MAX_STEP),
            }
        ),
    ),
    "stop": Action(_stop, Shape({})),
}
