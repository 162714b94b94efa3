"""Data and texts of every format, mutated real ones among them, and what must hold of each."""

import copy
import warnings
from functools import cache
from typing import Any

from hypothesis import strategies as st

from playground.core.errors import PlaygroundError
from playground.formats.conversion import Job
from playground.formats.example_data import EXAMPLE_DATA
from playground.formats.reading import INPUT_FORMATS, read_document
from playground.formats.registry import FORMATS
from playground.formats.values import WriteOptions
from tests.formats.equality import comes_back
from tests.formats.strategies import OTHER_DATA, RECORDS
from tests.mutations import mutate

OPTIONS = st.builds(
    WriteOptions,
    is_sorted=st.booleans(),
    is_ascii=st.booleans(),
    is_minified=st.booleans(),
    has_trailing_newline=st.booleans(),
    indent=st.sampled_from([2, 4]),
)
#: What reads a file with this suffix.
_READ_AS = {"json": "JSON", "jsonl": "JSON Lines", "py": "Python literal"} | {
    name.lower(): name for name in ("YAML", "TOML", "XML", "CSV", "TSV")
}
#: What means something in one of the formats.
_PIECES = [
    *(b"- ", b": ", b"? ", b"&a ", b"*a", b"<<: *a\n", b"!!int ", b"!!binary ", b"|\n", b">-\n", b"---\n"),
    *(b"1:30", b"0x", b"1e999", b"2001-02-30", b"12:61:00", b"1_000", b"-.inf", b"%YAML 1.1\n", b"#"),
    *(b"[[a]]\n", b"a.b = 1\n", b"= ", b'"""', b"'''", b"\t", b"\r\n", b'""', b"\\u0000", b"\\ud83d"),
    *(b"<a>", b"</a>", b"<!-- ", b"<![CDATA[", b"&#0;", b"&amp;", b"<!DOCTYPE a [", b' x="1"'),
    *(b"\xed\xa0\x80", b"\xc2\x85", b"\xe2\x80\xa8"),
]  # fmt: skip


@cache
def real_texts() -> list[tuple[bytes, str | None]]:
    """The example data, as it stands and as each format writes it, and the format that reads it again."""
    texts: list[tuple[bytes, str | None]] = []
    for example in EXAMPLE_DATA.values():
        found = read_document(example())
        texts.append((example().encode(), found.input_format))
        data = found.data[:5] if isinstance(found.data, list) else found.data
        for entry in FORMATS.values():
            written = Job(data, WriteOptions()).convert(entry.name).text
            texts += [(written.encode(), _READ_AS.get(entry.suffix))] if written else []
    return texts


@st.composite
def documents(draw: st.DrawFn) -> tuple[bytes, str | None, str, WriteOptions]:
    """A mutated file, the format that it is read as, and what it is converted to."""
    raw, input_format = draw(st.sampled_from(real_texts()))
    if draw(st.booleans()):  # short texts are damaged in more telling places
        lines = raw.splitlines(keepends=True)
        start = draw(st.integers(0, len(lines) - 1))
        raw = b"".join(lines[start : start + draw(st.integers(1, 6))])[:2_000]
    for _ in range(draw(st.integers(1, 4))):
        raw = mutate(draw, raw, _PIECES)
    if draw(st.booleans()):
        input_format = draw(st.sampled_from([None, *INPUT_FORMATS]))
    return raw, input_format, draw(st.sampled_from(list(FORMATS))), draw(OPTIONS)


def conversions() -> st.SearchStrategy[tuple[Any, str, WriteOptions]]:
    """Data, the format that it is written in, and how."""
    return st.tuples(OTHER_DATA | RECORDS, st.sampled_from(list(FORMATS)), OPTIONS)


def check_document(raw: bytes, input_format: str | None, format_name: str, options: WriteOptions) -> None:
    """A text is refused in a sentence, or read, and what is then said of its conversion is true."""
    try:
        document = read_document(raw, input_format)
    except PlaygroundError as error:
        assert 0 < len(str(error)) < 2_000  # noqa: PT017
        return
    check_conversion(document.data, format_name, options)


def check_conversion(data: Any, format_name: str, options: WriteOptions) -> None:
    """The verdict on a conversion is true: what is called equal comes back equal from all readers."""
    before = repr(data), copy.deepcopy(data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = Job(data, options).convert(format_name)
        assert repr(data) == before[0] == repr(before[1]), "the data was changed"
        if found.text is None:
            assert found.fidelity == "cannot"
            assert found.reason
        else:
            same = comes_back(data, format_name, found.text)
            assert (found.fidelity == "equal") == same
            assert bool(found.losses) == (not same)
