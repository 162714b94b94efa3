"""The live component of Expect: texts, what the model expected of their tokens, and the way to get the model.

Its JavaScript talks to `playground.server.expect.session`; the texts never go through a rerun of the page.
"""

from collections.abc import Sequence
from typing import Literal, TypedDict, get_args

from playground.analysis.examples import Example
from playground.expect import model_file
from playground.expect.experiments import EXAMPLES, EXPERIMENTS
from playground.server.expect.session import MAX_TEXT_BYTES, ExpectSession, ShownModel
from playground.ui import component
from playground.ui.live_text import LiveText, live_text

#: The server no longer knows the session; another model is used, or none.
ExpectEvent = Literal["lost", "changed"]
_EXAMPLES = [Example(*each) for each in EXAMPLES]
_component = component.define(
    "expect",
    html="expect/expect.html",
    module="expect/expect.js",
    styles=("shared/text_field.css", "expect/expect.css"),
    events=get_args(ExpectEvent),
)


class ShownExperiment(TypedDict):
    """An `Experiment` as JSON."""

    title: str
    text: str
    notice: str
    second: str
    cuts: Sequence[int]


class ExpectData(LiveText):
    """Data of the component; `model` is None where none is on this machine. `folder` is where it would be."""

    model: ShownModel | None
    is_own_server: bool
    folder: str
    experiments: list[ShownExperiment]


def expect_view(session: ExpectSession) -> None:
    """Mount the component."""
    data: ExpectData = {
        **live_text(session, _EXAMPLES),
        "max_bytes": MAX_TEXT_BYTES,
        "model": session.shown_model,
        "is_own_server": session.is_own_server,
        "folder": str(model_file.data_folder()) if session.is_own_server else "",
        "experiments": [
            {
                "title": each.title,
                "text": each.text,
                "notice": each.notice,
                "second": each.second,
                "cuts": each.cuts,
            }
            for each in EXPERIMENTS
        ],
    }
    _component(key="expect", data=data)
