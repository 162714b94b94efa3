"""SentencePiece models with various options, made by the library's trainer."""

import io
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from sentencepiece import SentencePieceProcessor, SentencePieceTrainer

from playground.catalog.sentencepiece_file import SentencePieceFile
from playground.files.library_file import LibraryFile

_CORPUS = ["the cat sat on the mat", "that cat; hello world ünï 안녕", "don't  stop, naïve ﬁ café"] * 30

OPTIONS: dict[str, dict[str, Any]] = {
    "unigram, nmt_nfkc, symbols": {
        "model_type": "unigram", "vocab_size": 60, "user_defined_symbols": ["<user>", "mat"]
    },
    "bpe, bytes": {"model_type": "bpe", "vocab_size": 320, "byte_fallback": True},
    "bpe, nmt_nfkc": {"model_type": "bpe", "vocab_size": 60},
    "bpe, lower case, symbols": {
        "model_type": "bpe", "vocab_size": 70, "normalization_rule_name": "nfkc_cf",
        "user_defined_symbols": ["<user>", "the-cat", "\u2581\u2581"], "add_dummy_prefix": False,
    },
    "bpe, nothing normalized": {
        "model_type": "bpe", "vocab_size": 60, "normalization_rule_name": "identity",
        "remove_extra_whitespaces": False, "control_symbols": ["<c>"],
    },
    "bpe, bytes, nothing normalized": {
        "model_type": "bpe", "vocab_size": 320, "byte_fallback": True, "normalization_rule_name": "identity",
        "remove_extra_whitespaces": False,
    },
    "bpe, symbols, space behind": {
        "model_type": "bpe", "vocab_size": 70, "user_defined_symbols": ["<user>", "mat", "\u2581x"],
        "treat_whitespace_as_suffix": True,
    },
    "bpe over spaces": {
        "model_type": "bpe", "vocab_size": 70, "split_by_whitespace": False, "add_dummy_prefix": False
    },
    "unigram, bytes, no space before, lower case": {
        "model_type": "unigram", "vocab_size": 320, "byte_fallback": True, "add_dummy_prefix": False,
        "normalization_rule_name": "nmt_nfkc_cf",
    },
    "unigram, space behind": {
        "model_type": "unigram", "vocab_size": 60, "treat_whitespace_as_suffix": True
    },
    "unigram over spaces": {"model_type": "unigram", "vocab_size": 60, "split_by_whitespace": False},
    "words": {"model_type": "word", "vocab_size": 14},
    "words and spaces": {
        "model_type": "word", "vocab_size": 14, "remove_extra_whitespaces": False,
        "user_defined_symbols": ["\u2581"],
    },
    "characters": {"model_type": "char", "vocab_size": 24},
}  # fmt: skip


@cache
def model_bytes(title: str) -> bytes:
    """Return the `.model` file of these options."""
    return trained_bytes(OPTIONS[title])


def trained_bytes(options: Mapping[str, Any]) -> bytes:
    """Return a `.model` file that the library trains with any options."""
    written = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(_CORPUS),
        model_writer=written,
        minloglevel=2,
        hard_vocab_limit=False,
        **options,
    )
    return written.getvalue()


@cache
def opened(title: str) -> SentencePieceFile:
    """Open the model in the app."""
    return SentencePieceFile("opened", LibraryFile.of("sentencepiece.model", model_bytes(title)))


def library_ids(title: str) -> Callable[[str], list[int]]:
    """Return the library's ids without spaces that it adds around a text and that cover nothing."""
    return library_ids_of(model_bytes(title))


def library_ids_of(raw: bytes) -> Callable[[str], list[int]]:
    """Return the library's ids for the bytes of a model."""
    processor = SentencePieceProcessor(model_proto=raw)

    def encode(text: str) -> list[int]:
        pieces = list(processor.encode(text, out_type="proto").pieces)
        for place in (0, -1):
            if pieces and pieces[place].piece == "\u2581" and not pieces[place].surface:
                del pieces[place]
        return [piece.id for piece in pieces]

    return encode
