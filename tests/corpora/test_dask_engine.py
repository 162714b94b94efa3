"""A Dask cluster gives one machine's results, for any parts, several workers, and a killed one."""

import gzip
import json
import os
import random
import signal
import sys
import time
from dataclasses import replace

import dask
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from distributed import LocalCluster

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.registry import get_tokenizer
from playground.core.errors import InvalidInputError
from playground.corpora import dask_engine
from playground.corpora.corpus_pretokens import count_with_held_out, cuts_of
from playground.corpora.encode_files import Plan, encode_files
from playground.corpora.id_files import IdFile
from playground.corpora.parts import parts_of
from playground.corpora.sources import find_sources
from playground.corpora.token_counts import count_tokens
from playground.shell.main import main

PATTERN = SplitPattern.named("cl100k")


@pytest.fixture(scope="module")
def scheduler():
    """Start two worker processes, forked from one that has imported what they need."""
    with (
        dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster,
    ):
        yield cluster.scheduler_address


@pytest.fixture(scope="module")
def client(scheduler):
    with dask_engine.cluster(scheduler) as found:
        yield found


@pytest.fixture(scope="module")
def corpus(tmp_path_factory, corpora):
    """Write files of every kind."""
    folder = tmp_path_factory.mktemp("corpus")
    draw = random.Random(8)
    text = corpora["languages"]
    rows = [text[(at := draw.randrange(200_000)) : at + draw.randrange(300)] for _ in range(80)]
    (folder / "a.jsonl").write_text("".join(json.dumps({"text": row}) + "\n" for row in rows))
    pq.write_table(pa.table({"text": rows[::2]}), folder / "b.parquet", row_group_size=9)
    (folder / "c.csv.gz").write_bytes(gzip.compress(b"text\nto be\nor not\n"))
    (folder / "d.txt").write_text("\ufeff" + corpora["english"][:30_000])
    (folder / "e.txt").write_text(text[:30_000], newline="")
    return folder


@pytest.mark.parametrize(
    ("names", "field", "share", "part_bytes", "pattern"),
    [
        (["."], "text", 0.0, 3_000, "cl100k"),
        (["d.txt", "e.txt"], "", 0.0, 1_777, "gpt2"),
        (["."], "text", 0.2, 5_000, "o200k"),
        (["d.txt", "e.txt"], "", 0.2, 2_345, "llama3"),
        (["e.txt"], "", 0.0, 5_000, r"\w+|\W+"),
    ],
)
def test_a_cluster_counts_the_pretokens_of_one_machine(
    names, field, share, part_bytes, pattern, client, corpus
):
    parsed = SplitPattern.parse(pattern)
    sources = find_sources([str(corpus / name) for name in names], field=field)
    said: list[int] = []
    found = dask_engine.count_with_held_out(
        client, sources, parsed, share, on_read=said.append, part_bytes=part_bytes
    )
    expected = count_with_held_out(sources, parsed, share)
    for one, other in zip(found[:2], expected[:2], strict=True):
        assert [*one.items()] == [*other.items()]
        assert (one.n_bytes, one.n_unmatched_bytes) == (other.n_bytes, other.n_unmatched_bytes)
    assert bool(found[1].n_bytes) == bool(share)
    n_parts = len(parts_of(sources, cuts_of(parsed), part_bytes=part_bytes))
    assert n_parts > 5 or not parsed.is_known


def test_a_killed_worker_does_not_change_the_result(client, corpus):
    sources = find_sources([str(corpus / name) for name in ("d.txt", "e.txt")])
    before = client.run(os.getpid)
    killed: list[int] = []

    def kill(_n_bytes):
        if not killed:
            killed.append(next(iter(before.values())))
            os.kill(killed[0], signal.SIGKILL)

    found = dask_engine.count_with_held_out(client, sources, PATTERN, 0.0, on_read=kill, part_bytes=2_000)
    assert [*found[0].items()] == [*count_with_held_out(sources, PATTERN, 0.0)[0].items()]
    assert len(killed) == 1
    assert killed[0] not in client.run(os.getpid).values()


def test_a_cluster_counts_like_one_machine_and_a_bad_file_affects_no_other(client, corpus, tmp_path):
    (tmp_path / "bad.txt").write_bytes(b"to be " * 1_000 + b"\xff")
    names = [str(corpus / "d.txt"), str(tmp_path / "bad.txt"), str(corpus / "e.txt"), str(tmp_path / "none")]
    tokenizers = [get_tokenizer(name) for name in ("gpt2", "python_docs_4k", "characters")]
    sources = find_sources(names)
    found = dask_engine.count_tokens(client, sources, tokenizers, part_bytes=2_500)
    expected = count_tokens(sources, tokenizers)
    assert found.files == expected.files
    assert found.errors == expected.errors
    assert len(found.files) == len(found.errors) == 2


def test_a_cluster_reports_too_many_pretokens_and_invalid_files(client, corpus, tmp_path):
    sources = find_sources([str(corpus / "e.txt")])
    with pytest.raises(InvalidInputError, match="more than 900 distinct pretokens"):
        dask_engine.count_with_held_out(client, sources, PATTERN, 0.0, max_pretokens=900, part_bytes=2_000)
    (tmp_path / "x").write_bytes(b"a\xff")
    with pytest.raises(InvalidInputError, match=r"x: not UTF-8: byte 1 \(0xff\)"):
        dask_engine.count_with_held_out(client, find_sources([str(tmp_path / "x")]), PATTERN, 0.0)


@pytest.mark.parametrize(
    ("wishes", "sentence"),
    [
        (["--engine", "dask", "--scheduler", "tcp://127.0.0.1:1"], "no Dask scheduler answers there"),
        (["--engine", "dask", "--scheduler", "nonsense"], "no Dask scheduler answers there"),
        (["--scheduler", "tcp://127.0.0.1:1"], "requires --engine dask"),
    ],
)
def test_a_missing_scheduler_is_reported(wishes, sentence, corpus, monkeypatch, capsys):
    monkeypatch.setattr(dask_engine, "WAIT_SECONDS", 0.3)
    for command in ("train", "count"):
        assert main([command, str(corpus / "d.txt"), *wishes]) == 1
        assert sentence in capsys.readouterr().err


def test_a_cluster_without_workers_or_with_other_code_is_reported(scheduler, monkeypatch):
    monkeypatch.setattr(dask_engine, "WAIT_SECONDS", 0.3)
    with (
        LocalCluster(n_workers=0, processes=False, dashboard_address="127.0.0.1:0") as empty,
        pytest.raises(InvalidInputError, match="no worker has come"),
        dask_engine.cluster(empty.scheduler_address),
    ):
        pass
    monkeypatch.setattr(dask_engine, "WAIT_SECONDS", 10)
    monkeypatch.setattr(dask_engine, "code_digest", lambda: "another")
    with (
        pytest.raises(InvalidInputError, match="has another version of this code"),
        dask_engine.cluster(scheduler),
    ):
        pass


def test_the_loss_of_the_last_worker_is_reported(corpus, monkeypatch):
    monkeypatch.setattr(dask_engine, "LOOK_SECONDS", 0.2)
    with (
        LocalCluster(n_workers=1, processes=False, dashboard_address="127.0.0.1:0") as lonely,
        dask_engine.cluster(lonely.scheduler_address) as client,
    ):
        lonely.scale(0)
        while client.nthreads():
            time.sleep(0.01)
        with pytest.raises(dask_engine.LostWorkerError, match="the last worker was lost"):
            dask_engine.count_tokens(client, find_sources([str(corpus / "d.txt")]), [get_tokenizer("gpt2")])


def test_without_dask_a_sentence_says_how_to_install_it(corpus, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main(["train", str(corpus / "d.txt"), "--engine", "dask"]) == 1
    assert "pip install 'tessera-playground[scale]'" in capsys.readouterr().err


@pytest.mark.parametrize("share", [0.0, 0.25])
def test_a_cluster_encodes_like_one_machine_and_continues_where_it_stopped(
    share, client, corpus, tmp_path, monkeypatch
):
    sources = find_sources([str(corpus)], field="text") + find_sources([str(corpus / "d.txt")])
    outs = [tmp_path / name for name in ("one.npy", "dask.npy")]
    plans = [
        Plan(
            sources,
            get_tokenizer("gpt2"),
            out,
            validation=out.with_name(f"val-{out.name}") if share else None,
            validation_share=share,
            separator="<|endoftext|>",
        )
        for out in outs
    ]
    expected = encode_files(plans[0])
    by_dask = replace(plans[1], client=client, part_bytes=4_000)
    write, n_left = IdFile.write, 5

    def stop(self, ids):
        nonlocal n_left
        n_left -= 1
        if n_left < 0:
            raise KeyboardInterrupt
        write(self, ids)

    monkeypatch.setattr(IdFile, "write", stop)
    with pytest.raises(KeyboardInterrupt):
        encode_files(by_dask)
    monkeypatch.setattr(IdFile, "write", write)
    found = encode_files(by_dask)
    assert found.n_ids_before > 0
    assert (found.n_ids, found.n_documents, found.is_by_library) == (
        expected.n_ids,
        expected.n_documents,
        False,
    )
    for part in ("", "val-") if share else ("",):
        one, other = (np.load(tmp_path / f"{part}{out.name}") for out in outs)
        assert one.dtype == other.dtype
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize("command", ["count", "encode", "train"])
def test_rows_without_a_text_are_left_out_by_workers_too(command, scheduler, corpus, tmp_path, capsys):
    lines = (json.dumps({"text": text}) if n % 7 else "{}" for n, text in enumerate(["one two"] * 70))
    (tmp_path / "rows.jsonl").write_text("\n".join(lines))
    wishes = [command, str(tmp_path / "rows.jsonl"), "--field", "text", "--json", "--skip-bad-rows"]
    wishes += {"encode": ["--out", str(tmp_path / "a.bin")], "train": ["--vocab-size", "260"]}.get(
        command, []
    )
    assert main(wishes) == 0
    expected = capsys.readouterr()
    assert "left out 10 rows without text" in expected.err
    (tmp_path / "a.bin").unlink(missing_ok=True)
    assert main([*wishes, "--engine", "dask", "--scheduler", scheduler]) == 0
    assert capsys.readouterr() == expected


@pytest.mark.parametrize("algorithm", ["unigram", "wordpiece"])
def test_other_algorithms_learn_the_same_from_dask_as_from_threads(algorithm, scheduler, corpus, tmp_path):
    written = []
    for name, engine in (("a", []), ("b", ["--engine", "dask", "--scheduler", scheduler])):
        out = tmp_path / name / "my.json"
        out.parent.mkdir()
        start = ["train", str(corpus / "d.txt"), str(corpus / "e.txt"), "--vocab-size", "400", *engine]
        assert main([*start, "--algorithm", algorithm, "--out", str(out)]) == 0
        written.append(out.read_text())
    assert written[0] == written[1]
