"""BERT's `vocab.txt`: a piece a line, its id the number of the line; all else is the same for every BERT."""

from playground.core.errors import VocabularyFileError
from playground.files.checks import check_count, read_text, shown
from playground.files.limits import MAX_ENTRIES, MAX_SPECIAL_CHARS

#: The pieces with a meaning of their own; a file may lack all but the one for unknown words.
SPECIAL_PIECES = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
UNKNOWN_PIECE = "[UNK]"


def read_bert_vocab(raw: bytes, file_name: str) -> tuple[str, ...]:
    r"""The pieces by id. Raises VocabularyFileError.

    >>> read_bert_vocab(b"[UNK]\nthe\n##s\n", "vocab.txt")
    ('[UNK]', 'the', '##s')
    """
    lines = read_text(raw, file_name).removesuffix("\n").split("\n")
    check_count(len(lines), "lines", MAX_ENTRIES, file_name)
    pieces = tuple(line.removesuffix("\r") for line in lines)
    line_of: dict[str, int] = {}
    for number, piece in enumerate(pieces, start=1):
        if not 0 < len(piece) <= MAX_SPECIAL_CHARS:
            raise VocabularyFileError(
                f"{file_name}, line {number}, has {len(piece):,} characters; "
                f"a piece has 1 to {MAX_SPECIAL_CHARS}"
            )
        if line_of.setdefault(piece, number) != number:
            raise VocabularyFileError(
                f"{file_name}, line {number}: {shown(piece)} is in line {line_of[piece]} already"
            )
    if UNKNOWN_PIECE not in line_of:
        raise VocabularyFileError(
            f"{file_name} has no piece {UNKNOWN_PIECE}; BERT's vocab.txt has a piece a line, that one too"
        )
    return pieces


def is_cased(pieces: tuple[str, ...]) -> bool:
    """Whether pieces keep capital letters: then a text keeps its own, and its accents.

    >>> is_cased(("[UNK]", "the")), is_cased(("[UNK]", "The"))
    (False, True)
    """
    return any(piece != piece.lower() for piece in pieces if not piece.startswith("["))
