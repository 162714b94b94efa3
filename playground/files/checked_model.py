"""The last door of every reader: a model whose tokens hold together, so that what passes can be used."""

from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import VocabularyFileError
from playground.core.tokenizer import replace_lone_surrogates
from playground.files.checks import check_count, check_id, shown
from playground.files.limits import (
    MAX_ENTRIES,
    MAX_SPECIAL_CHARS,
    MAX_SPECIAL_TOKENS,
    MAX_TOKEN_BYTES,
    MAX_TOTAL_BYTES,
)


def check_special_token(token: str, place: str) -> None:
    """Raise VocabularyFileError for a special token that no text can spell, or that is too long."""
    if not token:
        raise VocabularyFileError(f"{place}: a special token is empty; it needs one character or more")
    if len(token) > MAX_SPECIAL_CHARS:
        raise VocabularyFileError(
            f"{place}: a special token has {len(token):,} characters; the limit is {MAX_SPECIAL_CHARS}"
        )
    if replace_lone_surrogates(token) != token:
        raise VocabularyFileError(f"{place}: the special token {shown(token)} holds half a surrogate pair")


def checked_model(
    pattern: SplitPattern,
    merges: Sequence[tuple[int, int, int]],
    special_tokens: Mapping[str, int],
    byte_ids: tuple[int, ...],
    *,
    file_name: str,
    place_of_merge: Callable[[int], str],
) -> BpeModel:
    """The model, where each merge joins tokens that are there, each id is one token and no limit is passed.

    A merge may give an id again, as another way to the same bytes; that they are the same is for the reader
    to see to. `place_of_merge(n)` tells where merge n stands. Raises: VocabularyFileError.
    """

    def refuse(n: int, what: str) -> NoReturn:
        raise VocabularyFileError(f"{file_name}, {place_of_merge(n)}: {what}")

    check_count(len(merges), "merges", MAX_ENTRIES, file_name)
    check_count(len(special_tokens), "special tokens", MAX_SPECIAL_TOKENS, file_name)
    n_bytes_of = dict.fromkeys(byte_ids, 1)
    n_total = 0
    pairs = set()
    for n, (left, right, new_id) in enumerate(merges):
        if left not in n_bytes_of or right not in n_bytes_of:
            unknown = right if left in n_bytes_of else left
            refuse(n, f"token {unknown} is not a byte, and no earlier merge makes it")
        if (left, right) in pairs:
            refuse(n, f"the tokens {left} and {right} have merged before; a pair merges once")
        pairs.add((left, right))
        n_bytes = n_bytes_of[left] + n_bytes_of[right]
        if n_bytes_of.setdefault(new_id, n_bytes) != n_bytes:
            refuse(n, f"its id, {new_id}, is that of another token; each needs an id of its own")
        if n_bytes > MAX_TOKEN_BYTES:
            refuse(n, f"its token has {n_bytes:,} bytes; the limit is {MAX_TOKEN_BYTES:,}")
        n_total += n_bytes
        if n_total > MAX_TOTAL_BYTES:
            refuse(n, f"all tokens up to here have {n_total:,} bytes; the limit is {MAX_TOTAL_BYTES:,}")
    token_of: dict[int, str] = {}
    for token, token_id in special_tokens.items():
        place = f"{file_name}, special token {shown(token)}"
        check_special_token(token, place)
        check_id(token_id, place)
        if token_id in n_bytes_of or token_of.setdefault(token_id, token) != token:
            raise VocabularyFileError(
                f"{place}: its id, {token_id}, is that of another token; each needs an id of its own"
            )
    return BpeModel(pattern, tuple(merges), dict(special_tokens), byte_ids)
