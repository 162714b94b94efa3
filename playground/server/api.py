"""The public HTTP API: count and encode texts, count chats, decode ids, and list the encodings."""

import base64
import hashlib
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from playground.analysis.chat_counts import chat_model, chat_model_named, count_chat, model_of_request
from playground.analysis.chat_requests import read_chat_request
from playground.analysis.live_document import MAX_TEXT_BYTES
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.claude import ClaudeTokenizer
from playground.catalog.opened import OpenedTokenizer, open_files, tokenizer_of
from playground.catalog.registry import ABOUT, TOKENIZERS, get_tokenizer
from playground.catalog.shipped_vocabularies import About
from playground.catalog.trained import NOT_MERGED
from playground.core.errors import InvalidInputError, TextTooLongError, UnknownTokenizerError
from playground.core.tokenizer import Tokenizer, replace_lone_surrogates, segment
from playground.core.tokens import Token
from playground.files.limits import MAX_FILE_BYTES
from playground.server.protection.guard import GuardedEndpoint, Job, Turns
from playground.server.refusals import RefusedRequestError
from playground.server.shapes import (
    Check,
    MisfitError,
    Optional,
    Shape,
    array,
    boolean,
    integer,
    misfit,
    shown_json,
    string,
)
from playground.server.wire import json_response, refusal_response
from playground.workers import pool

#: A text has at most as many tokens as bytes.
MAX_IDS = MAX_TEXT_BYTES
MAX_TEXTS, MAX_FILES = 10_000, 6
#: A request with a tokenizer's files: the largest file in Base64, a config, and a text.
MAX_API_BODY_BYTES = MAX_FILE_BYTES * 4 // 3 + 12_000_000
#: Memory for opened files: one like Llama 3's, or several smaller ones.
MAX_OPENED_BYTES = 400_000_000
#: A large body is answered in a worker process, within seconds and memory.
LARGE_SECONDS, LARGE_MEMORY_BYTES = 60.0, 2_000_000_000
#: `json.dumps` holds the interpreter, 10 ms for 5,000 tokens with spans, so it gets 200 items at a time.
_ITEMS_PER_CALL = 200
_TURNS = Turns(n_at_once=2, max_waiting=200, max_seconds=60, whose="your address")


def _all_or_names(value: object) -> str | list[str]:
    if value == "all":
        return "all"
    if not isinstance(value, list):
        raise misfit('"all" or a list of special tokens', value)
    names: list[str] = array(string())(value)
    return names


def _list_or_object(value: object) -> object:
    if not isinstance(value, list | dict):
        raise misfit("a list of messages or a request of a chat API", value)
    return value


def _files(value: object) -> dict[str, bytes]:
    """Check an object of file names and contents in Base64, and return the contents."""
    if not isinstance(value, dict):
        raise misfit("an object of file names and contents in Base64", value)
    if not 0 < len(value) <= MAX_FILES:
        raise InvalidInputError(f"files has {len(value):,} files; a tokenizer has 1 to {MAX_FILES}")
    files = {}
    for name, encoded in value.items():
        try:
            files[name] = base64.b64decode(string()(encoded), validate=True)
        except (MisfitError, ValueError):
            raise MisfitError("must be the file in Base64", f"[{shown_json(name)}]") from None
    return files


_TOKENIZER_FIELDS: dict[str, Check | Optional] = {
    "encoding": Optional(string()),
    "model": Optional(string()),
    "files": Optional(_files),
    "pattern": Optional(string()),
}
_TEXT_FIELDS: dict[str, Check | Optional] = {
    "text": Optional(string()),
    "texts": Optional(array(string(), max_items=MAX_TEXTS)),
}
_SPECIAL_FIELD = {"allowed_special": Optional(_all_or_names, [])}
ENCODE_SHAPE = Shape(
    {**_TEXT_FIELDS, **_TOKENIZER_FIELDS, **_SPECIAL_FIELD, "spans": Optional(boolean, False)}
)
COUNT_SHAPE = Shape(
    {**_TEXT_FIELDS, "chat": Optional(_list_or_object), **_TOKENIZER_FIELDS, **_SPECIAL_FIELD}
)
DECODE_SHAPE = Shape({"ids": array(integer()), **_TOKENIZER_FIELDS})


def answer_encode(body: bytes) -> Response:
    """Encode a text, or several, to ids; with `spans` also to tokens.

    Byte spans refer to the text in UTF-8, character spans count code points; both are half-open.
    Raises PlaygroundError.
    """
    asked = ENCODE_SHAPE.read(body)
    tokenizer = _tokenizer_of(asked)
    texts = _texts_of(asked, "text", "texts")
    allowed_special = _allowed_special_of(asked, tokenizer)
    found: list[tuple[Sequence[int], Sequence[Token] | None]] = []
    for text in texts:
        if asked["spans"]:
            segmentation = segment(tokenizer, text, allowed_special=allowed_special)
            found.append((segmentation.encoding, segmentation.tokens))
        else:
            found.append((tokenizer.encode(text, allowed_special=allowed_special), None))
    parts = _iter_encode_json(_answered_by(tokenizer), found, is_batch=asked["texts"] is not None)
    return Response(b"".join(part.encode() for part in parts), media_type="application/json")


def answer_count(body: bytes) -> Response:
    """Count the tokens of a text, of several, or of a chat for a model: the sent one, else the chat's own.

    Raises PlaygroundError.
    """
    asked = COUNT_SHAPE.read(body)
    if asked["chat"] is not None:
        _one_of(asked, "text", "texts", "chat")
        return json_response(_count_chat(asked))
    tokenizer = _tokenizer_of(asked)
    texts = _texts_of(asked, "text", "texts", "chat")
    allowed_special = _allowed_special_of(asked, tokenizer)
    counts = [len(tokenizer.encode(text, allowed_special=allowed_special)) for text in texts]
    of_each = {"counts": counts} if asked["texts"] is not None else {}
    return json_response({**_answered_by(tokenizer), "count": sum(counts), **of_each})


def _count_chat(asked: Mapping[str, Any]) -> dict[str, object]:
    if asked["allowed_special"]:
        raise InvalidInputError("allowed_special is for texts; a chat's template has its own special tokens")
    request = read_chat_request(json.dumps(asked["chat"]))
    counted_for = None
    if not any(asked[name] is not None for name in _TOKENIZER_FIELDS):
        counted_for = model_of_request(request, get_tokenizer)
    if counted_for is None:
        given = _tokenizer_field(asked)
        tokenizer = _tokenizer_of(asked)
        is_file = given == "files"
        counted_for = (
            chat_model(tokenizer) if is_file else chat_model_named(asked[given], lambda _name: tokenizer)
        )
    found = count_chat(request, counted_for)
    return {
        "model": found.name,
        "encoding": found.encoding.tokenizer.name,
        "count": found.n_tokens,
        "mark": found.mark,
        "parts": [asdict(part) for part in found.parts],
        "not_counted": list(found.unknown),
        "note": " ".join((found.how, *found.encoding.notes)),
    }


def _one_of(asked: Mapping[str, Any], *names: str) -> str:
    """Return the one of these fields that was sent. Raises InvalidInputError for none or several."""
    given = [name for name in names if asked[name] is not None]
    if len(given) != 1:
        sent = " and ".join(given) + " were sent" if given else "none was sent"
        raise InvalidInputError(f"send one of {', '.join(names)}; {sent}")
    return given[0]


def _texts_of(asked: Mapping[str, Any], *names: str) -> list[str]:
    """Return the text or the texts, together within the limit. Raises PlaygroundError."""
    given = asked[_one_of(asked, *names)]
    texts = [replace_lone_surrogates(text) for text in (given if isinstance(given, list) else [given])]
    n_bytes = sum(len(text.encode()) for text in texts)
    if n_bytes > MAX_TEXT_BYTES:
        what = "the text has" if asked["text"] is not None else "the texts have"
        raise TextTooLongError(f"{what} {n_bytes:,} bytes in UTF-8; the limit is {MAX_TEXT_BYTES:,} (1 MB)")
    return texts


def answer_decode(body: bytes) -> Response:
    """Decode ids to the text as the library decodes it, and its bytes in hexadecimal.

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
    return json_response({**_answered_by(tokenizer), "text": tokenizer.decode(ids), "bytes": raw.hex()})


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


def _endpoint(path: str, answer: Callable[[bytes], Response]) -> GuardedEndpoint:
    job = Job(
        answer,
        _TURNS,
        answer_large=lambda body: _answer_elsewhere(path, body),
        max_bytes=MAX_API_BODY_BYTES,
    )
    return GuardedEndpoint(lambda _path: job)


def _answer_elsewhere(path: str, body: bytes) -> Response:
    """Answer a request in a worker process; libraries hold the interpreter while they encode a long text."""
    found: bytes = pool.run(
        "playground.server.api.answer_here", path, body,
        what="this request", seconds=LARGE_SECONDS, memory_bytes=LARGE_MEMORY_BYTES,
    )  # fmt: skip
    return Response(found, media_type="application/json")


def answer_here(path: str, body: bytes) -> bytes:
    """Return the JSON that answers a request to an endpoint. Raises PlaygroundError."""
    return bytes(ENDPOINTS[path](body).body)


ENCODINGS = "/api/v1/encodings"
ENDPOINTS = {
    "/api/v1/count": answer_count,
    "/api/v1/encode": answer_encode,
    "/api/v1/decode": answer_decode,
}

_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

API_ROUTES: list[BaseRoute] = [
    *(Route(path, _endpoint(path, answer)) for path, answer in ENDPOINTS.items()),
    Route(ENCODINGS, answer_encodings, methods=_METHODS),
    Route("/api/{path:path}", answer_unknown_path, methods=_METHODS),
]


def _answered_by(tokenizer: Tokenizer) -> dict[str, str]:
    """Return the encoding of an answer, with the split pattern that its file lacks or a note if not exact."""
    encoding = {"encoding": tokenizer.name}
    if split := getattr(tokenizer, "split_beside_file", ""):
        encoding["pattern"] = split
    if NOT_MERGED in getattr(tokenizer, "about", ""):
        encoding["note"] = f"{tokenizer.name} is {NOT_MERGED}."
    if not isinstance(tokenizer, ClaudeTokenizer):
        return encoding
    generation = tokenizer.generation
    return encoding | {
        "note": f"{tokenizer.name} is {generation.about.kind}. A message adds {generation.n_frame} tokens."
    }


def _tokenizer_field(asked: Mapping[str, Any]) -> str:
    """Return which field names the tokenizer. Raises InvalidInputError for none or several."""
    given = [name for name in ("encoding", "model", "files") if asked[name] is not None]
    if len(given) != 1:
        sent = f"{' and '.join(given)} were sent" if given else "none was sent"
        raise InvalidInputError(
            f"send one of encoding, model and files, {sent}: encoding is one of {', '.join(TOKENIZERS)}, "
            "model a name such as gpt-4o or Qwen3-8B, files a tokenizer's files in Base64"
        )
    if asked["pattern"] and given != ["files"]:
        raise InvalidInputError("pattern is for files that contain no split pattern")
    return given[0]


def _tokenizer_of(asked: Mapping[str, Any]) -> Tokenizer:
    given = _tokenizer_field(asked)
    if given == "files":
        return _opened.get(asked["files"], asked["pattern"] or "")
    name: str = asked[given]
    if len(name) > 100:
        raise UnknownTokenizerError(
            f"{given} is {len(name):,} characters long; choose from {', '.join(TOKENIZERS)}"
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


class _OpenedFiles:
    """The tokenizers of uploaded files that were used last; they are kept in memory only."""

    def __init__(self) -> None:
        self._tokenizers: dict[str, OpenedTokenizer] = {}
        self._lock = threading.Lock()

    def get(self, files: Mapping[str, bytes], pattern: str) -> OpenedTokenizer:
        """Return the tokenizer of files, by their names and contents; a pattern is used if they have none.

        Raises PlaygroundError.
        """
        digest = hashlib.sha256(pattern.encode(errors="replace"))
        for name, raw in sorted(files.items()):
            digest.update(json.dumps([name, len(raw)]).encode() + raw)
        key = digest.hexdigest()
        with self._lock:
            if (known := self._tokenizers.pop(key, None)) is not None:
                self._tokenizers[key] = known  # used last
                return known
        name = next(iter(files)).rpartition(".")[0][:60] or "opened"
        visitor = pool.VISITOR.get() or "api"
        split = SplitPattern.parse(pattern) if pattern else None
        tokenizer = tokenizer_of(name, open_files(files, split, visitor=visitor))
        with self._lock:
            self._tokenizers[key] = tokenizer
            while sum(kept.n_bytes_held for kept in self._tokenizers.values()) > MAX_OPENED_BYTES:
                del self._tokenizers[next(iter(self._tokenizers))]
        return tokenizer


_opened = _OpenedFiles()


def _iter_encode_json(
    encoding: Mapping[str, str],
    found: Sequence[tuple[Sequence[int], Sequence[Token] | None]],
    *,
    is_batch: bool,
) -> Iterator[str]:
    yield f"{json.dumps(encoding)[:-1]}, "
    if is_batch:
        yield '"results": ['
        for number, (ids, tokens) in enumerate(found):
            yield ", {" if number else "{"
            yield from _iter_fields(ids, tokens)
            yield "}"
        yield f'], "count": {sum(len(ids) for ids, _tokens in found)}'
    else:
        yield from _iter_fields(*found[0])
    yield "}"


def _iter_fields(ids: Sequence[int], tokens: Sequence[Token] | None) -> Iterator[str]:
    yield '"ids": ['
    yield from _iter_items(ids)
    yield f'], "count": {len(ids)}'
    if tokens is not None:
        yield ', "tokens": ['
        yield from _iter_items(map(_token_fields, tokens))
        yield "]"


def _iter_items(items: Iterable[object]) -> Iterator[str]:
    separator = ""
    remaining = iter(items)
    while part := list(islice(remaining, _ITEMS_PER_CALL)):
        yield separator + json.dumps(part, ensure_ascii=False)[1:-1]
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
