"""Count the tokens of files for several tokenizers, reading each file once in bounded memory."""

import os
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from playground.core.errors import PlaygroundError
from playground.core.tokenizer import NO_SPECIAL, Tokenizer
from playground.corpora.blocks import Block, common_cuts, iter_blocks
from playground.corpora.encoders import Encoder, TextCounter, encoder_for_any_size
from playground.corpora.sources import Source
from playground.corpora.streams import OnRead
from playground.corpora.text_files import n_bytes_of
from playground.training.shared_iterator import SharedIterator

N_THREADS = min(4, os.cpu_count() or 1)
#: Blocks in a row for several tokenizers: each change of tokenizer loads other tables into the cache.
_N_FOR_SEVERAL = 4


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
    n_threads: int = N_THREADS,
    on_read: OnRead = lambda _n_bytes: None,
) -> Counted:
    """Count the tokens of each file; a file that cannot be read becomes an error message.

    Bytes and characters are those of the texts, without the rows around them.
    """
    errors: dict[int, str] = {}
    blocks = SharedIterator(
        iter_blocks(
            sources,
            common_cuts(tokenizers, allow_special=allow_special),
            on_read=on_read,
            on_error=lambda number, error: errors.update({number: str(error)}),
            n_together=1 if len(tokenizers) == 1 else _N_FOR_SEVERAL,
        )
    )
    n_bytes = sum(source.n_bytes for source in sources)
    encoders = [
        encoder_for_any_size(
            tokenizer,
            allowed_special=frozenset(tokenizer.special_tokens) if allow_special else NO_SPECIAL,
            n_expected=n_bytes // 4,  # a character has four bytes at most
        )
        for tokenizer in tokenizers
    ]
    if n_threads == 1:
        tallies = [_tally(blocks, encoders, errors, sources)]
    else:
        with ThreadPoolExecutor(n_threads) as pool:
            futures = [
                pool.submit(_tally, blocks, [encoder.fork() for encoder in encoders], errors, sources)
                for _ in range(n_threads)
            ]
            try:
                tallies = [future.result() for future in futures]
            finally:
                blocks.stop()  # whatever ended it, Ctrl-C too: the other threads take no more
    files = [
        FileCount.total_of(
            source.path, [tally[number] for tally in tallies if number in tally], len(tokenizers)
        )
        for number, source in enumerate(sources)
        if number not in errors
    ]
    by_library = [
        tokenizer.name
        for tokenizer, encoder in zip(tokenizers, encoders, strict=True)
        if not encoder.is_compiled
    ]
    return Counted(files, [errors[number] for number in sorted(errors)], by_library)


@dataclass(slots=True)
class Tally:
    """The counts of a file so far; tokens in the order of the tokenizers."""

    tokens: list[int]
    bytes: int = 0
    characters: int = 0
    documents: int = 0
    left_out_rows: int = 0

    def add(self, block: Block, counter: TextCounter) -> None:
        """Count a block. Raises PlaygroundError, such as for a byte that the vocabulary does not have."""
        for k, n_tokens in enumerate(counter.count(block.texts)):
            self.tokens[k] += n_tokens
        self.characters += block.n_characters
        self.bytes += sum(map(n_bytes_of, block.texts))
        self.documents += len(block.texts) if block.ends else 0
        self.left_out_rows += block.n_left_out


def _tally(
    blocks: SharedIterator[Block],
    encoders: Sequence[Encoder],
    errors: dict[int, str],
    sources: Sequence[Source],
) -> dict[int, Tally]:
    tallies: dict[int, Tally] = defaultdict(lambda: Tally([0] * len(encoders)))
    counter = TextCounter(encoders)
    for block in blocks:
        if block.file in errors:
            continue
        try:
            tallies[block.file].add(block, counter)
        except PlaygroundError as error:
            errors[block.file] = f"{sources[block.file].path}: {error}"
    return dict(tallies)
