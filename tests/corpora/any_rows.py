"""Files of rows with bytes changed anywhere are read, or refused in a sentence with their name."""

import gzip
import io
import json
import tempfile
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from playground.core.errors import InvalidInputError
from playground.corpora.documents import iter_chunks, iter_rows
from playground.corpora.sources import find_sources

TEXTS = ["one two", "é 中\n🙂", 'a "quoted", text', "long " * 40]


@cache
def whole_files() -> dict[str, bytes]:
    """Return a valid file of each kind by name."""
    lines = "".join(json.dumps({"id": 1, "text": text}) + "\n" for text in TEXTS).encode()
    table = io.BytesIO()
    pq.write_table(pa.table({"text": TEXTS, "id": range(4)}), table)
    return {
        "a.jsonl": lines,
        "a.csv": b'id,text\n1,"a ""b"""\n2,"c\nd"\n',
        "a.tsv": b"text\tid\none\t1\n",
        "a.parquet": table.getvalue(),
        "a.jsonl.gz": gzip.compress(lines, mtime=0),
        "a.jsonl.zst": pa.compress(lines, "zstd", asbytes=True),
    }


@st.composite
def changed_files(draw: st.DrawFn) -> tuple[str, bytes]:
    """Draw a valid file's name and bytes, with some bytes changed, removed or inserted."""
    name = draw(st.sampled_from(sorted(whole_files())))
    raw = bytearray(whole_files()[name])
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.integers(0, len(raw)))
        raw[place : place + draw(st.integers(0, 3))] = draw(st.binary(max_size=3))
    return name, bytes(raw[: draw(st.integers(0, len(raw)) | st.just(len(raw)))])


def check_rows(name: str, raw: bytes) -> None:
    """Check that a file gives texts, or one sentence that begins with its name."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(raw)
        for field, skips_bad_rows in (("text", None), ("text", True), ("", None)):
            refused = ""
            texts: list[str] = []
            (source,) = find_sources([str(path)], field=field, skips_bad_rows=skips_bad_rows)
            try:
                if source.kind == "text":
                    texts = [chunk.raw.decode() for chunk in iter_chunks(source, lambda _n_bytes: None)]
                else:
                    texts = [text for rows in iter_rows(source, lambda _n_bytes: None) for text in rows.texts]
            except InvalidInputError as error:
                refused = str(error)
            assert not refused or refused.startswith(str(path))
            assert all(isinstance(text, str) for text in texts)
