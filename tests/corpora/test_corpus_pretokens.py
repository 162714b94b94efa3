"""Pretokens for training are counted in files of every kind, and counts are saved and read."""

import errno
import gzip
import json
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError
from playground.corpora import documents, text_files
from playground.corpora.corpus_pretokens import count_corpus_pretokens
from playground.corpora.kept_counts import are_kept_counts, read_counts, write_counts
from playground.corpora.sources import find_sources
from playground.shell.main import main
from playground.training.pretoken_counts import count_pretokens

PATTERN = SplitPattern.named("gpt2")


@pytest.fixture
def rows(tmp_path, corpora):
    draw = random.Random(2)
    text = corpora["english"]
    texts = [text[(at := draw.randrange(100_000)) : at + draw.randrange(1, 400)] for _ in range(80)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    return texts


@pytest.mark.parametrize("pattern", ["gpt2", "o200k", "none", r"\w+|\W+"])
def test_rows_are_counted_like_separate_texts(pattern, rows, tmp_path, monkeypatch):
    monkeypatch.setattr(documents, "BATCH_CHARACTERS", 900)
    parsed = SplitPattern.parse(pattern)
    found = count_corpus_pretokens(find_sources([str(tmp_path)], field="text"), parsed)
    expected = count_pretokens(rows, parsed)
    assert [*found.items()] == [*expected.items()]
    assert (found.n_bytes, found.n_unmatched_bytes) == (expected.n_bytes, expected.n_unmatched_bytes)


def test_compressed_texts_and_byte_order_marks_are_read(tmp_path, monkeypatch, corpora):
    monkeypatch.setattr(text_files, "BLOCK_BYTES", 3_000)
    texts = [corpora["languages"][:20_000], corpora["python"][:20_000]]
    (tmp_path / "a.txt").write_text("\ufeff" + texts[0])
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(texts[1].encode()))
    found = count_corpus_pretokens(find_sources([str(tmp_path)]), PATTERN)
    assert [*found.items()] == [*count_pretokens(texts, PATTERN).items()]


def test_too_many_distinct_pretokens_are_refused(rows, tmp_path):
    with pytest.raises(InvalidInputError, match="more than 50 distinct pretokens"):
        count_corpus_pretokens(find_sources([str(tmp_path)], field="text"), PATTERN, max_pretokens=50)
    count_corpus_pretokens(find_sources([str(tmp_path)], field="text"), PATTERN, max_pretokens=50_000)


@pytest.mark.parametrize("texts", [["to be or not to be", "é 中"], []])
def test_saved_counts_are_read_back(texts, tmp_path):
    counts = count_pretokens(texts, PATTERN)
    path = tmp_path / "counts.parquet"
    write_counts(path, counts, PATTERN)
    assert are_kept_counts(str(path))
    back, pattern = read_counts(path)
    assert pattern == PATTERN
    assert [*back.items()] == [*counts.items()]
    assert (back.n_bytes, back.n_unmatched_bytes) == (counts.n_bytes, 0)
    assert pq.read_table(path).to_pydict() == {
        "pretoken": [raw for raw, _ in counts.items()],
        "count": [n for _, n in counts.items()],
    }


@pytest.mark.parametrize("damage", ["count", "metadata", "empty", "bytes"])
def test_damaged_counts_are_refused(damage, tmp_path):
    path = tmp_path / "counts.parquet"
    write_counts(path, count_pretokens(["to be or not to be"], PATTERN), PATTERN)
    table = pq.read_table(path)
    if damage == "metadata":
        table = table.replace_schema_metadata({})
    elif damage == "bytes":
        path.write_bytes(path.read_bytes()[:-3])
    else:
        name = "count" if damage == "count" else "pretoken"
        column = pa.array([-1] + [1] * 4) if damage == "count" else pa.array([b""] + [b"to"] * 4)
        table = table.set_column(table.column_names.index(name), name, column)
    if damage != "bytes":
        pq.write_table(table, path)
    with pytest.raises(InvalidInputError, match=r"counts\.parquet: "):
        read_counts(path)


def test_a_full_disk_is_reported_and_no_partial_file_remains(tmp_path, monkeypatch):
    def fill_up(_table, part, **_how):
        part.write_bytes(b"PAR1")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pq, "write_table", fill_up)
    with pytest.raises(InvalidInputError, match=r"cannot write .*counts\.parquet: No space left"):
        write_counts(tmp_path / "counts.parquet", count_pretokens(["to be"], PATTERN), PATTERN)
    assert [*tmp_path.iterdir()] == []


def test_training_from_saved_counts_gives_the_same_merges(rows, tmp_path, capsys):
    corpus = [str(tmp_path / "rows.jsonl"), "--field", "text"]
    kept = tmp_path / "counts.parquet"
    options = ["--vocab-size", "400", "--json", "--pattern", "o200k"]
    assert main(["train", *corpus, *options, "--keep-counts", str(kept)]) == 0
    events = capsys.readouterr().out
    assert len(events.splitlines()) == 144
    for pattern in (["--pattern", "o200k"], []):
        assert main(["train", str(kept), "--vocab-size", "400", "--json", *pattern]) == 0
        assert capsys.readouterr().out == events
    assert main(["train", str(kept), "--pattern", "gpt2"]) == 1
    assert "these counts were made with the pattern o200k, not gpt2" in capsys.readouterr().err
    assert main(["train", str(kept), *corpus[:1], "--vocab-size", "300"]) == 1
    assert "saved counts can't be combined with other files" in capsys.readouterr().err
