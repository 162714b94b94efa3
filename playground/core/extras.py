"""Extras of the installed package: which of them brings a module that is missing."""

from collections.abc import Iterator
from contextlib import contextmanager

from playground.core.errors import InvalidInputError
from playground.core.home import DISTRIBUTION

#: The extra that brings a module.
_EXTRA_OF = {
    **dict.fromkeys(("tokenizers", "sentencepiece", "google"), "files"),
    **dict.fromkeys(("pandas", "yaml", "tomli_w", "defusedxml"), "formats"),
    **dict.fromkeys(("json5", "pyjson5", "toon_format"), "formats"),
    **dict.fromkeys(("streamlit", "altair", "segno", "starlette"), "app"),
    **dict.fromkeys(("splintr", "pyarrow", "dask", "distributed"), "scale"),
    "mcp": "mcp",
    "huggingface_hub": "models",
    "ipykernel": "notebook",
}


def how_to_install(module: str) -> str:
    """Return the line that installs the extra with a module; "" if no extra has it.

    >>> how_to_install("pyarrow.parquet")
    "pip install 'tessera-playground[scale]'"
    """
    extra = _EXTRA_OF.get(module.partition(".")[0])
    return f"pip install '{DISTRIBUTION}[{extra}]'" if extra else ""


@contextmanager
def names_missing_extra(what: str) -> Iterator[None]:
    """Raise InvalidInputError with the line that installs a missing module, not ModuleNotFoundError.

    >>> with names_missing_extra("formats"):
    ...     raise ModuleNotFoundError(name="yaml")
    Traceback (most recent call last):
    ...
    playground.core.errors.InvalidInputError: formats needs yaml, which is not installed; run: pip install ...
    """
    try:
        yield
    except ModuleNotFoundError as error:
        line = how_to_install(error.name or "")
        if not line:
            raise
        raise InvalidInputError(f"{what} needs {error.name}, which is not installed; run: {line}") from None
