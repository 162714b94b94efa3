"""UTF-8 files, whole and in blocks: characters across blocks, byte order marks, and invalid bytes."""

import gzip
import io

import pytest

from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError
from playground.corpora import text_files
from playground.corpora.corpus_pretokens import count_corpus_pretokens
from playground.corpora.sources import Source
from playground.training import utf8_files
from playground.training.utf8_files import read_utf8


def read_blocks(raw, name):
    return "".join(text for text, _n_bytes in text_files.iter_text_chunks(name, io.BytesIO(raw)))


@pytest.mark.parametrize("n_block_bytes", [1, 2, 3, 5, 1000])
def test_blocks_join_to_the_text(n_block_bytes, monkeypatch):
    monkeypatch.setattr(text_files, "BLOCK_BYTES", n_block_bytes)
    monkeypatch.setattr(utf8_files, "_PIECE_BYTES", max(n_block_bytes, 4))
    text = "né🙂中\r\n" * 5
    raw = "\ufeff".encode() + text.encode()
    assert read_blocks(raw, "text") == f"\ufeff{text}"
    assert "".join(read_utf8(io.BytesIO(raw), "text")) == text


@pytest.mark.parametrize("n_block_bytes", [1, 4, 7, 1000])
@pytest.mark.parametrize(
    ("raw", "byte", "position"),
    [
        (b"hello \xff\xd8", "FF", 6),
        ("né".encode() + b"\xe4\xb8", "E4", 3),
        (b"abc\xe4de", "E4", 3),
        (b"abc" + b"\x80" * 9, "80", 3),
    ],
)
def test_the_first_invalid_byte_is_named_wherever_blocks_end(raw, byte, position, n_block_bytes, monkeypatch):
    monkeypatch.setattr(text_files, "BLOCK_BYTES", n_block_bytes)
    monkeypatch.setattr(utf8_files, "_PIECE_BYTES", max(n_block_bytes, 4))
    with pytest.raises(
        InvalidInputError, match=rf"photo\.jpg: not UTF-8: byte {position} \(0x{byte.lower()}\)"
    ):
        read_blocks(raw, "photo.jpg")
    with pytest.raises(
        InvalidInputError, match=rf"photo\.jpg is not UTF-8 .*0x{byte} at position {position}"
    ):
        read_utf8(io.BytesIO(raw), "photo.jpg")


def test_reading_stops_at_an_unreadable_file(tmp_path):
    path, raw = tmp_path / "notes", "UTF-16".encode("utf-16")
    path.write_bytes(raw)
    with pytest.raises(InvalidInputError, match="notes: it is UTF-16 text; save it as UTF-8"):
        count_corpus_pretokens([Source(str(path))], SplitPattern.named("gpt2"))
    with pytest.raises(InvalidInputError, match=r"missing: No such file"):
        count_corpus_pretokens([Source(str(tmp_path / "missing"))], SplitPattern.named("gpt2"))
    with pytest.raises(InvalidInputError, match="notes is UTF-16 text; save it as UTF-8"):
        read_utf8(io.BytesIO(raw), "notes")


@pytest.mark.parametrize(
    "packed",
    [gzip.compress(b"to be", mtime=0), b"PK\x03\x04\x14\x00", b"\x28\xb5\x2f\xfd\x04"],
    ids=["gzip", "zip", "zstd"],
)
def test_a_compressed_file_is_refused_as_such(packed):
    with pytest.raises(InvalidInputError, match=r"a is packed; unpack it, for only a file whose name ends"):
        read_utf8(io.BytesIO(packed), "a")
