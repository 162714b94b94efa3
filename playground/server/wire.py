"""The format of answers to the browser, which `web/shared/wire.js` reads.

An answer with tokens has the length of its header (uint32), the header as JSON padded to four bytes, and
columns of uint32, all little-endian; the header's `columns` lists their lengths. Dataclasses are sent as
their fields. A `TypedDict` declares each answer, and `scripts/write_wire_types.py` turns it into TypeScript.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from starlette.responses import Response

from playground.core.text_units import Column

_NO_STORE = {"Cache-Control": "no-store"}


def json_response(answer: Mapping[str, Any]) -> Response:
    """Return an answer without columns."""
    return Response(_json(answer), media_type="application/json", headers=_NO_STORE)


def columns_response(header: Mapping[str, Any], columns: Iterable[Column]) -> Response:
    """Return an answer with columns."""
    return Response(pack_columns(header, columns), media_type="application/octet-stream", headers=_NO_STORE)


def pack_columns(header: Mapping[str, Any], columns: Iterable[Column]) -> bytes:
    r"""Return a header and columns as bytes.

    >>> import numpy as np
    >>> pack_columns({"n": 1}, [np.array([7], np.uint32)])
    b'\x18\x00\x00\x00{"n":1,"columns":[1]}   \x07\x00\x00\x00'
    """
    columns = list(columns)
    head = _json({**header, "columns": [len(column) for column in columns]})
    head += b" " * (-len(head) % 4)
    raws = (column.astype("<u4", copy=False).tobytes() for column in columns)
    return b"".join([len(head).to_bytes(4, "little"), head, *raws])


def _json(value: Mapping[str, Any]) -> bytes:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=asdict)
    return text.encode(errors="replace")
