"""The Train page, driven through Streamlit's own test runner."""

import gzip
import json
import time
import traceback
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from playground.bpe import typed_patterns
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.corpora.corpus_pretokens import count_corpus_pretokens
from playground.corpora.kept_counts import write_counts
from playground.corpora.sources import find_sources
from playground.corpora.upload_files import fields_of_upload
from playground.corpora.upload_texts import read_texts
from playground.files.registry import FILE_FORMATS
from playground.training.corpora import Corpus
from playground.training.pretoken_counts import count_pretokens
from playground.training.run import RunSettings, training_run
from playground.training.trainer import Trainer
from playground.ui.train import session
from playground.ui.train.session import TrainingSession
from tests.ui.train.tokenizer_file_visits import read_files
from tests.ui.visits import choose, places_of

ROOT = Path(__file__).resolve().parents[3]
PASTE, UPLOAD, TYPED = "Paste a text", "Upload files", "my own expression"


@pytest.fixture
def training(monkeypatch):
    """What `training_session` gives a visitor, here a new one for each test, with a smaller example."""
    own = TrainingSession()
    monkeypatch.setattr(session, "training_session", lambda: own)
    own.start(Corpus("Example", ("the cat sat on the mat\n" * 99,)), RunSettings(), 100)
    yield own
    own.close()


@pytest.fixture
def page(training):
    app = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=60)
    app.switch_page("articles/train.py")
    return app.run()


def press_start(page):
    next(button for button in page.button if button.label == "Start").click().run()


def progress(page):
    return next((bar.proto.text for bar in page.get("progress")), "")


def wait_until(is_so, seconds=30):
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def wait_for(page, words, seconds=30):
    """Run the page once its training holds still, or again and again where it goes on."""
    training = session.training_session().run
    assert training is not None
    deadline = time.monotonic() + seconds
    while True:
        looks_again = time.monotonic() + 0.3
        while training.is_active and time.monotonic() < looks_again:
            time.sleep(0.01)
        if words in progress(page.run()):
            return page
        assert time.monotonic() < deadline, progress(page)


def learn(page, text, *, vocab_size=259, pattern="none", min_count=1):
    page.select_slider(key="train.speed").set_value("full speed")
    page.selectbox(key="train.corpus").set_value(PASTE).run()
    page.text_area(key="train.pasted").set_value(text)
    page.number_input(key="train.vocab_size").set_value(vocab_size)
    page.selectbox(key="train.pattern").set_value(pattern)
    page.number_input(key="train.min_count").set_value(min_count)
    press_start(page)
    return wait_for(page, "Finished")


def number(page, label):
    return next(field for field in page.number_input if field.label == label)


def captions(page):
    return [caption.value for caption in page.caption]


def assert_nothing_starts(page, training, message):
    n_started = training.n_started
    press_start(page)
    assert training.n_started == n_started
    assert message in page.toast[0].value.replace("\\", "")


def errors(page):
    assert list(page.exception) == []
    return [error.value.replace("\\", "") for error in page.error]  # without Markdown escapes


def test_a_vocabulary_that_cannot_be_is_told(page, training):
    page.number_input(key="train.vocab_size").set_value(256).run()
    assert "choose 257 to 1,048,576" in errors(page)[0]
    for vocab_size in (256, (1 << 20) + 1):
        page.number_input(key="train.vocab_size").set_value(vocab_size)
        assert_nothing_starts(page, training, "choose 257 to 1,048,576")
        assert "choose 257 to 1,048,576" in errors(page)[0]
        assert page.number_input(key="train.vocab_size").value == vocab_size
    page.number_input(key="train.vocab_size").set_value(300)
    press_start(page)
    assert errors(page) == []
    assert training.n_started == 2


def test_a_press_that_begins_nothing_draws_nothing_before_its_run(page, training, monkeypatch):
    """A callback of a fragment that draws replaces what stands at the page's top."""
    drawn_by = []
    toast = st.toast

    def noted(*arguments, **how):
        drawn_by.append({frame.name for frame in traceback.extract_stack()})
        return toast(*arguments, **how)

    monkeypatch.setattr(st, "toast", noted)
    page.number_input(key="train.vocab_size").set_value(256)
    assert_nothing_starts(page, training, "choose 257 to 1,048,576")
    assert len(drawn_by) == 1
    assert "start_run" not in drawn_by[0]
    page.run()
    assert len(drawn_by) == 1, "it is told once"


def test_a_number_of_merges_that_cannot_be_is_told(page, training):
    page.button_group(key="train.size_by").set_value("Merges").run()
    for n_merges in (0, 1 << 20):
        number(page, "Merges").set_value(n_merges)
        assert_nothing_starts(page, training, "choose 1 to 1,048,320")
        assert "choose 1 to 1,048,320" in errors(page)[0]


def test_a_size_is_a_vocabulary_or_merges_and_outlives_the_page(page, training):
    assert page.selectbox(key="train.corpus").value == "English novel: Pride and Prejudice"
    assert number(page, "Vocabulary size").value == 1_256
    assert "256 bytes and 1,000 merges." in captions(page)
    number(page, "Vocabulary size").set_value(300).run()
    assert "256 bytes and 44 merges." in captions(page)
    page.button_group(key="train.size_by").set_value("Merges").run()
    assert number(page, "Merges").value == 44
    number(page, "Merges").set_value(60).run()
    assert "With 256 bytes a vocabulary of 316." in captions(page)
    page.switch_page("articles/tokenize.py").run()
    page.switch_page("articles/train.py").run()
    assert number(page, "Merges").value == 60
    press_start(page)
    assert training.run.settings.vocab_size == 316
    page.button_group(key="train.size_by").set_value("Vocabulary size").run()
    assert number(page, "Vocabulary size").value == 316


def test_what_the_rows_cost_follows_the_size_and_the_model(page):
    def told():
        return next(text for text in (one.value for one in page.markdown) if "parameters" in text)

    number(page, "Vocabulary size").set_value(1_000).run()
    assert "1,000 rows × 768 × one matrix, tied = **768,000** parameters, **0.9 %**" in told()
    page.button_group(key="train.size_by").set_value("Merges").run()
    assert "1,000 rows × 768" in told()
    page.selectbox(key="train.model").set_value("llama3_8b").run()
    assert "1,000 rows × 4,096 × two matrices = **8,192,000** parameters" in told()
    page.selectbox(key="train.model").set_value("own").run()
    page.number_input(key="train.model_width").set_value(64)
    page.number_input(key="train.model_others").set_value(0)
    page.toggle(key="train.model_tied").set_value(False).run()
    assert "1,000 rows × 64 × two matrices = **128,000** parameters, **100.0 %**" in told()
    assert page.table[0].value.loc["o200k_base", "parameters"] == f"{200_019 * 64 * 2:,}"
    number(page, "Merges").set_value(-300).run()
    assert list(page.exception) == []
    assert not any("parameters" in one.value for one in page.markdown), "it is refused"
    assert page.table[0].value.index[0] != "chosen"


def test_a_run_that_ended_early_tells_what_its_own_rows_cost(page, training):
    training.run.wait()
    n_rows = 256 + training.run.n_merges
    assert n_rows < 1_256
    page.run()
    told = next(item.value for item in page.markdown if "parameters" in item.value)
    assert told.startswith(f"The run ended with a vocabulary of {n_rows:,}. {n_rows:,} rows × 768")
    assert list(page.table[0].value["rows"][:2]) == [f"{n_rows:,}", "1,256"]
    number(page, "Vocabulary size").set_value(1_000).run()
    assert any(item.value.startswith("1,000 rows × 768") for item in page.markdown), "another size was chosen"


def test_start_reads_what_comes_with_the_click(page, training):
    """A browser sends a field as it is left, so with the press on Start: no run has drawn it yet."""
    page.selectbox(key="train.corpus").set_value(PASTE).run()
    for text, vocab_size, min_count in (("first text first", 300, 1), ("second text second", 290, 3)):
        page.text_area(key="train.pasted").set_value(text)
        page.number_input(key="train.vocab_size").set_value(vocab_size)
        page.number_input(key="train.min_count").set_value(min_count)
        page.text_area(key="train.special").set_value(f"\n<|{text}|>\n\n<|{text}|>\n")
        page.number_input(key="train.pause_at").set_value(vocab_size - 285)
        page.select_slider(key="train.speed").set_value("full speed")
        press_start(page)
        run, settings = training.run, training.run.settings
        assert (settings.vocab_size, settings.min_count) == (vocab_size, min_count)
        assert settings.special_tokens == (f"<|{text}|>",)
        assert (run.merges_per_second, run.pause_at) == (None, vocab_size - 285)
        wait_until(lambda run=run: run.training_texts)
        assert "".join(run.training_texts + run.held_out_texts) == text


def test_a_pattern_that_cannot_be_is_told_and_stays(page, training, monkeypatch):
    monkeypatch.setattr(typed_patterns, "MAX_SECONDS", 0.2)
    faults = (
        ("(", "does not compile"),
        ("gpt5", "unknown split pattern 'gpt5'"),
        (r"\w*", "matches the empty text"),
        ("(a|aa)+$", "takes too long"),
    )
    page.selectbox(key="train.pattern").set_value(TYPED).run()
    for expression, message in faults:
        page.text_input(key="train.typed_pattern").set_value(expression)
        assert_nothing_starts(page, training, message)
        assert message in errors(page)[0]
        assert page.text_input(key="train.typed_pattern").value == expression


def test_what_pretokens_are_is_told_where_a_text_is_cut(page):
    assert "cut before any merge, into pretokens" in page.selectbox(key="train.pattern").help


def test_an_own_pattern_that_is_empty_is_told_to_cut_nothing(page, training):
    def is_told():
        return any("The field is empty: no text is cut" in caption.value for caption in page.caption)

    page.selectbox(key="train.pattern").set_value(TYPED).run()
    assert not is_told()
    page.text_input(key="train.typed_pattern").set_value("").run()
    assert is_told()
    press_start(page)
    assert training.run.settings.pattern.is_none
    page.selectbox(key="train.pattern").set_value("none").run()
    assert not is_told()


def test_two_faults_are_told_together(page):
    page.selectbox(key="train.corpus").set_value(PASTE).run()
    page.text_area(key="train.pasted").set_value("")
    page.number_input(key="train.vocab_size").set_value(9).run()
    assert ["the text is empty" in errors(page)[0], "257" in errors(page)[1]] == [True, True]
    assert not any("bytes and" in caption.value for caption in page.caption), "no merges are promised"


def test_one_letter_gives_no_merge_and_says_so(page):
    learn(page, "a")
    assert "gives 0 merges" in page.info[0].value
    assert "no pair is left" in page.info[0].value
    assert errors(page) == []


def test_more_than_the_text_can_give_ends_well(page):
    learn(page, "aaabdaaabac", vocab_size=5000)
    assert "This text gives 7 merges, so a vocabulary of 263" in page.info[0].value


def test_files_that_are_no_text_are_named(page, training):
    files = (
        (
            "photo.jpg",
            b"\xff\xd8\xff\xe0" + bytes(50),
            "photo.jpg is not UTF-8 text: byte 0xFF at position 0",
        ),
        ("latin.txt", "né".encode("latin-1"), "latin.txt is not UTF-8 text: byte 0xE9 at position 1"),
        ("empty.txt", b"", "empty.txt is empty"),
    )
    page.selectbox(key="train.corpus").set_value(UPLOAD).run()
    assert "Choose one or more files" in page.info[0].value
    assert_nothing_starts(page, training, "no file is chosen")
    for name, content, message in files:
        page.file_uploader(key="train-files").set_value([(name, content, "text/plain")])
        assert_nothing_starts(page, training, message)
        assert message in errors(page)[0]


def test_all_files_that_are_no_text_are_told_at_once(page, training):
    page.selectbox(key="train.corpus").set_value(UPLOAD).run()
    files = [
        ("good.txt", b"the cat", ""),
        ("utf-16.txt", "a".encode("utf-16"), ""),
        ("a.zip", b"PK\x03\x04", ""),
    ]
    page.file_uploader(key="train-files").set_value(files)
    assert_nothing_starts(page, training, "2 of 3 files cannot be learned from")
    (told,) = errors(page)
    first, *reasons = told.split("  \n")
    assert first == "2 of 3 files cannot be learned from:"
    assert [reason.split(";")[0] for reason in reasons] == ["utf-16.txt is UTF-16 text", "a.zip is packed"]
    assert any(
        "chosen: 2 of 3 files cannot be learned from." in line.replace("\\", "") for line in captions(page)
    )
    page.file_uploader(key="train-files").set_value([(f"{n}.zip", b"PK\x03\x04", "") for n in range(9)]).run()
    *_, last, more = errors(page)[0].split("  \n")
    assert last.startswith("5.zip is packed")
    assert more == "and 3 more files"
    page.file_uploader(key="train-files").set_value([("a.txt", b"", ""), ("b.txt", b"", "")]).run()
    assert "these files are empty" in errors(page)[0]


def test_files_that_cannot_be_learned_from_are_left_out_at_a_press(page, training):
    page.selectbox(key="train.corpus").set_value(UPLOAD).run()
    cats = b"the cat sat on the mat\n" * 9
    files = [
        ("a.txt", cats),
        ("b.zip", b"PK\x03\x04"),
        ("c.txt", cats),
        ("d.txt", b""),
        ("e.zip", b"PK\x03\x04"),
    ]
    page.file_uploader(key="train-files").set_value([(*file, "") for file in files]).run()
    assert len(errors(page)) == 1
    next(button for button in page.button if button.label == "Use the other 2").click().run()
    assert errors(page) == []
    told = [caption.replace("\\", "") for caption in captions(page)]
    assert "Left out: b.zip and e.zip." in told
    assert "Empty: d.txt." in told
    page.select_slider(key="train.speed").set_value("full speed")
    press_start(page)
    wait_for(page, "Finished")
    assert "of 3 files in " in progress(page)
    page.file_uploader(key="train-files").set_value([("f.txt", cats, ""), ("g.zip", b"PK\x03\x04", "")]).run()
    assert any(button.label == "Use the other one" for button in page.button)


LINES = ["the cat sat on the mat", "that hat", "the rat ate the hat"]
WHOLE = "The whole file, as text"


def json_lines(**fields):
    return "".join(json.dumps({name: make(line) for name, make in fields.items()}) + "\n" for line in LINES)


CHATS = json_lines(
    messages=lambda line: [{"role": "user", "content": line}, {"role": "assistant", "content": line[::-1]}]
).encode()


def upload(page, *files):
    page.selectbox(key="train.corpus").set_value(UPLOAD).run()
    page.file_uploader(key="train-files").set_value([(*file, "") for file in files]).run()


def told_of_files(page):
    return [line.replace("\\", "") for line in captions(page)]


def shells_merges(folder, name, raw, field, vocab_size):
    (folder / name).write_bytes(raw)
    counts = count_corpus_pretokens(
        find_sources([str(folder / name)], field=field), SplitPattern.named("gpt2")
    )
    trainer = Trainer(counts, vocab_size=vocab_size, min_count=2)
    trainer.advance()
    return trainer.columns().tolist()


@pytest.mark.parametrize(
    ("name", "raw", "field"),
    [
        ("chats.jsonl", CHATS, "messages[].content"),
        ("chats.jsonl.gz", gzip.compress(CHATS, mtime=0), "messages[].content"),
        ("rows.csv", ("id,text\n" + "".join(f"{line},{line}\n" for line in LINES)).encode(), "text"),
        ("rows.parquet", pd.DataFrame({"n": [1, 2, 3], "text": LINES}).to_parquet(), "text"),
    ],
    ids=["jsonl", "packed", "csv", "parquet"],
)
def test_a_field_of_rows_is_learned_as_the_shell_learns_it(name, raw, field, page, training, tmp_path):
    page.select_slider(key="train.speed").set_value("full speed")
    page.slider(key="train.held_out").set_value(0)
    page.number_input(key="train.vocab_size").set_value(264)
    page.selectbox(key="train.corpus").set_value(UPLOAD).run()
    page.file_uploader(key="train-files").set_value([(name, raw, "")])
    if field != "text":
        page.run()
        page.selectbox(key="train.field").set_value(field)
    press_start(page)  # what was chosen last is not drawn yet
    wait_for(page, "Finished")
    assert training.run.columns().tolist() == shells_merges(tmp_path, name, raw, field, 264)
    assert f"bytes of {field} of {name} in " in progress(page).replace("\\", "")
    assert (list(page.exception), errors(page)) == ([], [])
    assert page.selectbox(key="train.field").value == field
    assert (WHOLE in page.selectbox(key="train.field").options) == (name != "rows.parquet")


def test_the_field_of_rows_is_asked_for_and_may_be_another_after_a_run(page, training):
    rows = json_lines(title=str.upper, body=str).encode()
    upload(page, ("rows.jsonl", rows))
    assert page.info[0].value == "Choose the field that holds the text."
    assert page.selectbox(key="train.field").options == ["Choose a field", "title", "body", WHOLE]
    assert any("no field is chosen yet" in line for line in captions(page))
    assert_nothing_starts(page, training, "no field is chosen; choose the field that holds the text")
    page.select_slider(key="train.speed").set_value("full speed")
    for field, merge in (("body", b"th"), ("title", b"TH")):
        page.selectbox(key="train.field").set_value(field).run()
        assert "49 bytes in 3 texts." in captions(page)
        assert any("Start trains with them" in line for line in captions(page))
        press_start(page)
        wait_for(page, "Finished")
        assert training.learned_from == f"{field} of rows.jsonl"
        assert merge in [learned.raw for learned in training.run.merges()]
    assert page.selectbox(key="train.field").options == ["title", "body", WHOLE]


def test_a_field_stays_chosen_and_is_read_of_each_file_of_rows(page, training, monkeypatch):
    read = []

    def read_and_note(name, *arguments, **options):
        read.append(name)
        return read_texts(name, *arguments, **options)

    def fields_and_note(name, *arguments, **options):
        read.append(f"fields of {name}")
        return fields_of_upload(name, *arguments, **options)

    monkeypatch.setattr("playground.ui.train.uploaded.read_texts", read_and_note)
    monkeypatch.setattr("playground.ui.train.uploaded.fields_of_upload", fields_and_note)
    rows = ("a.jsonl", json_lines(title=str.upper, body=str).encode())
    upload(page, rows)
    page.selectbox(key="train.field").set_value("body").run()
    page.run()
    assert read == ["fields of a.jsonl", "a.jsonl"], "once, not in each run"
    upload(page, rows, ("b.csv", b"id,body\n1,that\n"), ("c.txt", b"text"))
    assert page.selectbox(key="train.field").value == "body"
    assert page.selectbox(key="train.field").options == ["title", "body", "id", WHOLE]
    assert "53 bytes in 4 texts." in captions(page)
    assert errors(page) == []
    upload(page, rows, ("d.csv", b"id,text\n1,that\n"), ("broken.jsonl", b'{"body": "a"}\n{"body": \n'))
    (told,) = errors(page)
    assert [line.replace("\\", "") for line in told.split("  \n")] == [
        "2 of 3 files cannot be learned from:",
        "d.csv has no field 'body'; it has 'id', 'text'",
        "broken.jsonl: line 2 is not JSON: Expecting value at column 10",
    ]
    next(button for button in page.button if button.label == "Use the other one").click().run()
    assert errors(page) == []
    assert "Left out: d.csv and broken.jsonl." in told_of_files(page)


@pytest.mark.parametrize(
    ("files", "told"),
    [
        (["a.txt"], ""),
        (["a_b.jsonl"], "a_b.jsonl is"),
        (["a.csv", "b.txt", "c.jsonl"], "2 files of rows are"),
    ],
)
def test_a_file_of_rows_may_be_read_as_plain_text(files, told, page):
    upload(page, *((name, b'{"a": 1}\n') for name in files))
    if told:
        page.selectbox(key="train.field").set_value(WHOLE).run()
    lines = [line for line in told_of_files(page) if "as plain text" in line]
    assert [line.startswith(f"{told} read as plain text") for line in lines] == ([True] if told else [])


@pytest.mark.parametrize(
    ("name", "raw", "told"),
    [
        ("x.jsonl", b'{"text": \n', "x.jsonl: line 1 is not JSON"),
        ("x.jsonl.gz", b"no", "x.jsonl.gz: broken gzip data"),
        ("x.csv", b"text\n", "no row has text in its field 'text'; choose another field"),
        (
            "x.txt.gz",
            gzip.compress(b"a" * 1_000_001, mtime=0),
            "x.txt.gz: with it there are, unpacked, more than",
        ),
    ],
)
def test_what_is_wrong_with_rows_is_told(name, raw, told, page, training, monkeypatch):
    monkeypatch.setattr("playground.ui.train.uploaded.MAX_UPLOAD_MB", 1)
    upload(page, (name, raw))
    assert [told in error.replace("\\", "") for error in errors(page)] == [True]
    assert_nothing_starts(page, training, told)


def test_files_together_have_a_limit_when_they_are_unpacked(page, monkeypatch):
    monkeypatch.setattr("playground.ui.train.uploaded.MAX_UPLOAD_MB", 1)
    packed = gzip.compress(b"text\n" + b"a" * 600_000, mtime=0)
    upload(page, ("a.csv.gz", packed), ("b.csv.gz", packed))
    assert "b.csv.gz: with it there are, unpacked, more than 1,000,000 bytes" in errors(page)[0].replace(
        "\\", ""
    )
    next(button for button in page.button if button.label == "Use the other one").click().run()
    assert errors(page) == []
    assert "600,000 bytes in 1 text." in captions(page)


def test_several_files_are_learned(page):
    page.selectbox(key="train.corpus").set_value(UPLOAD).run()
    files = [(f"{n}.txt", ("the cat sat on the mat\n" * 9).encode(), "text/plain") for n in range(2)]
    page.file_uploader(key="train-files").set_value(files)
    page.select_slider(key="train.speed").set_value("full speed")
    press_start(page)
    wait_for(page, "Finished")
    assert "391 bytes of 2 files in " in progress(page)  # of 18 lines of 23 one is held out


def test_pause_step_resume_stop_reset(page):
    page.select_slider(key="train.speed").set_value("full speed")
    page.number_input(key="train.pause_at").set_value(40)
    press_start(page)
    wait_for(page, "Paused** · 40 of")
    for n_merges, total in ((1, 41), (10, 51), (100, 151)):
        page.button(key=f"train-step-{n_merges}").click().run()
        assert f"{total} of" in progress(page)
    page.select_slider(key="train.speed").set_value("1 a second").run()
    page.button(key="train-resume").click().run()
    wait_for(page, "Running")
    assert page.button(key="train-step-1").disabled
    page.button(key="train-stop").click().run()
    wait_for(page, "Stopped")
    page.button(key="train-reset").click().run()
    assert "Nothing is being learned" in page.info[0].value
    assert errors(page) == []


def compare_example_with_fields():
    import streamlit as st

    from playground.ui.train.corpus import read_corpus
    from playground.ui.train.session import training_session
    from playground.ui.train.settings import read_settings

    training_session.clear()  # to the runner of tests all sessions are one, and keep what an earlier test has
    session = training_session()
    st.session_state["is_same"] = session.is_of(read_corpus(session), read_settings())
    training_session.clear()


def test_the_example_learns_with_what_the_fields_say(monkeypatch):
    monkeypatch.setattr(
        "playground.ui.train.session.TrainingRun",
        lambda _corpus, settings, **_named: SimpleNamespace(settings=settings, close=lambda: None),
    )
    assert (
        AppTest.from_function(compare_example_with_fields, default_timeout=30).run().session_state["is_same"]
    )


def test_what_was_changed_since_the_run_began_is_told(page):
    def is_told():
        return any("changed since the run began" in caption.value for caption in page.caption)

    press_start(page)
    assert not is_told()
    page.number_input(key="train.vocab_size").set_value(301).run()
    assert is_told()
    press_start(page)
    assert not is_told()
    page.selectbox(key="train.corpus").set_value(PASTE).run()
    assert is_told()
    page.button(key="train-reset").click().run()
    assert not is_told()


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("train.corpus", UPLOAD, "no file is chosen yet"),
        ("train.pasted", "", "the text is empty; paste one, or choose a bundled corpus"),
        ("train.vocab_size", 100, "a vocabulary of 100 cannot be learned: 256 bytes come first, so choose "),
    ],
)
def test_what_start_cannot_use_is_told_beside_it_and_whose_the_shown_run_is(page, key, value, problem):
    press_start(page)
    page.selectbox(key="train.corpus").set_value(PASTE).run()
    fields = {"train.corpus": page.selectbox, "train.pasted": page.text_area}
    fields.get(key, page.number_input)(key=key).set_value(value).run()
    told = next(caption for caption in captions(page) if "Start cannot use" in caption).replace("\\", "")
    assert f"Start cannot use what is chosen: {problem}" in told
    assert told.endswith("What is shown here was learned from “English novel”.")


def test_what_was_changed_is_told_right_below_start(page):
    press_start(page)
    page.number_input(key="train.vocab_size").set_value(301).run()
    told = next(
        place
        for place, caption in zip(places_of(page, "caption"), page.caption, strict=True)
        if "changed since" in caption.value
    )
    start = next(
        place
        for place, button in zip(places_of(page, "button"), page.button, strict=True)
        if button.label == "Start"
    )
    (bar,) = places_of(page, "progress")
    assert start < told < bar


def test_what_is_told_moves_nothing(page, training):
    learn(page, "aaabdaaabac")
    page.button_group(key="train.panel").set_value("Keep and export").run()
    files = places_of(page, "download_button")
    openers = places_of(page, "expander")
    assert len(files) > 5
    assert len(openers) == 3

    def is_told(elements, part):
        assert any(part in element.value.replace("\\", "") for element in elements)
        assert places_of(page, "download_button") == files
        assert places_of(page, "expander") == openers

    page.button(key="train-keep").click().run()
    is_told(page.success, "my-tokenizer is now in every picker.")
    page.button(key="train-keep").click().run()
    is_told(page.success, "is now in every picker, in the place of the one kept before.")
    is_told(page.caption, "What is kept and exported was learned from “Pasted text”.")
    page.number_input(key="train.vocab_size").set_value(301).run()
    is_told(page.caption, "changed since the run began")
    is_told(page.caption, ": Keep replaces it")
    page.text_input(key="train.name").set_value("not a name").run()
    is_told(page.error, "this one has ' ' at place 4")


def test_the_tokenizer_whose_name_another_takes_can_be_brought_back(page, training):
    learn(page, "aaabdaaabac")
    page.button_group(key="train.panel").set_value("Keep and export").run()
    page.button(key="train-keep").click().run()
    kept = page.session_state["keep.trained_tokenizers"]
    first = kept["my-tokenizer"]

    def ways_back():
        return [button for button in page.button if button.label == "Bring the one before back"]

    assert not ways_back()
    page.button(key="train-keep").click().run()
    second = kept["my-tokenizer"]
    assert second is not first
    page.text_input(key="train.name").set_value("other").run()
    assert not ways_back()
    page.text_input(key="train.name").set_value("my-tokenizer").run()
    for there in (first, second):
        ways_back()[0].click().run()
        assert kept == {"my-tokenizer": there}


def test_what_is_exported_is_told_to_be_the_example(page):
    wait_for(page, "Finished")
    page.button_group(key="train.panel").set_value("Keep and export").run()
    told = [caption.value for caption in page.caption]
    assert "What is kept and exported is the example, learned from “Example”." in told


def test_a_stop_before_the_text_is_counted_is_told(page, training, monkeypatch):
    monkeypatch.setattr(training_run, "prepare", prepare_without_end)
    press_start(page)
    wait_for(page, "counting the text · 40%")
    page.button(key="train-stop").click().run()
    training.run.wait()
    assert "Stopped before the text was counted" in page.run().info[0].value
    assert errors(page) == []


def prepare_without_end(*_given, told, **_named):
    while True:
        told(0.4)
        time.sleep(0.05)


def test_a_corpus_of_languages_is_weighed(page, training):
    page.selectbox(key="train.corpus").set_value("Many languages: human rights").run()
    page.multiselect(key="train.languages").set_value([]).run()
    assert "no language is chosen" in errors(page)[0]
    page.multiselect(key="train.languages").set_value(["Korean", "English"]).run()
    page.number_input(key="train.weight.Korean").set_value(3)
    page.number_input(key="train.vocab_size").set_value(300)
    page.select_slider(key="train.speed").set_value("full speed")
    press_start(page)
    wait_for(page, "Finished")
    assert errors(page) == []
    run = training.run
    article = "모든 인간은"
    assert sum(text.count(article) for text in (*run.training_texts, *run.held_out_texts)) == 3


def test_every_panel_and_chart_is_drawn(page):
    learn(page, "the cat sat on the mat, the cat that sat there\n" * 300, vocab_size=300, min_count=2)
    for chart in ("% saved", "Tokens saved", "With vocabulary", "Compression"):
        page.button_group(key="train.chart").set_value(chart).run()
        assert page.get("arrow_vega_lite_chart") or page.get("vega_lite_chart")
    for panel in ("All merges", "A against B", "Keep and export", "What was learned"):
        page.button_group(key="train.panel").set_value(panel).run()
        assert errors(page) == []
        if panel == "All merges":
            for searched, is_found in (("at", True), (" th", True), (".", False)):
                page.text_input(key="train.search").set_value(searched).run()
                found = page.dataframe[-1].value["new token"]
                assert (len(found) > 0) == is_found
                assert all(searched.replace(" ", "·") in token.replace(" ", "·") for token in found)
    for text in ("Training text", "My own text"):
        page.button_group(key="train.sample").set_value(text).run()
        assert errors(page) == []


def test_a_run_with_nothing_held_out_speaks_of_no_held_out_text(page, monkeypatch):
    films = []
    monkeypatch.setattr("playground.ui.train.film.merge_film", lambda data, **_key: films.append(data))
    page.slider(key="train.held_out").set_value(0)
    learn(page, "the cat sat on the mat, the cat that sat there\n" * 300, vocab_size=270, min_count=2)
    assert page.button_group(key="train.sample").options == ["Training text", "My own text"]
    assert page.button_group(key="train.sample").value == "Training text"
    assert films[-1]["text"].startswith("the cat")
    titles = [item.value for item in page.markdown if "·" in item.value]
    assert [title.split("**")[1] for title in titles] == ["Longest tokens", "Cross categories"]
    page.button_group(key="train.panel").set_value("All merges").run()
    assert "tokens left" in page.dataframe[-1].value
    assert "held-out tokens left" not in page.dataframe[-1].value
    page.button_group(key="train.panel").set_value("A against B").run()
    assert "nothing was held out" in "".join(caption.value for caption in page.caption)
    page.button_group(key="train.panel").set_value("All merges").run()
    page.slider(key="train.held_out").set_value(10)
    learn(page, "the cat sat on the mat, the cat that sat there\n" * 300, vocab_size=270, min_count=2)
    assert "Held-out text" in page.button_group(key="train.sample").options
    assert "held-out tokens left" in page.dataframe[-1].value


def test_a_run_that_is_over_names_no_next_merge(page, monkeypatch):
    films = []
    monkeypatch.setattr("playground.ui.train.film.merge_film", lambda data, **_key: films.append(data))
    page.select_slider(key="train.speed").set_value("full speed")
    page.number_input(key="train.pause_at").set_value(5)
    press_start(page)
    wait_for(page, "Paused** · 5 of")
    assert not films[-1]["is_over"]
    page.button(key="train-stop").click().run()
    wait_for(page, "Stopped")
    assert films[-1]["is_over"]


def test_names_are_text_and_what_is_kept_can_be_used(page, training):
    assert "run" not in page.query_params
    learn(page, "aaabdaaabac")
    assert page.query_params["run"] in ("2", ["2"])
    assert list(page.info) == [], "all merges that were wanted"
    page.button_group(key="train.panel").set_value("Keep and export").run()
    for bad, problem in (
        ("gpt2", "gpt2 is the name of a known tokenizer; choose another"),
        ("<b>bold</b>", "this one has '<' at place 1"),
        ("atlas v1", "this one has ' ' at place 6. The files below have the name my-tokenizer."),
        ("_*x*" * 2_500, "this one has 10,000 characters"),
    ):
        page.text_input(key="train.name").set_value(bad).run()
        assert problem in errors(page)[0]
        page.button(key="train-keep").click().run()
        assert problem in errors(page)[0]
        assert list(page.success) == []
        assert "my-tokenizer.tiktoken" in [file.proto.label for file in page.get("download_button")]
    for name in ("__my__name__", "mine", "x" * 60):
        page.text_input(key="train.name").set_value(name).run()
        page.button(key="train-keep").click().run()
        assert errors(page) == []
        assert page.success[0].value == f"{name.replace('_', chr(92) + '_')} is now in every picker."
    assert training.run is not None
    n_merges = training.run.n_merges
    learn(page, "abababab", vocab_size=258)
    page.text_input(key="train.name").set_value("mine").run()
    page.button(key="train-keep").click().run()
    kept = page.session_state["keep.trained_tokenizers"]
    assert [*kept] == ["__my__name__", "mine", "x" * 60], "a name that comes again is replaced"
    assert len(kept["__my__name__"].model.merges) == n_merges != len(kept["mine"].model.merges) == 2
    page.switch_page("articles/tokenize.py").run()
    choose(page, "__my__name__")
    document = page.session_state["keep.editor"].document
    assert document.ids == kept["__my__name__"].encode(document.text)
    page.switch_page("articles/merge_tree.py").run()
    choose(page, "mine")
    assert list(page.exception) == []


def test_runs_on_different_texts_are_told_to_be(page, training):
    cats, dogs = "the cat sat on the mat\n" * 90, "the dog sat on the log\n" * 90
    learn(page, cats, vocab_size=260)
    learn(page, cats, vocab_size=262)
    learn(page, dogs, vocab_size=260)
    page.button_group(key="train.panel").set_value("A against B").run()
    first, second, third = [*training.runs()][-3:]
    runs = next(field for field in page.multiselect if field.label == "Runs")
    for chosen, differ in (([first, third], True), ([first, second], False)):
        runs.set_value(chosen).run()
        assert any("these texts differ" in caption for caption in captions(page)) == differ
        assert page.get("arrow_vega_lite_chart") or page.get("vega_lite_chart")


@pytest.mark.parametrize("name", ["__a__ <b>*x*</b> 👋.txt", "x" * 10_000])
def test_a_run_of_a_file_of_any_name_stands_beside_others(page, training, name):
    wait_until(lambda: training.run.n_merges)  # the example's run, or it does not stand beside others
    page.select_slider(key="train.speed").set_value("full speed")
    page.number_input(key="train.vocab_size").set_value(270)
    page.selectbox(key="train.corpus").set_value(UPLOAD).run()
    for text in ("the cat sat on the mat\n" * 9, "the dog sat on the log\n" * 9):
        page.file_uploader(key="train-files").set_value([(name, text.encode(), "text/plain")])
        press_start(page)
        wait_for(page, "Finished")
        wait_until(
            lambda text=text: "".join(training.run.training_texts + training.run.held_out_texts) == text
        )
    runs = training.runs()
    titles = [*runs][1:]
    assert (
        titles
        == [
            f"{n} · {name} · {256 + run.n_merges} tokens · gpt2"
            for n, run in zip((1, 2, 3), runs.values(), strict=True)
        ][1:]
    ), "as many as were learned"
    page.button_group(key="train.panel").set_value("A against B").run()
    assert errors(page) == []
    assert page.dataframe[-1].value.columns[1:].tolist() == [f"text of {title}" for title in titles]
    assert page.dataframe[-1].value.index.name == "tokenizer of"
    page.button_group(key="train.panel").set_value("Keep and export").run()
    model = BpeModel(SplitPattern.named("none"), ((97, 97, 256),))
    content = FILE_FORMATS["minbpe"].write(model, "back")["back.model"].encode()
    read_files(page, (f"{name}.model", content))
    assert errors(page) == []
    expected = "x" * 60 if name[0] == "x" else "__a__-b-x-b"
    assert page.success[0].value.startswith(
        f"{expected.replace('_', chr(92) + '_').replace('-', chr(92) + '-')}: byte-level BPE · 257 tokens."
    )
    assert expected in page.session_state["keep.trained_tokenizers"]


def test_a_file_is_opened_before_any_run_has_learned_a_merge(page, training):
    training.reset()
    page.run()
    assert "Nothing is being learned" in page.info[0].value
    model = BpeModel(SplitPattern.named("none"), ((97, 97, 256),))
    read_files(page, ("mine.model", FILE_FORMATS["minbpe"].write(model, "mine")["mine.model"].encode()))
    assert "mine: byte-level BPE" in page.success[0].value
    assert "mine" in page.session_state["keep.trained_tokenizers"]


def test_a_tokenizer_file_comes_back_and_a_damaged_one_is_told(page):
    merges = ((97, 97, 256), (256, 97, 257), (257, 98, 258))
    model = BpeModel(SplitPattern.named("none"), merges).with_special_tokens(("<|a|>",))
    text = FILE_FORMATS["minbpe"].write(model, "back")["back.model"]
    read_files(page, ("back.model", text.encode()))
    assert "back: byte-level BPE" in page.success[0].value
    for file_name, name in (("gpt2.model", "gpt2-file"), ("👋.model", "uploaded")):
        read_files(page, (file_name, text.encode()))
        assert name in page.session_state["keep.trained_tokenizers"]
    damaged = {
        "back.model": text.replace("97 97", "97 x"),
        "x.tiktoken": "no base64",
        "x.json": "{",
        "x.txt": "",
    }
    for name, content in damaged.items():
        read_files(page, (name, content.encode()))
        assert name in errors(page)[0]


def test_a_reload_is_told_that_its_run_is_gone(page):
    page.query_params["run"] = "3"
    page.run()
    assert "The run of before ended" in page.info[0].value
    assert "run" not in page.query_params
    page.run()
    assert "The run of before ended" in page.info[0].value, "until another run is started"
    press_start(page)
    assert not any("The run of before" in info.value for info in page.info)
    assert page.session_state["train.n_started"] == 2, "which the browser keeps"


def test_a_run_that_was_forgotten_is_none_that_a_reload_has_ended(page):
    page.run()
    press_start(page)
    assert page.query_params["run"] == "2"
    page.button(key="train-reset").click().run()
    assert page.session_state["train.n_started"] == 0
    assert "run" not in page.query_params
    assert any("Nothing is being learned" in info.value for info in page.info)
    press_start(page)
    assert page.query_params["run"] == "3"
    assert page.session_state["train.n_started"] == 3


def counts_file(folder, texts, pattern="cl100k"):
    parsed = SplitPattern.named(pattern)
    write_counts(folder / "counts.parquet", count_pretokens(texts, parsed), parsed)
    return (folder / "counts.parquet").read_bytes()


def test_counts_of_a_corpus_are_learned_from(page, training, tmp_path):
    texts = ["the cat sat on the mat\n" * 40, "that hat\n"]
    page.select_slider(key="train.speed").set_value("full speed")
    page.selectbox(key="train.corpus").set_value(UPLOAD).run()
    content = counts_file(tmp_path, texts)
    page.file_uploader(key="train-files").set_value([("counts.parquet", content, "")]).run()
    assert any("cut by cl100k: that is the split pattern" in caption for caption in captions(page))
    page.number_input(key="train.vocab_size").set_value(264).run()
    press_start(page)
    wait_for(page, "Finished")
    run = training.run
    trainer = Trainer(count_pretokens(texts, SplitPattern.named("cl100k")), vocab_size=264, min_count=2)
    trainer.advance()
    assert run.columns().tolist() == trainer.columns().tolist()
    assert (run.settings.pattern.name, run.n_bytes, run.has_held_out) == ("cl100k", 929, False)
    assert "counts.parquet" in training.title
    assert not page.exception


def test_a_table_that_is_no_counts_is_told(page, tmp_path, monkeypatch):
    page.selectbox(key="train.corpus").set_value(UPLOAD).run()
    good = counts_file(tmp_path, ["to be or not to be"])
    pq.write_table(pa.table({"n": [1]}), tmp_path / "rows.parquet")
    rows = (tmp_path / "rows.parquet").read_bytes()
    pq.write_table(pa.table({"pretoken": [b"to"], "count": [1]}), tmp_path / "bare.parquet")
    monkeypatch.setattr("playground.ui.train.uploaded.MAX_PRETOKENS", 4)
    for files, sentence in [
        (
            [("rows.parquet", rows, "")],
            "has no column of text, and is no counts of a corpus: its columns are n, not pretoken and count",
        ),
        ([("x.parquet", good[:-9], "")], "x.parquet: cannot be read: "),
        ([("b.parquet", (tmp_path / "bare.parquet").read_bytes(), "")], "no counts that --keep-counts wrote"),
        ([("c.parquet", good, ""), ("a.txt", b"to be", "")], "counted elsewhere; choose it alone"),
        ([("c.parquet", good, "")], "it has 5 distinct pretokens; at most 4 can be learned from here"),
    ]:
        page.file_uploader(key="train-files").set_value(files).run()
        assert sentence in page.error[0].value.replace("\\", ""), page.error[0].value
        assert not page.exception
