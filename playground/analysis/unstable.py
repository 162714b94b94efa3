"""What the end of a text may yet become: the tokens that more text can change, and those it can change to."""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nsmallest

from playground.catalog.extended import WithSpecialTokens
from playground.catalog.ranked import RankedTokenizer
from playground.core.tokenizer import Tokenizer

#: What ends a text is looked at in these bounds: each byte of it is tried as the end of what stays.
_MAX_LAST_BYTES, _MAX_LAST_SPACES, _MAX_TAIL_CHARS = 40, 4, 500


@dataclass(frozen=True, slots=True)
class Unstable:
    """The end of a text: `n_tokens` of its tokens may change; `first` are the shortest completions, as texts.

    A completion is what those tokens may become, as few tokens as cover them.
    """

    n_tokens: int
    n_completions: int
    first: tuple[str, ...]


def find_unstable(tokenizer: Tokenizer, text: str, *, max_shown: int = 12) -> Unstable | None:
    """What the end may become; None where that is not known, or too much to try.

    It is known of byte-level tokenizers that tiktoken runs. Source: tiktoken's `encode_with_unstable`.

    >>> from playground.catalog.openai import load_openai
    >>> unstable = find_unstable(load_openai("gpt2"), "Hello worl", max_shown=2)
    >>> unstable.n_tokens, unstable.n_completions, unstable.first
    (2, 324, (' world', ' worldwide'))
    """
    if isinstance(tokenizer, WithSpecialTokens):
        tokenizer = tokenizer.base
    if not isinstance(tokenizer, RankedTokenizer):
        return None
    words = _last_words(tokenizer, text)
    if not words or _is_too_long(text, words):
        return None
    tail = "".join(words)
    n_stable, completions = split_unstable(tokenizer, tail)
    first = _shortest(completions, max_shown)
    return Unstable(
        len(tokenizer.encode(tail)) - n_stable,
        len(completions),
        tuple(tokenizer.decode(ids) for ids in first),
    )


def split_unstable(tokenizer: RankedTokenizer, text: str) -> tuple[int, list[list[int]]]:
    """How many tokens stay whatever follows, and what the ids of the rest may become.

    >>> from playground.catalog.openai import load_openai
    >>> n_stable, completions = split_unstable(load_openai("gpt2"), "Hello worl")
    >>> n_stable, len(completions), [995] in completions
    (1, 324, True)
    """
    stable, completions = tokenizer.encoding.encode_with_unstable(text, disallowed_special=())
    return len(stable), [*completions]


def _shortest(completions: Sequence[list[int]], n: int) -> list[list[int]]:
    """The first of them, by how many ids they have and by these; most often those of one id are enough."""
    single = [ids for ids in completions if len(ids) == 1]
    if len(single) >= n:
        return nsmallest(n, single)
    return nsmallest(n, completions, key=lambda ids: (len(ids), ids))


def _last_words(tokenizer: RankedTokenizer, text: str) -> list[str]:
    """The last three pretokens; none where the text is long and has no safe cut near its end."""
    start = max(0, len(text) - _MAX_TAIL_CHARS)
    if start:
        cut = None if tokenizer.safe_cut is None else tokenizer.safe_cut.search(text, start)
        if cut is None:
            return []
        start = cut.start()
    return [pretoken.text for pretoken in tokenizer.iter_pretokens(text[start:])][-3:]


def _is_too_long(text: str, words: Sequence[str]) -> bool:
    n_spaces = len(text) - len(text.rstrip())
    return max(len(word.encode()) for word in words) > _MAX_LAST_BYTES or n_spaces > _MAX_LAST_SPACES
