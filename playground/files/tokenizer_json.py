"""Hugging Face's `tokenizer.json`, of byte-level BPE only: what goes beyond it is refused, not guessed."""

import json
from typing import Any

from playground.bpe.model import BpeModel
from playground.bpe.pretokenize import SPLIT_PATTERNS
from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import VocabularyFileError
from playground.files.checks import Files, only_file
from playground.files.gpt2 import gpt2_vocab, model_of_gpt2_vocab

#: The patterns as Hugging Face's regex engine (Oniguruma) reads them: there `{1,3}+` repeats a repeat and
#: `$` stands at each line's end. Equal on the texts of tests/files/test_files.py.
HUGGING_FACE_PATTERNS = {
    "gpt2": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "cl100k": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+\z"
        r"|\s*[\r\n]|\s+(?!\S)|\s"
    ),
    "o200k": SPLIT_PATTERNS["o200k"],
    "llama3": SPLIT_PATTERNS["llama3"],
}


def write_tokenizer_json(model: BpeModel, name: str) -> Files:
    """Hugging Face's `tokenizer.json`, which `tokenizers` and `transformers` load."""
    split = [] if model.pattern.is_none else [
        {
            "type": "Split",
            "pattern": {"Regex": HUGGING_FACE_PATTERNS.get(model.pattern.name, model.pattern.expression)},
            "behavior": "Isolated",
            "invert": False,
        }
    ]  # fmt: skip
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    added = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    vocab, merges = gpt2_vocab(model)
    document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": token_id, "content": token, **added} for token, token_id in model.special_tokens.items()
        ],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [*split, byte_level]},
        "post_processor": None,
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": vocab,
            "merges": merges,
        },
    }
    return {f"{name}.json": json.dumps(document, ensure_ascii=False, indent=1)}


def read_tokenizer_json(files: Files, _pattern: SplitPattern) -> BpeModel:
    """Read a byte-level BPE `tokenizer.json`. Raises VocabularyFileError."""
    file_name, text = only_file(files, ".json")
    try:
        document = json.loads(text)
        if document["model"]["type"] != "BPE":
            raise VocabularyFileError(
                f"{file_name} holds a {document['model']['type']} model; only byte-level BPE can be read here"
            )
        special = {token["content"]: int(token["id"]) for token in document.get("added_tokens") or []}
        pattern = _pattern_of(document.get("pre_tokenizer"), file_name)
        pairs = [
            tuple(pair.split(" ")) if isinstance(pair, str) else tuple(pair)
            for pair in document["model"]["merges"]
        ]
        return model_of_gpt2_vocab(document["model"]["vocab"], pairs, pattern, special, file_name)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise VocabularyFileError(
            f"{file_name} is not a Hugging Face tokenizer.json of byte-level BPE: {error!r}"
        ) from None


def _pattern_of(pre_tokenizer: Any, file_name: str) -> SplitPattern:
    steps = [] if pre_tokenizer is None else pre_tokenizer.get("pretokenizers", [pre_tokenizer])
    expression = ""
    for step in steps:
        if step["type"] == "Split" and "Regex" in step["pattern"] and not step.get("invert"):
            expression = step["pattern"]["Regex"]
        elif step["type"] == "ByteLevel":
            if step.get("use_regex", True):
                return SplitPattern.named("gpt2")
        else:
            raise VocabularyFileError(
                f"{file_name} splits with {step['type']!r}; only a Split by a regular expression and "
                "ByteLevel can be read here"
            )
    for name, known in HUGGING_FACE_PATTERNS.items():
        if expression == known:
            return SplitPattern.named(name)
    return SplitPattern.typed(expression)
