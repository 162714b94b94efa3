"""Train: byte-pair encoding learns a vocabulary, one merge after the other."""

import streamlit as st

from playground.bpe import lecture
from playground.training.trainer import iter_merges
from playground.ui import page, share
from playground.ui.tokenizer_files import show_opener
from playground.ui.train.after_reload import begin_after_reload
from playground.ui.train.corpus import corpus_texts
from playground.ui.train.fields import show_fields
from playground.ui.train.link import shared_training, take_train_link
from playground.ui.train.live import show_training
from playground.ui.train.results import show_results
from playground.ui.train.session import training_session
from playground.ui.word_tables import show_table_learner

bar = page.open_page("Train", claim="Each merge shortens the text; the early ones help most.")
session = training_session()
take_train_link(session)
with bar.share:
    share.share_button("train", shared_training, is_live=False)
share.tell_of_link("train")
# What is of a run has keys: it is not seen while what the browser has kept is on its way (`frame.css`).
with st.container(key="run-told"):
    begin_after_reload(session)

choices, live = page.settings_and_figure((1, 3.4))
with choices:
    with st.container():  # what it tells moves nothing below it to another place
        start = show_fields(session)
    with st.container():
        show_opener()
    with st.expander("Learn words or characters", icon=":material/table_rows:"):
        show_table_learner(lambda: corpus_texts(session), source="the corpus")
with live, st.container(key="run-live"):
    show_training(session, start=start)

with st.container(key="run-results"):
    show_results(session)
page.show_source(lecture.get_stats, lecture.merge, lecture.train, iter_merges)
