"""The actions of Train's browser code: it follows the runs, and asks how they cut a text."""

from collections.abc import Sequence
from typing import get_args

from starlette.responses import Response

from playground.server.actions import Action, Actions
from playground.server.shapes import Shape, array, integer, one_of, whole_text
from playground.server.train.session import MAX_BESIDE, Sample, TrainSession
from playground.server.wire import columns_response, json_response


def _look(session: TrainSession, *, runs: Sequence[int], n_chunks: Sequence[int]) -> Response:
    view, columns = session.look(dict(zip(runs, n_chunks, strict=False)))
    return columns_response(dict(view), columns)


def _cuts(session: TrainSession, *, sample: Sample, own_text: str) -> Response:
    return json_response(session.cuts(sample, own_text))


def _trees(session: TrainSession, *, word: str) -> Response:
    return json_response(session.trees(word))


def _stop(session: TrainSession) -> Response:
    session.stop()
    return json_response({})


_NUMBERS = array(integer(0, 10**9), max_items=1 + MAX_BESIDE)

TRAIN_ACTIONS: Actions = {
    "look": Action(_look, Shape({"runs": _NUMBERS, "n_chunks": _NUMBERS})),
    "cuts": Action(_cuts, Shape({"sample": one_of(*get_args(Sample)), "own_text": whole_text})),
    "trees": Action(_trees, Shape({"word": whole_text})),
    "stop": Action(_stop, Shape({})),
}
