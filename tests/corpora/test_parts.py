"""The parts of a file have the texts of the file, wherever it is cut."""

import json
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from playground.bpe.safe_cuts import SafeCuts, safe_cut_of
from playground.core.errors import InvalidInputError
from playground.corpora.blocks import iter_blocks
from playground.corpora.part_work import n_documents_of
from playground.corpora.parts import iter_part_blocks, parts_of
from playground.corpora.sources import find_sources
from playground.corpora.text_files import as_utf8

CUTS = SafeCuts(safe_cut_of("o200k"))


@pytest.fixture
def files(tmp_path, corpora):
    draw = random.Random(6)
    text = corpora["languages"]
    rows = [text[(at := draw.randrange(200_000)) : at + draw.randrange(300)] for _ in range(50)]
    (tmp_path / "a.txt").write_text("\ufeff" + text[:9_000], newline="")
    lines = [json.dumps({"text": row}, ensure_ascii=False) for row in rows]
    (tmp_path / "b.jsonl").write_text("\n".join([*lines[:20], "", *lines[20:]]))
    pq.write_table(pa.table({"text": rows}), tmp_path / "c.parquet", row_group_size=7)
    (tmp_path / "d.csv").write_text('text\n"a\nb"\n' * 30)
    return tmp_path


def texts_of(blocks):
    """Return plain text joined, and rows separately."""
    found: list[bytes] = []
    is_open = False
    for block in blocks:
        raws = [as_utf8(text) for text in block.texts]
        if is_open:
            found[-1] += raws[0]
        else:
            found += raws
        is_open = not block.ends
    return found


@pytest.mark.parametrize("part_bytes", [300, 1_000, 2_999, 1 << 20])
@pytest.mark.parametrize("name", ["a.txt", "b.jsonl", "c.parquet", "d.csv"])
def test_parts_join_to_the_file(name, part_bytes, files):
    sources = find_sources([str(files / name)], field="" if name == "a.txt" else "text")
    whole = texts_of(iter_blocks(sources, CUTS, on_read=lambda _n: None))
    found = parts_of(sources, CUTS, part_bytes=part_bytes)
    assert (len(found) > 2) == (part_bytes < 5_000 and name != "d.csv")
    blocks = [placed for part in found for placed in iter_part_blocks(part, CUTS)]
    assert texts_of(block for _, block in blocks) == whole
    assert sum(n_documents_of(part, CUTS) for part in found) == len(whole)
    if name == "a.txt":
        position = 0
        for start, block in blocks:
            assert start == position
            position += len(block.texts[0])


@pytest.mark.parametrize("name", ["b.jsonl", "c.parquet"])
def test_skipped_rows_are_counted_once_across_parts(name, tmp_path):
    texts = [None if n % 7 == 0 else f"row {n}" for n in range(700)]
    if name == "b.jsonl":
        (tmp_path / name).write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    else:
        pq.write_table(pa.table({"text": texts}), tmp_path / name, row_group_size=20)
    sources = find_sources([str(tmp_path / name)], field="text", skips_bad_rows=True)
    found = parts_of(sources, CUTS, part_bytes=500)
    assert len(found) > 5
    blocks = [block for part in found for _, block in iter_part_blocks(part, CUTS)]
    assert [text for block in blocks for text in block.texts] == [text for text in texts if text]
    assert sum(block.n_left_out for block in blocks) == 100


def test_an_error_is_located_in_the_file(files):
    path = files / "a.txt"
    raw = bytearray(path.read_bytes())
    raw[5_001] = 0xFF
    path.write_bytes(raw)
    sources = find_sources([str(path)])
    with pytest.raises(InvalidInputError, match=r"a\.txt: not UTF-8: byte 5,00[01]"):
        [*map(list, (iter_part_blocks(part, CUTS) for part in parts_of(sources, CUTS, part_bytes=2_000)))]
    rows = (files / "b.jsonl").read_bytes()
    at = rows.index(b"\n", 5_000) + 1
    (files / "b.jsonl").write_bytes(rows[:at] + b"[" + rows[at:])
    sources = find_sources([str(files / "b.jsonl")], field="text")
    with pytest.raises(InvalidInputError, match=rf"b\.jsonl: the line at byte {at:,} is not JSON"):
        [*map(list, (iter_part_blocks(part, CUTS) for part in parts_of(sources, CUTS, part_bytes=2_000)))]


@pytest.mark.parametrize(("name", "field"), [("a.txt", ""), ("b.jsonl", "text")])
def test_a_shrinking_file_is_reported(name, field, files):
    sources = find_sources([str(files / name)], field=field)
    found = parts_of(sources, CUTS, part_bytes=2_000)
    raw = (files / name).read_bytes()
    (files / name).write_bytes(raw[: raw.index(b"\n", 3_000) + 1] if field else raw[:3_000])
    with pytest.raises(InvalidInputError, match="changed while it was read"):
        [*map(list, (iter_part_blocks(part, CUTS) for part in found))]


def test_standard_input_has_no_parts():
    with pytest.raises(InvalidInputError, match="standard input cannot be read by several workers"):
        parts_of(find_sources([]), CUTS)
