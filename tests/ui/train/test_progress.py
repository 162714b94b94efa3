"""What is said of a run's end, and of files that are too large to begin one."""

from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from playground.core.errors import InvalidInputError
from playground.training.corpora import Corpus
from playground.training.run import Status
from playground.training.trainer import StopReason
from playground.ui.train import uploaded
from playground.ui.train.session import TrainingSession

RUN = {
    "n_merges": 3, "n_merges_wanted": 3, "status": Status.FINISHED, "error": "", "seconds": 1.0,
    "seconds_left": None, "n_pretokens": 1, "n_bytes": 100, "n_unmatched_bytes": 0,
    "stop_reason": StopReason.NO_PAIR.value,
}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, []),
        (
            {"n_merges_wanted": 4},
            [
                "This text gives 3 merges, so a vocabulary of 259: then no pair is left: every pretoken is "
                "one token. For more choose a longer text."
            ],
        ),
        (
            {"n_merges_wanted": 4, "stop_reason": StopReason.MIN_COUNT.value},
            ["For more choose a longer text, or a lower minimum count."],
        ),
        (
            {"n_merges": 1, "n_merges_wanted": 4},
            [
                "This text gives 1 merge, so a vocabulary of 257: then no pair is left: every pretoken is "
                "one token. For more choose a longer text."
            ],
        ),
        ({"n_unmatched_bytes": 1}, ["The split pattern leaves 1 byte unmatched."]),
        ({"n_unmatched_bytes": 7}, ["The split pattern leaves 7 bytes unmatched."]),
        ({"status": Status.FAILED, "error": "<b>_no_"}, ["\\<b\\>\\_no\\_"]),
    ],
)
def test_an_end_is_told_where_there_is_something_to_tell(changes, told):
    def show(fields):
        from types import SimpleNamespace
        from typing import Any

        from playground.ui.train.progress import show_progress

        run: Any = SimpleNamespace(**fields)
        show_progress(run, "Pasted text")

    app = AppTest.from_function(show, args=(RUN | changes,), default_timeout=60).run()
    assert list(app.exception) == []
    messages = [item.value for kind in (app.info, app.warning, app.error) for item in kind]
    assert [sentence in message for sentence, message in zip(told, messages, strict=True)] == [True] * len(
        told
    )


@pytest.mark.parametrize(("n_bytes", "is_taken"), [(256_000_000, True), (256_000_001, False)])
def test_files_together_have_a_limit(monkeypatch, n_bytes, is_taken):
    files = [SimpleNamespace(size=n, file_id=f"{n}", name="x") for n in (200_000_000, n_bytes - 200_000_000)]
    monkeypatch.setattr("playground.ui.state.uploaded_files", lambda _key: files)
    read = Corpus("read before", ("text",))
    session = TrainingSession(uploaded=((tuple(file.file_id for file in files), ""), read))
    if is_taken:
        assert uploaded.read_files(session) is read
    else:
        with pytest.raises(InvalidInputError, match="at most 256,000,000"):
            uploaded.read_files(session)


def test_a_film_is_of_its_own_run_and_text():
    def play():
        import streamlit as st

        from playground.bpe.split_pattern import SplitPattern
        from playground.training.corpora import Corpus
        from playground.training.run import RunSettings
        from playground.ui.train.film import _film
        from playground.ui.train.session import TrainingSession

        found = []
        session = TrainingSession()
        settings = RunSettings(
            vocab_size=258, pattern=SplitPattern.named("none"), min_count=1, held_out_share=0
        )
        for learned, texts in (("abababab", ("ababab", "bcbcab")), ("babcbabc", ("bcbcab", "ababab"))):
            session.start(Corpus(learned, (learned,)), settings, None)
            run = session.run
            assert run is not None
            run.wait()
            for text in texts:
                film = _film(session, run, "text", text)
                drawn = [token.id for token in film.tokens_at(film.n_merges)]
                found.append((drawn, list(run.tokenizer("x").encode(text))))
        session.close()
        st.session_state["found"] = found

    app = AppTest.from_function(play, default_timeout=60).run()
    assert list(app.exception) == []
    found = app.session_state["found"]
    assert all(drawn == expected for drawn, expected in found)
    assert len({tuple(expected) for _, expected in found}) == 4
