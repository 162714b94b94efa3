"""Prune: remove the tokens of a BPE tokenizer that a text does not use.

The 256 bytes stay, so that every text can still be encoded. A token stays if the text uses it often enough,
or if a token that stays is merged from it, however often; all others are removed with their merges. Because a
token has one pair of parts, a text that uses only tokens that stay is encoded as before.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Literal, get_args

from playground.bpe.model import BpeModel
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError
from playground.training.algorithms.base import BaseTokenizer, iter_encoded, model_of_base
from playground.training.pretoken_counts import PretokenCounts

#: What happens to the ids: each stays as it is, or they are numbered again without gaps.
Numbering = Literal["kept", "renumbered"]


@dataclass(frozen=True, slots=True)
class Pruned:
    """A pruned tokenizer, and its tokens by their ids in the base.

    `removed` maps an id to its bytes. `scaffold` are ids that stay only because longer tokens are merged from
    them. `new_ids` maps each id that stays, special tokens included, to its new id.
    """

    tokenizer: TrainedTokenizer
    removed: dict[int, bytes]
    scaffold: tuple[int, ...]
    new_ids: dict[int, int]


def prune(
    base: BaseTokenizer,
    pretokens: PretokenCounts,
    *,
    min_count: int = 1,
    ids: Numbering = "kept",
    name: str = "",
) -> Pruned:
    """Remove the tokens that occur less than `min_count` times; `pretokens` are cut as the base cuts.

    >>> from playground.bpe.split_pattern import SplitPattern
    >>> from playground.catalog.registry import get_tokenizer
    >>> from playground.training.pretoken_counts import count_pretokens
    >>> texts = count_pretokens(["Hello world"], SplitPattern.named("gpt2"))
    >>> found = prune(get_tokenizer("gpt2"), texts, ids="renumbered")
    >>> len(found.tokenizer.vocabulary), [found.new_ids[n] for n in (15496, 995, 50256)]
    (266, [264, 262, 265])

    Raises InvalidInputError.
    """
    if min_count < 1:
        raise InvalidInputError(f"a minimum count of {min_count:,} makes no sense; choose 1 or more")
    if ids not in get_args(Numbering):
        raise InvalidInputError(f"ids can't be {ids!r}; choose {' or '.join(get_args(Numbering))}")
    model = model_of_base(base)
    raw_of = model.token_bytes()
    n_uses: Counter[int] = Counter()
    for found, count in iter_encoded(base, pretokens):
        for token_id in found:
            n_uses[token_id] += count
    used = {token_id for token_id, n in n_uses.items() if n >= min_count}
    stays = used | set(model.byte_ids)
    for left, right, new_id in reversed(model.merges):  # parts are older than what is merged from them
        if new_id in stays:
            stays |= {left, right}
    merges = [merge for merge in model.merges if merge[2] in stays]
    special_tokens = dict(model.special_tokens)
    new_ids = {token_id: token_id for token_id in (*stays, *special_tokens.values())}
    if ids == "renumbered":
        ordinary = sorted(stays)
        special_ids = sorted(set(special_tokens.values()) - stays)
        new_ids = {token_id: n for n, token_id in enumerate([*ordinary, *special_ids])}
    pruned = BpeModel(
        model.pattern,
        tuple((new_ids[left], new_ids[right], new_ids[new_id]) for left, right, new_id in merges),
        {token: new_ids[token_id] for token, token_id in special_tokens.items()},
        tuple(new_ids[token_id] for token_id in model.byte_ids),
        tuple((raw, new_ids[token_id]) for raw, token_id in model.whole if token_id in stays),
    )
    return Pruned(
        TrainedTokenizer(name or f"{base.name}-pruned", pruned),
        removed={token_id: raw for token_id, raw in raw_of.items() if token_id not in stays},
        scaffold=tuple(sorted(stays - used - set(model.byte_ids))),
        new_ids=new_ids,
    )
