"""Tokens of data in every format and for several tokenizers, and what one saves beside another."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass

from playground.core.tokenizer import Tokenizer
from playground.formats.offloading import iter_conversions
from playground.formats.registry import COMPACT_JSON, FORMATS, PRETTY_JSON
from playground.formats.values import Conversion, Data, WriteOptions
from playground.training.token_counter import TokenCounter

#: Counting does without Python's lock most of the time, so it overlaps with converting.
_N_THREADS = 2


@dataclass(frozen=True, slots=True)
class CostTable:
    """Conversions in the order of FORMATS, and `n_tokens[tokenizer name][format name]` of their texts."""

    conversions: tuple[Conversion, ...]
    n_tokens: Mapping[str, Mapping[str, int]]

    def conversion(self, format_name: str) -> Conversion:
        """The conversion into one format."""
        return next(found for found in self.conversions if found.format_name == format_name)

    def cheapest(self, tokenizer_name: str, *, fidelity: str = "equal") -> Conversion | None:
        """The conversion of this fidelity with the fewest tokens, None if there is none."""
        counts = self.n_tokens[tokenizer_name]
        found = [c for c in self.conversions if c.fidelity == fidelity]
        return min(found, key=lambda c: counts[c.format_name], default=None)


def measure(
    data: Data,
    tokenizers: Sequence[Tokenizer],
    options: WriteOptions | None = None,
    *,
    formats: Iterable[str] = FORMATS,
    visitor: str = "",
    on_progress: Callable[[float, str], object] = lambda _part, _what: None,
) -> CostTable:
    """Convert the data once, and count it with each tokenizer; `on_progress` gets a part of 1 and a label.

    It is called again while processes work on large data, and ends them if it raises; their turns are shared
    by `visitor`.

    >>> from playground.catalog.baselines import ByteTokenizer
    >>> table = measure({"a": 1}, [ByteTokenizer()], formats=["json_compact", "yaml"])
    >>> table.n_tokens
    {'utf8_bytes': {'json_compact': 7, 'yaml': 4}}
    """
    formats = list(formats)
    conversions: list[Conversion] = []
    pending: dict[tuple[str, str], Future[int]] = {}
    counters = [TokenCounter(tokenizer) for tokenizer in tokenizers]
    with (
        ThreadPoolExecutor(_N_THREADS) as pool,
        closing(
            iter_conversions(
                data,
                options,
                formats=formats,
                visitor=visitor,
                on_wait=lambda: on_progress(len(conversions) / len(formats), f"{len(conversions)} formats"),
            )
        ) as done,
    ):
        for found in done:
            conversions.append(found)
            if found.text is not None:
                for counter in counters:
                    key = counter.tokenizer.name, found.format_name
                    pending[key] = pool.submit(counter.count, found.text)
            on_progress(len(conversions) / len(formats), FORMATS[found.format_name].label)
        counts: dict[str, dict[str, int]] = {tokenizer.name: {} for tokenizer in tokenizers}
        for (tokenizer_name, format_name), future in pending.items():
            counts[tokenizer_name][format_name] = future.result()
    conversions.sort(key=lambda found: formats.index(found.format_name))
    return CostTable(tuple(conversions), counts)


def count_tokens(conversions: Iterable[Conversion], tokenizer: Tokenizer) -> dict[str, int]:
    """Tokens by format name, of conversions that are already made."""
    counter = TokenCounter(tokenizer)
    return {found.format_name: counter.count(found.text) for found in conversions if found.text is not None}


def saving(n_tokens: int, baseline: int | None) -> float | None:
    """The part of the baseline that is saved; negative where it costs more, None without a baseline.

    >>> saving(75, 100), saving(150, 100), saving(1, None)
    (0.25, -0.5, None)
    """
    return None if not baseline else 1 - n_tokens / baseline


def cost_rows(table: CostTable) -> list[dict[str, object]]:
    """The table as plain rows, such as `{"format", "fidelity", "bytes", "tokens": {name: count}}`."""
    return [
        {
            "format": found.format_name,
            "fidelity": found.fidelity,
            "bytes": found.n_bytes,
            "tokens": {name: counts.get(found.format_name) for name, counts in table.n_tokens.items()},
        }
        for found in table.conversions
    ]


def baselines(counts: Mapping[str, int]) -> tuple[int | None, int | None]:
    """The tokens of pretty and of compact JSON."""
    return counts.get(PRETTY_JSON), counts.get(COMPACT_JSON)
