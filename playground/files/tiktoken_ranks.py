"""tiktoken's file of ranks, and the Python that loads it: no merges, no split pattern, no special tokens."""

import base64
import binascii

from playground.bpe.merge_recovery import recovered_merges
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError, VocabularyFileError
from playground.files.checks import Files, byte_ids_of, only_file


def write_tiktoken(model: BpeModel, name: str) -> Files:
    """tiktoken's ranks: base64 of the bytes, a space, the rank, a line each."""
    for token_id in model.misfits():
        raw = model.token_bytes()[token_id]
        raise InvalidInputError(
            f"a .tiktoken file cannot hold token {token_id} ({raw!r}): ranks alone would merge it "
            "elsewhere too; choose .model or tokenizer.json"
        )
    ranks = sorted(model.mergeable_ranks().items(), key=lambda item: item[1])
    lines = (f"{base64.b64encode(raw).decode()} {rank}\n" for raw, rank in ranks)
    return {f"{name}.tiktoken": "".join(lines)}


def read_tiktoken(files: Files, pattern: SplitPattern) -> BpeModel:
    """Read ranks and recover the merges; the file holds no split pattern. Raises VocabularyFileError."""
    file_name, text = only_file(files, ".tiktoken")
    ranks: dict[bytes, int] = {}
    for line_number, line in enumerate(text.splitlines(), start=1):
        try:
            if line.strip():
                token, rank = line.split()
                ranks[base64.b64decode(token, validate=True)] = int(rank)
        except (ValueError, binascii.Error) as error:
            raise VocabularyFileError(
                f"{file_name}, line {line_number}, is not base64, a space and a rank: {error}"
            ) from None
    byte_ids = byte_ids_of(ranks, file_name)
    try:
        return BpeModel(pattern, recovered_merges(ranks), {}, byte_ids)
    except InvalidInputError as error:
        raise VocabularyFileError(f"{file_name}: {error}") from None


def tiktoken_snippet(model: BpeModel, name: str) -> str:
    """Python that loads the `.tiktoken` file with the real library."""
    return tiktoken_program(model, name, f'open("{name}.tiktoken")') + 'print(encoding.encode("Hello world"))'


def tiktoken_program(model: BpeModel, name: str, opening: str) -> str:
    """Python that builds the real library's `encoding` from a file of ranks; `opening` opens the file."""
    expression = model.pattern.expression or r"(?s:.+)"
    return "\n".join(
        [
            *(["import gzip"] if opening.startswith("gzip.") else []),
            "import base64",
            "import tiktoken",
            "",
            "# Not load_tiktoken_bpe: it keeps a copy of the first file of this name and never looks again.",
            f"with {opening} as file:",
            "    ranks = {base64.b64decode(token): int(rank) for token, rank in map(str.split, file)}",
            "encoding = tiktoken.Encoding(",
            f"    name={name!r},",
            f"    pat_str={expression!r},",
            "    mergeable_ranks=ranks,",
            f"    special_tokens={dict(model.special_tokens)!r},",
            ")",
            "",
        ]
    )
