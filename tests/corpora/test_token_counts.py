"""Counting files for several tokenizers in one pass equals encoding each text as a whole."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.catalog.openai import load_openai
from playground.catalog.registry import get_tokenizer
from playground.corpora import cores, encoders, text_files
from playground.corpora.blocks import common_cuts, iter_blocks
from playground.corpora.sources import Source, find_sources
from playground.corpora.token_counts import count_tokens
from tests.corpora.test_documents import nothing
from tests.corpora.test_encoders import encoder

NAMES = ["gpt2", "cl100k_base", "o200k_base", "qwen3", "mistral_tekken", "bert_uncased"]


def test_progress_is_told_with_every_block_that_a_slow_disk_delivers(tmp_path, monkeypatch):
    monkeypatch.setattr(text_files, "BLOCK_BYTES", 1_000)
    (tmp_path / "a.txt").write_text("some words\n" * 50_000)
    said: list[int] = []
    sources = find_sources([str(tmp_path)])
    count_tokens(sources, [get_tokenizer("gpt2")], on_read=said.append)
    assert sum(said) == 550_000
    assert max(said) < 70_000


@pytest.mark.parametrize("n_cores", [1, 2])
def test_several_tokenizers_count_in_one_pass(tmp_path, monkeypatch, corpora, n_cores):
    monkeypatch.setattr(cores, "MUCH_BYTES", 0)
    monkeypatch.setattr(text_files, "BLOCK_BYTES", 700)
    texts = [text[:4_000] for text in corpora.values()] + ["", "a"]
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.txt").write_text(text, newline="")
    tokenizers = [get_tokenizer(name) for name in NAMES]
    counted = count_tokens(find_sources([str(tmp_path)]), tokenizers, n_cores=n_cores)
    for text, found in zip(texts, counted.files, strict=True):
        assert found.tokens == tuple(len(tokenizer.encode(text)) for tokenizer in tokenizers)
        assert (found.bytes, found.characters, found.documents) == (len(text.encode()), len(text), 1)
    assert counted.total(len(NAMES)).bytes == sum(len(text.encode()) for text in texts)


@settings(max_examples=60)
@given(text=st.text(st.sampled_from("aé1 \n\r/'!中\u0301<|endoftext|>")), n=st.integers(1, 12))
def test_the_places_of_block_boundaries_do_not_change_the_counts(tmp_path_factory, text, n):
    path = tmp_path_factory.getbasetemp() / "borders.txt"
    path.write_text(text, newline="")
    for names in (["gpt2"], ["cl100k_base"], ["o200k_base"], ["gpt2", "o200k_base", "qwen3"]):
        cuts = common_cuts([get_tokenizer(name) for name in names], allow_special=False)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(text_files, "BLOCK_BYTES", n)
            blocks = [*iter_blocks([Source(str(path))], cuts, on_read=nothing, on_error=print)]
        assert sum(block.n_characters for block in blocks) == len(text)
        for name in names:
            ids = [token_id for block in blocks for token_id in encoder(name).encode(block.texts)]
            assert ids == get_tokenizer(name).encode(text)


def test_special_tokens_are_counted_where_allowed(tmp_path, monkeypatch):
    monkeypatch.setattr(text_files, "BLOCK_BYTES", 5)
    path = tmp_path / "special.txt"
    path.write_text("one two<|endoftext|>three\n<|endoftext|>" * 9)
    gpt2 = load_openai("gpt2").encoding
    for allow_special, allowed in ((True, {"<|endoftext|>"}), (False, set[str]())):
        counted = count_tokens([Source(str(path))], [get_tokenizer("gpt2")], allow_special=allow_special)
        ids = gpt2.encode(path.read_text(), allowed_special=allowed, disallowed_special=())
        assert counted.files[0].tokens == (len(ids),)


def test_an_unreadable_file_does_not_stop_the_others(tmp_path):
    (tmp_path / "a.txt").write_text("one two")
    (tmp_path / "b.txt").write_bytes(b"one \xff two")
    counted = count_tokens(find_sources([str(tmp_path), "missing.txt"]), [get_tokenizer("gpt2")])
    assert [count.tokens for count in counted.files] == [(2,)]
    assert len(counted.errors) == 2
    assert "b.txt: not UTF-8: byte 4 " in counted.errors[0]


def test_tokenizers_that_their_library_runs_are_noted_for_large_texts(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("".join(random.Random(1).choices("ab \n", k=3_000)))
    tokenizers = [get_tokenizer("bert_uncased"), get_tokenizer("gpt2")]
    assert count_tokens([Source(str(path))], tokenizers).by_library == []
    monkeypatch.setattr(encoders, "MUCH_CHARACTERS", 1_000)
    assert count_tokens([Source(str(path))], tokenizers).by_library == ["bert_uncased"]
