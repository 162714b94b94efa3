"""The tokenizer that `continued` and `pruned` start from, as a `BpeModel` that encodes counted pretokens."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from playground.bpe.model import BpeModel, recovered_merges
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.normalized import NormalizedTokenizer
from playground.catalog.ranked import RankedTokenizer
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError
from playground.core.tokenizer import Tokenizer
from playground.training.algorithms.learner import TrainingTexts
from playground.training.pretoken_counts import PretokenCounts

BaseTokenizer = TrainedTokenizer | RankedTokenizer


def base_of(tokenizer: Tokenizer) -> BaseTokenizer:
    """Return a tokenizer whose merges of bytes are known. Raises InvalidInputError for any other.

    >>> from playground.catalog.registry import get_tokenizer
    >>> base_of(get_tokenizer("gpt2")).name
    'gpt2'
    """
    if isinstance(tokenizer, TrainedTokenizer) and not tokenizer.model.removals:
        return tokenizer
    if isinstance(tokenizer, RankedTokenizer) and not tokenizer.cuts_like:
        return tokenizer
    if isinstance(tokenizer, TrainedTokenizer):
        reason = "has removed tokens besides its merges"
    elif isinstance(tokenizer, RankedTokenizer | NormalizedTokenizer):
        reason = "cuts or normalizes texts in a way that a file of merges can't describe"
    else:
        reason = "has no merges of bytes"
    raise InvalidInputError(
        f"{tokenizer.name} {reason}; choose byte-level BPE, such as gpt2, cl100k_base or a file of one"
    )


def base_for(texts: TrainingTexts) -> BaseTokenizer:
    """Return the tokenizer to start from. Raises InvalidInputError if it did not cut the texts."""
    if texts.base is None:
        raise InvalidInputError("there is no tokenizer to start from; choose one, such as gpt2")
    base = base_of(texts.base)
    if (own := SplitPattern.of(base.split_pattern)) != texts.pattern:
        raise InvalidInputError(
            f"{base.name} cuts texts by the pattern {own.name}, but this corpus is counts of texts cut by "
            f"{texts.pattern.name}; choose the texts themselves"
        )
    return base


def check_special_tokens(base: BaseTokenizer, special_tokens: Sequence[str]) -> None:
    """Raise InvalidInputError if a special token is not one of the base."""
    if others := [token for token in special_tokens if token not in base.special_tokens]:
        raise InvalidInputError(
            f"the special tokens of {base.name} are kept, and none is added; remove {', '.join(others)}"
        )


def bytes_by_id(raw_of: Mapping[int, bytes]) -> list[bytes]:
    """Return the bytes of each id up to the highest; b"" for ids without a token.

    >>> bytes_by_id({0: b"a", 2: b"b"})
    [b'a', b'', b'b']
    """
    return [raw_of.get(token_id, b"") for token_id in range(max(raw_of) + 1)]


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
    for raw, count in pretokens.items():
        yield list(base.encode_pretoken(raw.decode())), count


def count_tokens(base: BaseTokenizer, pretokens: PretokenCounts) -> int:
    """Return the number of tokens of a counted text."""
    return sum(len(ids) * count for ids, count in iter_encoded(base, pretokens))
