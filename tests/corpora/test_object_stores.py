"""Remote files are read, listed and divided like local ones; missing parts are reported in a sentence."""

import json
import sys

import fsspec
import pytest

from playground.bpe.safe_cuts import SafeCuts, safe_cut_of
from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError
from playground.corpora.corpus_pretokens import count_corpus_pretokens
from playground.corpora.object_stores import files_at, n_bytes_at
from playground.corpora.parts import iter_part_blocks, parts_of
from playground.corpora.sources import find_sources
from playground.corpora.text_files import as_str
from playground.shell.main import main
from playground.training.pretoken_counts import count_pretokens

GPT2 = SplitPattern.named("gpt2")


@pytest.fixture
def bucket(corpora):
    system = fsspec.filesystem("memory")
    system.pipe("/bucket/b.txt", corpora["languages"][:5_000].encode())
    system.pipe("/bucket/deep/a.txt", b"to be or not to be")
    system.pipe("/bucket/.hidden", b"no")
    system.pipe("/bucket/rows.jsonl", b"".join(b'{"text": "row %d"}\n' % n for n in range(99)))
    yield "memory://bucket"
    system.rm("/bucket", recursive=True)


def test_folders_globs_and_files(bucket):
    names = ["memory:///bucket/b.txt", "memory:///bucket/deep/a.txt", "memory:///bucket/rows.jsonl"]
    assert files_at(bucket) == names
    assert files_at(f"{bucket}/*.txt") == names[:1]
    assert n_bytes_at(f"{bucket}/deep/a.txt") == 18
    assert [source.kind for source in find_sources([bucket], field="text")] == ["jsonl"]


def test_remote_files_are_counted_like_local_ones(bucket, corpora):
    found = count_corpus_pretokens(find_sources([f"{bucket}/*.txt"]), GPT2)
    assert [*found.items()] == [*count_pretokens([corpora["languages"][:5_000]], GPT2).items()]


def test_remote_files_are_divided_into_parts(bucket, corpora):
    cuts = SafeCuts(safe_cut_of("gpt2"))
    sources = find_sources([f"{bucket}/b.txt"])
    found = parts_of(sources, cuts, part_bytes=700)
    texts = [block.texts[0] for part in found for _, block in iter_part_blocks(part, cuts)]
    assert "".join(map(as_str, texts)) == corpora["languages"][:5_000]
    rows = parts_of(find_sources([f"{bucket}/rows.jsonl"], field="text"), cuts, part_bytes=200)
    texts = [text for part in rows for _, block in iter_part_blocks(part, cuts) for text in block.texts]
    assert texts == [f"row {n}" for n in range(99)]


def test_the_shell_reads_remote_files(bucket, capsys):
    assert main(["count", f"{bucket}/deep", "--tokenizer", "gpt2", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["files"][0]["file"], answer["total"]["tokens"]) == ("memory:///bucket/deep/a.txt", 6)


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("memory://nobody/x.txt", "there is no such file or folder"),
        ("nothing://x", "no file system is known for nothing://; known are s3://"),
        ("s3://bucket/x.txt", "`pip install s3fs` installs it"),
        ("gs://bucket/x.txt", "`pip install gcsfs` installs it"),
        ("hf://datasets/a/b/x.txt", "`pip install huggingface_hub` installs it"),
    ],
)
def test_a_missing_part_of_a_file_is_reported(address, sentence, capsys, monkeypatch):
    for package in ("s3fs", "gcsfs", "huggingface_hub"):
        monkeypatch.setitem(sys.modules, package, None)
    assert main(["count", address]) == 1
    message = capsys.readouterr().err
    assert address in message
    assert sentence in message


def test_what_a_library_raises_is_a_sentence(bucket, monkeypatch, capsys):
    class Denied(Exception):
        pass

    def refuse(*arguments, **options):
        raise Denied("Access Denied\nmore")

    monkeypatch.setattr(type(fsspec.filesystem("memory")), "_open", refuse)
    assert main(["count", f"{bucket}/b.txt"]) == 1
    assert capsys.readouterr().err == "error: memory:///bucket/b.txt: cannot be read: Access Denied\n"
    with pytest.raises(InvalidInputError, match="Access Denied"):
        count_corpus_pretokens(find_sources([f"{bucket}/b.txt"]), GPT2)
