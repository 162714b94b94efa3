"""Word vectors from counted neighbours: weighted by PPMI and shortened by an SVD.

The choices follow Levy, Goldberg and Dagan, "Improving Distributional Similarity with Lessons Learned from
Word Embeddings" (2015): contexts smoothed by a power of 0.75, half of the singular values in the vectors.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import regex
from threadpoolctl import threadpool_limits

#: The least number of occurrences of a word with a vector, the window on each side, and the vectors' length.
N_LEAST, N_WINDOW, N_DIMS = 10, 2, 32
_SMOOTHING = 0.75
_WORD = r"[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)?"


@dataclass(frozen=True, eq=False)
class WordVectors:
    """A vector of length 1 for each frequent word, the most frequent first.

    `n_read` and `places` are by lower-case word: its occurrences, and the index of its vector.
    """

    words: Sequence[str]
    rows: Any
    n_read: Mapping[str, int]
    places: Mapping[str, int]

    def row_of(self, word: str) -> int | None:
        """Return the index of a word's vector, regardless of case; None if it has none."""
        return self.places.get(word.casefold())

    def nearest(self, row: int, n: int) -> list[tuple[int, float]]:
        """Return the vectors with the highest cosine to one, without itself, and the cosines."""
        cosines = self.rows @ self.rows[row]
        cosines[row] = -np.inf
        best = np.argsort(-cosines, kind="stable")[:n].tolist()
        return [(other, float(cosines[other])) for other in best]


def words_of(text: str) -> list[str]:
    """Return the words of a text with their original case.

    >>> words_of("Everest's top -- at 8,849 m.")
    ["Everest's", 'top', 'at', 'm']
    """
    return regex.findall(_WORD, text)


def word_vectors_of(text: str, n_least: int = N_LEAST) -> WordVectors:
    """Return vectors of the words that occur at least `n_least` times.

    >>> learned = word_vectors_of("a cat sat, a dog sat; a cat ran, a dog ran; " * 10)
    >>> learned.words[learned.nearest(learned.words.index("cat"), 1)[0][0]]
    'dog'
    """
    spelled = words_of(text)
    read = [word.casefold() for word in spelled]
    n_read = Counter(read)
    known = [word for word, n in n_read.most_common() if n >= n_least]
    row_of = {word: row for row, word in enumerate(known)}
    ids = np.array([row_of.get(word, -1) for word in read])
    rows = short_rows(ppmi(count_near(ids, len(known))), N_DIMS)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    commonest = {word.casefold(): word for word, _ in reversed(Counter(spelled).most_common())}
    return WordVectors([commonest[word] for word in known], rows, n_read, row_of)


def count_near(ids: Any, n_words: int) -> Any:
    """Count how often two words are at most `N_WINDOW` apart; -1 marks a word without a vector.

    >>> count_near(np.array([0, 1, 0]), 2).astype(int).tolist()
    [[2, 2], [2, 0]]
    """
    counts = np.zeros(n_words * n_words)
    for distance in range(1, N_WINDOW + 1):
        left, right = ids[:-distance], ids[distance:]
        both = (left >= 0) & (right >= 0)
        counts += np.bincount(left[both] * n_words + right[both], minlength=n_words * n_words)
    square = counts.reshape(n_words, n_words)
    return square + square.T


def ppmi(counts: Any) -> Any:
    """Return how much more often two words meet than by chance, as a logarithm; at least 0."""
    n_of_word = counts.sum(axis=1)
    of_context = n_of_word**_SMOOTHING
    of_context /= of_context.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        more_often = np.log(counts / (n_of_word[:, None] * of_context))
    return np.maximum(np.nan_to_num(more_often, nan=0.0), 0)


def short_rows(matrix: Any, n_dims: int) -> Any:
    """Return vectors of `n_dims` numbers: left singular vectors times the roots of their singular values.

    They are computed as eigenvectors of the matrix times its transpose, whose eigenvalues are the squares.
    Uses one thread: on busy cores, several threads wait for each other for seconds.
    """
    with threadpool_limits(1, user_api="blas"):
        squares, vectors = np.linalg.eigh(matrix @ matrix.T)
    largest = slice(-1, -n_dims - 1, -1)
    return vectors[:, largest] * np.maximum(squares[largest], 0) ** 0.25
