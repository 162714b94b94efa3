"""What the formats page keeps: the data, its conversions, and counts by tokenizer.

A conversion is made again only for other data or options; a tokenizer counts only what it has not counted.
"""

import hashlib
import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from playground.core.errors import LimitExceededError
from playground.core.tokenizer import Tokenizer
from playground.formats.costs import CostTable, count_tokens, measure
from playground.formats.offloading import (
    READ_AND_CONVERT_SECONDS,
    Division,
    iter_divisions,
    measure_growth,
    open_document,
    write_data,
)
from playground.formats.reading import Document
from playground.formats.registry import COMPACT_JSON
from playground.formats.scaling import Grow, Growth
from playground.formats.values import Conversion, WriteOptions
from playground.training.token_counter import TokenCounter
from playground.ui.work import Tell, Work
from playground.workers.process import CancelledError


class StoppedError(Exception):
    """The visitor stopped the work on this data; the message says how far it was."""


@dataclass(slots=True)
class _SoFar:
    """What is made of data that is not yet in every format."""

    document: Document | None = None
    conversions: list[Conversion] = field(default_factory=list)
    divisions: list[Division] = field(default_factory=list)


@dataclass(slots=True)
class _Begun:
    """The work in hand: on what, and how it is begun anew with what it has made."""

    key: tuple[object, ...]
    do: Callable[[_SoFar, Tell], Any]
    so_far: _SoFar
    work: Work[Any]
    is_stopped: bool = False


@dataclass(slots=True)
class FormatSession:
    """One user's data in every format."""

    key: tuple[object, ...] = ()
    document: Document | None = None
    options: WriteOptions = field(default_factory=WriteOptions)
    conversions: tuple[Conversion, ...] = ()
    counts: dict[str, tuple[Tokenizer, Mapping[str, int]]] = field(default_factory=dict)
    kept: dict[tuple[object, ...], Any] = field(default_factory=dict)
    visitor: str = field(default_factory=lambda: secrets.token_hex(8))
    begun: _Begun | None = None

    def table(
        self,
        source: str | bytes,
        input_format: str | None,
        options: WriteOptions,
        tokenizers: Sequence[Tokenizer],
        *,
        on_wait: Callable[[Work[Any]], object] = lambda _work: None,
    ) -> CostTable:
        """The table of costs. Raises PlaygroundError, and keeps what was there before.

        The work is done in a thread, and `on_wait` is called a few times a second meanwhile. If that raises,
        the work goes on, and whoever asks for the same data again waits for it; other data ends it. After
        `stop` it raises StoppedError, until `go_on`.
        """
        raw = source.encode(errors="surrogatepass") if isinstance(source, str) else source
        key = (hashlib.sha256(raw).digest(), input_format, options)
        if self.begun is not None and self.begun.key[: len(key)] != key:
            self.end_work()
        if key != self.key:
            visitor = self.visitor

            def convert(so_far: _SoFar, tell: Tell) -> tuple[CostTable, Document, Sequence[Tokenizer]]:
                started = time.monotonic()
                if so_far.document is None:
                    so_far.document = open_document(
                        source,
                        input_format,
                        visitor=visitor,
                        on_wait=lambda: tell(0.0, "Reading the data"),
                    )
                table = measure(
                    so_far.document.data, tokenizers, options,
                    visitor=visitor, on_progress=tell, done=so_far.conversions,
                    seconds=READ_AND_CONVERT_SECONDS - (time.monotonic() - started),
                    read_as=so_far.document.input_format,
                )  # fmt: skip
                return table, so_far.document, tokenizers

            table, document, counted = self._result(key, convert, on_wait)
            self.key, self.document, self.conversions = key, document, table.conversions
            self.options = options
            self.kept = {}
            self.counts = {t.name: (t, table.n_tokens[t.name]) for t in counted}
        for tokenizer in tokenizers:
            known = self.counts.get(tokenizer.name)
            if known is None or known[0] is not tokenizer:
                count = partial(_count, self.conversions, tokenizer)
                self.counts[tokenizer.name] = tokenizer, self._result((*key, id(tokenizer)), count, on_wait)
                self.kept = {}
        return CostTable(self.conversions, {t.name: self.counts[t.name][1] for t in tokenizers})

    def table_before(self, tokenizers: Sequence[Tokenizer]) -> CostTable | None:
        """The table of the data that was read last, in those of these tokenizers that have counted it.

        None where there is none yet, and while work that was stopped can go on.
        """
        counted = {
            t.name: self.counts[t.name][1]
            for t in tokenizers
            if t.name in self.counts and self.counts[t.name][0] is t
        }
        is_shown = self.conversions and counted and not self.is_stopped
        return CostTable(self.conversions, counted) if is_shown else None

    @property
    def is_stopped(self) -> bool:
        """Whether the visitor has stopped work that can go on."""
        return self.begun is not None and self.begun.is_stopped

    def stop(self) -> None:
        """End the work in hand, and begin none on this data until `go_on`; what is made of it stays."""
        if self.begun is not None and not self.begun.work.is_over:
            self.begun.is_stopped = True
            self.begun.work.cancel()

    def go_on(self) -> None:
        """Do what is left of the work that was stopped."""
        if self.begun is not None and self.begun.is_stopped:
            before = self.begun.so_far
            so_far = _SoFar(before.document, [*before.conversions], [*before.divisions])
            self._begin(self.begun.key, self.begun.do, so_far)

    def end_work(self) -> None:
        """End the work in hand: nobody waits for it."""
        begun, self.begun = self.begun, None
        if begun is not None:
            begun.work.cancel()

    def _begin(self, key: tuple[object, ...], do: Callable[[_SoFar, Tell], Any], so_far: _SoFar) -> _Begun:
        self.begun = _Begun(key, do, so_far, Work(partial(do, so_far)))
        return self.begun

    def _result(
        self,
        key: tuple[object, ...],
        do: Callable[[_SoFar, Tell], Any],
        on_wait: Callable[[Work[Any]], object],
    ) -> Any:
        """What `do` gives, from the work in hand if that is it."""
        begun = self.begun
        if begun is None or begun.key != key:
            self.end_work()
            begun = self._begin(key, do, _SoFar())
        try:
            found = begun.work.result(on_wait)
        except CancelledError:
            raise StoppedError(begun.work.what) from None
        finally:
            if begun is self.begun and begun.work.is_over and not begun.is_stopped:
                self.begun = None
        return found

    def roles(
        self, tokenizer: Tokenizer, *, on_wait: Callable[[Work[Any]], object] = lambda _work: None
    ) -> list[Division]:
        """Whole tokens by role for each format; the parts sum to its count. Waits as `table` does."""
        key = (*self.key, "roles", id(tokenizer))
        options = self.options
        conversions, visitor = self.conversions, self.visitor

        def divide(so_far: _SoFar, tell: Tell) -> list[Division]:
            known = {found.format_name for found in so_far.divisions}
            written = [found for found in conversions if found.text is not None]

            def say() -> None:
                n_done = len(so_far.divisions)
                tell(n_done / len(written), f"Tokens of {n_done} of {len(written)} formats divided")

            left = [found for found in written if found.format_name not in known]
            for found in iter_divisions(left, options, tokenizer, visitor=visitor, on_wait=say):
                so_far.divisions.append(found)
                say()
            order = [found.format_name for found in conversions]
            return sorted(so_far.divisions, key=lambda found: order.index(found.format_name))

        found: list[Division] = self._once(
            ("roles", tokenizer.name), lambda: self._result(key, divide, on_wait)
        )
        return found

    def divisions_so_far(self) -> list[Division]:
        """What the work in hand has divided."""
        return [] if self.begun is None else [*self.begun.so_far.divisions]

    def escape_counts(self, tokenizer: Tokenizer, options: WriteOptions) -> tuple[int, int] | None:
        """Tokens of compact JSON without and with escapes beyond ASCII; None where all is ASCII.

        None too where it is not known: the data is so large that one of the two took too long.
        """

        def make() -> tuple[int, int] | None:
            as_is = next((f for f in self.conversions if f.format_name == COMPACT_JSON), None)
            # One of the two is written already, and tells whether the other differs.
            if as_is is None or as_is.text is None:
                return None
            if not (r"\u" in as_is.text if options.is_ascii else not as_is.text.isascii()):
                return None
            other_options = replace(options, is_ascii=not options.is_ascii)
            data = self.document.data if self.document else None
            try:
                other = write_data(data, COMPACT_JSON, other_options, visitor=self.visitor)
            except LimitExceededError:
                return None
            if other == as_is.text:
                return None
            n_other = TokenCounter(tokenizer).count(other)
            n_tokens = self.counts[tokenizer.name][1][COMPACT_JSON]
            return (n_other, n_tokens) if options.is_ascii else (n_tokens, n_other)

        found: tuple[int, int] | None = self._once(("escapes", tokenizer.name), make)
        return found

    def growth(
        self,
        tokenizer: Tokenizer,
        formats: Iterable[str],
        options: WriteOptions,
        grow: Grow,
        *,
        on_wait: Callable[[Work[Any]], object] = lambda _work: None,
    ) -> Growth:
        """Points of a growth, and where its lines cross. Waits as `table` does."""
        formats = tuple(formats)
        data = self.document.data if self.document else None
        visitor = self.visitor

        def measure(_so_far: _SoFar, tell: Tell) -> Growth:
            return measure_growth(
                data, tokenizer, formats, options, grow,
                visitor=visitor, on_wait=lambda: tell(0.0, "Writing more rows in each format"),
            )  # fmt: skip

        key = (*self.key, "growth", id(tokenizer), formats, grow)
        found: Growth = self._once(
            (grow, tokenizer.name, formats), lambda: self._result(key, measure, on_wait)
        )
        return found

    def _once(self, key: tuple[object, ...], make: Callable[[], Any]) -> Any:
        if key not in self.kept:
            self.kept[key] = make()
        return self.kept[key]


def _count(
    conversions: Sequence[Conversion], tokenizer: Tokenizer, _so_far: _SoFar, tell: Tell
) -> Mapping[str, int]:
    return count_tokens(conversions, tokenizer, on_progress=tell)
