"""Mutations of a file's bytes, lines and numbers, as damage or an attacker would make them."""

import re
from collections.abc import Sequence

from hypothesis import strategies as st

#: What a mutated number may become.
NUMBERS = [
    "-1",
    "0",
    "255",
    "256",
    "1e400",
    "1.5",
    "true",
    str(2**31 - 1),
    str(2**31),
    str(2**32 - 1),
    str(2**40),
]
NUMBERS += [str(10**30), "9" * 5000, "1_0", "٣", "+5", " 7", "NaN", ""]
#: What may be inserted into any file.
PIECES = [
    b"\xff",
    b"\xef\xbb\xbf",
    b"\0",
    b"\n",
    b"\r",
    b" ",
    b'"',
    b"{",
    b"[",
    b"]",
    b",",
]


def mutate(draw: st.DrawFn, raw: bytes, own_pieces: Sequence[bytes]) -> bytes:
    """Return the bytes, changed in one place; `own_pieces` are meaningful in files of this kind."""
    match draw(st.sampled_from(["bytes", "line", "number"])):
        case "bytes":
            return _mutate_bytes(draw, raw, [*PIECES, *own_pieces])
        case "line":
            return _mutate_line(draw, raw)
        case _:
            return _mutate_number(draw, raw)


def _mutate_bytes(draw: st.DrawFn, raw: bytes, pieces: Sequence[bytes]) -> bytes:
    start = draw(st.integers(0, len(raw)))
    end = min(len(raw), start + draw(st.sampled_from([0, 1, 1, 2, 10, 1000])))
    match draw(st.sampled_from(["flip", "delete", "double", "insert", "truncate"])):
        case "flip" if start < len(raw):
            return raw[:start] + bytes([raw[start] ^ 1 << draw(st.integers(0, 7))]) + raw[start + 1 :]
        case "delete":
            return raw[:start] + raw[end:]
        case "double":
            return raw[:end] + raw[start:]
        case "insert":
            return raw[:start] + draw(st.sampled_from(pieces)) + raw[start:]
        case _:
            return raw[:start]


def _mutate_line(draw: st.DrawFn, raw: bytes) -> bytes:
    lines = raw.split(b"\n")
    first, second = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
    match draw(st.sampled_from(["delete", "double", "swap", "move"])):
        case "delete":
            del lines[first]
        case "double":
            lines.insert(second, lines[first])
        case "swap":
            lines[first], lines[second] = lines[second], lines[first]
        case _:
            lines.insert(second, lines.pop(first))
    return b"\n".join(lines)


def _mutate_number(draw: st.DrawFn, raw: bytes) -> bytes:
    found = list(re.finditer(rb"\d+", raw))
    if not found:
        return raw
    match = draw(st.sampled_from(found))
    others = st.sampled_from(found).map(lambda other: other.group())
    number = draw(
        others | st.sampled_from(NUMBERS).map(str.encode) | st.integers(0, 400).map(lambda n: b"%d" % n)
    )
    return raw[: match.start()] + number + raw[match.end() :]
