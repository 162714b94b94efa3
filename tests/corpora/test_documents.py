"""Files of every kind give their texts, and each fault is reported in a sentence with its place."""

import csv
import errno
import gzip
import json
import os
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.core.errors import InvalidInputError
from playground.corpora import documents, streams
from playground.corpora.documents import fields_of, iter_chunks, iter_rows
from playground.corpora.sources import Source, find_sources
from tests.corpora.any_rows import changed_files, check_rows

CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
TEXTS = st.lists(st.text(CHARACTERS, min_size=1), max_size=12)


def nothing(_n_bytes):
    pass


def write(path, texts):
    """Write a file of the kind and compression that its name says."""
    ending = path.suffixes[0]
    if ending == ".parquet":
        pq.write_table(pa.table({"id": range(len(texts)), "text": pa.array(texts, pa.string())}), path)
        return
    plain = path.with_suffix("") if len(path.suffixes) > 1 else path
    with plain.open("w", encoding="utf-8", newline="") as file:
        if ending == ".jsonl":
            file.writelines(json.dumps({"id": 1, "text": text}) + "\n" for text in texts)
        elif ending == ".txt":
            file.writelines(texts)
        else:
            rows = csv.writer(file, delimiter="\t" if ending == ".tsv" else ",")
            rows.writerows([["id", "text"], *([1, text] for text in texts)])
    raw = plain.read_bytes()
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(raw[: len(raw) // 2]) + gzip.compress(raw[len(raw) // 2 :]))
    elif path.suffix == ".zst":
        half = len(raw) // 2
        frames = [pa.compress(part, "zstd", asbytes=True) for part in (raw[:half], raw[half:])]
        path.write_bytes(b"".join(frames))


def read(path, field="text"):
    (source,) = find_sources([str(path)], field=field)
    said: list[int] = []
    if source.kind == "text":
        texts = [b"".join(chunk.raw for chunk in iter_chunks(source, said.append)).decode()]
    else:
        texts = [text for batch in iter_rows(source, said.append) for text in batch.texts]
    assert sum(said) == os.path.getsize(path) or not texts
    return texts


ROWS = ["a.jsonl", "a.csv", "a.tsv", "a.parquet", "a.jsonl.gz", "a.csv.zst", "a.jsonl.zst"]


@pytest.mark.parametrize("name", ROWS)
@settings(max_examples=15)
@given(texts=TEXTS)
def test_rows_are_read_unchanged(name, texts, tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / name
    write(path, texts)
    assert read(path) == texts


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.csv", "text,n\r\né,1\r\n"), ("a.tsv", "text\tn\r\né\t1\r\n"), ("a.jsonl", '{"text": "é"}\r\n')],
)
def test_a_byte_order_mark_of_excel_is_no_part_of_the_first_field(name, text, tmp_path):
    (tmp_path / name).write_bytes(text.encode("utf-8-sig"))
    assert read(tmp_path / name) == ["é"]


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "a.txt.zst"])
def test_a_plain_text_is_read_whole(name, tmp_path):
    write(tmp_path / name, ["one two\r\n", "é中\n"] * 40_000)
    assert read(tmp_path / name, field="") == ["one two\r\né中\n" * 40_000]


@pytest.mark.parametrize("name", ROWS)
def test_fields_that_can_hold_the_text_are_found(name, tmp_path):
    write(tmp_path / name, ["one", "two"])
    (source,) = find_sources([str(tmp_path / name)], field="text")
    assert fields_of(source) == (["id", "text"] if source.kind in ("csv", "tsv") else ["text"])


def test_fields_have_names_and_a_text_in_the_first_row(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b'\n{"id": 1, "body": "a", "k": ""}\n{"other": "c"}\n')
    (tmp_path / "a.csv").write_bytes(b"body,,k,body\n1,2,3,4\n")
    column = pa.array(["a", "b"]).dictionary_encode()
    pq.write_table(pa.table({"id": [1, 2], "body": column, "k": column}), tmp_path / "a.parquet")
    for source in find_sources([str(tmp_path)], field="text"):
        assert fields_of(source) == ["body", "k"], source.kind


CHAT = {
    "a.b": "flat",
    "a": {"b": "within", "c": {"d": "deep"}},
    "tags": ["x", "y"],
    "messages": [{"role": "user", "content": "Hi"}, {"role": "tool"}, {"role": "", "content": None}],
    "none": [],
}


@pytest.mark.parametrize(
    ("field", "texts"),
    [
        ("a.b", ["flat"]),
        ("a.c.d", ["deep"]),
        ("tags[]", ["x", "y"]),
        ("messages[].content", ["Hi"]),
        ("messages[].role", ["user", "tool", ""]),
        ("none[].content", []),
    ],
)
def test_a_nested_field_of_json_lines_is_read(field, texts, tmp_path):
    (tmp_path / "a.jsonl").write_text(json.dumps(CHAT) + "\n" + json.dumps(CHAT))
    assert read(tmp_path / "a.jsonl", field) == texts * 2
    (source,) = find_sources([str(tmp_path / "a.jsonl")], field=field)
    listed = ["a.b", "a.c.d", "tags[]", "messages[].role", "messages[].content"]
    assert fields_of(source) == listed


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("a.x", "line 1 has no field 'a.x'; it has 'a.b', 'a', 'tags'"),
        ("messages[].contnet", "line 1 has no field 'messages[].contnet'; it has "),
        ("messages.content", "line 1 has no field 'messages.content'; it has 'messages[].content'"),
        ("a[].b", "line 1 has no field 'a[].b'; it has "),
        ("a.c", "line 1: field 'a.c' is an object, not text"),
        ("tags", "line 1: field 'tags' is a list, not text"),
    ],
)
def test_a_missing_nested_field_is_reported(field, message, tmp_path):
    (tmp_path / "a.jsonl").write_text(json.dumps(CHAT))
    with pytest.raises(InvalidInputError, match=re.escape(message)):
        read(tmp_path / "a.jsonl", field)


@pytest.mark.parametrize(
    ("name", "raw"),
    [("a.jsonl", b"[1]"), ("a.csv", b'"a'), ("a.csv", b"\xe9"), ("a.parquet", b"no"), ("a.csv.gz", b"no")],
)
def test_fields_of_a_broken_file_are_an_error(name, raw, tmp_path):
    (tmp_path / name).write_bytes(raw)
    (source,) = find_sources([str(tmp_path / name)], field="text")
    with pytest.raises(InvalidInputError, match=re.escape(str(tmp_path / name))):
        fields_of(source)


BROKEN = {
    "line.jsonl": (b'{"text": "a"}\n\n{"text": \n', "line 3 is not JSON: Expecting value at column 10"),
    "windows.jsonl": (b'{"text":\r\n', "line 1 is not JSON: Expecting value at column 9"),
    "list.jsonl": (b'["a"]\n', "line 1 is a list, not an object with fields"),
    "missing.jsonl": (b'{"body": "a", "n": 1}\n', "line 1 has no field 'text'; it has 'body', 'n'"),
    "number.jsonl": (b'{"text": "a"}\n{"text": 5}\n', "line 2: field 'text' is a number, not text"),
    "null.jsonl": (b'{"text": null}\n', "line 1: field 'text' is null, not text"),
    "latin.jsonl": (b'{"text": "\xe9"}\n', "line 1 is not UTF-8 at its byte 10"),
    "digits.jsonl": (b'{"n": ' + b"9" * 5_000 + b"}\n", "line 1 has a number of too many digits"),
    "deep.jsonl": (b"[" * 200_000 + b"\n", "line 1 is nested too deep"),
    "missing.csv": (b"a,b\n1,2\n", "has no field 'text'; it has 'a', 'b'"),
    "empty.csv": (b"", "has no field 'text': it has none"),
    "short.csv": (b"a,text\n1,x\n2\n", "row 2 ends before its field 'text' (line 3)"),
    "quote.csv": (b'text\n"a', "line 2 is not CSV: unexpected end of data"),
    "latin.csv": (b"text\n\xe9\n", "not UTF-8 (invalid"),
    "no.parquet": (b"PAR1 and nothing", "no.parquet: cannot be read: "),
    "late.jsonl.gz": (gzip.compress(b'{"text": "a"}\n' * 99_999)[:-9], "broken gzip data behind 1,"),
    "cut.jsonl.gz": (
        gzip.compress(b'{"text": "a"}\n' * 99)[:-9],
        "broken gzip data, or no gzip file (it ends too soon)",
    ),
    "no.jsonl.gz": (b"plain", "broken gzip data, or no gzip file (Not a gzipped file"),
    "cut.jsonl.zst": (
        pa.compress(os.urandom(50_000), "zstd", asbytes=True)[:-9],
        "broken zstd data, or no zstd file (Truncated",
    ),
    "no.jsonl.zst": (b"plain, not packed", "broken zstd data, or no zstd file ("),
    "twice.parquet.gz": (b"", "Parquet is compressed within; unpack the file first"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_rows_are_named_with_their_place(name, tmp_path):
    raw, message = BROKEN[name]
    (tmp_path / name).write_bytes(raw)
    with pytest.raises(InvalidInputError) as caught:
        read(tmp_path / name)
    assert str(caught.value).startswith(str(tmp_path / name))
    assert message in str(caught.value)
    assert "--skip-bad-rows" not in str(caught.value)  # there is no such option on a page


@pytest.mark.parametrize("name", BROKEN)
def test_a_row_without_a_text_is_skipped_on_request(name, tmp_path):
    raw, message = BROKEN[name]
    (tmp_path / name).write_bytes(raw)
    may_go_on = name.endswith(".jsonl") or name == "short.csv"
    for skips_bad_rows in (False, True):
        (source,) = find_sources([str(tmp_path / name)], field="text", skips_bad_rows=skips_bad_rows)
        if may_go_on and skips_bad_rows:
            found = list(iter_rows(source, nothing))
            assert sum(rows.n_left_out for rows in found) == 1
            assert [text for rows in found for text in rows.texts] in ([], ["a"], ["x"])
            continue
        with pytest.raises(InvalidInputError, match=re.escape(message)) as caught:
            list(iter_rows(source, nothing))
        assert str(caught.value).endswith("; --skip-bad-rows leaves such rows out") == may_go_on


def test_skipped_rows_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(documents, "BATCH_CHARACTERS", 10)
    pq.write_table(pa.table({"text": [None, "four", "five", "sixteen", None, None]}), tmp_path / "a.parquet")
    (source,) = find_sources([str(tmp_path / "a.parquet")], skips_bad_rows=True)
    assert [*iter_rows(source, nothing)] == [(["four", "five", "sixteen"], 1), ([], 2)]


@given(case=changed_files())
def test_changed_bytes_are_read_or_refused(case):
    check_rows(*case)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pa.array([1, 2]), "field 'text' is of type int64, not text"),
        (pa.array(["a", None]), "row 2: field 'text' is null, not text"),
    ],
)
def test_a_parquet_field_that_is_not_text_is_refused(column, message, tmp_path):
    pq.write_table(pa.table({"text": column}), tmp_path / "a.parquet")
    with pytest.raises(InvalidInputError, match=message):
        read(tmp_path / "a.parquet")
    with pytest.raises(InvalidInputError, match="has no field 'body'; it has 'text'"):
        read(tmp_path / "a.parquet", field="body")


@pytest.mark.parametrize("change", [b"more", None])
def test_a_file_that_changes_while_it_is_read_is_reported(change, tmp_path, monkeypatch):
    monkeypatch.setattr(streams, "BUFFER_BYTES", 1_000)
    path = tmp_path / "log.txt"
    path.write_bytes(b"line\n" * 1_000_000)
    chunks = iter_chunks(Source(str(path)), nothing)
    next(chunks)
    if change:
        with path.open("ab") as file:
            file.write(change)
    else:
        os.truncate(path, 2_000_000)
    with pytest.raises(InvalidInputError, match="had 5,000,000 bytes when it was opened, and changed"):
        list(chunks)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_folder_is_read_without_pipes_and_broken_links(tmp_path):
    os.mkfifo(tmp_path / "pipe.txt")
    with pytest.raises(InvalidInputError, match="the folder has no file"):
        find_sources([str(tmp_path)])
    (tmp_path / "a.txt").write_text("x")
    (tmp_path / "gone.txt").symlink_to(tmp_path / "nothing")
    assert [source.path for source in find_sources([str(tmp_path)])] == [str(tmp_path / "a.txt")]


@pytest.mark.parametrize(("field", "named"), [("", ""), ("text", ""), ("text", "closed")])
def test_an_unreadable_file_of_a_folder_is_reported(field, named, tmp_path, monkeypatch):
    for name in ("a.jsonl", "closed/b.jsonl", "listed/c.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    closed, seen_by_others = str(tmp_path / "closed"), str(tmp_path / "listed/c.jsonl")

    def refusing(function, refused):
        def call(path, *arguments, **options):
            if os.fspath(path) == refused:
                raise PermissionError(errno.EACCES, "Permission denied", refused)
            return function(path, *arguments, **options)

        return call

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", refusing(os.scandir, closed))
        patch.setattr(os, "stat", refusing(os.stat, seen_by_others))
        found = [source.path for source in find_sources([str(tmp_path / named)], field=field)]
    assert found == ([closed] if named else [closed, str(tmp_path / "a.jsonl"), seen_by_others])
    with pytest.raises(InvalidInputError, match="closed: "):
        list(iter_chunks(Source(closed), nothing))


def test_folders_and_globs_are_found_without_hidden_files(tmp_path):
    for name in ("b.txt", "a.jsonl", "sub/c.csv.gz", ".hidden", ".git/x.txt", "sub/d.parquet"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()

    def found(*names, field=""):
        return [
            (os.path.relpath(s.path, tmp_path), s.kind, s.compression)
            for s in find_sources(names, field=field)
        ]

    assert found(str(tmp_path)) == [
        ("a.jsonl", "text", ""),
        ("b.txt", "text", ""),
        ("sub/c.csv.gz", "text", "gzip"),
        ("sub/d.parquet", "parquet", ""),
    ]
    assert [path for path, *_ in found(str(tmp_path), field="t")] == [
        "a.jsonl",
        "sub/c.csv.gz",
        "sub/d.parquet",
    ]
    assert [path for path, *_ in found(f"{tmp_path}/**/*.csv.gz", field="t")] == ["sub/c.csv.gz"]
    with pytest.raises(InvalidInputError, match="No such file"):
        list(iter_chunks(find_sources([f"{tmp_path}/*.nothing"])[0], nothing))
    with pytest.raises(InvalidInputError, match="a text file has no field 't'"):
        find_sources([str(tmp_path / "b.txt")], field="t")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidInputError, match="the folder has no file"):
        find_sources([str(tmp_path / "empty")])


def test_a_file_named_twice_is_read_once_with_a_note(tmp_path):
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).touch()
    (tmp_path / "link.txt").symlink_to(tmp_path / "a.txt")
    notes: list[str] = []
    names = [f"{tmp_path}/../{tmp_path.name}/b.txt", str(tmp_path), f"{tmp_path}/*.txt", "-", "-"]
    found = find_sources(names, on_note=notes.append)
    assert [source.path for source in found] == [
        names[0], *(str(tmp_path / name) for name in ("a.txt", "link.txt")), "-",
    ]  # fmt: skip
    assert notes == ["5 files of 9 named again: each file is read once"]


def test_files_of_a_folder_without_the_field_are_reported(tmp_path):
    for name in ("a.jsonl", "b.txt", "c.txt.gz"):
        (tmp_path / name).touch()
    notes: list[str] = []
    assert len(find_sources([str(tmp_path)], field="text", on_note=notes.append)) == 1
    assert notes == [f"{tmp_path}: 2 files of 3 left out, for --field reads no plain text"]
    assert len(find_sources([str(tmp_path)], on_note=notes.append)) == 3
    assert len(notes) == 1


def test_nested_fields_of_parquet_are_not_read(tmp_path):
    pq.write_table(pa.table({"a": [{"b": "x"}]}), tmp_path / "a.parquet")
    with pytest.raises(InvalidInputError, match=r"'a\.b'; it has 'a'; only of \.jsonl are fields within"):
        read(tmp_path / "a.parquet", "a.b")
