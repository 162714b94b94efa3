"""karpathy/minbpe's two files: `.model`, which it loads, and `.vocab`, which people read."""

import unicodedata

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError, VocabularyFileError
from playground.files.checks import Files, only_file


def write_minbpe(model: BpeModel, name: str) -> Files:
    """karpathy/minbpe's `.model`, which it loads, and `.vocab`, which people read."""
    _need_bytes_first(model, ".model")
    if "\n" in model.pattern.expression or model.pattern.expression != model.pattern.expression.strip():
        raise InvalidInputError(
            "a .model file holds the split pattern on one line, without space around it; this does not fit"
        )
    lines = ["minbpe v1", model.pattern.expression, str(len(model.special_tokens))]
    lines += [f"{token} {token_id}" for token, token_id in model.special_tokens.items()]
    lines += [f"{left} {right}" for left, right, _ in model.merges]
    return {f"{name}.model": "\n".join(lines) + "\n", f"{name}.vocab": _vocab_text(model)}


def read_minbpe(files: Files, _pattern: SplitPattern) -> BpeModel:
    """Read a `.model`; special tokens may hold spaces. Raises VocabularyFileError."""
    file_name, text = only_file(files, ".model")
    lines = text.split("\n")
    line_number = 1
    try:
        if lines[0].strip() != "minbpe v1":
            raise ValueError(f"the first line is {lines[0][:40]!r}, not 'minbpe v1'")
        pattern = SplitPattern.typed(lines[1].strip())
        line_number = 3
        n_special = int(lines[2])
        special_tokens = {}
        for line_number, line in enumerate(lines[3 : 3 + n_special], start=4):  # noqa: B007
            token, _, token_id = line.rpartition(" ")
            special_tokens[token] = int(token_id)
        merges: list[tuple[int, int, int]] = []
        for line_number, line in enumerate(lines[3 + n_special :], start=4 + n_special):  # noqa: B007
            if line.strip():
                left, right = map(int, line.split())
                new_id = 256 + len(merges)
                if not (0 <= left < new_id and 0 <= right < new_id):
                    raise ValueError(f"ids {left} and {right} are not both below {new_id}")
                merges.append((left, right, new_id))
    except (ValueError, IndexError) as error:
        raise VocabularyFileError(
            f"{file_name}, line {line_number}, is not a minbpe model: {error}"
        ) from None
    return BpeModel(pattern, tuple(merges), special_tokens)


def _need_bytes_first(model: BpeModel, ending: str) -> None:
    in_order = all(new_id == 256 + rank for rank, (_, _, new_id) in enumerate(model.merges))
    if model.byte_ids != tuple(range(256)) or not in_order:
        raise InvalidInputError(
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
