"""`--pattern`: a split pattern by its name, by the name of a tokenizer that has one, or an expression."""

from playground.bpe.split_pattern import SPLIT_PATTERNS, SplitPattern
from playground.catalog.normalized import NormalizedTokenizer
from playground.catalog.registry import get_tokenizer, is_known
from playground.core.errors import InvalidInputError


def chosen_pattern(text: str) -> SplitPattern:
    """The pattern that is meant. Raises InvalidInputError.

    >>> chosen_pattern("cl100k_base").name, chosen_pattern("gpt-4o").name, chosen_pattern("none").name
    ('cl100k', 'o200k', 'none')
    """
    if text in SPLIT_PATTERNS or not is_known(text):
        return SplitPattern.parse(text)
    tokenizer = get_tokenizer(text)
    if isinstance(tokenizer, NormalizedTokenizer):
        tokenizer = tokenizer.base
    if not tokenizer.split_pattern:
        raise InvalidInputError(f"--pattern {text}: {tokenizer.name} has no split pattern; it cuts otherwise")
    return SplitPattern.typed(tokenizer.split_pattern)
