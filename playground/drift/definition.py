"""The definition of a tokenizer: two tokenizers with equal definitions encode every text alike."""

import json
from typing import Any

from playground.catalog.extended import WithSpecialTokens
from playground.catalog.normalized import NormalizedTokenizer
from playground.catalog.opened import WithAddedTokens
from playground.catalog.ranked import RankedTokenizer
from playground.catalog.sentencepiece_file import SentencePieceFile
from playground.catalog.tokenizer_json_file import TokenizerJsonFile
from playground.catalog.trained import TrainedTokenizer
from playground.catalog.wordpiece import WordPieceTokenizer
from playground.core.tokenizer import Tokenizer

#: The parts of a tokenizer.json on which ids depend. Tokens around a text (post_processor) are not compared.
_PARTS = ("normalizer", "pre_tokenizer", "model", "added_tokens")


def equal_by_definition(one: Tokenizer, other: Tokenizer) -> str:
    """Return why two tokenizers encode every text alike, as a sentence; "" if there is no proof.

    >>> from playground.catalog.registry import get_tokenizer
    >>> equal_by_definition(get_tokenizer("gpt2"), get_tokenizer("r50k_base"))
    'They have the same pattern, ranks and special tokens.'
    >>> equal_by_definition(get_tokenizer("gpt2"), get_tokenizer("cl100k_base"))
    ''
    """
    if one is other:
        return "They are the same tokenizer."
    mine, its = _definition(one), _definition(other)
    if mine is None or mine != its:
        return ""
    return f"They have the same {mine[0]}."


def _definition(tokenizer: Tokenizer) -> tuple[str, Any] | None:
    """Return what the parts of a definition are called, and the parts; None for kinds that have none here."""
    match tokenizer:
        case NormalizedTokenizer():
            base = _definition(tokenizer.base)
            return base and (f"normalization, {base[0]}", base[1])
        case WithAddedTokens() | WithSpecialTokens():
            base = _definition(tokenizer.base)
            return base and (base[0], (base[1], dict(tokenizer.extra)))
        case RankedTokenizer():
            return _of_ranks(tokenizer)
        case TrainedTokenizer() if tokenizer.is_exact_in_tiktoken:
            return _of_ranks(tokenizer)
        case TrainedTokenizer():
            model = tokenizer.model
            rules = (model.byte_ids, model.merges, model.whole, model.removals)
            own = (tokenizer.split_pattern, rules, dict(tokenizer.special_tokens))
            return "pattern, merges and special tokens", own
        case TokenizerJsonFile():
            document = json.loads(tokenizer.model.raw)
            parts = {name: document.get(name) for name in _PARTS}
            return "normalizer, pre-tokenizer, model and added tokens", parts
        case SentencePieceFile() | WordPieceTokenizer():
            added = tokenizer.config.added if tokenizer.config else ()
            return "file", (tokenizer.model.kind, tokenizer.model.raw, added)
    return None


def _of_ranks(tokenizer: RankedTokenizer | TrainedTokenizer) -> tuple[str, Any]:
    parts = (tokenizer.split_pattern, tokenizer.mergeable_ranks, dict(tokenizer.special_tokens))
    return "pattern, ranks and special tokens", parts
