"""What the formats page keeps: the data, its conversions, and counts by tokenizer.

A conversion is made again only for other data or options; a tokenizer counts only what it has not counted.
"""

import hashlib
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from playground.core.tokenizer import Tokenizer
from playground.formats.costs import CostTable, count_tokens, measure
from playground.formats.offloading import open_document, write_data
from playground.formats.reading import Document
from playground.formats.registry import COMPACT_JSON, FORMATS
from playground.formats.roles import count_tokens_by_role, rounded_parts
from playground.formats.scaling import Crossover, Point, find_crossovers
from playground.formats.tasks import Packed
from playground.formats.values import Conversion, Role, WriteOptions
from playground.training.token_counter import TokenCounter


@dataclass(slots=True)
class FormatSession:
    """One user's data in every format."""

    key: tuple[object, ...] = ()
    document: Document | None = None
    conversions: tuple[Conversion, ...] = ()
    counts: dict[str, tuple[Tokenizer, Mapping[str, int]]] = field(default_factory=dict)
    kept: dict[tuple[object, ...], Any] = field(default_factory=dict)
    visitor: str = field(default_factory=lambda: secrets.token_hex(8))

    def table(
        self,
        source: str | bytes,
        input_format: str | None,
        options: WriteOptions,
        tokenizers: Sequence[Tokenizer],
        *,
        on_progress: Callable[[float, str], object] = lambda _part, _what: None,
    ) -> CostTable:
        """The table of costs. Raises PlaygroundError, and keeps what was there before."""
        raw = source.encode(errors="surrogatepass") if isinstance(source, str) else source
        key = (hashlib.sha256(raw).digest(), input_format, options)
        if key != self.key:
            document = open_document(
                source,
                input_format,
                visitor=self.visitor,
                on_wait=lambda: on_progress(0.0, "Reading the data"),
            )
            table = measure(document.data, tokenizers, options, visitor=self.visitor, on_progress=on_progress)
            self.key, self.document, self.conversions = key, document, table.conversions
            self.kept = {}
            self.counts = {t.name: (t, table.n_tokens[t.name]) for t in tokenizers}
        for tokenizer in tokenizers:
            known = self.counts.get(tokenizer.name)
            if known is None or known[0] is not tokenizer:
                self.counts[tokenizer.name] = (tokenizer, count_tokens(self.conversions, tokenizer))
                self.kept = {}
        return CostTable(self.conversions, {t.name: self.counts[t.name][1] for t in tokenizers})

    def roles(self, tokenizer: Tokenizer) -> dict[str, dict[Role, int]]:
        """Whole tokens by role for each format; the parts sum to its count."""
        found: dict[str, dict[Role, int]] = self._once(
            ("roles", tokenizer.name),
            lambda: {
                found.format_name: rounded_parts(
                    count_tokens_by_role(
                        found.text, FORMATS[found.format_name].iter_roles(found.text), tokenizer
                    )
                )
                for found in self.conversions
                if found.text is not None
            },
        )
        return found

    def escape_counts(self, tokenizer: Tokenizer, options: WriteOptions) -> tuple[int, int] | None:
        """Tokens of compact JSON without and with escapes beyond ASCII; None where all is ASCII."""

        def make() -> tuple[int, int] | None:
            data = self.document.data if self.document else None
            both = [replace(options, is_ascii=is_ascii) for is_ascii in (False, True)]
            plain, escaped = (write_data(data, COMPACT_JSON, how, visitor=self.visitor) for how in both)
            counter = TokenCounter(tokenizer)
            return None if plain == escaped else (counter.count(plain), counter.count(escaped))

        found: tuple[int, int] | None = self._once(("escapes", tokenizer.name), make)
        return found

    def growth(
        self,
        tokenizer: Tokenizer,
        formats: Iterable[str],
        options: WriteOptions,
        points_of: Callable[..., list[Point]],
        build: Callable[..., Any],
    ) -> tuple[list[Point], list[Crossover]]:
        """Points of a growth, and where its lines cross."""
        formats = tuple(formats)
        data = self.document.data if self.document else None
        if isinstance(data, Packed):
            data = data.sample

        def make() -> tuple[list[Point], list[Crossover]]:
            points = points_of(data, tokenizer, formats, options)
            return points, find_crossovers(data, points, tokenizer, options, build=build)

        grown: tuple[list[Point], list[Crossover]] = self._once(
            (points_of.__name__, tokenizer.name, formats), make
        )
        return grown

    def _once(self, key: tuple[object, ...], make: Callable[[], Any]) -> Any:
        if key not in self.kept:
            self.kept[key] = make()
        return self.kept[key]
