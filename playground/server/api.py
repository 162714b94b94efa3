"""The public HTTP API: a text to ids, and ids to a text, on the same server as the pages."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from playground.analysis.live_document import MAX_TEXT_BYTES
from playground.catalog.registry import TOKENIZERS, get_tokenizer
from playground.core.errors import InvalidInputError, TextTooLongError, UnknownTokenizerError
from playground.core.tokenizer import Tokenizer, replace_lone_surrogates
from playground.core.tokens import Token
from playground.server.guard import (
    PostEndpoint,
    RefusedRequestError,
    error_response,
    parse_json_object,
)

#: A text has at most as many tokens as bytes.
MAX_IDS = MAX_TEXT_BYTES
#: Long lists are written in pieces of this many items, so that no answer holds the interpreter for long.
_ITEMS_PER_CHUNK = 5_000


def answer_encode(body: bytes) -> Response:
    """`{"text", "encoding" or "model", "allowed_special", "spans"}` to ids, and with spans to tokens.

    Byte spans are of the text's UTF-8, character spans count code points; both are half-open.
    Raises PlaygroundError.
    """
    request = parse_json_object(body, fields=("text", "encoding", "model", "allowed_special", "spans"))
    tokenizer = _tokenizer_of(request)
    text = request.get("text")
    if not isinstance(text, str):
        raise InvalidInputError(f"text must be a string, and is {_kind(text)}")
    text = replace_lone_surrogates(text)
    n_bytes = len(text.encode())
    if n_bytes > MAX_TEXT_BYTES:
        raise TextTooLongError(
            f"the text has {n_bytes:,} bytes in UTF-8; the limit is {MAX_TEXT_BYTES:,} (1 MB)"
        )
    allowed_special = _allowed_special_of(request, tokenizer)
    with_spans = request.get("spans", False)
    if not isinstance(with_spans, bool):
        raise InvalidInputError(f"spans must be true or false, and is {_kind(with_spans)}")
    if with_spans:
        segmentation = tokenizer.segment(text, allowed_special=allowed_special)
        tokens: Sequence[Token] | None = segmentation.tokens
        ids = list(segmentation.ids)
    else:
        tokens = None
        ids = tokenizer.encode(text, allowed_special=allowed_special)
    return StreamingResponse(_iter_encode_json(tokenizer.name, ids, tokens), media_type="application/json")


def answer_decode(body: bytes) -> Response:
    """`{"ids", "encoding" or "model"}` to the text and its bytes in hex. Raises PlaygroundError."""
    request = parse_json_object(body, fields=("ids", "encoding", "model"))
    tokenizer = _tokenizer_of(request)
    ids = request.get("ids")
    if not isinstance(ids, list):
        raise InvalidInputError(f"ids must be a list of integers, and is {_kind(ids)}")
    if len(ids) > MAX_IDS:
        raise TextTooLongError(f"{len(ids):,} ids were sent; the limit is {MAX_IDS:,}")
    raw = bytearray()
    for position, token_id in enumerate(ids):
        if type(token_id) is not int:  # True is an int to Python, and no id
            raise InvalidInputError(f"ids[{position}] must be an integer, and is {_kind(token_id)}")
        raw += tokenizer.token_bytes(token_id)
        if len(raw) > MAX_TEXT_BYTES:
            raise TextTooLongError(f"the ids spell more than the limit of {MAX_TEXT_BYTES:,} bytes (1 MB)")
    answer = {"encoding": tokenizer.name, "text": raw.decode(errors="replace"), "bytes": raw.hex()}
    return Response(json.dumps(answer, ensure_ascii=False), media_type="application/json")


async def answer_unknown_path(request: Request) -> Response:
    """A path under /api that does not exist."""
    known = ", ".join(f"POST {path}" for path in ENDPOINTS)
    return error_response(RefusedRequestError(404, f"nothing is at {request.url.path[:200]!r}; use {known}"))


ENDPOINTS = {"/api/v1/encode": answer_encode, "/api/v1/decode": answer_decode}

API_ROUTES: list[BaseRoute] = [
    *(Route(path, PostEndpoint(answer)) for path, answer in ENDPOINTS.items()),
    Route("/api/{path:path}", answer_unknown_path, methods=["GET", "POST", "PUT", "PATCH", "DELETE"]),
]


def _tokenizer_of(request: dict[str, object]) -> Tokenizer:
    given = [field for field in ("encoding", "model") if field in request]
    if len(given) != 1:
        both = "both were sent" if given else "neither was sent"
        raise InvalidInputError(
            f"send either encoding or model; {both}. Encodings are {', '.join(TOKENIZERS)}; "
            "a model is OpenAI's name, such as gpt-4o"
        )
    name = request[given[0]]
    if not isinstance(name, str):
        raise InvalidInputError(f"{given[0]} must be a string, and is {_kind(name)}")
    if len(name) > 100:
        raise UnknownTokenizerError(
            f"{given[0]} is {len(name):,} characters long; choose from {', '.join(TOKENIZERS)}"
        )
    return get_tokenizer(name)


def _allowed_special_of(request: dict[str, object], tokenizer: Tokenizer) -> frozenset[str]:
    allowed = request.get("allowed_special", [])
    if allowed == "all":
        return frozenset(tokenizer.special_tokens)
    if not isinstance(allowed, list):
        raise InvalidInputError(
            f'allowed_special must be "all" or a list of special tokens, and is {_kind(allowed)}'
        )
    for name in allowed:
        if not isinstance(name, str) or name not in tokenizer.special_tokens:
            some = ", ".join(islice(tokenizer.special_tokens, 20)) or "none"
            more = ", …" if len(tokenizer.special_tokens) > 20 else ""
            raise InvalidInputError(
                f"{_kind(name)} is no special token of {tokenizer.name}; it has {some}{more}"
            )
    return frozenset(allowed)


def _kind(value: object) -> str:
    """A value as an error names it: short strings and numbers themselves, others by their JSON type."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null or missing"}[value]
    if isinstance(value, (str, int, float)):
        return repr(value) if len(shown := repr(value)) <= 60 else f"{shown[:60]}…"
    return "a list" if isinstance(value, list) else "an object"


def _iter_encode_json(encoding_name: str, ids: list[int], tokens: Sequence[Token] | None) -> Iterator[str]:
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
        yield separator + json.dumps(chunk, ensure_ascii=False)[1:-1]
        separator = ", "


def _token_fields(token: Token) -> dict[str, object]:
    try:
        text = token.raw.decode()
    except UnicodeDecodeError:
        text = None  # not whole characters
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
