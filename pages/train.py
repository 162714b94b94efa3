"""Train: learn a vocabulary by byte-pair encoding, one merge after another."""

from playground.bpe import lecture
from playground.training.trainer import iter_merges
from playground.ui import page, picker
from playground.ui.train.results import show_results
from playground.ui.train.settings import show_settings
from playground.ui.train.view import show_run, train_session

bar = page.open_page("Train", claim="Each merge shortens the text; early merges help most.")
session = train_session()
with bar.picker:
    picker.show_opener()

choices, live = page.settings_and_figure((1, 3.4))
with choices:
    show_settings(session)
with live:
    show_run(session)
show_results(session)
page.show_source(lecture.get_stats, lecture.merge, lecture.train, iter_merges)
