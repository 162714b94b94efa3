"""GPT-2's two files, `encoder.json` and `vocab.bpe`, and their spelling of bytes as characters."""

import json
from collections.abc import Mapping
from typing import Any

from playground.bpe.gpt2_bytes import from_gpt2_characters, to_gpt2_characters
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError, VocabularyFileError
from playground.files.checks import Files, byte_ids_of, only_file


def write_gpt2(model: BpeModel, name: str) -> Files:
    """GPT-2's two files: `encoder.json` (token to id) and `vocab.bpe` (the merges)."""
    vocab, merges = gpt2_vocab(model)
    merge_lines = "".join(f"{left} {right}\n" for left, right in merges)
    encoder = json.dumps(vocab | dict(model.special_tokens))
    return {f"{name}.encoder.json": encoder, f"{name}.vocab.bpe": "#version: 0.2\n" + merge_lines}


def read_gpt2(files: Files, pattern: SplitPattern) -> BpeModel:
    """Read `encoder.json` with `vocab.bpe`; they hold no split pattern. Raises VocabularyFileError."""
    encoder_name, encoder = only_file(files, "encoder.json")
    bpe_name, bpe = only_file(files, "vocab.bpe")
    try:
        vocab = {str(token): int(token_id) for token, token_id in json.loads(encoder).items()}
    except (ValueError, AttributeError, TypeError) as error:
        raise VocabularyFileError(f"{encoder_name} is not a JSON table of tokens: {error}") from None
    lines = [line for line in bpe.split("\n") if line and not line.startswith("#version")]
    pairs = [tuple(line.split(" ")) for line in lines]
    spelled = {"".join(pair) for pair in pairs} | {to_gpt2_characters(bytes([byte])) for byte in range(256)}
    special = {token: token_id for token, token_id in vocab.items() if token not in spelled}
    return model_of_gpt2_vocab(vocab, pairs, pattern, special, bpe_name)


def gpt2_vocab(model: BpeModel) -> tuple[dict[str, int], list[list[str]]]:
    """Tokens with their ids, and the merges, as GPT-2 spells them. Raises InvalidInputError."""
    raw_of = model.token_bytes()
    vocab: dict[str, int] = {}
    for token_id, raw in sorted(raw_of.items()):
        spelled = to_gpt2_characters(raw)
        if spelled in vocab:
            raise InvalidInputError(
                f"tokens {vocab[spelled]} and {token_id} both spell {raw!r}; this format holds only one "
                "of them: choose .model, or train with the tie rule hugging-face"
            )
        vocab[spelled] = token_id
    pairs = [
        [to_gpt2_characters(raw_of[left]), to_gpt2_characters(raw_of[right])]
        for left, right, _ in model.merges
    ]
    return vocab, pairs


def model_of_gpt2_vocab(
    vocab: Mapping[str, int],
    pairs: list[tuple[Any, ...]],
    pattern: SplitPattern,
    special_tokens: Mapping[str, int],
    file_name: str,
) -> BpeModel:
    """The model that GPT-2's spelling tells of. Raises VocabularyFileError."""
    try:
        ids = {from_gpt2_characters(t): int(i) for t, i in vocab.items() if t not in special_tokens}
        merges = tuple((vocab[left], vocab[right], vocab[left + right]) for left, right in pairs)
    except (KeyError, ValueError) as error:
        raise VocabularyFileError(
            f"{file_name} is not byte-level BPE: {error} is not in its vocabulary or not one of "
            "GPT-2's characters"
        ) from None
    return BpeModel(pattern, merges, dict(special_tokens), byte_ids_of(ids, file_name))
