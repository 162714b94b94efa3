"""A visitor's runs over HTTP: the chunks, what the browser makes of them, and freed memory."""

import json
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.registry import get_tokenizer
from playground.core.errors import LimitExceededError
from playground.server.train.session import MAX_BESIDE, MAX_EARLIER_RUNS, TrainSession, progress_of
from playground.server.train.streaming import MAX_OF_A_STEP, most_frequent
from playground.training.algorithms.bpe import BpeLearner
from playground.training.algorithms.cutters import LOST_TEXT, ByteCutter
from playground.training.algorithms.learner import Change
from playground.training.algorithms.registry import ALGORITHMS
from playground.training.corpora import Corpus
from playground.training.pretoken_counts import count_pretokens
from playground.training.run import RunSettings, Status
from playground.training.run.events import Changes
from tests.browser import find_node
from tests.server.browser_side import post, read_columns
from tests.waiting import wait_until

CATS = Corpus("Toy: cats", ("the cat sat on the mat, the cat that sat there\n" * 300,))
NONE = SplitPattern.named("none")
PLAYED = Path(__file__).parents[2] / "web" / "played_run.js"


@pytest.fixture
def session():
    session = TrainSession()
    yield session
    session.close()


def start(session, corpus=CATS, *, is_beside=False, **settings):
    """Start a run and wait for its end."""
    chosen: dict[str, Any] = {"vocab_size": 280, "pattern": NONE, **settings}
    session.start(corpus, RunSettings(**chosen), is_beside=is_beside)
    session.run.wait()
    return session.run


def look(session, runs=(), n_chunks=()):
    answer = post(session, "look", {"runs": [*runs], "n_chunks": [*n_chunks]})
    return read_columns(answer.content)


def cuts(session, sample="training", own_text=""):
    return post(session, "cuts", {"sample": sample, "own_text": own_text}).json()


def played(session, tmp_path, text):
    """Return what the browser code makes of the newest run, and of a text as it cuts it."""
    (tmp_path / "answer").write_bytes(post(session, "look", {"runs": [], "n_chunks": []}).content)
    (tmp_path / "cuts").write_text(json.dumps(cuts(session, "own", text)))
    command = [find_node(), PLAYED, tmp_path / "answer", tmp_path / "cuts"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout)


def test_the_browser_gets_each_chunk_once(session):
    start(session)
    view, columns = look(session)
    assert view["progress"].startswith("Finished · 24 of 24 merges · ")
    (run,) = view["runs"]
    assert (run["number"], run["last"], run["is_over"]) == (1, 24, True)
    assert len(columns) == 10 * len(run["chunks"])
    again, nothing = look(session, [1], [len(run["chunks"])])
    assert (again["runs"][0]["chunks"], nothing) == ([], [])
    assert not again["is_changing"], "so it need not ask again"


@pytest.mark.parametrize(
    "body", [{"runs": [1]}, {"runs": ["x"], "n_chunks": []}, {"runs": [-1], "n_chunks": [1]}]
)
def test_an_impossible_look_is_refused(session, body):
    assert post(session, "look", body).status_code == 400


def test_the_browser_has_the_trainers_merges_pairs_and_curve(session, tmp_path):
    run = start(session, held_out_share=0)
    found = played(session, tmp_path, "the cat")
    trainer = BpeLearner(count_pretokens(CATS.texts, NONE), vocab_size=280, min_count=2)
    trainer.advance(7)
    pairs = [[pair.left, pair.right, pair.count] for pair in trainer.candidates(8)]
    assert [row[:3] for row in found["candidates"]] == pairs
    trainer.advance()
    rows = [[*change["parts"], change["id"], change["count"]] for change in found["changes"]]
    assert rows == trainer.columns()[:, :4].tolist()
    curve = found["curve"]
    assert curve["training"] == [run.n_bytes / n for n in run.curve()[curve["merges"], 1].tolist()]
    assert curve["held_out"] is None


@pytest.mark.parametrize("name", [*ALGORITHMS])
def test_the_browser_plays_each_algorithm_to_what_its_tokenizer_does(session, name, tmp_path):
    text = "the cat that sat there, unseen"
    corpus = Corpus("cats", (CATS.texts[0], "cat the sat cat the\n" * 20))  # parity needs two languages
    base = get_tokenizer("gpt2") if ALGORITHMS[name].needs_base else None
    run = start(
        session, corpus, vocab_size=330, pattern=SplitPattern.named("gpt2"), algorithm=name, base=base
    )
    assert run.status is Status.FINISHED, run.error
    found = played(session, tmp_path, text)
    assert [found["tokens"][0][0], *(end for _start, end, _id in found["tokens"])] == [
        *(start for start, _end, _id in found["tokens"]), len(text),
    ]  # fmt: skip
    ids = [token_id for _start, _end, token_id in found["tokens"] if token_id != LOST_TEXT]
    expected = list(run.tokenizer("x").encode(text))
    assert len(ids) == len(expected)
    if name in ("bpe", "superbpe", "parity", "continue"):
        assert ids == expected
    assert found["curve"]["name"] == ALGORITHMS[name].title
    assert found["curve"]["vocabulary"] == run.curve()[found["curve"]["merges"], 0].tolist()
    assert {change["step"] for change in found["changes"]} <= set(range(1, run.n_steps + 1))


def test_a_text_belongs_to_its_run(session, tmp_path):
    found = set()
    for learned in ("abababab", "babcbabc"):
        run = start(session, Corpus(learned, (learned,)), vocab_size=258, min_count=1, held_out_share=0)
        for text in ("ababab", "bcbcab"):
            ids = [token_id for _start, _end, token_id in played(session, tmp_path, text)["tokens"]]
            assert ids == list(run.tokenizer("x").encode(text))
            found.add((text, *ids))
    assert len(found) == 4


def test_only_the_most_frequent_of_thousands_of_removals_are_sent():
    removals = [Change(n % 2, "removed", n, b"", (n, 1)[: n % 3], n, float(n)) for n in range(1_000)]
    removals.sort(key=lambda change: change.step)
    kept = most_frequent(Changes.of(removals)).unpacked([b""] * 1_000)
    assert kept == [change for change in removals if change.id >= 1_000 - 2 * MAX_OF_A_STEP]


def test_a_label_of_a_token_of_thousands_of_letters_is_short(session):
    start(session, Corpus("a", ("a" * 5_000 + "\n" + "a" * 5_000,)), min_count=1, held_out_share=0)
    view, _columns = look(session)
    labels = [label for chunk in view["runs"][0]["chunks"] for label in chunk["labels"].values()]
    assert max(map(len, labels)) < 90
    assert any("bytes)" in label for label in labels)


@pytest.mark.parametrize("share", [0, 0.1])
def test_a_run_with_held_out_text_shows_it(session, share):
    start(session, held_out_share=share)
    view, _columns = look(session)
    assert ("held_out" in view["samples"]) == bool(share)
    assert (view["runs"][0]["n_held_out_bytes"] > 0) == bool(share)
    assert cuts(session, "held_out")["sample"] == ("held_out" if share else "training")


def test_trees_are_those_of_the_learned_tokenizer_and_none_where_nothing_is_merged(session):
    start(session)
    found = post(session, "trees", {"word": " cat" * 99}).json()
    assert (found["word"], found["leaves"]) == (" cat" * 10, [1] * 40)
    assert "<svg" in found["trees"][0]
    start(session, algorithm="words")
    assert post(session, "trees", {"word": "cat"}).json()["trees"] == []


def test_without_a_run_the_view_says_how_to_start_one(session):
    view, _columns = look(session)
    assert (view["status"], view["runs"]) == ("", [])
    assert "press Start" in view["notes"][0]["text"]
    assert cuts(session)["runs"] == []
    assert post(session, "trees", {"word": "a"}).json()["trees"] == []


def test_a_text_that_a_typed_pattern_takes_too_long_for_is_refused(session, monkeypatch):
    start(session)

    def refuse(*_given):
        raise LimitExceededError("the pattern takes too long", limit="time")

    monkeypatch.setattr(ByteCutter, "cut", refuse)
    answer = post(session, "cuts", {"sample": "training", "own_text": ""})
    assert answer.status_code >= 400
    assert answer.json() == {"error": "the pattern takes too long"}


def test_runs_stay_beside_a_new_one_up_to_a_limit(session):
    for _ in range(MAX_BESIDE + 2):
        start(session, is_beside=True)
    assert [run["number"] for run in look(session)[0]["runs"]] == [4, 3, 2]
    assert [run["run"] for run in cuts(session)["runs"]] == [4, 3, 2]
    start(session)
    assert len(look(session)[0]["runs"]) == 1


def run_at(**changes):
    """Return a run as far as its progress is concerned."""
    prepared = SimpleNamespace(
        n_bytes=100, n_pretokens=1, n_unmatched_bytes=changes.pop("n_unmatched_bytes", 0)
    )
    learned = SimpleNamespace(
        seconds=1.0, stop_reason=changes.pop("stop_reason", "no pair is left: every pretoken is one token")
    )
    run: Any = SimpleNamespace(
        **{"n_steps": 3, "n_steps_wanted": 3, "status": Status.FINISHED, "error": "", "share_counted": 0.0,
           "prepared": prepared, "learned": learned, "settings": RunSettings(vocab_size=259)} | changes
    )  # fmt: skip
    run.curve = lambda: np.array([[256 + run.n_steps, 0, 0]])
    return run


@pytest.mark.parametrize(
    ("changes", "share", "line", "notes"),
    [
        ({}, 1.0, "Finished · 3 of 3 merges · 1 s of CPU time · 100 bytes of X in 1 distinct pretoken", []),
        ({"n_steps": 1, "n_steps_wanted": 4}, 1.0, "Finished · 1 of 4 merges", [
            "This text gives 1 merge, so a vocabulary of 257: then no pair is left: every pretoken is one "
            "token. To learn more, choose a longer text."]),
        ({"n_steps_wanted": 4, "stop_reason": "no pair is frequent"}, 1.0, "Finished",
         ["To learn more, choose a longer text, or a lower minimum count."]),
        ({"n_unmatched_bytes": 1}, 1.0, "Finished", ["The split pattern leaves 1 byte unmatched."]),
        ({"status": Status.FAILED, "error": "<b>_no_"}, 0.0, "Failed", ["<b>_no_"]),
        ({"status": Status.LEARNING, "n_steps_wanted": 1000, "learned": None}, 0.003,
         "Learning · 3 of 1,000 merges · 100 bytes", []),
        ({"status": Status.PREPARING}, 0.0, "Splitting and counting the text …", []),
        ({"status": Status.PREPARING, "share_counted": 0.4}, 0.4, "the text · 40%", []),
        ({"status": Status.STOPPED, "learned": None}, 0.0, "Stopped", ["Nothing was learned."]),
        ({"status": Status.STOPPED, "n_steps_wanted": 9, "stop_reason": "60 s are used up",
          "settings": RunSettings(vocab_size=999)}, 1 / 3, "Stopped · 3 of 9 merges", ["60 s are used up."]),
    ],
)  # fmt: skip
def test_progress_has_a_share_a_line_and_notes_on_the_end(changes, share, line, notes):
    found_share, found_line, found_notes = progress_of(run_at(**changes), "X")
    assert found_share == share
    assert line in found_line
    assert len(found_notes) == len(notes)
    assert all(note in found["text"] for note, found in zip(notes, found_notes, strict=True))


def test_earlier_runs_are_kept_up_to_a_limit_with_the_size_that_they_reached(session):
    for _ in range(MAX_EARLIER_RUNS + 3):
        start(session, Corpus("Toy: a b", ("ab ab abab\n" * 50,)), vocab_size=1256)
    n_learned = 256 + session.run.n_steps
    assert n_learned < 1256, "no pair was left"
    titles = [f"{n} · BPE · Toy · {n_learned:,} tokens · none" for n in range(3, MAX_EARLIER_RUNS + 4)]
    assert list(session.runs()) == titles


def test_a_new_run_ends_one_that_still_learns_and_closing_ends_all(session):
    endless = RunSettings(vocab_size=1_000_000, min_count=1, pattern=NONE)
    runs = []
    for _ in range(2):
        session.start(Corpus("long", ("the cat sat\n" * 300_000,)), endless)
        runs.append(session.run)
    runs[0].wait()
    assert runs[0].status is Status.STOPPED
    session.close()
    runs[1].wait()
    assert (runs[1].status, session.shown, session.earlier) == (Status.STOPPED, [], {})
    session.start(CATS, RunSettings())
    assert session.run is None


def test_stop_keeps_what_was_learned(session):
    session.start(
        Corpus("x", ("".join(map(chr, range(97, 20_000))) * 20,)),
        RunSettings(vocab_size=500_000, min_count=1, pattern=NONE),
    )
    wait_until(lambda: session.run.n_steps)
    assert post(session, "stop", {}).status_code == 200
    session.run.wait()
    assert session.run.status is Status.STOPPED
    assert 0 < session.run.n_steps < 499_744
    assert session.run.tokenizer("x").encode("abc")
