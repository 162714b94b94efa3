"""An uploaded file gives the same texts and errors as in the shell."""

import gzip
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError, TextTooLongError
from playground.corpora.corpus_pretokens import count_corpus_pretokens
from playground.corpora.sources import find_sources
from playground.corpora.uploads import read_texts, write_texts
from playground.training.corpora import Corpus
from playground.training.run import RunSettings
from playground.training.run.learning import count
from playground.training.utf8_files import Utf8Rows, Utf8Text
from playground.workers import pool

TEXTS = ["né to be", "", "or\nnot", "\ufeff中", "\ud800 half"]
CHATS = "".join(
    json.dumps({"messages": [{"content": text}, {"content": None}], "id": "no"}) + "\n" for text in TEXTS
).encode()


def parquet(**columns):
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


FILES = [
    ("chats.jsonl", CHATS, "messages[].content"),
    ("chats.jsonl.gz", gzip.compress(CHATS), "messages[].content"),
    ("rows.csv", b'\xef\xbb\xbfid,text\n1,"to\nbe"\n2,\n3,or not\n', "text"),
    ("rows.tsv", b"text\tid\nto be\t1\n", "text"),
    ("rows.parquet", parquet(id=[1, 2], text=["to be", "or né"]), "text"),
    ("a.txt.gz", gzip.compress("\ufeffto be né".encode()), ""),
    ("rows.csv.gz", gzip.compress(b"text\nto be\n"), ""),
]


@pytest.fixture(autouse=True)
def run_here(monkeypatch):
    def run(function, *arguments, what, visitor, seconds, memory_bytes):
        assert function == "playground.corpora.uploads.write_texts"
        return write_texts(*arguments)

    monkeypatch.setattr(pool, "run", run)


def read(name, raw, field, *, max_bytes=10_000, max_texts=100):
    return read_texts(name, raw, field=field, max_bytes=max_bytes, max_texts=max_texts)


@pytest.mark.parametrize(("name", "raw", "field"), FILES, ids=[name for name, _, _ in FILES])
def test_uploads_have_the_texts_of_the_shell(name, raw, field, tmp_path):
    found = read(name, raw, field)
    assert isinstance(found, Utf8Rows if field else Utf8Text)
    (tmp_path / name).write_bytes(raw)
    pattern = SplitPattern.named("gpt2")
    expected = count_corpus_pretokens(find_sources([str(tmp_path / name)], field=field), pattern)
    counted, _facts = count(Corpus(name, files=(found,)), RunSettings(pattern=pattern, held_out_share=0))
    assert [*counted.pretokens.items()] == [*expected.items()]
    assert len(found) == sum(len(piece) for text in found.iter_texts() for piece in text)


def test_rows_without_text_are_skipped():
    found = read("chats.jsonl", CHATS, "messages[].content")
    assert [*found.iter_texts()] == ["né to be", "or\nnot", "\ufeff中", "\ufffd half"]


def test_no_more_is_decompressed_than_the_limit():
    raw = gzip.compress(b"text\n" + b"abcd\n" * 9)
    assert len(read("rows.csv.gz", raw, "text", max_bytes=36, max_texts=9).raw) == 36
    for limits in ({"max_bytes": 35}, {"max_texts": 8}):
        with pytest.raises(TextTooLongError):
            read("rows.csv.gz", raw, "text", **limits)
    with pytest.raises(TextTooLongError):
        read("a.txt.gz", gzip.compress(b"a" * 99), "", max_bytes=98)


def test_an_error_names_the_file():
    for name, raw, field, sentence in [
        ("x.jsonl", b'{"a": "b"}\n{"a": \n', "a", r"^x\.jsonl: line 2 is not JSON"),
        ("x.csv", b"a,b\n1\n", "b", r"^x\.csv: row 1 ends before its field 'b' \(line 2\)"),
        ("x.parquet", parquet(a=[1]), "a", r"^x\.parquet: field 'a' is of type int64, not text"),
        ("x.gz", b"\x1f\x8b", "", r"^x\.gz: broken gzip data"),
    ]:
        with pytest.raises(InvalidInputError, match=sentence):
            read(name, raw, field)


def test_a_worker_process_reads_uploads(monkeypatch):
    monkeypatch.undo()
    assert [*read("rows.csv", b"text\nto be\n", "text").iter_texts()] == ["to be"]
    with pytest.raises(TextTooLongError):
        read("rows.csv", b"text\nto be\n", "text", max_bytes=4)
