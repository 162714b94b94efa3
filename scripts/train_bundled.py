"""Train `python_docs_4k` again: python -m scripts.train_bundled [FOLDER], assets/vocabularies by default.

The corpus is the text of `pydoc_data.topics` of Python 3.11.7; another version's differs in places.
"""

import gzip
import hashlib
import sys
from pathlib import Path

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.shipped_vocabularies import VOCABULARY_DIR
from playground.files.tiktoken_ranks import write_tiktoken
from playground.training.algorithms.bpe import BpeLearner
from playground.training.corpora import manual
from playground.training.pretoken_counts import count_pretokens

NAME = "python_docs_4k"
N_VOCAB = 4096
CORPUS_HASH = "37d06970fc926e60c16dff401e441b84752446a36b6b64516c229fdec77e992c"


def corpus_hash() -> str:
    """Return the SHA-256 of the joined texts of this Python's corpus."""
    return hashlib.sha256("".join(manual().texts).encode()).hexdigest()


def train() -> str:
    """Train, and return the ranks in the format of a `.tiktoken` file."""
    pattern = SplitPattern.named("cl100k")
    trainer = BpeLearner(count_pretokens(manual().texts, pattern), pattern=pattern, vocab_size=N_VOCAB)
    trainer.advance()
    return write_tiktoken(trainer.model(), NAME)[f"{NAME}.tiktoken"]


def main() -> None:
    """Write the file and print its entry for NOTICE."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else VOCABULARY_DIR
    if corpus_hash() != CORPUS_HASH:
        sys.exit(f"error: the corpus has SHA-256 {corpus_hash()}, Python 3.11.7's has {CORPUS_HASH}")
    content = train().encode()
    packed = gzip.compress(content, mtime=0)
    path = folder / f"{NAME}.tiktoken.gz"
    path.write_bytes(packed)
    print(f"{path}: {len(packed):,} bytes")
    print(f"  sha256 {hashlib.sha256(packed).hexdigest()}")
    print(f"  content {hashlib.sha256(content).hexdigest()}")


if __name__ == "__main__":
    main()
