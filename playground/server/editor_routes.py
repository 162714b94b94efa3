"""The routes that a keystroke goes to: edits in, token columns out, without a rerun of the page.

Tokens travel as a JSON header and two uint32 columns a piece (ids, then lengths in bytes), little-endian;
`web/shared/wire.js` reads them.
"""

import base64
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from playground.analysis.live_document import Columns, Piece, count_utf16
from playground.analysis.text_counts import TextCounts, count_text
from playground.analysis.text_warnings import find_warnings
from playground.core.errors import PlaygroundError
from playground.server.editor_session import EditorSession, find_session
from playground.server.guard import (
    RefusedRequestError,
    error_response,
    parse_json_object,
    read_checked_body,
)
from playground.server.share_link import share_query

EDITOR_PATH = "/editor"


class _ConflictError(PlaygroundError):
    """The edit was made to another version of the text."""


async def _act(request: Request) -> Response:
    try:
        body = await read_checked_body(request)
        action = ACTIONS.get(request.path_params["action"])
        if action is None:
            raise RefusedRequestError(404, f"no such action; choose from {', '.join(ACTIONS)}")
        session = find_session(request.path_params["session_id"])
        if session is None:
            raise RefusedRequestError(
                410, "the server no longer knows this editor; your text is kept: reload"
            )
        return await run_in_threadpool(_answer, action, session, body)
    except ClientDisconnect:
        return Response(status_code=499)
    except PlaygroundError as error:
        return error_response(error)


def _answer(action: "Action", session: EditorSession, body: bytes) -> Response:
    try:
        return action(session, parse_json_object(body, fields=FIELDS))
    except _ConflictError as conflict:
        raise RefusedRequestError(409, str(conflict)) from None
    except (KeyError, TypeError, ValueError) as error:
        raise RefusedRequestError(400, f"not a request that the editor sends: {error!r}") from None


def _open(session: EditorSession, _body: Mapping[str, Any]) -> Response:
    return _whole(session)


def _edit(session: EditorSession, body: Mapping[str, Any]) -> Response:
    document = session.document
    with session.lock, document.lock:
        if body["version"] != document.version:
            raise _ConflictError(
                f"the text is at version {document.version}, the edit was made to {body['version']}"
            )
        update = document.edit(body["start"], body["n_deleted"], body["inserted"])
        session.is_fresh = False
        header = {
            "version": update.version,
            "first": update.first,
            "n_removed": update.n_removed,
            "totals": _text_totals(session),
        }
        return _tokens(header, map(_columns, update.pieces))


def _chat(session: EditorSession, body: Mapping[str, Any]) -> Response:
    session.change(messages=body["messages"], template_name=body["template_name"])
    return _whole(session)


def _ids(session: EditorSession, body: Mapping[str, Any]) -> Response:
    session.change(ids_text=body["ids_text"])
    return _whole(session)


def _settings(session: EditorSession, body: Mapping[str, Any]) -> Response:
    known = ("mode", "honours_special", "messages", "template_name", "ids_text")
    session.change(**{name: body[name] for name in known if name in body})
    return _whole(session)


def _inspect(session: EditorSession, body: Mapping[str, Any]) -> Response:
    document = session.document
    warnings = find_warnings(document.text, n_replaced_surrogates=body["n_lone_surrogates"])
    sentences = [{"kind": warning.kind, "sentence": warning.sentence} for warning in warnings]
    return JSONResponse({"warnings": sentences, "special_spelled": document.special_spelled()})


def _token(session: EditorSession, body: Mapping[str, Any]) -> Response:
    return JSONResponse(session.shown().describe(body["index"]).as_json())


def _snippet(session: EditorSession, body: Mapping[str, Any]) -> Response:
    return JSONResponse({"snippet": session.shown().snippet(body["kind"])})


def _share(session: EditorSession, body: Mapping[str, Any]) -> Response:
    return JSONResponse({"query": share_query(session, view=body["view"])})


Action = Callable[[EditorSession, Mapping[str, Any]], Response]
ACTIONS: dict[str, Action] = {
    "open": _open,
    "edit": _edit,
    "chat": _chat,
    "ids": _ids,
    "settings": _settings,
    "inspect": _inspect,
    "token": _token,
    "snippet": _snippet,
    "share": _share,
}

#: Every field that an action may have.
FIELDS = (
    "version",
    "start",
    "n_deleted",
    "inserted",
    "messages",
    "template_name",
    "ids_text",
    "mode",
    "honours_special",
    "n_lone_surrogates",
    "index",
    "kind",
    "view",
)

EDITOR_ROUTES: list[BaseRoute] = [
    Route(f"{EDITOR_PATH}/{{session_id}}/{{action}}", _act, methods=["POST"]),
]


def _whole(session: EditorSession) -> Response:
    """The whole state, as `open` and every change but an edit answer it."""
    with session.lock, session.document.lock:
        document = session.document
        header: dict[str, Any] = {
            "mode": session.mode,
            "version": document.version,
            "text": document.text,
            "messages": [{"role": m.role, "content": m.content} for m in session.messages],
            "template_name": session.template_name,
            "ids_text": session.ids_text,
            "view": session.view,
        }
        if session.mode == "text":
            header |= {"special_ids": sorted(document.special_ids), "totals": _text_totals(session)}
            return _tokens(header, map(_columns, document.pieces))
        shown = session.shown()
        header |= {
            "special_ids": sorted(shown.tokenizer.special_tokens.values()),
            "raw": base64.b64encode(shown.raw).decode(),
            "error": shown.problem,
            "template_tokens": shown.template_ranges,
            "totals": {
                "tokenizer": shown.tokenizer.name,
                "version": document.version,
                "n_tokens": len(shown.ids),
                "n_template": shown.n_template if session.mode == "chat" else None,
                "counts": _counts(count_text(shown.text)),
                "categories": shown.categories(),
            },
        }
        return _tokens(header, [(shown.ids, shown.lengths, count_utf16(shown.text))])


def _text_totals(session: EditorSession) -> dict[str, Any]:
    document = session.document
    totals = document.totals()
    return {
        "tokenizer": document.tokenizer.name,
        "version": document.version,
        "honours_special": document.honours_special,
        "n_tokens": totals.n_tokens,
        "n_tokens_plain": totals.n_tokens_plain,
        "n_tokens_special": totals.n_tokens_special,
        "counts": _counts(totals.counts),
        "categories": totals.categories,
    }


def _counts(counts: TextCounts) -> dict[str, int]:
    return {
        "n_chars": counts.n_chars,
        "n_bytes": counts.n_bytes,
        "n_words": counts.n_words,
        "n_lines": counts.n_lines,
    }


def _columns(piece: Piece) -> tuple[Columns, Columns, int]:
    return piece.ids, piece.lengths, piece.n_utf16


def _tokens(header: Mapping[str, Any], pieces: Iterable[tuple[Columns, Columns, int]]) -> Response:
    """Pack a header and columns; the header is padded so that the columns are aligned."""
    pieces = list(pieces)
    shapes = [[len(ids), n_utf16] for ids, _, n_utf16 in pieces]
    head = json.dumps({**header, "pieces": shapes}, ensure_ascii=False, separators=(",", ":"))
    packed = head.encode(errors="replace")
    packed += b" " * (-len(packed) % 4)
    columns = (column.astype("<u4", copy=False).tobytes() for piece in pieces for column in piece[:2])
    content = b"".join([len(packed).to_bytes(4, "little"), packed, *columns])
    return Response(content, media_type="application/octet-stream", headers={"Cache-Control": "no-store"})
