"""Text files in blocks: characters cut between two blocks, byte order marks, and bytes that are no UTF-8."""

import io

import pytest

from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError
from playground.training.pretoken_counts import count_file_pretokens
from playground.training.utf8_files import iter_file_text, read_text


@pytest.mark.parametrize("n_block_bytes", [1, 2, 3, 5, 1000])
def test_blocks_join_to_the_text(n_block_bytes, tmp_path):
    text = "né🙂中\r\n" * 5
    path = tmp_path / "text"
    path.write_bytes("\ufeff".encode() + text.encode())
    assert "".join(iter_file_text(path, n_block_bytes=n_block_bytes)) == text
    assert read_text(io.BytesIO(path.read_bytes()), "text") == text


@pytest.mark.parametrize("n_block_bytes", [1, 4, 7, 1000])
@pytest.mark.parametrize(
    ("raw", "byte", "position"), [(b"hello \xff\xd8", "FF", 6), ("né".encode() + b"\xe4\xb8", "E4", 3)]
)
def test_the_first_bad_byte_is_named_wherever_blocks_end(raw, byte, position, n_block_bytes, tmp_path):
    path = tmp_path / "photo.jpg"
    path.write_bytes(raw)
    with pytest.raises(
        InvalidInputError, match=rf"photo\.jpg is not UTF-8 .*0x{byte} at position {position} "
    ):
        list(iter_file_text(path, n_block_bytes=n_block_bytes))


def test_counting_stops_at_a_file_that_cannot_be_read(tmp_path):
    path = tmp_path / "notes"
    path.write_bytes("UTF-16".encode("utf-16"))
    with pytest.raises(InvalidInputError, match="notes is UTF-16 text; save it as UTF-8"):
        count_file_pretokens([path], SplitPattern.named("gpt2"))
    with pytest.raises(InvalidInputError, match=r"cannot read .*missing"):
        count_file_pretokens([tmp_path / "missing"], SplitPattern.named("gpt2"))
