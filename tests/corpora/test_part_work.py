"""Tokenizers are sent to workers unchanged, with the config beside their files."""

import json

import pytest

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.opened import open_files, tokenizer_of
from playground.catalog.registry import get_tokenizer
from playground.corpora.part_work import TokenizerParcel
from tests.catalog.sentencepiece_models import model_bytes

CONFIG = json.dumps({"added_tokens_decoder": {"5000": {"content": "<|im_end|>", "special": True}}}).encode()


def opened(*, with_config=True, **files):
    beside = {"tokenizer_config.json": CONFIG} if with_config else {}
    return tokenizer_of("mine", open_files(files | beside, SplitPattern.named("gpt2")))


@pytest.mark.parametrize(
    "tokenizer",
    [
        get_tokenizer("cl100k_base"),
        get_tokenizer("python_docs_4k"),
        get_tokenizer("bert_uncased"),
        opened(**{"tokenizer.model": model_bytes("bpe, nothing normalized")}),
        opened(**{"x.model": b"minbpe v1\n\n0\n"}),
        opened(**{"x.model": b"minbpe v1\n\n1\n<a> 256\n"}, with_config=False),
        opened(**{"vocab.txt": b"[UNK]\n[CLS]\n[SEP]\n[PAD]\n[MASK]\na\n##b\n<\n|\n"}),
    ],
    ids=lambda tokenizer: type(tokenizer).__name__,
)
def test_a_tokenizer_sent_to_a_worker_is_the_same(tokenizer):
    (sent,) = TokenizerParcel.of([tokenizer], allow_special=True).tokenizers()
    assert (sent.name, dict(sent.special_tokens)) == (tokenizer.name, dict(tokenizer.special_tokens))
    allowed = frozenset(tokenizer.special_tokens)
    for text in ("ab<|im_end|>a", "<a>", "".join(allowed)):
        assert sent.encode(text, allowed_special=allowed) == tokenizer.encode(text, allowed_special=allowed)
