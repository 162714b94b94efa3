"""Train: learn a vocabulary step by step, by byte-pair encoding or another algorithm."""

from playground.training.algorithms.registry import ALGORITHMS
from playground.ui import page, picker
from playground.ui.train.results import show_results
from playground.ui.train.settings import foldable_settings, show_settings
from playground.ui.train.view import show_run, train_session

bar = page.open_page("Train", claim="Learn a vocabulary from a text, step by step.")
session = train_session()
with bar.picker:
    picker.show_opener()

choices, live = page.settings_and_figure((1, 3.4))
with choices, foldable_settings():
    show_settings(session)
with live:
    show_run(session)
show_results(session)
learned_by = session.run.settings.algorithm if session.run is not None else next(iter(ALGORITHMS))
page.show_source(*ALGORITHMS[learned_by].code)
