"""The lines of a `.tiktoken` file as a row of tokens: Python needs ten times as long for its dictionary."""

from string import ascii_lowercase, ascii_uppercase, digits

import numpy as np
import numpy.typing as npt

from playground.training.kernel.compiled import compiled
from playground.training.kernel.pretoken_table import PAD, Bytes
from playground.training.kernel.rank_table import Ints, TokenRow

Ids = npt.NDArray[np.uint32]

_SPACE, _LINE_END, _ZERO = b" \n0"
_NO_VALUE = 64  # of "=", which fills a group up
#: Character of base64 to its six bits.
_VALUES = np.full(256, _NO_VALUE, np.uint8)
_VALUES[[*(ascii_uppercase + ascii_lowercase + digits + "+/").encode()]] = np.arange(64)


def read_rank_lines(lines: bytes) -> tuple[TokenRow, Ids]:
    """The tokens of a whole file in its order, and the number of each; nothing is checked.

    >>> row, ranks = read_rank_lines(b"YQ== 0\\nIGI= 12\\n")
    >>> row.text[:3].tobytes(), row.ends.tolist(), ranks.tolist()
    (b'a b', [0, 1, 3], [0, 12])
    """
    raw, n_tokens = np.frombuffer(lines, np.uint8), lines.count(b"\n")
    row = TokenRow(np.zeros(3 * len(raw) // 4 + 2 * PAD, np.uint8), np.zeros(n_tokens + 1, np.int32))
    ranks = np.zeros(n_tokens, np.uint32)
    _read(raw, _VALUES, row.text, row.ends, ranks)
    return row, ranks


@compiled
def _read(raw: Bytes, values: Bytes, text: Bytes, ends: Ints, ranks: Ids) -> None:
    position, n_bytes = 0, 0
    for number in range(len(ranks)):
        bits, n_bits = 0, 0
        while raw[position] != _SPACE:
            value = int(values[raw[position]])
            position += 1
            if value != _NO_VALUE:
                bits, n_bits = (bits << 6 | value) & 0xFFFF, n_bits + 6
            if n_bits >= 8:
                n_bits -= 8
                text[n_bytes] = bits >> n_bits
                n_bytes += 1
        ends[number + 1] = n_bytes
        position += 1
        rank = 0
        while raw[position] != _LINE_END:
            rank = 10 * rank + int(raw[position]) - _ZERO
            position += 1
        position += 1
        ranks[number] = rank
