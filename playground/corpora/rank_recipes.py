"""What the compiled encoder needs to know of a tokenizer that merges by rank within a known split pattern."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from playground.bpe.split_pattern import OPEN_MODEL_PATTERNS, SPLIT_PATTERNS
from playground.catalog.normalized import NormalizedTokenizer, nfc_text
from playground.catalog.ranked import RankedTokenizer
from playground.core.tokenizer import Tokenizer
from playground.core.vocabulary import Ids
from playground.training.kernel.rank_lines import read_rank_lines
from playground.training.kernel.rank_table import MAX_TOKENS, TokenRow

#: Split pattern to the name of its compiled scanner. Whisper's spelling of GPT-2's cuts alike.
_SCANNER_OF = {expression: name for name, expression in SPLIT_PATTERNS.items()} | {
    OPEN_MODEL_PATTERNS["qwen"]: "qwen",
    OPEN_MODEL_PATTERNS["tekken"]: "tekken",
    OPEN_MODEL_PATTERNS["gpt2"]: "gpt2",
}


@dataclass(frozen=True)
class RankRecipe:
    """Tokens in the order of their ranks with their ids, the scanner, and what is done to a text before."""

    tokens: TokenRow
    ids: Ids
    scanner: str
    normalize: Callable[[str], str] | None = None


def recipe_of(tokenizer: Tokenizer) -> RankRecipe | None:
    """The recipe of a tokenizer, None where it merges otherwise or its pattern has no compiled scanner.

    >>> from playground.catalog.registry import get_tokenizer
    >>> recipe_of(get_tokenizer("gpt2")).scanner, recipe_of(get_tokenizer("characters"))
    ('gpt2', None)
    """
    normalize = None
    if isinstance(tokenizer, NormalizedTokenizer):
        normalize, tokenizer = partial(nfc_text, nfc=tokenizer.nfc), tokenizer.base
    if not isinstance(tokenizer, RankedTokenizer):
        from playground.catalog.trained import TrainedTokenizer  # only here: it brings the readers of files

        if not isinstance(tokenizer, TrainedTokenizer) or not tokenizer.is_exact_in_tiktoken:
            return None
    scanner = _SCANNER_OF.get(tokenizer.split_pattern)
    if scanner is None:
        return None
    lines = tokenizer.rank_lines if isinstance(tokenizer, RankedTokenizer) else None
    tokens, ids = _sorted(tokenizer.mergeable_ranks) if lines is None else read_rank_lines(lines)
    if tokens.n_tokens > MAX_TOKENS or not tokens.has_all_bytes():
        return None  # a byte without a token is an error that its library tells
    return RankRecipe(tokens, ids, scanner, normalize)


def _sorted(ranks: Mapping[bytes, int]) -> tuple[TokenRow, Ids]:
    tokens, ids = list(ranks), np.fromiter(ranks.values(), np.uint32, len(ranks))
    order = np.argsort(ids, kind="stable")  # most files have them in order
    return TokenRow.of([tokens[n] for n in order.tolist()]), ids[order]
