"""Trace: a text as a tokenizer cuts it into pretokens and builds the tokens of each.

What is drawn from a trace, and how, is decided elsewhere.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import assert_never

from playground.bpe.merging import merge_trees
from playground.core.building import Building, Given, Lattice, Merged, MergeNode, Pretoken, Probed
from playground.core.tokenizer import Tokenizer, replace_lone_surrogates
from playground.core.vocabulary import Vocabulary


@dataclass(frozen=True)
class Trace:
    """A text as a tokenizer builds it; pretokens and buildings are in text order, one for the other.

    >>> from playground.catalog.registry import get_tokenizer
    >>> trace = trace_text(get_tokenizer("gpt2"), "Hello Hello")
    >>> trace.ids, trace.n_merges
    ((15496, 18435), 9)
    """

    text: str
    pretokens: tuple[Pretoken, ...]
    buildings: tuple[Building, ...]

    @cached_property
    def ids(self) -> tuple[int, ...]:
        """The token ids, in text order."""
        return tuple(token_id for building in self.buildings for token_id in building.ids)

    @cached_property
    def n_merges(self) -> int:
        """How many merges the whole text takes."""
        return sum(len(building.steps) for building in self.buildings if isinstance(building, Merged))

    @cached_property
    def n_tries(self) -> int:
        """How many pieces are looked for, longest first."""
        return sum(len(building.probes) for building in self.buildings if isinstance(building, Probed))

    @cached_property
    def n_pieces(self) -> int:
        """How many pieces fit and are weighed by their scores."""
        return sum(len(building.edges) for building in self.buildings if isinstance(building, Lattice))


def trace_text(tokenizer: Tokenizer, text: str) -> Trace:
    """Cut a text and build each pretoken; one that comes again costs nothing.

    Raises: UnknownTokenError, for a byte that the vocabulary lacks; InvalidInputError, for a typed split
    pattern that never ends.
    """
    text = replace_lone_surrogates(text)
    pretokens = tuple(tokenizer.iter_pretokens(text))
    texts = [pretoken.text for pretoken in pretokens]
    distinct = dict(zip(texts, pretokens, strict=True))
    built = {text: tokenizer.build(pretoken) for text, pretoken in distinct.items()}
    return Trace(text, pretokens, tuple([built[text] for text in texts]))


def token_trees(building: Building, vocabulary: Vocabulary) -> tuple[MergeNode, ...]:
    """The tree inside each token of a pretoken, in text order; a leaf where nothing is merged.

    >>> from playground.catalog.registry import get_tokenizer
    >>> token_trees(Given((97,)), get_tokenizer("utf8_bytes").vocabulary)
    (MergeNode(raw=b'a', id=97, rank=-1, children=(), step=0),)
    """
    match building:
        case Merged():
            return merge_trees(building)
        case Lattice() | Probed() | Given():
            return tuple([MergeNode(vocabulary.raw_of(token_id), token_id) for token_id in building.ids])
        case _:
            assert_never(building)


def text_trees(trace: Trace, vocabulary: Vocabulary) -> Iterator[MergeNode]:
    """Yield the tree inside each token of a traced text, in text order."""
    trees: dict[str, tuple[MergeNode, ...]] = {}
    for pretoken, building in zip(trace.pretokens, trace.buildings, strict=True):
        if pretoken.text not in trees:
            trees[pretoken.text] = token_trees(building, vocabulary)
        yield from trees[pretoken.text]
