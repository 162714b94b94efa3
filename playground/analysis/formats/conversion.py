"""Data into formats, each proved by reading it back. Counting its tokens is `costs`' business."""

from collections.abc import Iterable, Iterator

from playground.analysis.formats.fidelity import find_losses
from playground.analysis.formats.registry import FORMATS
from playground.analysis.formats.values import Conversion, Data, Format, WriteOptions
from playground.core.errors import CannotHoldError, PlaygroundError


def iter_conversions(
    data: Data, options: WriteOptions | None = None, *, formats: Iterable[str] = FORMATS
) -> Iterator[Conversion]:
    """Yield a Conversion for each format as soon as it is written and read back, in the order of the table.

    >>> for found in iter_conversions([{"zip": "10000"}], formats=["csv"]):
    ...     print(found.text, found.fidelity, found.losses[0].places)
    zip
    10000 lossy ('[].zip',)
    """
    options = options or WriteOptions()
    data_repr = repr(data)
    for name in formats:
        yield convert(data, FORMATS[name], options, data_repr=data_repr)


def convert(data: Data, entry: Format, options: WriteOptions, *, data_repr: str | None = None) -> Conversion:
    """Write the data in one format, and compare it with what the format's own parser reads back."""
    try:
        text = write(data, entry, options)
    except CannotHoldError as error:
        return Conversion(entry.name, None, "cannot", reason=str(error))
    except Exception as error:  # a library's own refusal, of any type
        return Conversion(entry.name, None, "cannot", reason=_reason("cannot be written", error))
    try:
        after = entry.read(text)
    except Exception as error:  # written, and not readable: worse than lossy
        return Conversion(entry.name, None, "cannot", reason=_reason("cannot be read back", error))
    # `repr` runs in C, and tells 1, True and "1" apart: most formats need no walk.
    is_same = repr(after) == (data_repr or repr(data))
    losses = () if is_same else find_losses(data, after)
    return Conversion(entry.name, text, "lossy" if losses else "equal", losses=losses)


def write(data: Data, entry: Format, options: WriteOptions) -> str:
    """The data in one format, without proof. Raises CannotHoldError, and what the format's library raises."""
    text = entry.write(_sorted(data) if options.is_sorted else data, options)
    return text + "\n" if options.has_trailing_newline and not text.endswith("\n") else text


def _reason(what: str, error: Exception) -> str:
    detail = (
        str(error) if isinstance(error, PlaygroundError) else f"{type(error).__name__}: {str(error)[:200]}"
    )
    return f"it {what}: {detail}"


def _sorted(data: Data) -> Data:
    if isinstance(data, dict):
        return {key: _sorted(data[key]) for key in sorted(data, key=str)}
    if isinstance(data, list):
        return [_sorted(value) for value in data]
    return data
