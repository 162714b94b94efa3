"""Data into a format, proved by reading it back. Counting its tokens is `costs`' business."""

from dataclasses import dataclass, field
from functools import cached_property

from playground.core.errors import CannotHoldError, PlaygroundError
from playground.formats.fidelity import count_scalars, find_losses
from playground.formats.registry import FORMATS
from playground.formats.repeats import is_repetitive, read_rows, write_rows
from playground.formats.sizes import Size, check_n_characters, check_size, size_of
from playground.formats.values import Conversion, Data, Format, Loss, WriteOptions


@dataclass
class Job:
    """Data to be converted, and what its formats share.

    >>> Job({"a": None}, WriteOptions()).convert("toml").losses[0].kind
    'nulls'
    """

    data: Data
    options: WriteOptions
    size: Size = field(init=False)
    _is_repetitive: bool = field(init=False)
    _losses: dict[str, tuple[Loss, ...]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.size = size_of(self.data)
        self._is_repetitive = is_repetitive(self.data)

    @cached_property
    def data_repr(self) -> str:
        """The data as Python prints it, in which different data differs."""
        return repr(self.data)

    def convert(self, format_name: str) -> Conversion:
        """Write the data in one format, and compare it with what the format's own parser reads back."""
        entry = FORMATS[format_name]
        try:
            text = write(self.data, entry, self.options, size=self.size)
        except MemoryError:
            raise  # a process's limit, which is told by whoever set it
        except CannotHoldError as error:
            return Conversion(entry.name, None, "cannot", reason=str(error))
        except Exception as error:  # a library's own refusal, of any type
            return Conversion(entry.name, None, "cannot", reason=_reason("cannot be written", error))
        try:
            frames = entry.row_frames(self.options)
            losses = self._find_losses(read_rows(text, frames, entry.read))
            if not losses and entry.read_otherwise:
                losses = self._find_losses(entry.read_otherwise(text))
        except MemoryError:
            raise
        except Exception as error:  # written, and not readable: worse than lossy
            return Conversion(entry.name, None, "cannot", reason=_reason("cannot be read back", error))
        if not losses:
            return Conversion(entry.name, text, "equal")
        n_left_out = sum(loss.n_values for loss in losses if loss.kind == "parts")
        part = min(1.0, n_left_out / count_scalars(self.data)) if n_left_out else 0.0
        return Conversion(entry.name, text, "lossy", losses=losses, part_left_out=part)

    def _find_losses(self, after: Data) -> tuple[Loss, ...]:
        if self._is_repetitive or type(after) is not type(self.data):
            return find_losses(self.data, after)
        # `repr` runs in C, and tells 1, True and "1" apart: most formats need no walk, the tables one.
        after_repr = repr(after)
        if after_repr == self.data_repr:
            return ()
        if after_repr not in self._losses:
            self._losses = {after_repr: find_losses(self.data, after)}
        return self._losses[after_repr]


def write(data: Data, entry: Format, options: WriteOptions, *, size: Size | None = None) -> str:
    """The data in one format, without proof. Raises CannotHoldError, and what the format's library raises."""
    if entry.grows_by:
        check_size(size or size_of(data), entry.grows_by, options)
    data = _sorted(data) if options.is_sorted else data
    text = write_rows(data, entry.row_frames(options), lambda rows: entry.write(rows, options))
    check_n_characters(len(text))
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
        sorted_of = {key: _sorted(value) for key, value in {id(value): value for value in data}.items()}
        return [sorted_of[id(value)] for value in data]
    return data
