"""karpathy/minbpe's two files: `.model`, which it loads, and `.vocab`, which people read."""

import io
import unicodedata

import regex

from playground.bpe import lecture
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SPLIT_PATTERNS, SplitPattern
from playground.core.errors import CannotHoldError, VocabularyFileError
from playground.files.checks import (
    Files,
    check_count,
    check_special_token,
    checked_model,
    only_file,
    read_id,
    read_number,
    read_pattern,
    shown,
)
from playground.files.limits import MAX_SPECIAL_TOKENS
from playground.files.proof import Loaded, library_errors


def write_minbpe(model: BpeModel, name: str) -> Files:
    """Return the `.model` and the `.vocab`. Raises CannotHoldError."""
    model.need_plain_merges()
    _need_bytes_first(model, ".model")
    model.need_merges(".model")
    if "\n" in model.pattern.expression or model.pattern.expression != model.pattern.expression.strip():
        raise CannotHoldError(
            "a .model file holds the split pattern on one line without surrounding spaces; this one does not "
            "fit"
        )
    for token in model.special_tokens:
        if len(token.split()) != 1 or token != token.strip():
            raise CannotHoldError(
                f"a .model file cannot hold the special token {shown(token)}: minbpe splits lines at spaces"
            )
    lines = ["minbpe v1", model.pattern.expression, str(len(model.special_tokens))]
    # The longest first, because minbpe takes the first of two that start together.
    longest_first = sorted(model.special_tokens.items(), key=lambda item: -len(item[0]))
    lines += [f"{token} {token_id}" for token, token_id in longest_first]
    lines += [f"{left} {right}" for left, right, _ in model.merges]
    return {f"{name}.model": "\n".join(lines) + "\n", f"{name}.vocab": _vocab_text(model)}


def load_minbpe(files: Files, _model: BpeModel) -> Loaded:
    """Load the `.model` by the rule of minbpe's code, because minbpe is not an installable package.

    Source: `load` of minbpe/base.py, and `encode` of minbpe/regex.py with all special tokens allowed. Raises:
    CannotHoldError.
    """
    _, text = only_file(files, ".model")
    library = "minbpe, by the rule of its code"
    with library_errors(library):
        lines = iter(io.StringIO(text, newline=None))
        next(lines)
        expression = next(lines).strip()
        special: dict[str, int] = {}
        for _ in range(int(next(lines))):
            token, token_id = next(lines).strip().split()
            special[token] = int(token_id)
        merges: dict[tuple[int, int], int] = {}
        for line in lines:
            left, right = map(int, line.split())
            merges[left, right] = 256 + len(merges)
        pattern = regex.compile(expression or r"(?s:.+)")
        if pattern.groups:
            raise CannotHoldError("minbpe takes a group's text for the whole match; write (?:…) for (…)")
        parts = regex.compile("(" + "|".join(map(regex.escape, special)) + ")") if special else None

    def encode(text: str) -> list[int]:
        ids: list[int] = []
        for part in parts.split(text) if parts else [text]:
            if part in special:
                ids.append(special[part])
            else:
                for pretoken in pattern.findall(part):
                    ids.extend(lecture.encode(pretoken.encode(), merges))
        return ids

    return Loaded(library, encode, pattern.findall, _note(expression))


def _note(expression: str) -> str:
    """Say how to load a file in minbpe, whose `RegexTokenizer.load` keeps GPT-4's compiled pattern."""
    if not expression:
        return "Load it with minbpe's BasicTokenizer."
    if expression == SPLIT_PATTERNS["cl100k"]:
        return ""
    return (
        "minbpe's load() keeps GPT-4's pattern: after it, run "
        "tokenizer.compiled_pattern = regex.compile(tokenizer.pattern)."
    )


def read_minbpe(files: Files, _pattern: SplitPattern | None) -> BpeModel:
    """Read a `.model`; special tokens may contain spaces. Raises VocabularyFileError."""
    file_name, text = only_file(files, ".model")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines[0].strip() != "minbpe v1":
        raise VocabularyFileError(
            f"{file_name} is not a SentencePiece model; line 1 of a minbpe model is 'minbpe v1', "
            f"not {shown(lines[0])}"
        )
    if len(lines) < 3:
        raise VocabularyFileError(
            f"{file_name} ends after line {len(lines)}; line 2 is the split pattern, line 3 the number of "
            "special tokens"
        )
    pattern = read_pattern(lines[1].strip(), f"{file_name}, line 2")
    n_special = read_number(lines[2].strip(), f"{file_name}, line 3, the number of special tokens")
    check_count(n_special, "special tokens", MAX_SPECIAL_TOKENS, file_name)
    special_tokens = _read_special_tokens(lines[3 : 3 + n_special], n_special, file_name)
    merges: list[tuple[int, int, int]] = []
    line_numbers: list[int] = []
    for line_number, line in enumerate(lines[3 + n_special :], start=4 + n_special):
        if line.strip():
            place = f"{file_name}, line {line_number}"
            left, _, right = line.strip().partition(" ")
            if not left or not right:
                raise VocabularyFileError(f"{place}, is {shown(line)}, not two ids and a space between them")
            merges.append((read_id(left, place), read_id(right, place), 256 + len(merges)))
            line_numbers.append(line_number)
    return checked_model(
        pattern,
        merges,
        special_tokens,
        tuple(range(256)),
        file_name=file_name,
        place_of_merge=lambda n: f"line {line_numbers[n]}",
    )


def _read_special_tokens(lines: list[str], n_special: int, file_name: str) -> dict[str, int]:
    special_tokens: dict[str, int] = {}
    for line_number, line in enumerate(lines, start=4):
        place = f"{file_name}, line {line_number}"
        token, _, token_id = line.rstrip().rpartition(" ")
        check_special_token(token, place)
        if token in special_tokens:
            raise VocabularyFileError(f"{place}: the special token {shown(token)} comes twice")
        special_tokens[token] = read_id(token_id, place)
    if len(special_tokens) != n_special:
        raise VocabularyFileError(f"{file_name} ends before the last of its {n_special} special tokens")
    return special_tokens


def _need_bytes_first(model: BpeModel, ending: str) -> None:
    in_order = all(new_id == 256 + rank for rank, (_, _, new_id) in enumerate(model.merges))
    if model.byte_ids != tuple(range(256)) or not in_order:
        raise CannotHoldError(
            f"a {ending} file numbers bytes 0 to 255 and merges from 256 on; this tokenizer's ids differ"
        )


def _vocab_text(model: BpeModel) -> str:
    raw_of = model.token_bytes()
    lines = [f"[{_printable(raw_of[byte])}] {byte}" for byte in range(256)]
    for left, right, new_id in model.merges:
        sides = f"[{_printable(raw_of[left])}][{_printable(raw_of[right])}]"
        lines.append(f"{sides} -> [{_printable(raw_of[new_id])}] {new_id}")
    lines += [f"[{token}] {token_id}" for token, token_id in model.special_tokens.items()]
    return "\n".join(lines) + "\n"


def _printable(raw: bytes) -> str:
    text = raw.decode(errors="replace")
    return "".join(c if unicodedata.category(c)[0] != "C" else f"\\u{ord(c):04x}" for c in text)
