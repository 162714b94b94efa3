"""The tokenizer that `continued` and `pruned` start from, as a `BpeModel` that encodes counted pretokens."""

from collections.abc import Iterator
from dataclasses import replace

from playground.bpe.model import BpeModel, recovered_merges
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.normalized import NormalizedTokenizer
from playground.catalog.ranked import RankedTokenizer
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError
from playground.core.tokenizer import Tokenizer
from playground.training.pretoken_counts import PretokenCounts

BaseTokenizer = TrainedTokenizer | RankedTokenizer


def base_of(tokenizer: Tokenizer) -> BaseTokenizer:
    """Return a tokenizer whose merges of bytes are known. Raises InvalidInputError for any other.

    >>> from playground.catalog.registry import get_tokenizer
    >>> base_of(get_tokenizer("gpt2")).name
    'gpt2'
    """
    if isinstance(tokenizer, TrainedTokenizer):
        return tokenizer
    if isinstance(tokenizer, RankedTokenizer) and not tokenizer.cuts_like:
        return tokenizer
    if isinstance(tokenizer, RankedTokenizer | NormalizedTokenizer):
        reason = "cuts or normalizes texts in a way that a file of merges can't describe"
    else:
        reason = "has no merges of bytes"
    raise InvalidInputError(
        f"{tokenizer.name} {reason}; choose byte-level BPE, such as gpt2, cl100k_base or a file of one"
    )


def model_of_base(base: BaseTokenizer) -> BpeModel:
    """Return the merges, byte ids, split pattern and special tokens of a base. Raises InvalidInputError.

    >>> from playground.catalog.registry import get_tokenizer
    >>> len(model_of_base(get_tokenizer("gpt2")).merges)
    50000
    """
    if isinstance(base, TrainedTokenizer):
        return replace(base.model, read_from=None)
    ranks = base.mergeable_ranks
    byte_ids = tuple([ranks[bytes([byte])] for byte in range(256)])
    pattern = SplitPattern.of(base.split_pattern)
    return BpeModel(pattern, recovered_merges(ranks), dict(base.special_tokens), byte_ids)


def iter_encoded(base: BaseTokenizer, pretokens: PretokenCounts) -> Iterator[tuple[list[int], int]]:
    """Yield the ids of each distinct pretoken and its count."""
    for number, count in enumerate(pretokens.counts.tolist()):
        yield list(base.encode_pretoken(pretokens.pretoken(number).decode())), count


def count_tokens(base: BaseTokenizer, pretokens: PretokenCounts) -> int:
    """Return the number of tokens of a counted text."""
    return sum(len(ids) * count for ids, count in iter_encoded(base, pretokens))
