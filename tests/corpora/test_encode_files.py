"""Files of ids contain the ids of each document in order, however often the run is interrupted."""

import errno
import hashlib
import json
import os
import random
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from playground.catalog.openai import load_openai
from playground.catalog.registry import get_tokenizer
from playground.core.errors import InvalidInputError
from playground.corpora import documents, encode_files, text_files
from playground.corpora.blocks import common_cuts, is_held_out, iter_blocks
from playground.corpora.encode_files import Plan
from playground.corpora.id_files import IdFile
from playground.corpora.sources import find_sources
from playground.shell.main import main

END = "<|endoftext|>"


@pytest.fixture
def corpus(tmp_path, monkeypatch, corpora):
    """Write rows in two files, in many blocks; return their texts."""
    monkeypatch.setattr(documents, "BATCH_CHARACTERS", 300)
    monkeypatch.setattr(text_files, "BLOCK_BYTES", 400)
    draw = random.Random(4)
    text = corpora["languages"]
    texts = [text[(at := draw.randrange(100_000)) : at + draw.randrange(120)] for _ in range(60)]
    folder = tmp_path / "corpus"
    folder.mkdir()
    for name, rows in (("a.jsonl", texts[:25]), ("b.jsonl", texts[25:])):
        (folder / name).write_text("".join(json.dumps({"text": row}) + "\n" for row in rows))
    return folder, texts


def plan_of(folder, out, **options):
    sources = find_sources([str(folder)], field="text")
    return Plan(sources, get_tokenizer("gpt2"), out, separator=END, **options)


def expected(texts):
    encoding = load_openai("gpt2").encoding
    return [token_id for text in texts for token_id in [*encoding.encode_ordinary(text), 50256]]


def read(path):
    if path.suffix == ".npy":
        return np.load(path, mmap_mode="r").tolist()
    if path.suffix == ".bin":
        return np.fromfile(path, np.uint16).tolist()
    return pq.read_table(path).column("id").to_pylist()


@pytest.mark.parametrize("name", ["ids.npy", "ids.bin", "ids.parquet"])
def test_each_kind_of_file_has_the_ids(name, corpus, tmp_path):
    folder, texts = corpus
    done = encode_files.encode_files(plan_of(folder, tmp_path / name))
    assert read(tmp_path / name) == expected(texts)
    assert (done.n_ids, done.n_documents[0], done.n_ids_before) == ((len(expected(texts)),), 60, 0)
    about = json.loads((tmp_path / f"{name}.json").read_text())
    assert (about["tokens"], about["documents"], about["dtype"]) == (done.n_ids[0], 60, "uint16")
    assert about["separator"] == {"text": END, "id": 50256}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus", name, f"{name}.json"]


def test_a_large_vocabulary_takes_four_bytes(tmp_path, corpora):
    (tmp_path / "a.txt").write_text(corpora["languages"][:3_000])
    sources = find_sources([str(tmp_path / "a.txt")])
    encode_files.encode_files(Plan(sources, get_tokenizer("o200k_base"), tmp_path / "ids.npy"))
    ids = np.load(tmp_path / "ids.npy")
    assert ids.dtype == np.uint32
    assert ids.tolist() == load_openai("o200k_base").encoding.encode_ordinary(corpora["languages"][:3_000])


@pytest.mark.parametrize("name", ["ids.npy", "ids.bin", "ids.parquet"])
def test_an_encoding_stopped_anywhere_continues(name, corpus, tmp_path, monkeypatch):
    folder, texts = corpus
    out, held_out = tmp_path / name, tmp_path / f"val-{name}"
    plan = plan_of(folder, out, validation=held_out, validation_share=0.2)
    n_encoded = 0
    write, encode = IdFile.write, encode_files.encode_job

    def count(encoders, job):
        nonlocal n_encoded
        n_encoded += 1
        return encode(encoders, job)

    monkeypatch.setattr(encode_files, "encode_job", count)
    n_left = 0

    def stop(self, ids):
        nonlocal n_left
        n_left -= 1
        if n_left < 0:
            raise KeyboardInterrupt
        write(self, ids)

    monkeypatch.setattr(IdFile, "write", stop)
    for n_writes in (0, 2, 4, 3):  # also in the middle of the two files of a block
        n_left = n_writes
        with pytest.raises(KeyboardInterrupt):
            encode_files.encode_files(plan)
        assert not out.exists()
        assert not held_out.exists()
    n_left = 10_000
    done = encode_files.encode_files(plan)
    assert done.n_ids_before > 0
    training = [text for number, text in enumerate(texts) if not is_held_out(number, 0.2)]
    validation = [text for number, text in enumerate(texts) if is_held_out(number, 0.2)]
    assert read(out) == expected(training)
    assert read(held_out) == expected(validation)
    assert done.n_documents == (len(training), len(validation))
    blocks = iter_blocks(
        plan.sources, common_cuts([plan.tokenizer], allow_special=False), on_read=lambda _: None
    )
    assert n_encoded <= len(list(blocks)) + 4  # what is written is not encoded again
    assert not list(tmp_path.glob("*.part")) + list(tmp_path.glob("*.state"))


def test_shards_hold_the_ids_of_one_file_wherever_the_encoding_stopped(
    corpus, tmp_path, monkeypatch, capsysbinary
):
    folder, _texts = corpus
    out = tmp_path / "shards"
    command = ["encode", str(folder), "--field", "text", "--tokenizer", "gpt2", "--separator", END]
    split = ["--validation-share", "0.2", "--seed", "7"]
    sharded = [*command, *split, "--out", f"{out}/", "--shard-tokens", "700"]
    whole = [*command, *split, "--out", str(tmp_path / "ids.bin"), "--validation", str(tmp_path / "val.bin")]
    assert main(whole) == 0
    n_left = 0
    write = IdFile.write

    def stop(self, ids):
        nonlocal n_left
        n_left -= 1
        if n_left < 0:
            raise KeyboardInterrupt
        write(self, ids)

    monkeypatch.setattr(IdFile, "write", stop)
    for n_writes in (1, 5, 12):
        n_left = n_writes
        assert main(sharded) == 130
        assert not list(out.glob("*.bin"))
    n_left = 10_000
    (out / "val_00001.bin").write_bytes(b"of an earlier run")  # with more shards
    (out / "val_00000.bin").write_bytes(b"of an earlier run")
    assert main(sharded) == 0
    capsysbinary.readouterr()
    for name, one in (("train", "ids"), ("val", "val")):
        shards = sorted(out.glob(f"{name}_*.bin"))
        ids = [read(shard) for shard in shards]
        assert [len(each) for each in ids[:-1]] == [700] * (len(ids) - 1)
        assert [*chain.from_iterable(ids)] == read(tmp_path / f"{one}.bin")
        about = json.loads((out / f"{name}.bin.json").read_text())
        assert (about["shards"], about["tokens"]) == ([shard.name for shard in shards], sum(map(len, ids)))
        assert main(["decode", *map(str, shards)]) == 0
        assert capsysbinary.readouterr().out.decode().count(END) == about["documents"]
    assert not list(out.glob("*.part")) + list(out.glob("*.state"))


@pytest.mark.parametrize("change", ["file", "separator", "part", "step"])
def test_an_encoding_with_other_settings_starts_again(change, corpus, tmp_path, monkeypatch):
    folder, texts = corpus
    plan = plan_of(folder, tmp_path / "ids.bin")
    write = IdFile.write
    monkeypatch.setattr(IdFile, "write", lambda self, ids: write(self, ids) if self.n_ids < 900 else 1 / 0)
    with pytest.raises(ZeroDivisionError):
        encode_files.encode_files(plan)
    monkeypatch.setattr(IdFile, "write", write)
    if change == "file":
        (folder / "a.jsonl").write_text('{"text": "short"}\n')
        texts = ["short", *texts[25:]]
    elif change == "part":
        (tmp_path / "ids.bin.part").write_bytes(b"cut")
    elif change == "step":
        monkeypatch.setattr(documents, "BATCH_CHARACTERS", 200)
    else:
        plan = replace(plan, separator="")
    notes: list[str] = []
    done = encode_files.begin_encoding(plan, on_note=notes.append)(lambda _n_bytes: None)
    assert done.n_ids_before == 0
    why = "was damaged" if change == "part" else "had other settings or files"
    assert notes == [f"the earlier run of {plan.out} {why}; starting again"]
    ids = expected(texts)
    assert read(tmp_path / "ids.bin") == ([n for n in ids if n != 50256] if change == "separator" else ids)


def test_a_long_document_ends_with_one_separator(tmp_path, monkeypatch, corpora):
    monkeypatch.setattr(text_files, "BLOCK_BYTES", 500)
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(corpora["english"][:5_000])
    for share in (0.001, 0.999):
        plan = Plan(
            find_sources([f"{tmp_path}/*.txt"]), get_tokenizer("gpt2"), tmp_path / "t.bin",
            validation=tmp_path / "v.bin", validation_share=share, separator=END,
        )  # fmt: skip
        encode_files.encode_files(plan)
        parts = [[corpora["english"][:5_000]] * 2, []]
        parts = [[t for n, t in enumerate(parts[0]) if is_held_out(n, share) == k] for k in (False, True)]
        assert [read(tmp_path / "t.bin"), read(tmp_path / "v.bin")] == [*map(expected, parts)]


def test_with_a_seed_equal_rows_are_in_the_same_part_wherever_they_are(tmp_path):
    rows = [f"text {number % 40}" for number in range(120)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps({"text": row}) + "\n" for row in rows))
    plan = Plan(
        find_sources([str(tmp_path / "a.jsonl")], field="text"), get_tokenizer("gpt2"), tmp_path / "t.bin",
        validation=tmp_path / "v.bin", validation_share=0.4, separator=END,
    )  # fmt: skip
    chosen = []
    for seed in (0, 1):
        encode_files.encode_files(replace(plan, seed=seed))
        salt = seed.to_bytes(8)
        hashes = [hashlib.blake2b(row.encode(), digest_size=8, salt=salt).digest() for row in rows]
        sides = [int.from_bytes(each) / 2**64 < 0.4 for each in hashes]
        parts = [[row for row, side in zip(rows, sides, strict=True) if side == k] for k in (False, True)]
        assert [read(tmp_path / "t.bin"), read(tmp_path / "v.bin")] == [*map(expected, parts)]
        assert 30 < len(parts[1]) < 70
        assert not {*parts[0]} & {*parts[1]}
        chosen.append(parts[1])
    assert chosen[0] != chosen[1]


def test_a_finished_file_of_another_tokenizer_is_replaced_only_by_force(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("one two")
    words = ["encode", "a.txt", "--out", "ids.npy", "--tokenizer"]
    assert main([*words, "gpt2"]) == 0
    before = Path("ids.npy").read_bytes()
    assert main([*words, "o200k_base"]) == 1
    assert "error: ids.npy has ids of gpt2; --force replaces it" in capsys.readouterr().err
    assert Path("ids.npy").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "ids.npy", "ids.npy.json"]
    assert main([*words, "o200k_base", "--force"]) == 0
    assert read(Path("ids.npy")) == load_openai("o200k_base").encoding.encode_ordinary("one two")


def test_a_full_disk_or_a_broken_row_leaves_no_finished_file(corpus, tmp_path, monkeypatch):
    folder, texts = corpus
    with (folder / "b.jsonl").open("a") as file:
        file.write("broken\n")
    plan = plan_of(folder, tmp_path / "ids.npy")
    with pytest.raises(InvalidInputError, match=r"b\.jsonl: line 36 is not JSON"):
        encode_files.encode_files(plan)
    assert not plan.out.exists()
    lines = (folder / "b.jsonl").read_text().splitlines(keepends=True)
    (folder / "b.jsonl").write_text("".join(lines[:-1]))

    def full(_self):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", lambda *_: full(None))
        with pytest.raises(InvalidInputError, match="No space left on device"):
            encode_files.encode_files(plan)
    assert not plan.out.exists()
    assert not list(tmp_path.glob("*.new"))
    replace_file = os.replace
    with monkeypatch.context() as patch:  # only at the very end: nothing is encoded again
        patch.setattr(os, "replace", lambda a, b: full(None) if b == plan.out else replace_file(a, b))
        with pytest.raises(InvalidInputError, match="No space left on device"):
            encode_files.encode_files(plan)
    assert not plan.out.exists()
    done = encode_files.encode_files(plan)
    assert read(plan.out) == expected(texts)
    assert done.n_ids_before == done.n_ids[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--out", "ids.txt"], "ids go to a file that ends in .npy, .bin, .parquet"),
        (["--out", "nowhere/ids.npy"], "there is no folder nowhere"),
        (["--out", "ids.npy", "--separator", "<end>"], "gpt2 has no special token '<end>'"),
        (["--out", "ids.npy", "--validation", "v.npy"], "go together"),
        (["--out", "ids.npy", "--seed", "3"], "--seed 3 chooses rows for validation"),
        (
            ["--out", ".", "--validation", "v.bin", "--validation-share", "0.1"],
            "--validation v.bin is for a file",
        ),
        (["--out", "v.npy", "--validation", "./v.npy", "--validation-share", "0.1"], "cannot be both parts"),
        (["--separator", END], "--separator is for a file of ids"),
        (
            ["--validation", "v.bin", "--validation-share", "0.1", "--field", "text"],
            "--validation and --validation-share are for a file of ids: name it with --out",
        ),
    ],
)
def test_impossible_outputs_are_refused_before_the_work(options, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("one two")
    assert main(["encode", "a.txt", "--tokenizer", "gpt2", *options]) == 1
    assert message in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_skipped_rows_are_counted_after_continuing_too(corpus, tmp_path, monkeypatch):
    folder, texts = corpus
    lines = [json.dumps({"text": text}) for text in texts]
    lines[40:40], lines[3:3] = ["broken"], ['{"text": null}', "{}"]
    (folder / "a.jsonl").write_text("\n".join(lines))
    (folder / "b.jsonl").unlink()
    plan = plan_of(folder, tmp_path / "ids.npy", validation=tmp_path / "val.npy", validation_share=0.2)
    with pytest.raises(InvalidInputError, match=r"line 4: .*; --skip-bad-rows leaves such rows out"):
        encode_files.encode_files(_with_skipping(plan, False))
    write = IdFile.write
    monkeypatch.setattr(IdFile, "write", lambda self, ids: write(self, ids) if self.n_ids < 900 else 1 / 0)
    plan = _with_skipping(plan, True)
    with pytest.raises(ZeroDivisionError):
        encode_files.encode_files(plan)
    monkeypatch.setattr(IdFile, "write", write)
    done = encode_files.encode_files(plan)
    assert done.n_ids_before > 0
    assert (sum(done.n_documents), done.n_left_out) == (60, 3)
    training = [text for number, text in enumerate(texts) if not is_held_out(number, 0.2)]
    assert read(plan.out) == expected(training)
    assert json.loads((tmp_path / "ids.npy.json").read_text())["left_out_rows"] == 3


def _with_skipping(plan, skips_bad_rows):
    return replace(plan, sources=[each._replace(skips_bad_rows=skips_bad_rows) for each in plan.sources])


def test_files_that_another_run_is_writing_are_refused(corpus, tmp_path, monkeypatch, capsys):
    folder, texts = corpus
    name = "ids.bin"
    out = tmp_path / name
    plan = plan_of(folder, out)
    words = ["encode", str(folder), "--field", "text", "--tokenizer", "gpt2", "--out", str(out)]
    write = IdFile.write

    def write_beside_another(self, ids):
        if self.n_ids < 900:
            return write(self, ids)
        before = (tmp_path / f"{name}.part").read_bytes()
        assert main(words) == 1
        said = (
            f"error: cannot write {out}: another run is writing it now; wait for its end or name another file"
        )
        assert capsys.readouterr().err == f"{said}\n"
        assert (tmp_path / f"{name}.part").read_bytes() == before
        write(self, ids)
        raise KeyboardInterrupt

    monkeypatch.setattr(IdFile, "write", write_beside_another)
    with pytest.raises(KeyboardInterrupt):
        encode_files.encode_files(plan)
    monkeypatch.setattr(IdFile, "write", write)
    for _ in range(2):  # a run that stopped, and one that ended, keep no other away
        encode_files.encode_files(plan)
        assert read(out) == expected(texts)


def test_notes_say_which_files_of_an_earlier_run_stay_or_are_replaced(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("a.jsonl").write_text('{"text": "one two"}\n' * 9)
    words = ["encode", "a.jsonl", "--field", "text", "--tokenizer", "gpt2", "--out"]
    split = ["--validation", "val.bin", "--validation-share", "0.5"]

    def notes_of(*wishes):
        assert main([*words, *wishes]) == 0
        return capsys.readouterr().err.splitlines()

    replaced = "note: {} is there, and is replaced once all is encoded".format
    stays = "note: val.bin stays: it is the validation part of an earlier run of train.bin"
    assert notes_of("val.npy") == notes_of("train.bin", *split) == []
    assert notes_of("train.bin", *split) == [replaced("train.bin"), replaced("val.bin")]
    assert notes_of("train.bin", *split, "--validation", str(tmp_path / "val.bin"))[0] == replaced(
        "train.bin"
    )
    assert notes_of("other.bin") == []
    assert notes_of("train.bin") == [replaced("train.bin"), stays]
    assert notes_of("train.bin") == [replaced("train.bin")]


def test_a_builder_encodes_a_folder(corpus, tmp_path, capsys):
    folder, texts = corpus
    train, val = tmp_path / "train.bin", tmp_path / "val.bin"
    command = ["encode", str(folder), "--field", "text", "--tokenizer", "gpt2", "--separator", END]
    command += ["--out", str(train), "--validation", str(val), "--validation-share", "0.1", "--json"]
    assert main(command) == 0
    files = json.loads(capsys.readouterr().out)["files"]
    assert sum(file["documents"] for file in files) == len(texts)
    assert [file["tokens"] for file in files] == [len(read(train)), len(read(val))]
    assert sorted(read(train) + read(val)) == sorted(expected(texts))


def test_output_files_in_the_input_folder_are_not_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("one two")
    command = ["encode", ".", "--tokenizer", "gpt2", "--out", "ids.bin", "--separator", END]
    command += ["--validation", "val.bin", "--validation-share", "0.01"]
    with monkeypatch.context() as patch:
        patch.setattr(IdFile, "finish", lambda _self: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            main(command)
    assert Path("ids.bin.part").exists()
    for _ in range(2):
        assert main(command) == 0
        assert [*read(Path("ids.bin")), *read(Path("val.bin"))] == expected(["one two"])
