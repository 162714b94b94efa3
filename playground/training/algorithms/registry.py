"""The table of training algorithms, in the order in which the page and the shell list them."""

from collections.abc import Mapping

from playground.core.errors import InvalidInputError
from playground.training.algorithms.bpe import BPE
from playground.training.algorithms.character_bpe import CHARACTER_BPE
from playground.training.algorithms.continued import CONTINUE
from playground.training.algorithms.learner import Algorithm
from playground.training.algorithms.parity import PARITY
from playground.training.algorithms.picky import PICKY
from playground.training.algorithms.pruned import PRUNE
from playground.training.algorithms.superbpe import SUPERBPE
from playground.training.algorithms.unigram import UNIGRAM
from playground.training.algorithms.word_tables import CHARACTERS, WORDS
from playground.training.algorithms.wordpiece import WORDPIECE

ALGORITHMS: Mapping[str, Algorithm] = {
    algorithm.name: algorithm
    for algorithm in (
        BPE,
        CHARACTER_BPE,
        SUPERBPE,
        PARITY,
        PICKY,
        UNIGRAM,
        WORDPIECE,
        WORDS,
        CHARACTERS,
        CONTINUE,
        PRUNE,
    )
}


def get_algorithm(name: str) -> Algorithm:
    """Return an algorithm by its name. Raises InvalidInputError that lists the names.

    >>> get_algorithm("bpe").title
    'BPE'
    """
    if name not in ALGORITHMS:
        raise InvalidInputError(f"unknown algorithm {name!r}; choose from {', '.join(ALGORITHMS)}")
    return ALGORITHMS[name]
