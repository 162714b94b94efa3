"""What a process of the pool does for large data: it reads, writes one format after another, and counts.

The data travels pickled, and the server never unpacks it: that alone would take a second from everyone.
"""

import hashlib
import pickle
from dataclasses import dataclass
from functools import lru_cache

from playground.catalog.registry import TOKENIZERS, get_tokenizer
from playground.core.tokenizer import Tokenizer
from playground.formats.conversion import Job, write
from playground.formats.division import divide
from playground.formats.reading import Document, read_document
from playground.formats.registry import FORMATS
from playground.formats.repeats import share_rows
from playground.formats.scaling import Grow, Growth, find_growth, sample_of
from playground.formats.values import Conversion, Data, Role, WriteOptions


@dataclass(frozen=True, slots=True)
class Packed:
    """Data that stays with the processes; `sample` is what its growth is measured on."""

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
        data = share_rows(data)  # a pickle has each object once
        content = pickle.dumps(data, pickle.HIGHEST_PROTOCOL)
        return cls(content, hashlib.sha256(content).digest(), sample_of(data))

    def unpack(self) -> Data:
        """The data, with whatever one text it repeats."""
        return pickle.loads(self.content)


def read_packed(source: str | bytes, input_format: str | None) -> Document:
    """Read a document whose data is packed. Raises what `read_document` raises.

    >>> read_packed("a: [1]", None).data.unpack()
    {'a': [1]}
    """
    document = read_document(source, input_format)
    return Document(Packed.of(document.data), document.input_format, document.notes)


#: The data that came last, for the next format of it: unpacking takes as long as writing one.
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
    """Write packed data in one format, without proof. Raises what `write` raises.

    >>> write_packed(Packed.of({"a": "é"}), WriteOptions(is_ascii=True), "json_compact")
    '{"a":"\\\\u00e9"}'
    """
    return write(packed.unpack(), FORMATS[format_name], options)


def pack_tokenizer(tokenizer: Tokenizer) -> bytes:
    """A tokenizer as a process gets it: by its name, if a process finds the same one by that.

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


def divide_text(text: str, format_name: str, options: WriteOptions, tokenizer: bytes) -> dict[Role, int]:
    """The tokens of a text by role, by a tokenizer that is packed.

    >>> from playground.catalog.registry import get_tokenizer
    >>> divide_text("a: 1", "yaml", WriteOptions(), pack_tokenizer(get_tokenizer("utf8_bytes")))
    {'keys': 1, 'values': 1, 'punctuation': 1, 'whitespace': 1}
    """
    return divide(text, FORMATS[format_name], options, _tokenizer_of(tokenizer))


def measure_growth(
    data: Data, tokenizer: bytes, formats: tuple[str, ...], options: WriteOptions, grow: Grow
) -> Growth:
    """How tokens grow, by a tokenizer that is packed."""
    return find_growth(data, _tokenizer_of(tokenizer), formats, options, grow)
