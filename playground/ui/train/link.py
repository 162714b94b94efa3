"""Share links of the Train page: corpus and settings, and the run that they make."""

from collections.abc import Mapping
from typing import Any

from playground.server.train_link import TRAIN_LINK
from playground.ui import share
from playground.ui.choices import UPLOAD
from playground.ui.train.corpus import CORPUS
from playground.ui.train.fields import start_run
from playground.ui.train.session import TrainingSession


def shared_training(_shown: Mapping[str, Any]) -> share.Shared:
    """A link has the choices alone: whoever opens it learns the same."""
    files = "Left out: the uploaded files; send them too." if CORPUS.value == UPLOAD else ""
    return share.Shared({}, TRAIN_LINK.large, left_out=files)


def take_train_link(session: TrainingSession) -> None:
    """Begin the run that a link describes, in place of the example; files to learn from do not come along."""
    if share.take_link("train", TRAIN_LINK) is not None and CORPUS.value != UPLOAD:
        session.reset()
        start_run(session, session.n_started)
