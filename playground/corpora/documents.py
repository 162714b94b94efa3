"""Read the texts of a source: a plain file in chunks, or a field of rows of JSON Lines, CSV or Parquet."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from playground.core.errors import InvalidInputError
from playground.core.wording import json_kind, quoted
from playground.corpora.sources import Source
from playground.corpora.streams import OnRead, open_stream, unheard
from playground.corpora.text_files import Chunk, iter_utf8_chunks, open_binary

#: Rows are passed on when they have this many characters together.
BATCH_CHARACTERS = 1 << 18
_N_PARQUET_ROWS = 1 << 10
_MAX_CSV_FIELD = (1 << 31) - 1


class Rows(NamedTuple):
    """Texts of a batch of rows, and the number of rows without a text that were skipped."""

    texts: list[str]
    n_left_out: int


def iter_chunks(source: Source, on_read: OnRead) -> Iterator[Chunk]:
    """Yield the text of a plain file in chunks. Raises InvalidInputError."""
    with open_stream(source, on_read) as stream:
        yield from iter_utf8_chunks(source.path, stream)


def iter_rows(source: Source, on_read: OnRead) -> Iterator[Rows]:
    """Yield the texts of a file of rows in batches. Raises InvalidInputError with the file and the row."""
    return in_batches(_READERS[source.kind](source, on_read))


def fields_of(source: Source) -> list[str]:
    """Return the fields of a file of rows that can hold the text, by its header or its first row.

    Raises InvalidInputError.
    """
    return [name for name in dict.fromkeys(_FIELDS[source.kind](source)) if name]


def in_batches(rows: Iterable[str | None]) -> Iterator[Rows]:
    """Group texts into batches of the size of a block; None stands for a skipped row."""
    batch: list[str] = []
    n_characters = n_left_out = 0
    for text in rows:
        if text is None:
            n_left_out += 1
            continue
        batch.append(text)
        n_characters += len(text)
        if n_characters >= BATCH_CHARACTERS:
            yield Rows(batch, n_left_out)
            batch, n_characters, n_left_out = [], 0, 0
    if batch or n_left_out:
        yield Rows(batch, n_left_out)


def _check_may_be_left_out(source: Source, message: str) -> None:
    """Raise InvalidInputError with the message unless rows without a text are skipped."""
    if not source.skips_bad_rows:
        is_asked = source.skips_bad_rows is not None
        raise InvalidInputError(message + "; --skip-bad-rows leaves such rows out" * is_asked)


def _iter_json_lines(source: Source, on_read: OnRead) -> Iterator[str | None]:
    with open_stream(source, on_read) as stream:
        for number, line in enumerate(stream, 1):
            yield from texts_of_line(line, source, f"{source.path}: line {number:,}")


def texts_of_line(line: bytes, source: Source, place: str) -> Sequence[str | None]:
    """Yield the texts in a line of JSON; None for a skipped row.

    Raises InvalidInputError with the place.
    """
    try:
        row = _object_of_line(line, place)
        return [] if row is None else texts_at(row, source.field, place)
    except InvalidInputError as error:
        _check_may_be_left_out(source, str(error))
        return [None]


def _object_of_line(line: bytes, place: str) -> dict[str, Any] | None:
    try:
        # An error at the end of a line would be one of the next, at column 1.
        row = json.loads(line.removeprefix(b"\xef\xbb\xbf").rstrip(b"\r\n").decode())
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"{place} is not UTF-8 at its byte {error.start:,}") from error
    except json.JSONDecodeError as error:
        if not line.strip():
            return None
        what = error.msg.removesuffix(" at")  # Python's message for some errors ends like this
        raise InvalidInputError(f"{place} is not JSON: {what} at column {error.colno:,}") from error
    except ValueError as error:
        raise InvalidInputError(f"{place} has a number of too many digits") from error
    except RecursionError as error:
        raise InvalidInputError(f"{place} is nested too deep") from error
    if not isinstance(row, dict):
        raise InvalidInputError(f"{place} is {json_kind(row)}, not an object with fields")
    return row


def _json_fields(source: Source) -> list[str]:
    with open_stream(source, unheard) as stream:
        for number, line in enumerate(stream, 1):
            row = _object_of_line(line, f"{source.path}: line {number:,}")
            if row is not None:
                return [*iter_text_paths(row)]
    return []


def _iter_csv(source: Source, on_read: OnRead) -> Iterator[str | None]:
    with _open_csv(source, on_read) as rows:
        header: list[str] = next(rows, [])
        if source.field not in header:
            raise InvalidInputError(f"{source.path} has no field {quoted(source.field)}{others(header)}")
        column = header.index(source.field)
        for number, row in enumerate(rows, 1):
            if not row:
                continue
            if column < len(row):
                yield row[column]
                continue
            _check_may_be_left_out(
                source,
                f"{source.path}: row {number:,} ends before its field {quoted(source.field)} "
                f"(line {rows.line_num:,})",
            )
            yield None


def _csv_fields(source: Source) -> list[str]:
    with _open_csv(source, unheard) as rows:
        return list(next(rows, []))


@contextmanager
def _open_csv(source: Source, on_read: OnRead) -> Iterator[Any]:
    """Yield the rows of a CSV file, the header first."""
    csv.field_size_limit(_MAX_CSV_FIELD)
    with open_stream(source, on_read) as stream:
        lines = io.TextIOWrapper(stream, "utf-8-sig", newline="")
        rows = csv.reader(lines, delimiter="\t" if source.kind == "tsv" else ",", strict=True)
        try:
            yield rows
        except UnicodeDecodeError as error:
            raise InvalidInputError(
                f"{source.path}: not UTF-8{_behind('line', rows.line_num)} ({error.reason})"
            ) from error
        except csv.Error as error:
            raise InvalidInputError(f"{source.path}: line {rows.line_num:,} is not CSV: {error}") from error


def _iter_parquet(source: Source, on_read: OnRead) -> Iterator[str | None]:
    return iter_row_groups(source, 0, None, on_read)


def _parquet_fields(source: Source) -> list[str]:
    import pyarrow as pa  # only here: it takes a fifth of a second
    import pyarrow.parquet as pq

    try:
        with open_binary(source.path) as opened, pq.ParquetFile(opened) as file:
            return [field.name for field in file.schema_arrow if _is_text(field.type)]
    except (pa.ArrowException, OSError) as error:
        raise InvalidInputError(f"{source.path}: cannot be read: {str(error).splitlines()[0]}") from error


def _is_text(of_type: Any) -> bool:
    import pyarrow as pa

    inner = of_type.value_type if pa.types.is_dictionary(of_type) else of_type
    return bool(pa.types.is_string(inner) or pa.types.is_large_string(inner))


def iter_row_groups(source: Source, first: int, last: int | None, on_read: OnRead) -> Iterator[str | None]:
    """Yield the texts of row groups of a Parquet file up to `last` (None: the end); None for skipped rows."""
    import pyarrow as pa  # only here: it takes a fifth of a second
    import pyarrow.parquet as pq

    if source.compression:
        raise InvalidInputError(f"{source.path}: Parquet is compressed within; unpack the file first")
    n_bytes = source.n_bytes
    row_number = n_reported = 0
    try:
        with open_binary(source.path) as opened, pq.ParquetFile(opened) as file:
            schema = file.schema_arrow
            if source.field not in schema.names:
                is_path = "." in source.field or "[]" in source.field
                within = "; only of .jsonl are fields within others read" if is_path else ""
                raise InvalidInputError(
                    f"{source.path} has no field {quoted(source.field)}{others(schema.names)}{within}"
                )
            of_type = schema.field(source.field).type
            if not _is_text(of_type):
                raise InvalidInputError(
                    f"{source.path}: field {quoted(source.field)} is of type {of_type}, not text"
                )
            row_number = sum(file.metadata.row_group(number).num_rows for number in range(first))
            n_reported = n_bytes * row_number // max(file.metadata.num_rows, 1)
            groups = range(first, file.num_row_groups if last is None else last)
            for batch in file.iter_batches(
                _N_PARQUET_ROWS, row_groups=groups, columns=[source.field], use_threads=False
            ):
                for text in batch.column(0).to_pylist():
                    row_number += 1
                    if text is None:
                        _check_may_be_left_out(
                            source,
                            f"{source.path}: row {row_number:,}: field {quoted(source.field)} is null, "
                            "not text",
                        )
                    yield text
                n_now = n_bytes * row_number // max(file.metadata.num_rows, 1)
                on_read(n_now - n_reported)
                n_reported = n_now
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error).splitlines()[0]
        raise InvalidInputError(
            f"{source.path}: cannot be read{_behind('row', row_number)}: {why}"
        ) from error


_READERS = {"jsonl": _iter_json_lines, "csv": _iter_csv, "tsv": _iter_csv, "parquet": _iter_parquet}
_FIELDS = {"jsonl": _json_fields, "csv": _csv_fields, "tsv": _csv_fields, "parquet": _parquet_fields}


def _behind(unit: str, n_read: int) -> str:
    return f" behind {unit} {n_read:,}" if n_read else ""


#: Limits of a list of paths: names shown, and entries of a list examined for names.
_MAX_NAMES, _MAX_ENTRIES = 5, 100
_MISSING = object()


def texts_at(row: dict[str, Any], path: str, place: str) -> list[str]:
    """Return the text of a field, or of each entry of a list; a field of this exact name precedes a path.

    >>> row = {"a": {"b": "x"}, "a.c": "y", "messages": [{"content": "Hi"}, {"content": None}]}
    >>> [texts_at(row, path, "line 1") for path in ("a.b", "a.c", "messages[].content")]
    [['x'], ['y'], ['Hi']]

    An entry without the field, or with null there, has no text. Raises InvalidInputError with the place.
    """
    found = [row[path]] if path in row else [*_iter_values(row, path.split("."))]
    values = [value for value in found if value is not _MISSING]
    if found and not values:
        meant = [known for known in iter_text_paths(row) if _names_of(known) == _names_of(path)]
        raise InvalidInputError(f"{place} has no field {quoted(path)}{others(meant[:1] or row)}")
    is_of_list = path not in row and "[]" in path
    texts = [value for value in values if not (is_of_list and value is None)]
    for text in texts:
        if not isinstance(text, str):
            raise InvalidInputError(f"{place}: field {quoted(path)} is {json_kind(text)}, not text")
    return texts


def iter_text_paths(row: dict[str, Any], before: str = "") -> Iterator[str]:
    """Yield the fields of a row that hold text, each as a path; a path may occur twice.

    >>> [*iter_text_paths({"id": 1, "a": {"b": "x"}, "tags": ["y"], "messages": [{"content": "Hi"}]})]
    ['a.b', 'tags[]', 'messages[].content']
    """
    for name, value in row.items():
        if before and ("." in name or "[]" in name):
            continue  # no path leads there
        entries = value[:_MAX_ENTRIES] if isinstance(value, list) else [value]
        path = f"{before}{name}{'[]' * isinstance(value, list)}"
        for entry in entries:
            if isinstance(entry, str):
                yield path
            elif isinstance(entry, dict) and path.count(".") + 1 < _MAX_NAMES:
                yield from iter_text_paths(entry, f"{path}.")


def _names_of(path: str) -> str:
    return path.replace("[]", "")


def others(names: Any) -> str:
    """Return the end of an error message about a missing field: the fields that the row has."""
    shown = [quoted(str(name)) for name in names]
    if not shown:
        return ": it has none"
    return f"; it has {', '.join(shown[:8])}{' …' if len(shown) > 8 else ''}"


def _iter_values(value: Any, names: Sequence[str]) -> Iterator[Any]:
    if not names:
        yield value
        return
    name, is_list = names[0].removesuffix("[]"), names[0].endswith("[]")
    found = value.get(name, _MISSING) if isinstance(value, dict) else _MISSING
    entries = found if is_list and isinstance(found, list) else [_MISSING if is_list else found]
    for entry in entries:
        if entry is _MISSING:
            yield entry
        else:
            yield from _iter_values(entry, names[1:])
