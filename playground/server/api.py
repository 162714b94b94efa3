"""The public HTTP API: encode a text, decode ids, and list the encodings."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from playground.analysis.live_document import MAX_TEXT_BYTES
from playground.catalog.registry import ABOUT, TOKENIZERS, get_tokenizer
from playground.catalog.shipped_vocabularies import About
from playground.core.errors import InvalidInputError, TextTooLongError, UnknownTokenizerError
from playground.core.tokenizer import Tokenizer, replace_lone_surrogates, segment
from playground.core.tokens import Token
from playground.server.protection.guard import GuardedEndpoint, Job, Turns
from playground.server.refusals import RefusedRequestError, refusal_response
from playground.server.shapes import (
    Check,
    Optional,
    Shape,
    array,
    boolean,
    integer,
    misfit,
    shown_json,
    string,
)
from playground.server.wire import json_response

#: A text has at most as many tokens as bytes.
MAX_IDS = MAX_TEXT_BYTES
#: Long lists are sent in chunks of 5,000 items. `json.dumps` holds the interpreter, 10 ms for 5,000 tokens
#: with spans, so it gets 200 items at a time.
_ITEMS_PER_CHUNK, _ITEMS_PER_CALL = 5_000, 200
_TURNS = Turns(n_at_once=2, max_waiting=200, max_seconds=60, whose="your address")


def _all_or_names(value: object) -> str | list[str]:
    if value == "all":
        return "all"
    if not isinstance(value, list):
        raise misfit('"all" or a list of special tokens', value)
    names: list[str] = array(string())(value)
    return names


_TOKENIZER_FIELDS: dict[str, Check | Optional] = {"encoding": Optional(string()), "model": Optional(string())}
ENCODE_SHAPE = Shape(
    {
        "text": string(),
        **_TOKENIZER_FIELDS,
        "allowed_special": Optional(_all_or_names, []),
        "spans": Optional(boolean, False),
    }
)
DECODE_SHAPE = Shape({"ids": array(integer()), **_TOKENIZER_FIELDS})


def answer_encode(body: bytes) -> Response:
    """Encode: `{"text", "encoding" or "model", "allowed_special", "spans"}` to ids, with `spans` also tokens.

    Byte spans refer to the text in UTF-8, character spans count code points; both are half-open.
    Raises PlaygroundError.
    """
    asked = ENCODE_SHAPE.read(body)
    tokenizer = _tokenizer_of(asked)
    text = replace_lone_surrogates(asked["text"])
    n_bytes = len(text.encode())
    if n_bytes > MAX_TEXT_BYTES:
        raise TextTooLongError(
            f"the text has {n_bytes:,} bytes in UTF-8; the limit is {MAX_TEXT_BYTES:,} (1 MB)"
        )
    allowed_special = _allowed_special_of(asked, tokenizer)
    tokens: Sequence[Token] | None = None
    if asked["spans"]:
        segmentation = segment(tokenizer, text, allowed_special=allowed_special)
        tokens, ids = segmentation.tokens, segmentation.encoding
    else:
        ids = tokenizer.encode(text, allowed_special=allowed_special)
    return StreamingResponse(_iter_encode_json(tokenizer.name, ids, tokens), media_type="application/json")


def answer_decode(body: bytes) -> Response:
    """Decode: `{"ids", "encoding" or "model"}` to the text as the library decodes it, and its bytes in hex.

    Raises PlaygroundError.
    """
    asked = DECODE_SHAPE.read(body)
    tokenizer = _tokenizer_of(asked)
    ids = asked["ids"]
    if len(ids) > MAX_IDS:
        raise TextTooLongError(f"{len(ids):,} ids were sent; the limit is {MAX_IDS:,}")
    raw = bytearray()
    for token_id in ids:
        raw += tokenizer.vocabulary.raw_of(token_id)
        if len(raw) > MAX_TEXT_BYTES:
            raise TextTooLongError(f"the ids spell more than the limit of {MAX_TEXT_BYTES:,} bytes (1 MB)")
    return json_response({"encoding": tokenizer.name, "text": tokenizer.decode(ids), "bytes": raw.hex()})


async def answer_encodings(request: Request) -> Response:
    """List each encoding with its family, kind, number of ids and licence, without loading it."""
    if request.method not in ("GET", "HEAD"):
        sentence = f"method {request.method!r} is not allowed here; use GET"
        return refusal_response(RefusedRequestError(405, sentence, headers={"Allow": "GET, HEAD"}))
    rows = [{"encoding": name, **_fields_of(ABOUT[name])} for name in TOKENIZERS]
    return json_response({"encodings": rows})


async def answer_unknown_path(request: Request) -> Response:
    """Answer 404 for an unknown path under /api."""
    known = ", ".join([*(f"POST {path}" for path in ENDPOINTS), f"GET {ENCODINGS}"])
    return refusal_response(
        RefusedRequestError(404, f"there is nothing at {request.url.path[:200]!r}; use {known}")
    )


def _endpoint(answer: Callable[[bytes], Response]) -> GuardedEndpoint:
    return GuardedEndpoint(lambda _path: Job(answer, _TURNS))


ENCODINGS = "/api/v1/encodings"
ENDPOINTS = {"/api/v1/encode": answer_encode, "/api/v1/decode": answer_decode}

_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

API_ROUTES: list[BaseRoute] = [
    *(Route(path, _endpoint(answer)) for path, answer in ENDPOINTS.items()),
    Route(ENCODINGS, answer_encodings, methods=_METHODS),
    Route("/api/{path:path}", answer_unknown_path, methods=_METHODS),
]


def _tokenizer_of(asked: Mapping[str, Any]) -> Tokenizer:
    given = [name for name in ("encoding", "model") if asked[name] is not None]
    if len(given) != 1:
        both = "both were sent" if given else "neither was sent"
        raise InvalidInputError(
            f"send either encoding or model, {both}: encoding is one of {', '.join(TOKENIZERS)}, "
            "model a name such as gpt-4o or Qwen3-8B"
        )
    name: str = asked[given[0]]
    if len(name) > 100:
        raise UnknownTokenizerError(
            f"{given[0]} is {len(name):,} characters long; choose from {', '.join(TOKENIZERS)}"
        )
    return get_tokenizer(name)


def _fields_of(about: About) -> dict[str, str | int | None]:
    """Return the fields, empty ones as null."""
    return {field: value or None for field, value in about._asdict().items()}


def _allowed_special_of(asked: Mapping[str, Any], tokenizer: Tokenizer) -> frozenset[str]:
    allowed = asked["allowed_special"]
    if allowed == "all":
        return frozenset(tokenizer.special_tokens)
    for name in allowed:
        if name not in tokenizer.special_tokens:
            some = ", ".join(islice(tokenizer.special_tokens, 20)) or "none"
            more = ", …" if len(tokenizer.special_tokens) > 20 else ""
            raise InvalidInputError(
                f"{shown_json(name)} is not a special token of {tokenizer.name}; it has {some}{more}"
            )
    return frozenset(allowed)


def _iter_encode_json(
    encoding_name: str, ids: Sequence[int], tokens: Sequence[Token] | None
) -> Iterator[str]:
    yield f'{{"encoding": {json.dumps(encoding_name)}, "ids": ['
    yield from _iter_items(ids)
    yield f'], "count": {len(ids)}'
    if tokens is not None:
        yield ', "tokens": ['
        yield from _iter_items(map(_token_fields, tokens))
        yield "]"
    yield "}"


def _iter_items(items: Iterable[object]) -> Iterator[str]:
    separator = ""
    remaining = iter(items)
    while chunk := list(islice(remaining, _ITEMS_PER_CHUNK)):
        parts = (chunk[first : first + _ITEMS_PER_CALL] for first in range(0, len(chunk), _ITEMS_PER_CALL))
        yield separator + ", ".join(json.dumps(part, ensure_ascii=False)[1:-1] for part in parts)
        separator = ", "


def _token_fields(token: Token) -> dict[str, object]:
    try:
        text = token.raw.decode()
    except UnicodeDecodeError:
        text = None  # parts of characters
    return {
        "id": token.id,
        "text": text,
        "bytes": token.raw.hex(),
        "byte_start": token.byte_start,
        "byte_end": token.byte_end,
        "char_start": token.char_start,
        "char_end": token.char_end,
        "is_special": token.is_special,
    }
