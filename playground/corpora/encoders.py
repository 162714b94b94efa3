"""Encode large texts on several threads, with exactly the ids of `Tokenizer.encode`.

`encoder_of` returns the compiled encoder of a tokenizer if it has one, else its library.
"""

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

import numpy as np

from playground.bpe.safe_cuts import SafeCuts
from playground.core.errors import PlaygroundError
from playground.core.tokenizer import NO_SPECIAL, EncodesInBatches, Tokenizer
from playground.core.vocabulary import Ids
from playground.corpora.blocks import common_cuts
from playground.corpora.text_files import Text, as_str, as_utf8
from playground.training.kernel.cache_folder import is_compiled
from playground.training.warm_up import COUNTING_TOGETHER, ENCODER, compile_once

if TYPE_CHECKING:
    from playground.corpora.compiled_encoder import CompiledEncoder, CountingTogether

Job = TypeVar("Job")
Result = TypeVar("Result")

#: Characters of the pieces in which a library encodes a long text.
_PIECE_CHARACTERS = 1 << 15
#: Number of characters from which loading the compiled encoder is worth its time, and compiling it.
MUCH_CHARACTERS, MUCH_TO_COMPILE = 4_000_000, 100_000_000


class Encoder(Protocol):
    """Encodes texts, each on its own. An encoder belongs to one thread; `fork` returns one for another."""

    @property
    def is_compiled(self) -> bool:
        """Whether large texts are encoded by the compiled encoder, not by the tokenizer's library."""

    def count(self, texts: Sequence[Text]) -> int:
        """Return the number of ids of all texts."""

    def encode(self, texts: Sequence[Text], *, closing_id: int = -1) -> Ids:
        """Return the ids of all texts, each followed by the closing id (-1 for none)."""

    def fork(self) -> "Encoder":
        """Return an equal encoder for another thread."""


def encoder_of(tokenizer: Tokenizer, *, allowed_special: frozenset[str] = NO_SPECIAL) -> Encoder:
    """Return the compiled encoder of a tokenizer that merges by rank in a known pattern, else its library.

    >>> from playground.catalog.registry import get_tokenizer
    >>> encoder = encoder_of(get_tokenizer("gpt2"))
    >>> encoder.is_compiled, encoder.encode(["Hello world", "Hello"], closing_id=50256).tolist()
    (True, [15496, 995, 50256, 15496, 50256])
    """
    # Only here: little text is counted before either is loaded, which takes 0.3 s.
    compile_once(ENCODER)
    from playground.corpora.compiled_encoder import CompiledEncoder, recipe_of

    recipe = recipe_of(tokenizer)
    if recipe is None:
        return LibraryEncoder(tokenizer, allowed_special)

    allowed = {
        name: token_id for name, token_id in tokenizer.special_tokens.items() if name in allowed_special
    }
    return CompiledEncoder.of(recipe, {**recipe.added, **allowed})


def encoder_for_any_size(
    tokenizer: Tokenizer, *, allowed_special: frozenset[str] = NO_SPECIAL, n_expected: int = 0
) -> Encoder:
    """Return an encoder that uses the library for small texts, and `encoder_of` from MUCH_CHARACTERS on.

    With as many expected characters it uses `encoder_of` at once.
    """
    return _StartingEncoder(_Start(tokenizer, allowed_special, n_expected))


@dataclass(frozen=True)
class LibraryEncoder:
    """Encodes with the tokenizer itself; with its library's batch call, if it has one, on all cores."""

    tokenizer: Tokenizer
    allowed_special: frozenset[str] = NO_SPECIAL
    is_compiled: bool = False

    def count(self, texts: Sequence[Text]) -> int:
        """Return the number of ids of all texts."""
        return sum(map(len, self._encoded(texts)))

    def encode(self, texts: Sequence[Text], *, closing_id: int = -1) -> Ids:
        """Return the ids of all texts, each followed by the closing id (-1 for none)."""
        closing = np.array([closing_id] if closing_id >= 0 else [], np.uint32)
        columns = [column for ids in self._encoded(texts) for column in (ids, closing)]
        return np.concatenate([np.zeros(0, np.uint32), *columns], dtype=np.uint32)

    def fork(self) -> "LibraryEncoder":
        """Return this encoder, which has no state."""
        return self

    def _encoded(self, texts: Sequence[Text]) -> Iterator[Ids]:
        tokenizer = self.tokenizer
        if self.allowed_special or not isinstance(tokenizer, EncodesInBatches):
            for text in texts:
                yield tokenizer.encode(as_str(text), allowed_special=self.allowed_special).ids
            return
        before, pieces = self._pieces(list(map(as_str, texts)))
        # The text before the rest of a text is encoded too, and its tokens are dropped.
        n_before, *encoded = tokenizer.encode_batch([before, *chain.from_iterable(pieces)])
        found = iter(encoded)
        for own in pieces:
            first, *rest = islice(found, len(own))
            yield np.array([*first, *chain.from_iterable(ids[len(n_before) :] for ids in rest)], np.uint32)

    def _pieces(self, texts: Sequence[str]) -> tuple[str, list[list[str]]]:
        """Return long texts in pieces, and the text that precedes each piece after the first one."""
        if max(map(len, texts), default=0) <= _PIECE_CHARACTERS:
            return "", [[text] for text in texts]
        cuts, before = common_cuts([self.tokenizer], allow_special=False), ""
        if not cuts.is_known and (rest := self.tokenizer.rest):
            cuts, before = SafeCuts(rest.cut, before_rest=True), rest.before
        found: list[list[str]] = []
        for text in texts:
            places = [0]
            while (place := cuts.next(text, places[-1] + _PIECE_CHARACTERS)) is not None:
                places.append(place)
            found.append(
                [before * (start > 0) + text[start:end] for start, end in pairwise([*places, len(text)])]
            )
        return before, found


@dataclass
class _Start:
    """State that threads share: the encoder for large texts is made once."""

    tokenizer: Tokenizer
    allowed_special: frozenset[str]
    n_characters: int = 0
    made: Encoder | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def encoder(self, n_more_characters: int) -> Encoder | None:
        """Return the encoder for large texts; None while there is little text."""
        with self.lock:
            self.n_characters += n_more_characters
            if self.made is None and self.n_characters >= MUCH_CHARACTERS and self._is_worth_compiling():
                self.made = encoder_of(self.tokenizer, allowed_special=self.allowed_special)
        return self.made

    def _is_worth_compiling(self) -> bool:
        return self.n_characters >= MUCH_TO_COMPILE or is_compiled(ENCODER)


@dataclass
class _StartingEncoder:
    start: _Start
    _much: Encoder | None = None

    @property
    def is_compiled(self) -> bool:
        """False only if the library encodes large texts."""
        return self.start.made is None or self.start.made.is_compiled

    def count(self, texts: Sequence[Text]) -> int:
        return self.chosen(texts).count(texts)

    def encode(self, texts: Sequence[Text], *, closing_id: int = -1) -> Ids:
        return self.chosen(texts).encode(texts, closing_id=closing_id)

    def fork(self) -> "_StartingEncoder":
        return _StartingEncoder(self.start)

    def chosen(self, texts: Sequence[Text]) -> Encoder:
        if self._much is None:
            made = self.start.encoder(sum(map(len, texts)))
            if made is None:
                return LibraryEncoder(self.start.tokenizer, self.start.allowed_special)
            self._much = made.fork()
        return self._much


class TextCounter:
    """Counts texts for several encoders; as each of them it belongs to one thread."""

    def __init__(self, encoders: Sequence[Encoder]) -> None:
        self._encoders = encoders
        self._together: CountingTogether | None = None
        self._n_characters = 0

    def count(self, texts: Sequence[Text]) -> list[int]:
        """Return the number of ids of the texts for each encoder."""
        self._n_characters += sum(map(len, texts))
        chosen = [
            encoder.chosen(texts) if isinstance(encoder, _StartingEncoder) else encoder
            for encoder in self._encoders
        ]
        compiled = {
            k: cast("CompiledEncoder", one)
            for k, one in enumerate(chosen)
            if one.is_compiled and not cast("CompiledEncoder", one).special  # which counts alone
        }
        counted: Mapping[int, int] = {}
        if len(compiled) > 1 and self._is_worth_compiling():
            from playground.corpora.compiled_encoder import CountingTogether  # only here, as `encoder_of`

            self._together = self._together or CountingTogether()
            counted = self._together.count(compiled, [as_utf8(text) for text in texts])
        return [counted[k] if k in counted else one.count(texts) for k, one in enumerate(chosen)]

    def _is_worth_compiling(self) -> bool:
        return self._n_characters >= MUCH_TO_COMPILE or is_compiled(COUNTING_TOGETHER)


def iter_encoded(
    jobs: Iterable[Job], encode: Callable[[Job], Result], n_threads: int
) -> Generator[tuple[Job, Result]]:
    """Yield each job with its result, in order; at most `n_threads` encode at once, including this one.

    Few jobs are in memory at a time. An error is raised after the results of all earlier jobs.

    >>> list(iter_encoded("ab", str.upper, 2))
    [('a', 'A'), ('b', 'B')]
    """
    n_helpers = n_threads - 1
    pool = ThreadPoolExecutor(max(n_helpers, 1))
    waiting: deque[tuple[Job, Future[Result]]] = deque()
    failed: list[PlaygroundError] = []
    try:
        for job in _iter_read(jobs, failed):
            # A second job for each helper, to continue with while this thread encodes.
            if sum(not encoding.done() for _, encoding in waiting) < 2 * n_helpers:
                waiting.append((job, pool.submit(encode, job)))
            else:
                waiting.append((job, _encoded_here(encode, job)))
            while waiting and (waiting[0][1].done() or len(waiting) > 2 * n_threads):
                done, encoding = waiting.popleft()
                yield done, encoding.result()
        while waiting:
            done, encoding = waiting.popleft()
            yield done, encoding.result()
        for error in failed:
            raise error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _iter_read(jobs: Iterable[Job], failed: list[PlaygroundError]) -> Iterator[Job]:
    """Yield the jobs that can be read; the error that ends them is added to `failed`."""
    try:
        yield from jobs
    except PlaygroundError as error:
        failed.append(error)


def _encoded_here(encode: Callable[[Job], Result], job: Job) -> Future[Result]:
    encoding: Future[Result] = Future()
    try:
        encoding.set_result(encode(job))
    except PlaygroundError as error:
        encoding.set_exception(error)
    return encoding
