"""GGUF files for tests, written from vocabularies that ship with the app."""

import struct
from collections.abc import Mapping
from typing import Any

from playground.catalog.shipped_vocabularies import read_vocabulary

_CODES = {bool: (7, "?"), int: (4, "I"), float: (6, "f")}


def _text(text: str) -> bytes:
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def _value(value: Any) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    if isinstance(value, list):
        kind = type(value[0])
        head = struct.pack("<IIQ", 9, 8 if kind is str else 5 if kind is int else 6, len(value))
        if kind is str:
            return head + b"".join(map(_text, value))
        return head + struct.pack(f"<{len(value)}{'i' if kind is int else 'f'}", *value)
    number, code = _CODES[type(value)]
    return struct.pack(f"<I{code}", number, value)


def gguf_file(entries: Mapping[str, Any], *, weights: bytes = b"") -> bytes:
    """Return a GGUF file; a key without a dot gets the prefix `tokenizer.ggml.`."""
    named = {key if "." in key else f"tokenizer.ggml.{key}": value for key, value in entries.items()}
    body = b"".join(_text(key) + _value(value) for key, value in named.items())
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(named)) + body + weights


def gpt2_entries() -> dict[str, Any]:
    """Return the entries of GPT-2's tokenizer, as llama.cpp converts it."""
    from playground.bpe.gpt2_bytes import GPT2_BYTE_ORDER, to_gpt2_characters

    merges = read_vocabulary("vocab.bpe.gz").decode().splitlines()[1:]
    tokens = [to_gpt2_characters(bytes([byte])) for byte in GPT2_BYTE_ORDER]
    tokens += [merge.replace(" ", "") for merge in merges] + ["<|endoftext|>"]
    return {
        "general.architecture": "gpt2",
        "model": "gpt2",
        "pre": "gpt-2",
        "tokens": tokens,
        "token_type": [1] * (len(tokens) - 1) + [3],
        "merges": merges,
        "bos_token_id": len(tokens) - 1,
        "eos_token_id": len(tokens) - 1,
    }


def bert_entries() -> dict[str, Any]:
    """Return the entries of BERT's tokenizer, as llama.cpp converts it: word starts are marked."""
    pieces = read_vocabulary("bert_uncased.txt.gz").decode().splitlines()
    marked = [
        piece[2:] if piece.startswith("##") else piece if piece[:1] == "[" and piece[1:] else f"\u2581{piece}"
        for piece in pieces
    ]
    return {"model": "bert", "pre": "bert-bge", "tokens": marked, "token_type": [1] * len(marked),
            "unknown_token_id": 100}  # fmt: skip


def mistral_entries() -> dict[str, Any]:
    """Return the entries of Mistral 7B's tokenizer, as llama.cpp converts it."""
    from sentencepiece import sentencepiece_model_pb2

    model = vars(sentencepiece_model_pb2)["ModelProto"].FromString(read_vocabulary("mistral_v1.model.gz"))
    return {
        "model": "llama",
        "pre": "default",
        "tokens": [piece.piece for piece in model.pieces],
        "scores": [piece.score for piece in model.pieces],
        "token_type": [piece.type for piece in model.pieces],
        "unknown_token_id": 0,
        "tokenizer.chat_template": "{{ bos_token }}{{ messages[0]['content'] }}",
        "bos_token_id": 1,
    }
