"""Token counts of data in every format, for several tokenizers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, replace

from playground.core.tokenizer import Tokenizer
from playground.formats.offloading import iter_conversions
from playground.formats.registry import COMPACT_JSON, FORMATS, PRETTY_JSON
from playground.formats.values import Conversion, Data, WriteOptions

#: Encoding releases Python's lock most of the time, so it overlaps with converting.
_N_THREADS = 2
#: The part of the progress that conversion takes, and seconds between two reports of counting.
_CONVERTING, _TICK_SECONDS = 0.9, 0.1

OnProgress = Callable[[float, str], object]


@dataclass(frozen=True, slots=True)
class CostTable:
    """Conversions in the order of FORMATS, and `n_tokens[tokenizer name][format name]` of their texts."""

    conversions: tuple[Conversion, ...]
    n_tokens: Mapping[str, Mapping[str, int]]

    def conversion(self, format_name: str) -> Conversion:
        """Return the conversion into one format."""
        return next(found for found in self.conversions if found.format_name == format_name)

    def cheapest(self, tokenizer_name: str) -> Conversion | None:
        """Return the conversion with the fewest tokens that loses nothing, or None."""
        counts = self.n_tokens[tokenizer_name]
        found = [c for c in self.conversions if c.fidelity == "equal"]
        return min(found, key=lambda c: counts[c.format_name], default=None)


def measure(
    data: Data,
    tokenizers: Sequence[Tokenizer],
    options: WriteOptions | None = None,
    *,
    formats: Iterable[str] = FORMATS,
    visitor: str = "",
    on_progress: OnProgress = lambda _part, _what: None,
    done: list[Conversion] | None = None,
    seconds: float = 0.0,
    read_as: str = "",
) -> CostTable:
    """Convert the data once, and count its texts with each tokenizer.

    `on_progress` gets a part from 0 to 1 and a sentence, a few times a second; if it raises, the work ends.
    Requests with the same `visitor` share a fair part of the processes. Formats in `done` are not converted
    again, and new conversions are added to it. `seconds` limits the conversion of large data, and is at least
    CONVERT_SECONDS. `read_as` is the format of the input: types that it does not have cannot be lost.

    >>> from playground.catalog.baselines import ByteTokenizer
    >>> table = measure({"a": 1}, [ByteTokenizer()], formats=["json_compact", "yaml"])
    >>> table.n_tokens
    {'utf8_bytes': {'json_compact': 7, 'yaml': 4}}
    """
    formats = list(formats)
    conversions = [] if done is None else done
    known = {found.format_name for found in conversions}

    def tell() -> None:
        labels = "; ".join(FORMATS[found.format_name].label for found in conversions)
        so_far = f"{len(conversions)} of {len(formats)} formats written and read back"
        on_progress(
            _CONVERTING * len(conversions) / len(formats), f"{so_far}: {labels}" if labels else so_far
        )

    with (
        _Counting(tokenizers) as counting,
        closing(
            iter_conversions(
                data,
                options,
                formats=[name for name in formats if name not in known],
                visitor=visitor,
                on_wait=tell,
                seconds=seconds,
            )
        ) as newly,
    ):
        for found in conversions:
            counting.add(found)
        for found in newly:
            conversions.append(found)
            counting.add(found)
            tell()
        n_tokens = counting.result(lambda part, what: on_progress(1 - (1 - _CONVERTING) * (1 - part), what))
    held = [without_what_was_not_there(conversion, read_as) for conversion in conversions]
    return CostTable(tuple(sorted(held, key=lambda each: formats.index(each.format_name))), n_tokens)


#: Tables of text: types that are read from one are guesses.
_TABLES_OF_TEXT = {"CSV": "csv", "TSV": "tsv"}
#: Kinds of loss that such a table cannot suffer.
_NOT_IN_A_TABLE = ("types", "nulls", "dates")


def without_what_was_not_there(found: Conversion, read_as: str) -> Conversion:
    """Return a conversion without losses of what the input never had: a CSV of a CSV loses no types.

    A text that a reader rewrites, such as 007 as 7, is a loss wherever it came from.
    """
    if read_as not in _TABLES_OF_TEXT or found.format_name not in _TABLES_OF_TEXT.values():
        return found
    losses = tuple(loss for loss in found.losses if loss.kind not in _NOT_IN_A_TABLE)
    is_equal = found.fidelity == "lossy" and not losses
    return replace(found, losses=losses, fidelity="equal" if is_equal else found.fidelity)


def count_tokens(
    conversions: Iterable[Conversion],
    tokenizer: Tokenizer,
    *,
    on_progress: OnProgress = lambda _part, _what: None,
) -> Mapping[str, int]:
    """Return token counts by format name, of finished conversions."""
    with _Counting([tokenizer]) as counting:
        for found in conversions:
            counting.add(found)
        return counting.result(on_progress)[tokenizer.name]


class _Counting:
    """Texts being counted by several tokenizers in threads; after the block no further text is begun."""

    def __init__(self, tokenizers: Sequence[Tokenizer]) -> None:
        self._tokenizers = tokenizers
        self._threads = ThreadPoolExecutor(_N_THREADS, thread_name_prefix="counting")
        self._pending: dict[tuple[str, str], Future[int]] = {}

    def __enter__(self) -> "_Counting":
        return self

    def __exit__(self, *_error: object) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    def add(self, found: Conversion) -> None:
        """Start counting a conversion's text, if it has one."""
        if found.text is None:
            return
        for tokenizer in self._tokenizers:
            key = tokenizer.name, found.format_name
            self._pending[key] = self._threads.submit(_count, tokenizer, found.text)

    def result(self, on_progress: OnProgress) -> dict[str, dict[str, int]]:
        """Wait for the counts and return them by tokenizer name, then format name."""
        n_texts = len(self._pending)
        waiting = set(self._pending.values())
        while waiting:
            _, waiting = wait(waiting, _TICK_SECONDS)
            if waiting:
                n_counted = n_texts - len(waiting)
                on_progress(n_counted / n_texts, f"{n_counted:,} of {n_texts:,} texts counted")
        on_progress(1.0, f"{n_texts:,} texts counted")
        counts: dict[str, dict[str, int]] = {tokenizer.name: {} for tokenizer in self._tokenizers}
        for (tokenizer_name, format_name), future in self._pending.items():
            counts[tokenizer_name][format_name] = future.result()
        return counts


def _count(tokenizer: Tokenizer, text: str) -> int:
    return len(tokenizer.encode(text))


def saving(n_tokens: int, baseline: int | None) -> float | None:
    """Return the part of the baseline that is saved; negative if it costs more, None without a baseline.

    >>> saving(75, 100), saving(150, 100), saving(1, None)
    (0.25, -0.5, None)
    """
    return None if not baseline else 1 - n_tokens / baseline


def cost_rows(table: CostTable) -> list[dict[str, object]]:
    """Return the table as plain rows, such as `{"format", "fidelity", "bytes", "tokens": {name: count}}`."""
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
    """Return the token counts of pretty and compact JSON, None where they were not converted."""
    return counts.get(PRETTY_JSON), counts.get(COMPACT_JSON)


def percent_change(saved: float | None) -> str:
    """Return a saving (a share, or None) as a change of cost in percent.

    >>> percent_change(0.25), percent_change(-0.1), percent_change(0.0), percent_change(None)
    ('−25 %', '+10 %', '0 %', '–')
    """
    if saved is None:
        return "–"
    change = round(-100 * saved)
    return f"{'+' if change > 0 else '−' if change < 0 else ''}{abs(change):,} %"


def in_order(totals: Mapping[str, int], fidelities: Mapping[str, str]) -> list[str]:
    """Return format names: lossless ones first, and then by number of tokens, as the advice does."""
    names = [name for name in FORMATS if name in totals]
    return sorted(names, key=lambda name: (fidelities[name] != "equal", totals[name]))
