"""Hugging Face's `tokenizer.json`, of byte-level BPE only: what goes beyond it is refused, not guessed."""

import json

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import VocabularyFileError
from playground.files.checks import Files, check_count, check_vocab, only_file, read_json, shown
from playground.files.gpt2 import VERSION_LINE, gpt2_vocab, model_of_gpt2_vocab
from playground.files.limits import MAX_ENTRIES
from playground.files.proof import Loaded
from playground.files.tokenizer_json_parts import (
    DOCUMENT,
    MODEL,
    check_harmless,
    check_part,
    read_special_tokens,
    read_tried_split,
)
from playground.files.tokenizers_library import load_document, split_expression


def write_tokenizer_json(model: BpeModel, name: str) -> Files:
    """Hugging Face's `tokenizer.json`, which `tokenizers` and `transformers` load."""
    split = [] if model.pattern.is_none else [
        {
            "type": "Split",
            "pattern": {"Regex": split_expression(model.pattern)},
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


def load_tokenizer_json(files: Files, _model: BpeModel) -> Loaded:
    """The file in Hugging Face's library. Raises CannotHoldError."""
    return load_document(only_file(files, ".json")[1])


def read_tokenizer_json(files: Files, _pattern: SplitPattern) -> BpeModel:
    """Read a byte-level BPE `tokenizer.json`. Raises VocabularyFileError."""
    file_name, text = only_file(files, ".json")
    document = check_part(
        read_json(text, file_name), DOCUMENT, file_name, may_lack=DOCUMENT.keys() - {"pre_tokenizer", "model"}
    )
    place = f"{file_name}, model"
    if isinstance(document["model"], dict) and document["model"].get("type", "BPE") != "BPE":
        raise VocabularyFileError(
            f"{place} is {shown(document['model']['type'])}; only byte-level BPE can be read here"
        )
    model = check_part(document["model"], MODEL, place, may_lack=MODEL.keys() - {"vocab", "merges"})
    vocab = check_vocab(model["vocab"], f"{place}, vocab")
    check_harmless(document.get("post_processor"), f"{file_name}, post_processor")
    check_harmless(document.get("decoder"), f"{file_name}, decoder")
    return model_of_gpt2_vocab(
        vocab,
        _read_pairs(model["merges"], f"{place}, merges"),
        read_tried_split(document["pre_tokenizer"], file_name),
        read_special_tokens(document.get("added_tokens", []), vocab, file_name),
        file_name=file_name,
        place_of_merge=lambda n: f"merge {n + 1} of model.merges",
    )


def _read_pairs(merges: object, place: str) -> list[list[object]]:
    """Pairs, from a list of pairs or, as older files have it, of lines with a space between the two."""
    if not isinstance(merges, list):
        raise VocabularyFileError(f"{place} must be a list, not {shown(merges)}")
    check_count(len(merges), "merges", MAX_ENTRIES, place)
    if not all(isinstance(pair, str) for pair in merges):
        return merges
    for n, line in enumerate(merges, start=1):
        if line.startswith(VERSION_LINE):
            raise VocabularyFileError(
                f"{place}: Hugging Face's library takes merge {n}, {shown(line)}, for a version and skips it"
            )
    return [line.split(" ") for line in merges]
