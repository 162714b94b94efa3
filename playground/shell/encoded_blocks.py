"""Encoding a file block by block, on several cores, with the ids of the whole text."""

from collections.abc import Callable, Iterator
from functools import partial

from playground.bpe.safe_cuts import SafeCuts, iter_safe_blocks
from playground.core.encoding import Encoding
from playground.core.tokenizer import Tokenizer
from playground.corpora.encoding_together import iter_encoded
from playground.corpora.text_files import iter_text_chunks, open_binary


def iter_encoded_blocks(
    tokenizer: Tokenizer,
    path: str,
    *,
    n_threads: int,
    allow_special: bool = False,
    on_read: Callable[[int], None] = lambda _n_bytes: None,
) -> Iterator[tuple[str, Encoding]]:
    """`(block, ids)` in file order; both join to the whole file's.

    A few blocks are in memory at a time. Where a text has no place at which it can be cut, the block
    is the whole text. `on_read` is told the bytes of each read. Raises InvalidInputError.
    """
    allowed = frozenset(tokenizer.special_tokens) if allow_special else frozenset[str]()
    cuts = SafeCuts(tokenizer.safe_cut, allowed)

    def read(file_path: str) -> Iterator[str]:
        with open_binary(file_path) as file:
            for text, n_bytes in iter_text_chunks(file_path, file):
                on_read(n_bytes)
                yield text

    encode = partial(tokenizer.encode, allowed_special=allowed)
    # tiktoken lets go of the interpreter while it encodes, so threads share the work.
    return iter_encoded(iter_safe_blocks(read(path), cuts), encode, n_threads)
