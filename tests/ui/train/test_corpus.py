"""Files to learn from: how they are read, and that a run learns what the shell learns."""

import gzip
import json

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from streamlit.testing.v1 import AppTest

from playground.bpe.split_pattern import SplitPattern
from playground.corpora.corpus_pretokens import count_corpus_pretokens
from playground.corpora.kept_counts import write_counts
from playground.corpora.sources import find_sources
from playground.corpora.uploads import fields_of_upload, read_texts
from playground.training.algorithms.bpe import BpeLearner
from playground.training.pretoken_counts import count_pretokens
from tests.ui.train.conftest import UPLOAD

MAT = b"the cat sat on the mat\n" * 9
LINES = ["the cat sat on the mat", "that hat", "the rat ate the hat"]
WHOLE = "The whole file, as text"


def json_lines(**fields):
    return "".join(json.dumps({name: make(line) for name, make in fields.items()}) + "\n" for line in LINES)


CHATS = json_lines(
    messages=lambda line: [{"role": "user", "content": line}, {"role": "assistant", "content": line[::-1]}]
).encode()
ROWS = json_lines(title=str.upper, body=str).encode()


def merges_of(run):
    """Return the merges of a run as the trainer lists them."""
    return [[m.left, m.right, m.new_id, m.pair_count, m.n_tokens, m.n_held_out_tokens] for m in run.merges()]


def shells_merges(folder, name, raw, field, vocab_size):
    (folder / name).write_bytes(raw)
    counts = count_corpus_pretokens(
        find_sources([str(folder / name)], field=field), SplitPattern.named("gpt2")
    )
    trainer = BpeLearner(counts, vocab_size=vocab_size, min_count=2)
    trainer.advance()
    return trainer.columns().tolist()


@pytest.mark.parametrize(
    ("name", "raw", "field"),
    [
        ("chats.jsonl.gz", gzip.compress(CHATS, mtime=0), "messages[].content"),
        ("rows.csv", ("id,text\n" + "".join(f"{line},{line}\n" for line in LINES)).encode(), "text"),
        ("rows.parquet", pd.DataFrame({"n": [1, 2, 3], "text": LINES}).to_parquet(), "text"),
    ],
    ids=["packed", "csv", "parquet"],
)
def test_a_field_of_rows_is_learned_as_the_shell_learns_it(name, raw, field, page, tmp_path):
    page.app.selectbox(key="train.pattern").set_value("gpt2").run()
    page.upload((name, raw)).app.selectbox(key="train.field").set_value(field).run()
    page.set(held_out=0, vocab_size=264).press("Start").finish()
    assert merges_of(page.session.run) == shells_merges(tmp_path, name, raw, field, 264)
    assert (page.session.learned_from, page.errors) == (f"{field} of {name}", [])
    assert (WHOLE in page.app.selectbox(key="train.field").options) == (name != "rows.parquet")


def test_the_field_of_rows_must_be_chosen_and_may_change_after_a_run(page):
    page.upload(("rows.jsonl", ROWS))
    assert page.app.info[0].value == "Choose the field with the text."
    assert page.app.selectbox(key="train.field").options == ["Choose a field", "title", "body", WHOLE]
    assert "no field is chosen; choose the field with the text" in page.press("Start").errors[0]
    for field, merge in (("body", b"th"), ("title", b"TH")):
        page.app.selectbox(key="train.field").set_value(field).run()
        assert "49 bytes in 3 texts." in page.captions
        page.press("Start").finish()
        assert merge in [learned.raw for learned in page.session.run.merges()]
    assert page.app.selectbox(key="train.field").options == ["title", "body", WHOLE]


def test_files_are_read_once_and_a_field_stays_chosen(page, monkeypatch):
    read = []

    def read_and_note(name, *arguments, **options):
        read.append(name)
        return read_texts(name, *arguments, **options)

    def fields_and_note(name, *arguments, **options):
        read.append(f"fields of {name}")
        return fields_of_upload(name, *arguments, **options)

    monkeypatch.setattr("playground.ui.train.corpus.read_texts", read_and_note)
    monkeypatch.setattr("playground.ui.train.corpus.fields_of_upload", fields_and_note)
    page.upload(("a.jsonl", ROWS)).app.selectbox(key="train.field").set_value("body").run()
    page.app.run()
    assert read == ["fields of a.jsonl", "a.jsonl"]
    page.upload(("a.jsonl", ROWS), ("b.csv", b"id,body\n1,that\n"), ("c.txt", b"text"))
    assert page.app.selectbox(key="train.field").value == "body"
    assert page.app.selectbox(key="train.field").options == ["title", "body", "id", WHOLE]
    assert ("53 bytes in 4 texts." in page.captions, page.errors) == (True, [])


@pytest.mark.parametrize(
    ("files", "line"),
    [
        (["a.txt"], ""),
        (["a_b.jsonl"], "a_b.jsonl is"),
        (["a.csv", "b.txt", "c.tsv"], "2 files of rows are"),
    ],
)
def test_a_file_of_rows_may_be_read_as_plain_text(files, line, page):
    page.upload(*((name, b'{"a": 1}\n') for name in files))
    if line:
        page.app.selectbox(key="train.field").set_value(WHOLE).run()
    lines = [caption for caption in page.captions if "as plain text" in caption]
    assert [found.startswith(f"{line} read as plain text") for found in lines] == ([True] if line else [])


@pytest.mark.parametrize(
    ("name", "raw", "problem"),
    [
        (
            "photo.jpg",
            b"\xff\xd8" + bytes(50),
            "photo.jpg is not UTF-8 text: byte 0xFF at position 0",
        ),
        ("empty.txt", b"", "empty.txt is empty"),
        ("x.jsonl", b'{"text": \n', "x.jsonl: line 1 is not JSON"),
        ("x.jsonl.gz", b"no", "x.jsonl.gz: broken gzip data"),
        ("x.csv", b"text\n", "no row has text in its field 'text'; choose another field"),
        (
            "x.txt.gz",
            gzip.compress(b"a" * 1_000_001, mtime=0),
            "x.txt.gz: with this file there are",
        ),
    ],
)
def test_a_file_that_cannot_be_learned_from_is_refused_with_the_reason(name, raw, problem, page, monkeypatch):
    monkeypatch.setattr("playground.ui.train.corpus.MAX_UPLOAD_MB", 1)
    page.upload((name, raw))
    assert [problem in error for error in page.errors] == [True]
    n_started = page.session.n_started
    page.press("Start")
    assert [problem in error for error in page.errors] == [True, True]
    assert page.session.n_started == n_started


def test_start_without_a_file_says_so(page):
    page.app.selectbox(key="train.corpus").set_value(UPLOAD).run()
    assert "Choose one or more files" in page.app.info[0].value
    assert "no file is chosen" in page.press("Start").errors[0]


def test_invalid_files_can_be_left_out_with_a_button(page):
    files = [
        ("a.txt", MAT),
        ("b.zip", b"PK\x03\x04"),
        ("c.txt", MAT),
        ("d.txt", b""),
        ("e.zip", b"PK\x03\x04"),
    ]
    page.upload(*files)
    first, *reasons = page.errors[0].split("  \n")
    assert first == "2 of 5 files cannot be learned from:"
    assert [reason.split(";")[0] for reason in reasons] == ["b.zip is packed", "e.zip is packed"]
    page.press("Use the other 2")
    assert page.errors == []
    assert {"Left out: b.zip and e.zip.", "Empty: d.txt."} <= set(page.captions)
    page.press("Start").finish()
    assert (page.session.learned_from, page.session.run.n_bytes) == (
        "3 files",
        391,
    )
    *_, last, more = page.upload(*((f"{n}.zip", b"PK\x03\x04") for n in range(9))).errors[0].split("  \n")
    assert (last.split(";")[0], more) == ("5.zip is packed", "and 3 more files")


def test_files_together_have_a_limit_when_they_are_unpacked(page, monkeypatch):
    monkeypatch.setattr("playground.ui.train.corpus.MAX_UPLOAD_MB", 1)
    packed = gzip.compress(b"text\n" + b"a" * 600_000, mtime=0)
    page.upload(("a.csv.gz", packed), ("b.csv.gz", packed))
    assert "b.csv.gz: with this file there are, unpacked, more than 1,000,000 bytes" in page.errors[0]
    page.press("Use the other one")
    assert ("600,000 bytes in 1 text." in page.captions, page.errors) == (True, [])


@pytest.mark.parametrize(("n_bytes", "is_taken"), [(256_000_000, True), (256_000_001, False)])
def test_files_together_have_a_limit(n_bytes, is_taken):
    def read(n_bytes):
        from types import SimpleNamespace
        from unittest.mock import patch

        import streamlit as st

        from playground.core.errors import InvalidInputError
        from playground.training.corpora import Corpus
        from playground.ui.train import corpus

        sizes = [200_000_000, n_bytes - 200_000_000]
        files = [SimpleNamespace(size=n, file_id=f"{n}", name="x") for n in sizes]
        with (
            patch("playground.ui.state.uploaded_files", lambda _key: files),
            patch.object(corpus, "_corpus_of", lambda *_: Corpus("read", ("text",))),
        ):
            try:
                st.session_state.found = corpus.read_files().title
            except InvalidInputError as error:
                st.session_state.found = str(error)

    found = AppTest.from_function(read, args=(n_bytes,), default_timeout=60).run().session_state["found"]
    assert found == "read" if is_taken else "at most 256,000,000" in found


def counts_file(folder, texts, pattern="cl100k"):
    parsed = SplitPattern.named(pattern)
    write_counts(folder / "counts.parquet", count_pretokens(texts, parsed), parsed)
    return (folder / "counts.parquet").read_bytes()


def test_counts_of_a_corpus_are_learned_from(page, tmp_path):
    texts = ["the cat sat on the mat\n" * 40, "that hat\n"]
    page.upload(("counts.parquet", counts_file(tmp_path, texts)))
    assert any("cut by cl100k: that is the split pattern" in caption for caption in page.captions)
    run = page.set(vocab_size=264).press("Start").finish().session.run
    trainer = BpeLearner(count_pretokens(texts, SplitPattern.named("cl100k")), vocab_size=264, min_count=2)
    trainer.advance()
    assert merges_of(run) == trainer.columns().tolist()
    assert (run.settings.pattern.name, run.n_bytes, run.has_held_out) == ("cl100k", 929, False)


def test_a_table_that_holds_no_counts_is_refused(page, tmp_path, monkeypatch):
    good = counts_file(tmp_path, ["to be or not to be"])
    pq.write_table(pa.table({"n": [1]}), tmp_path / "rows.parquet")
    pq.write_table(pa.table({"pretoken": [b"to"], "count": [1]}), tmp_path / "bare.parquet")
    monkeypatch.setattr("playground.ui.train.corpus.MAX_PRETOKENS", 4)
    for files, sentence in [
        (
            [("rows.parquet", (tmp_path / "rows.parquet").read_bytes())],
            "has no column of text, and is no counts of a corpus: its columns are n, not pretoken and count",
        ),
        ([("x.parquet", good[:-9])], "x.parquet: cannot be read: "),
        ([("b.parquet", (tmp_path / "bare.parquet").read_bytes())], "no counts that --keep-counts wrote"),
        ([("c.parquet", good), ("a.txt", b"to be")], "read as the counts of a corpus; choose it alone"),
        ([("c.parquet", good)], "it has 5 distinct pretokens; at most 4 can be learned from here"),
    ]:
        assert sentence in page.upload(*files).errors[0]
