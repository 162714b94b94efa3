"""Count the tokens of files for several tokenizers, reading each file once in bounded memory."""

import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from playground.core.errors import PlaygroundError
from playground.core.tokenizer import Tokenizer
from playground.corpora.blocks import Block, common_cuts, iter_blocks
from playground.corpora.cores import encoders_of, iter_done
from playground.corpora.encoders import Encoder
from playground.corpora.sources import Source
from playground.corpora.streams import OnRead, unheard
from playground.corpora.text_files import n_bytes_of

N_CORES = min(4, os.cpu_count() or 1)


@dataclass(frozen=True, slots=True)
class FileCount:
    """Counts of one file, or the total; tokens in the order of the tokenizers."""

    file: str
    tokens: tuple[int, ...]
    bytes: int
    characters: int
    documents: int
    left_out_rows: int = 0

    @property
    def bytes_per_token(self) -> tuple[float, ...]:
        """Bytes per token for each tokenizer; 0.0 without tokens."""
        return tuple(self.bytes / n if n else 0.0 for n in self.tokens)

    @property
    def tokens_per_document(self) -> tuple[float, ...]:
        """Tokens of a document on average, for each tokenizer; 0.0 without documents."""
        return tuple(n / self.documents if self.documents else 0.0 for n in self.tokens)

    @classmethod
    def total_of(cls, file: str, counts: Sequence["FileCount | Tally"], n_tokenizers: int) -> "FileCount":
        """Return the sum of counts."""
        return cls(
            file,
            tuple(sum(count.tokens[k] for count in counts) for k in range(n_tokenizers)),
            sum(count.bytes for count in counts),
            sum(count.characters for count in counts),
            sum(count.documents for count in counts),
            sum(count.left_out_rows for count in counts),
        )


@dataclass(frozen=True, slots=True)
class Counted:
    """Counts of the files that could be read, and error messages for the others."""

    files: list[FileCount]
    errors: list[str]
    by_library: list[str]  # names of tokenizers whose own library encoded much text, which is slow

    def total(self, n_tokenizers: int) -> FileCount:
        """Return the sum over all files."""
        return FileCount.total_of("total", self.files, n_tokenizers)


def count_tokens(
    sources: Sequence[Source],
    tokenizers: Sequence[Tokenizer],
    *,
    allow_special: bool = False,
    n_cores: int = N_CORES,
    on_read: OnRead = unheard,
) -> Counted:
    """Count the tokens of each file; a file that cannot be read becomes an error message.

    Bytes and characters are those of the texts, without the rows around them.
    """
    errors: dict[int, str] = {}
    tallies: dict[int, Tally] = defaultdict(lambda: Tally([0] * len(tokenizers)))
    cuts = common_cuts(tokenizers, allow_special=allow_special)

    def note(number: int, error: PlaygroundError) -> None:
        errors.setdefault(number, str(error))

    blocks = iter_blocks(sources, cuts, on_read=on_read, on_error=note)
    encoders = encoders_of(tokenizers, allow_special=allow_special)
    n_bytes = sum(source.n_bytes for source in sources)
    counts = iter_done(
        blocks, count_block, encoders, allow_special=allow_special, n_cores=n_cores, n_bytes=n_bytes
    )
    for block, found in counts:
        if isinstance(found, str):
            errors.setdefault(block.file, f"{sources[block.file].path}: {found}")
        else:
            tallies[block.file].add(block, found)
    files = [
        FileCount.total_of(source.path, [tallies[number]], len(tokenizers))
        for number, source in enumerate(sources)
        if number not in errors
    ]
    n_characters = sum(count.characters for count in files)
    return Counted(
        files, [errors[number] for number in sorted(errors)], names_by_library(encoders, n_characters)
    )


def count_block(encoders: Sequence[Encoder], block: Block) -> list[int] | str:
    """Return the number of tokens of a block for each encoder, or the error message of a tokenizer."""
    try:
        return [sum(encoder.lengths(block.texts)) for encoder in encoders]
    except PlaygroundError as error:  # such as for a byte that the vocabulary does not have
        return str(error)


def names_by_library(encoders: Sequence[Encoder], n_characters: int) -> list[str]:
    """Return the names of the tokenizers whose own library encodes so much text."""
    return [encoder.tokenizer.name for encoder in encoders if encoder.needs_library(n_characters)]


@dataclass(slots=True)
class Tally:
    """The counts of a file so far; tokens in the order of the tokenizers."""

    tokens: list[int]
    bytes: int = 0
    characters: int = 0
    documents: int = 0
    left_out_rows: int = 0

    def add(self, block: Block, n_tokens: Sequence[int]) -> None:
        """Add the counts of a block."""
        self.tokens = [sum(pair) for pair in zip(self.tokens, n_tokens, strict=True)]
        self.characters += block.n_characters
        self.bytes += sum(map(n_bytes_of, block.texts))
        self.documents += len(block.texts) if block.ends else 0
        self.left_out_rows += block.n_left_out
