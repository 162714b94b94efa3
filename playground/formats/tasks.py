"""Functions that worker processes run for large data: read it, convert it, and count tokens.

Data is passed pickled, and the server never unpickles it, which could block all visitors for a second.
"""

import hashlib
import pickle
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from playground.catalog.registry import TOKENIZERS, get_tokenizer
from playground.core.tokenizer import Tokenizer
from playground.formats.conversion import Job, write
from playground.formats.reading import Document, read_document
from playground.formats.registry import FORMATS
from playground.formats.roles import tokens_by_role
from playground.formats.scaling import Grow, Growth, find_growth, sample_of
from playground.formats.values import Conversion, Data, Role, WriteOptions


@dataclass(frozen=True, slots=True)
class Packed:
    """Pickled data for worker processes; `sample` is the part on which growth is measured."""

    content: bytes
    digest: bytes
    sample: Data

    @classmethod
    def of(cls, data: Data) -> "Packed":
        """Pack data.

        >>> packed = Packed.of([{"a": 1}] * 10_000)
        >>> packed.unpack() == [{"a": 1}] * 10_000, len(packed.sample)
        (True, 1000)
        """
        content = pickle.dumps(data, pickle.HIGHEST_PROTOCOL)
        return cls(content, hashlib.sha256(content).digest(), sample_of(data))

    def unpack(self) -> Data:
        """Return the data."""
        return pickle.loads(self.content)


def read_packed(
    source: str | bytes, input_format: str | None, file_name: str, instead: Mapping[str, str]
) -> Document:
    """Read a document, with its data packed. Raises what `read_document` raises.

    >>> read_packed("a: [1]", None, "", {}).data.unpack()
    {'a': [1]}
    """
    document = read_document(source, input_format, file_name=file_name, instead=instead)
    return replace(document, data=Packed.of(document.data))


#: The previous data, kept for its next format, because unpickling takes as long as writing one.
_last: tuple[object, Job] | None = None


def convert_packed(packed: Packed, options: WriteOptions, format_name: str) -> Conversion:
    """Convert packed data into one format.

    >>> convert_packed(Packed.of({"a": 1}), WriteOptions(), "yaml").text
    'a: 1'
    """
    global _last
    key = (packed.digest, options)
    if _last is None or _last[0] != key:
        _last = None  # what was there goes first
        _last = key, Job(packed.unpack(), options)
    return _last[1].convert(format_name)


def write_packed(packed: Packed, options: WriteOptions, format_name: str) -> str:
    """Return packed data in one format, not read back. Raises what `write` raises.

    >>> write_packed(Packed.of({"a": "é"}), WriteOptions(is_ascii=True), "json_compact")
    '{"a":"\\\\u00e9"}'
    """
    return write(packed.unpack(), FORMATS[format_name], options)


def pack_tokenizer(tokenizer: Tokenizer) -> bytes:
    """Pickle a tokenizer for a process: its name alone, if that gives the same tokenizer there.

    >>> from playground.catalog.registry import get_tokenizer
    >>> pickle.loads(pack_tokenizer(get_tokenizer("gpt2")))
    'gpt2'
    """
    is_known = tokenizer.name in TOKENIZERS and get_tokenizer(tokenizer.name) is tokenizer
    return pickle.dumps(tokenizer.name if is_known else tokenizer, pickle.HIGHEST_PROTOCOL)


@lru_cache(maxsize=1)
def _tokenizer_of(packed: bytes) -> Tokenizer:
    found = pickle.loads(packed)
    return get_tokenizer(found) if isinstance(found, str) else found


def text_tokens_by_role(text: str, format_name: str, tokenizer: bytes) -> dict[Role, int]:
    """Return the tokens of a text by role, in a packed tokenizer.

    >>> from playground.catalog.registry import get_tokenizer
    >>> text_tokens_by_role("a: 1", "yaml", pack_tokenizer(get_tokenizer("utf8_bytes")))
    {'keys': 1, 'values': 1, 'punctuation': 1, 'whitespace': 1}
    """
    return tokens_by_role(text, FORMATS[format_name], _tokenizer_of(tokenizer))


def measure_growth(
    data: Data, tokenizer: bytes, formats: tuple[str, ...], options: WriteOptions, grow: Grow
) -> Growth:
    """Return how tokens grow, in a packed tokenizer."""
    return find_growth(data, _tokenizer_of(tokenizer), formats, options, grow)
