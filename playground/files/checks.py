"""What all readers of tokenizer files ask first: the right file, and a token for each byte."""

from collections.abc import Mapping

from playground.core.errors import VocabularyFileError

#: Names of files and their text.
Files = dict[str, str]


def only_file(files: Files, ending: str) -> tuple[str, str]:
    """The name and text of the one file with an ending. Raises VocabularyFileError."""
    found = [(name, text) for name, text in files.items() if name.endswith(ending)]
    if len(found) != 1:
        raise VocabularyFileError(f"expected one file that ends in {ending}, not {len(found)}")
    return found[0]


def byte_ids_of(ranks: Mapping[bytes, int], file_name: str) -> tuple[int, ...]:
    """The ids of the 256 bytes. Raises VocabularyFileError."""
    missing = [byte for byte in range(256) if bytes([byte]) not in ranks]
    if missing:
        raise VocabularyFileError(
            f"{file_name} has no token for byte 0x{missing[0]:02X}; a byte-level tokenizer has all 256"
        )
    return tuple(ranks[bytes([byte])] for byte in range(256))
