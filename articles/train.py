"""Train: byte-pair encoding learns a vocabulary, one merge after the other."""

from playground.bpe import lecture
from playground.server.train_link import TRAIN_LINK
from playground.training.trainer import iter_merges
from playground.ui import page, picker, share
from playground.ui.train.results import show_results
from playground.ui.train.settings import shared_choices, show_settings, take_choices
from playground.ui.train.view import show_run, train_session

bar = page.open_page("Train", claim="Each merge shortens the text; the early ones help most.")
session = train_session()
if (link := share.take_link("train", TRAIN_LINK)) is not None:
    take_choices(session, link["chosen"])
with bar.picker:
    picker.show_opener()
with bar.share:
    share.share_button("train", shared_choices, is_live=False)
share.tell_of_link("train")

choices, live = page.settings_and_figure((1, 3.4))
with choices:
    show_settings(session)
with live:
    show_run(session)
show_results(session)
page.show_source(lecture.get_stats, lecture.merge, lecture.train, iter_merges)
