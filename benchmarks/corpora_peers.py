"""Other tokenizers on a file, each a whole process: `python -m benchmarks.corpora_peers NAME FILE [IDS]`.

Each prints the number of tokens of cl100k_base; with a third argument it writes them to a `.npy`, too.
"""

import sys
import tempfile
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from playground.bpe.safe_cuts import SafeCuts, iter_safe_blocks, safe_cut_of
from playground.catalog.openai import load_openai

_PIECE = 1_000_000  # characters


def _pieces(file: Path) -> Iterator[str]:
    """Yield pieces of the text whose ids join to those of the whole."""
    with file.open(encoding="utf-8", newline="") as text:
        yield from iter_safe_blocks(iter(partial(text.read, _PIECE), ""), SafeCuts(safe_cut_of("cl100k")))


def tiktoken(file: Path) -> Iterable[list[int]]:
    """Call `encode_ordinary` in a loop."""
    return map(load_openai("cl100k_base").encoding.encode_ordinary, _pieces(file))


def gigatoken(file: Path) -> Iterable[Any]:
    """Encode the file with gigatoken's own reader, in one thread."""
    from gigatoken import TextFileSource

    found: Iterable[Any] = gigatoken_tokenizer().encode_files(TextFileSource([str(file)]), parallel=False)
    return found


def gigatoken_tokenizer() -> Any:
    """Return cl100k_base in gigatoken."""
    from gigatoken import Tokenizer

    ranks = load_openai("cl100k_base").mergeable_ranks
    with tempfile.NamedTemporaryFile(suffix=".tiktoken") as vocabulary:
        vocabulary.write(b"".join(b64encode(raw) + b" %d\n" % rank for raw, rank in ranks.items()))
        vocabulary.flush()
        return Tokenizer.from_tiktoken(vocabulary.name, pretokenizer="cl100k")


#: By the name of the required module.
PEERS: dict[str, Callable[[Path], Iterable[Any]]] = {
    "tiktoken": tiktoken,
    "gigatoken": gigatoken,
}


def main() -> None:
    name, file, *out = sys.argv[1:]
    found = PEERS[name](Path(file))
    if out:
        ids = np.concatenate([np.array(piece, np.uint32) for piece in found])
        np.save(out[0], ids)
        print(len(ids))
    else:
        print(sum(map(len, found)))


if __name__ == "__main__":
    main()
