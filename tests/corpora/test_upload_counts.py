"""An uploaded file is counted like in the shell, with progress, and can be cancelled."""

import gzip
import io
import json
import random
import threading

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from playground.catalog.registry import get_tokenizer
from playground.core.errors import InvalidInputError, LimitExceededError
from playground.corpora import uploads
from playground.corpora.sources import find_sources
from playground.corpora.token_counts import count_tokens
from playground.corpora.uploads import count_upload, fields_of_upload, tally_and_tell
from playground.workers import pool
from playground.workers.process import CancelledError
from tests.ui.visits import learned

TOKENIZERS = [get_tokenizer(name) for name in ("gpt2", "python_docs_4k", "characters")]


@pytest.fixture(scope="module")
def own():
    return learned("own", "the cat sat on the mat in the bath\n" * 9, vocab_size=270)


@pytest.fixture(scope="module")
def files(corpora):
    draw = random.Random(9)
    text = corpora["languages"][:9_000]
    rows = [text[(at := draw.randrange(8_000)) : at + draw.randrange(200)] for _ in range(40)]
    lines = "".join(json.dumps({"text": row}) + "\n" for row in rows).encode()
    table = io.BytesIO()
    pq.write_table(pa.table({"text": rows}), table)
    return {
        "a b*.txt": text.encode(),
        "rows.jsonl": lines,
        "rows.jsonl.gz": gzip.compress(lines),
        "rows.parquet": table.getvalue(),
        "rows.csv": b'text,id\n"a\nb",1\nto be,2\n',
    }


@pytest.mark.parametrize("name", ["a b*.txt", "rows.jsonl", "rows.jsonl.gz", "rows.parquet", "rows.csv"])
def test_uploads_have_the_counts_of_the_shell(name, files, own, tmp_path, monkeypatch):
    monkeypatch.setattr(uploads, "PART_BYTES", 1_500)
    monkeypatch.setattr(pool, "run", run_here)
    field = "" if name.endswith(".txt") else "text"
    said: list[float] = []
    found = count_upload(name, files[name], [*TOKENIZERS, own], field=field, tell=said.append)
    path = tmp_path / name.replace("*", "")
    path.write_bytes(files[name])
    expected = count_tokens(find_sources([str(path)], field=field), [*TOKENIZERS, own]).files[0]
    assert found.file == name
    assert (found.tokens, found.bytes, found.characters) == (
        expected.tokens,
        expected.bytes,
        expected.characters,
    )
    assert found.documents == expected.documents
    assert said == sorted(said)
    assert said[0] == 0 <= said[-1] <= 1
    assert (len(said) > 2) == (name in ("a b*.txt", "rows.jsonl"))


def run_here(function, *arguments, what, visitor, cancelled, seconds, memory_bytes, on_progress):
    assert function == "playground.corpora.uploads.tally_and_tell"
    assert (seconds, memory_bytes) == (uploads.SECONDS, uploads.MEMORY_BYTES)
    return tally_and_tell(*arguments)


def test_a_process_with_limits_does_the_work(files, own):
    found = count_upload("a b*.txt", files["a b*.txt"], [get_tokenizer("utf8_bytes"), own])
    text = files["a b*.txt"]
    assert found.tokens == (len(text), len(own.encode(text.decode())))


def test_an_error_names_the_file(monkeypatch):
    monkeypatch.setattr(pool, "run", run_here)
    for name, raw, field, sentence in [
        ("x.txt", b"ab\xff", "", r"^x\.txt: not UTF-8: byte 2"),
        ("x.jsonl", b'{"a": 1}\n', "text", r"^x\.jsonl: line 1 has no field 'text'; it has 'a'"),
        ("x.parquet", b"no", "", r"^x\.parquet: cannot be read"),
        ("x.gz", b"no", "", r"^x\.gz: broken gzip data"),
    ]:
        with pytest.raises(InvalidInputError, match=sentence):
            count_upload(name, raw, TOKENIZERS[:1], field=field)


def test_the_fields_of_an_upload_are_read_in_a_process(files):
    assert fields_of_upload("rows.csv", files["rows.csv"]) == ["text", "id"]
    with pytest.raises(InvalidInputError, match=r"^x\.jsonl: line 1 is not JSON"):
        fields_of_upload("x.jsonl", b"no")


def test_counting_can_be_cancelled_between_and_within_parts(files, monkeypatch):
    gone = threading.Event()
    gone.set()
    with pytest.raises(CancelledError):
        count_upload("a b*.txt", files["a b*.txt"], TOKENIZERS[:1], cancelled=gone)
    monkeypatch.setattr(uploads, "SECONDS", 0.001)
    with pytest.raises(LimitExceededError, match=r"counting rows\.csv took more than"):
        count_upload("rows.csv", files["rows.csv"], TOKENIZERS[:1], field="text")
