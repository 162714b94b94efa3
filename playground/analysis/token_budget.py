"""Cut a text into chunks of at most a number of tokens, with overlap, never inside a character."""

from collections.abc import Iterator
from dataclasses import dataclass

from playground.core.errors import InvalidInputError
from playground.core.tokenizer import NO_SPECIAL, Tokenizer
from playground.core.tokens import Segmentation

#: Limit on repeated tokens, which are all encoded again and held in memory.
MAX_REPEATED_TOKENS = 2_000_000


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a text that fits the budget; the character span is half-open.

    `n_tokens` counts its tokens within the whole text. `n_tokens_alone` counts the chunk encoded by itself,
    which may differ at both ends.
    """

    index: int
    text: str
    char_start: int
    char_end: int
    n_tokens: int
    n_tokens_alone: int


def cut_at_budget(
    tokenizer: Tokenizer,
    segmentation: Segmentation,
    *,
    n_tokens: int,
    overlap: int = 0,
    allowed_special: frozenset[str] = NO_SPECIAL,
) -> tuple[Chunk, ...]:
    """Cut a text into chunks of at most `n_tokens`; each repeats the last `overlap` of the previous one.

    Chunks cover the text and end on whole characters, so a chunk may have fewer tokens than allowed, and an
    overlap may be shorter than requested. A chunk encoded by itself fits the budget, too: it is shortened if
    needed.

    >>> from playground.catalog.registry import get_tokenizer
    >>> from playground.core.tokenizer import segment
    >>> gpt2 = get_tokenizer("gpt2")
    >>> cut = segment(gpt2, "one two three four")
    >>> [chunk.text for chunk in cut_at_budget(gpt2, cut, n_tokens=2, overlap=1)]
    ['one two', ' two three', ' three four']

    Raises InvalidInputError for a budget below 1, an overlap outside 0 to `n_tokens - 1` or that repeats more
    than MAX_REPEATED_TOKENS, and a character that has more tokens than the budget.
    """
    if n_tokens < 1:
        raise InvalidInputError(f"a budget of {n_tokens} tokens is too small; it must be at least 1")
    if not 0 <= overlap < n_tokens:
        raise InvalidInputError(
            f"an overlap of {overlap} tokens does not fit a budget of {n_tokens}; choose 0 to {n_tokens - 1}"
        )
    n_repeated = max(len(segmentation.tokens) - overlap, 0) // (n_tokens - overlap) * overlap
    if n_repeated > MAX_REPEATED_TOKENS:
        raise InvalidInputError(
            f"an overlap of {overlap:,} tokens would repeat {n_repeated:,}; at most {MAX_REPEATED_TOKENS:,} "
            "fit: choose a smaller overlap"
        )
    sizes = [len(segment.tokens) for segment in segmentation.segments]
    if sizes and max(sizes) > n_tokens:
        widest = segmentation.segments[sizes.index(max(sizes))].text
        raise InvalidInputError(
            f"the character “{widest}” alone has {max(sizes)} tokens; choose a budget of at least that"
        )
    return tuple(_iter_chunks(tokenizer, segmentation, sizes, n_tokens, overlap, allowed_special))


def _iter_chunks(
    tokenizer: Tokenizer,
    segmentation: Segmentation,
    sizes: list[int],
    n_tokens: int,
    overlap: int,
    allowed_special: frozenset[str],
) -> Iterator[Chunk]:
    segments = segmentation.segments
    first = index = covered = 0
    while covered < len(segments):
        last, total = first, 0
        while last < len(segments) and total + sizes[last] <= n_tokens:
            total += sizes[last]
            last += 1
        while last > covered:
            text = "".join(segment.text for segment in segments[first:last])
            alone = len(tokenizer.encode(text, allowed_special=allowed_special))
            if alone <= n_tokens:
                break
            last -= 1  # by itself the chunk has more tokens than within the text
            total -= sizes[last]
        if last <= covered:  # nothing new fits after this overlap
            if first == covered:
                raise InvalidInputError(
                    f"the character “{text}” alone has {alone} tokens by itself; "
                    "choose a budget of at least that"
                )
            first += 1
            continue
        start, end = segments[first].tokens[0].char_start, segments[last - 1].tokens[-1].char_end
        yield Chunk(index, text, start, end, total, alone)
        index += 1
        covered = last
        shared, first_of_next = 0, last
        while first_of_next - 1 > first and shared + sizes[first_of_next - 1] <= overlap:
            first_of_next -= 1
            shared += sizes[first_of_next]
        first = first_of_next
