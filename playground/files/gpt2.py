"""GPT-2's two files, `encoder.json` and `vocab.bpe`."""

import json
from collections.abc import Callable, Mapping, Sequence

from playground.bpe.gpt2_bytes import to_gpt2_characters
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import CannotHoldError, VocabularyFileError
from playground.files.checks import (
    Files,
    byte_ids_of,
    check_vocab,
    checked_model,
    only_file,
    read_json,
    shown,
)
from playground.files.proof import Loaded
from playground.files.tokenizers_library import load_two_files

#: The first line of a `vocab.bpe`. Tools skip every line that begins like this, even a merge.
VERSION_LINE = "#version"


def write_gpt2(model: BpeModel, name: str) -> Files:
    """Return GPT-2's two files: `encoder.json` (token to id) and `vocab.bpe` (the merges).

    Raises CannotHoldError.
    """
    model.need_plain_merges()
    model.need_merges("vocab.bpe")
    vocab, merges = gpt2_vocab(model)
    for left, right in merges:
        if left.startswith(VERSION_LINE):
            raise CannotHoldError(
                f"a vocab.bpe cannot hold the merge {left} {right}: tools leave out lines that begin so"
            )
    merge_lines = "".join(f"{left} {right}\n" for left, right in merges)
    return {
        f"{name}.encoder.json": json.dumps(vocab),
        f"{name}.vocab.bpe": f"{VERSION_LINE}: 0.2\n{merge_lines}",
    }


def load_gpt2(files: Files, model: BpeModel) -> Loaded:
    """Load the two files in Hugging Face's library, adding the split pattern and special tokens.

    Raises: CannotHoldError.
    """
    _, encoder = only_file(files, "encoder.json")
    _, bpe = only_file(files, "vocab.bpe")
    try:  # a special token may look like a token whose merge is missing
        read_gpt2(files, model.pattern)
    except VocabularyFileError as error:
        raise CannotHoldError(f"these files could not be read back: {error}") from None
    return load_two_files(encoder, bpe, model.pattern, model.special_tokens)


def read_gpt2(files: Files, pattern: SplitPattern | None) -> BpeModel:
    """Read `encoder.json` with `vocab.bpe`, which contain no split pattern; GPT-2's own code has GPT-2's.

    A token that no merge makes is a special token, unless two known tokens join to it: then a line is
    missing. Raises VocabularyFileError.
    """
    encoder_name, encoder = only_file(files, "encoder.json")
    bpe_name, bpe = only_file(files, "vocab.bpe")
    vocab = check_vocab(read_json(encoder, encoder_name), encoder_name)
    lines = [(n, line.rstrip("\r")) for n, line in enumerate(bpe.split("\n"), start=1)]
    if lines[0][1].startswith(VERSION_LINE):
        lines = lines[1:]
    lines = [(n, line) for n, line in lines if line]
    pairs = [line.split(" ") for _, line in lines]
    line_numbers = [n for n, _ in lines]

    def place_of_merge(n: int) -> str:
        return f"line {line_numbers[n]}"

    made = {"".join(pair) for pair in pairs} | {to_gpt2_characters(bytes([byte])) for byte in range(256)}
    special = {token: token_id for token, token_id in vocab.items() if token not in made}
    model = model_of_gpt2_vocab(
        vocab,
        pairs,
        pattern or SplitPattern.named("gpt2"),
        special,
        file_name=bpe_name,
        place_of_merge=place_of_merge,
    )
    _check_no_merge_is_missing(model, special, bpe_name)
    return model


def gpt2_vocab(model: BpeModel) -> tuple[dict[str, int], list[list[str]]]:
    """Return the tokens with their ids, including special ones, and the merges, in GPT-2's spelling.

    Raises: CannotHoldError.
    """
    raw_of = model.token_bytes()
    vocab: dict[str, int] = {}
    for token_id, raw in sorted(raw_of.items()):
        spelled = to_gpt2_characters(raw)
        if spelled in vocab:
            raise CannotHoldError(
                f"tokens {vocab[spelled]} and {token_id} both spell {raw!r}; this format holds only one "
                "of them: choose .model, or train with the tie rule hugging-face"
            )
        vocab[spelled] = token_id
    for token, token_id in model.special_tokens.items():
        if token in vocab:
            raise CannotHoldError(
                f"this format spells the special token {shown(token)} as it spells token {vocab[token]}, and "
                "holds only one of them: choose .model or .tiktoken"
            )
        vocab[token] = token_id
    pairs = [
        [to_gpt2_characters(raw_of[left]), to_gpt2_characters(raw_of[right])]
        for left, right, _ in model.merges
    ]
    return vocab, pairs


def model_of_gpt2_vocab(
    vocab: Mapping[str, int],
    pairs: Sequence[Sequence[object]],
    pattern: SplitPattern,
    special_tokens: Mapping[str, int],
    *,
    file_name: str,
    place_of_merge: Callable[[int], str],
) -> BpeModel:
    """Return the model of a vocabulary and merges in GPT-2's spelling; ids are already checked.

    Raises: VocabularyFileError.
    """
    spelled = {bytes([byte]): to_gpt2_characters(bytes([byte])) for byte in range(256)}
    byte_ids = byte_ids_of({raw: vocab[token] for raw, token in spelled.items() if token in vocab}, file_name)
    merges = []
    for n, pair in enumerate(pairs):
        match pair:
            case [str(left), str(right)] if left in vocab and right in vocab and left + right in vocab:
                merges.append((vocab[left], vocab[right], vocab[left + right]))
            case [str(left), str(right)]:
                missing = next(token for token in (left, right, left + right) if token not in vocab)
                raise VocabularyFileError(
                    f"{file_name}, {place_of_merge(n)}: token {shown(missing)} is not in the vocabulary"
                )
            case _:
                raise VocabularyFileError(
                    f"{file_name}, {place_of_merge(n)}: {shown(pair)} is not a pair of tokens"
                )
    model = checked_model(
        pattern, merges, special_tokens, byte_ids, file_name=file_name, place_of_merge=place_of_merge
    )
    made = {*byte_ids, *(new_id for _, _, new_id in merges), *special_tokens.values()}
    if len(made) < len(vocab):
        token, token_id = next((token, token_id) for token, token_id in vocab.items() if token_id not in made)
        raise VocabularyFileError(
            f"{file_name}: no merge makes token {token_id}, {shown(token)}, and it is not a special token; "
            "is a merge missing?"
        )
    return model


def _check_no_merge_is_missing(model: BpeModel, special_tokens: Mapping[str, int], file_name: str) -> None:
    """Raise VocabularyFileError if two tokens join to a special token, so that a merge is missing."""
    id_of = {to_gpt2_characters(raw): token_id for token_id, raw in model.token_bytes().items()}
    for token, token_id in special_tokens.items():
        for n in range(1, len(token)):
            left, right = id_of.get(token[:n], token_id), id_of.get(token[n:], token_id)
            if left < token_id and right < token_id:
                raise VocabularyFileError(
                    f"{file_name} has no merge that makes token {token_id}, {shown(token)}, though its parts "
                    f"{shown(token[:n])} and {shown(token[n:])} are tokens: a line is missing"
                )
