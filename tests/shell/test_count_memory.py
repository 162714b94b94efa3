"""`count` holds a bounded piece of a file at once, whatever ends its lines and whatever its script."""

import pytest

from playground.catalog.registry import get_tokenizer
from playground.corpora import text_files
from playground.corpora.blocks import common_cuts, iter_blocks
from playground.corpora.sources import Source
from playground.corpora.text_files import as_utf8
from playground.corpora.token_counts import count_tokens
from playground.shell.encode import iter_encoded_blocks

N_THREADS = 2
CHINESE = "我能吞下玻璃而不伤身体道可道非常道名可名非常名"
#: Lines in which no white space stands within, and what once left a whole file in memory.
LINES = {
    "Chinese, CRLF": CHINESE + "\r\n",
    "Thai, CRLF": "ฉันกินกระจกได้แต่มันไม่ทำให้ฉันเจ็บ\r\n",
    "quoted CSV, CRLF": '"12","北京","it ""is"""\r\n',
}


@pytest.mark.parametrize("tokenizer", ["gpt2", "o200k_base"])
@pytest.mark.parametrize("name", LINES)
def test_what_is_held_at_once_is_bounded(name, tokenizer, tmp_path, monkeypatch):
    n_block = 2_000
    monkeypatch.setattr(text_files, "BLOCK_BYTES", n_block)
    path = tmp_path / "lines.txt"
    text = LINES[name] * 1_000
    path.write_bytes(text.encode())
    n_read = n_given = most_held = 0

    def on_read(n_bytes):
        nonlocal n_read, most_held
        n_read += n_bytes
        most_held = max(most_held, n_read - n_given)

    for block, _ in iter_encoded_blocks(
        get_tokenizer(tokenizer), str(path), n_threads=N_THREADS, on_read=on_read
    ):
        assert len(block.encode()) <= n_block + 2 * len(LINES[name].encode())
        n_given += len(block.encode())
    assert n_given == n_read == path.stat().st_size
    assert most_held <= (2 * N_THREADS + 3) * n_block
    used = [get_tokenizer(tokenizer)]
    cuts = common_cuts(used, allow_special=False)
    blocks = iter_blocks([Source(str(path))], cuts, on_read=lambda _n: None, on_error=lambda *_: None)
    assert max(len(as_utf8(piece)) for block in blocks for piece in block.texts) <= n_block + 2 * len(
        LINES[name].encode()
    )
    assert count_tokens([Source(str(path))], used).files[0].tokens == (len(used[0].encode(text)),)
