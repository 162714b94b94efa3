"""Files of object stores and other machines, by their addresses: `s3://`, `gs://`, `hf://`, `memory://` ….

Whatever fsspec reads, where the package for it is installed; fsspec comes with Dask, and with the app.
"""

import io
from collections.abc import Callable
from typing import Any, BinaryIO, TypeVar

from playground.core.errors import InvalidInputError

Found = TypeVar("Found")


def is_address(path: str) -> bool:
    """Whether a name is an address and not a path on this machine."""
    return "://" in path


def open_address(address: str) -> BinaryIO:
    """Open a file by its address, with random access. Raises InvalidInputError."""
    system, path = _system_of(address)
    return _NamedErrors(_named_error(address, lambda: system.open(path, "rb")), address)  # type: ignore[return-value]


def n_bytes_at(address: str) -> int:
    """Return the size of a file in bytes; 0 if unknown. Raises InvalidInputError."""
    system, path = _system_of(address)
    return int(_named_error(address, lambda: system.info(path)).get("size") or 0)


def files_at(address: str) -> list[str]:
    """Return the addresses of the files of a folder or glob, sorted; a file returns its own.

    Raises: InvalidInputError for what cannot be reached or is not there.
    """
    system, path = _system_of(address)

    def find() -> list[str]:
        if "*" in path or "?" in path:
            return [found for found in system.glob(path) if system.isfile(found)]
        if system.isdir(path):
            return [found for found in system.find(path) if not _is_hidden(found.removeprefix(path))]
        return [path] if system.exists(path) else []

    found = _named_error(address, find)
    if not found:
        raise InvalidInputError(f"{address}: there is no such file or folder")
    return sorted(str(system.unstrip_protocol(name)) for name in found)


def _is_hidden(path: str) -> bool:
    return any(part.startswith(".") for part in path.split("/"))


def _system_of(address: str) -> tuple[Any, str]:
    """Return the file system of an address, and the path in it. Raises InvalidInputError."""
    protocol = address.split("://")[0]
    try:
        import fsspec  # only here: it takes a tenth of a second
        from fsspec.registry import known_implementations

        if protocol not in known_implementations:
            raise InvalidInputError(
                f"{address}: no file system is known for {protocol}://; known are s3://, gs://, hf://, "
                "https:// and what else fsspec reads"
            )
        return fsspec.core.url_to_fs(address)  # type: ignore[no-any-return]
    except ImportError as error:
        module = "fsspec" if error.name == "fsspec" else _package(known_implementations[protocol]["class"])
        raise InvalidInputError(
            f"{address}: {protocol}:// is read by the package {module}, which is not installed; "
            f"`pip install {module}` installs it"
        ) from error
    except InvalidInputError:
        raise
    except Exception as error:
        raise _failure(address, error) from error


def _package(class_name: str) -> str:
    """Return the package to install for a file system class; most have the name of its module."""
    module = class_name.split(".")[0]
    return {"fsspec": "aiohttp"}.get(module, module)


def _named_error(address: str, ask: Callable[[], Found]) -> Found:
    """Call a file system; errors of its library become InvalidInputError with one sentence."""
    try:
        return ask()
    except InvalidInputError:
        raise
    except Exception as error:  # each library has errors of its own
        raise _failure(address, error) from error


def _failure(address: str, error: Exception) -> InvalidInputError:
    if isinstance(error, FileNotFoundError):
        return InvalidInputError(f"{address}: there is no such file")
    lines = str(error).strip().splitlines()
    return InvalidInputError(f"{address}: cannot be read: {lines[0] if lines else type(error).__name__}")


class _NamedErrors(io.RawIOBase):
    """A file of fsspec whose errors become InvalidInputError with one sentence."""

    def __init__(self, file: Any, address: str) -> None:
        self._file, self._address = file, address

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        return int(_named_error(self._address, lambda: self._file.seek(place, whence)))

    def tell(self) -> int:
        return int(self._file.tell())

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        block = _named_error(self._address, lambda: self._file.read(len(view)))
        view[: len(block)] = block
        return len(block)

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()
