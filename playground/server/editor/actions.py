"""The actions of the editor's browser code: it sends edits and gets tokens, without a run of the page."""

import base64
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import asdict
from typing import Any

import regex
from starlette.responses import Response

from playground.analysis.chat_templates import JinjaTemplate
from playground.analysis.expensive_words import find_expensive_words
from playground.analysis.pattern_cuts import alternatives_in, piece_cuts
from playground.analysis.text_warnings import find_lost, find_slow, find_warnings, special_elsewhere
from playground.catalog.recut import is_recuttable
from playground.catalog.registry import is_shipped
from playground.core.assets import ASSETS
from playground.core.errors import InvalidInputError, UnknownTokenizerError
from playground.core.text_units import count_utf16
from playground.server.actions import Action, Actions
from playground.server.editor.answers import (
    EarlierVersion,
    EditorChange,
    EditorState,
    Inspection,
    ReadChat,
    RefusedChat,
    Snippet,
)
from playground.server.editor.session import CHANGES, EditorSession
from playground.server.editor.totals import shown_totals, text_totals, token_facts
from playground.server.packed import SentPiece, join_pieces
from playground.server.picker_list import choice_of
from playground.server.saved_page.tokens import COLORS, LABELS, TokenView, saved_tokens
from playground.server.shapes import (
    Optional,
    Shape,
    array,
    boolean,
    integer,
    one_of,
    string,
    whole_text,
)
from playground.server.text_edits import COUNT, EDIT_SHAPE, OPEN_SHAPE, check_version
from playground.server.wire import columns_response, json_response

#: Most pieces whose cuts one request asks for: more than a screen shows.
MAX_CUT_PIECES = 20
VOCABULARIES = ASSETS / "vocabularies"
#: Where a copied program opens a vocabulary file of the app.
_READS_FILE = regex.compile(r'open\("assets/vocabularies/([^"/]+)"')
#: Most characters that are encoded on the event loop: three pieces of prose take a millisecond, one word 6
#: ms.
MAX_CHARACTERS_NOW = 6_000


def _open(session: EditorSession, *, text: str, **changes: Any) -> Response:
    session.open(text, **changes)
    return _whole(session)


def _edit(session: EditorSession, *, version: int, start: int, n_deleted: int, inserted: str) -> Response:
    document = session.document
    with session.lock, document.lock:
        check_version(version, document.version)
        update = document.edit(start, n_deleted, inserted)
        session.is_fresh = False
        change: EditorChange = {
            "version": update.version,
            "first": update.first,
            "n_removed": update.n_removed,
            "totals": text_totals(document),
        }
        return _pieces_response(change, map(SentPiece.of, update.pieces))


def _edit_now(session: EditorSession, **edit: Any) -> Response | None:
    """Apply an edit on the event loop if that is fast: shipped tokenizers, short pieces, idle threads."""
    document = session.document
    with ExitStack() as held:
        for lock in (session.lock, document.lock):
            if not lock.acquire(blocking=False):
                return None
            held.callback(lock.release)
        if not (document.has_totals and is_shipped(document.tokenizer)):
            return None
        check_version(edit["version"], document.version)  # the edit's positions are those of that version
        n_characters = document.n_characters_around(edit["start"], edit["n_deleted"]) + len(edit["inserted"])
        return _edit(session, **edit) if n_characters <= MAX_CHARACTERS_NOW else None


def _change(session: EditorSession, **changes: Any) -> Response:
    session.change(**changes)
    return _whole(session)


def _read_chat(session: EditorSession, *, pasted: str, number: int) -> Response:
    try:
        request = session.read_chat(pasted, number)
    except InvalidInputError as error:
        return _pieces_response(RefusedChat(refused=str(error)), [])
    model, problem = _model_of(session, request.model)
    read: ReadChat = {
        "recognized": request.recognized,
        "number": request.number,
        "n_chats": request.n_requests,
        "model": model,
        "problem": problem,
    }
    return _whole(session, read)


def _model_of(session: EditorSession, name: str) -> tuple[str, str]:
    """Return the model that the picker has to choose, and why it cannot; "" if it need not or can."""
    if not name or name == session.base_tokenizer.name:
        return "", ""
    try:
        choice = choice_of(name, {})
    except UnknownTokenizerError as error:
        return "", f"The request is for {name}: {error}. It is counted for {session.chat_model.name}."
    is_chosen = choice.model == session.model and choice.tokenizer == session.base_tokenizer.name
    return "" if is_chosen else choice.name, ""


def _earlier(session: EditorSession, *, earlier: str) -> Response:
    document = session.tokens_of(earlier)
    header: EarlierVersion = {"n_tokens": document.totals().n_tokens}
    return _pieces_response(header, map(SentPiece.of, document.pieces))


def _inspect(session: EditorSession, *, n_lone_surrogates: int) -> Response:
    document = session.document
    inspection: Inspection = {
        "warnings": [
            *find_lost(document.text, document.tokenizer),
            *find_warnings(document.text, n_replaced_surrogates=n_lone_surrogates),
            *find_slow(document.text, document.tokenizer),
        ],
        "special_spelled": document.special_spelled(),
        "special_elsewhere": special_elsewhere(document.text, document.tokenizer),
    }
    return json_response(inspection)


def _token(session: EditorSession, *, index: int) -> Response:
    return json_response(asdict(session.shown().describe(index)))


def _facts(session: EditorSession, *, ids: list[int]) -> Response:
    return json_response(token_facts(session.shown_tokenizer, ids))


def _cuts(session: EditorSession, *, version: int, pieces: list[int]) -> Response:
    document = session.document
    check_version(version, document.version)
    known = alternatives_in(document.tokenizer)
    cuts = [piece_cuts(document, place) for place in pieces]  # each locks the document for a moment only
    check_version(version, document.version)
    numbers = [[cut.number for cut in of_piece] for of_piece in cuts]
    can_change = is_recuttable(session.base_tokenizer)
    return json_response(
        {"can_change": can_change, "alternatives": [asdict(one) for one in known], "cuts": numbers}
    )


def _expensive(session: EditorSession) -> Response:
    with session.lock:
        shown = session.shown()
    words = (
        [] if shown.parts is None else find_expensive_words(shown.tokenizer, shown.own_text, shown.lengths)
    )
    return json_response({"words": [asdict(word) for word in words]})


def _snippet(session: EditorSession, *, kind: str) -> Response:
    snippet = session.shown().snippet(kind)
    file = _READS_FILE.search(snippet) if kind == "python" else None
    if file is None:
        return json_response(Snippet(snippet=snippet, file=""))
    return json_response(Snippet(snippet=_READS_FILE.sub(r'open("\1"', snippet, count=1), file=file[1]))


def _vocabulary_file(_session: EditorSession, *, file: str) -> Response:
    names = [path.name for path in VOCABULARIES.iterdir()]
    if file not in names:
        raise InvalidInputError(f"unknown vocabulary file {file!r}")
    return Response((VOCABULARIES / file).read_bytes(), media_type="application/x-xz")


def _page(session: EditorSession, *, view: TokenView) -> Response:
    return json_response(saved_tokens(session, view).file)


_VIEW = Shape({"label": one_of(*LABELS), "colorBy": one_of(*COLORS), "marks": boolean})


def _shape_of(*names: str) -> Shape:
    return Shape({name: CHANGES[name] for name in names})


_OPTIONAL_CHANGES = {name: Optional(check) for name, check in CHANGES.items()}
EDITOR_ACTIONS: Actions = {
    "open": Action(_open, Shape({**OPEN_SHAPE.fields, **_OPTIONAL_CHANGES})),
    "edit": Action(_edit, EDIT_SHAPE, _edit_now),
    "chat": Action(
        _change,
        _shape_of("messages", "template_name", "tools", "elsewhere", "add_generation_prompt", "variables"),
    ),
    "read_chat": Action(_read_chat, Shape({"pasted": string(), "number": Optional(integer(1, 10**9), 1)})),
    "ids": Action(_change, _shape_of("ids_text")),
    "settings": Action(_change, Shape(_OPTIONAL_CHANGES)),
    "earlier": Action(_earlier, Shape({"earlier": whole_text})),
    "inspect": Action(_inspect, Shape({"n_lone_surrogates": COUNT})),
    "token": Action(_token, Shape({"index": COUNT})),
    "facts": Action(_facts, Shape({"ids": array(integer(0, 2**32 - 1), max_items=5_000)})),
    "cuts": Action(_cuts, Shape({"version": COUNT, "pieces": array(COUNT, max_items=MAX_CUT_PIECES)})),
    "expensive": Action(_expensive, Shape({})),
    "snippet": Action(_snippet, Shape({"kind": one_of("json", "python")})),
    "page": Action(_page, Shape({"view": _VIEW.check})),
    "vocabulary_file": Action(_vocabulary_file, Shape({"file": string(max_chars=100)})),
}


def _whole(session: EditorSession, read: ReadChat | None = None) -> Response:
    """Answer with the whole state, as `open` and every change but an edit do; `read` is a pasted chat."""
    with session.lock, session.document.lock:
        document, shown = session.document, None if session.mode == "text" else session.shown()
        chat = session.counted() if shown and session.mode == "chat" and not shown.problem else None
        special_ids = shown.tokenizer.special_tokens.values() if shown else document.special_ids
        state: EditorState = {
            "mode": session.mode,
            "version": document.version,
            "messages": session.messages,
            "tools": session.tools,
            "elsewhere": session.elsewhere,
            "ids_text": session.ids_text,
            "cutting": session.cutting,
            "special_ids": sorted(special_ids),
            "totals": shown_totals(shown, document.version, chat) if shown else text_totals(document),
        }
        if read is not None:
            state["read"] = read
        if shown is None:
            return _pieces_response(state, map(SentPiece.of, document.pieces))
        state["raw"] = base64.b64encode(shown.raw).decode()
        state["error"] = shown.problem
        state["template_tokens"] = shown.template_ranges
        if session.mode == "chat":
            state["message_tokens"] = shown.message_tokens
            state["notes"] = shown.notes
            state["asks_for"] = shown.variables
            state["is_jinja"] = isinstance(session.chat_model.template, JinjaTemplate)
        if chat is not None:
            state["parts"] = chat.parts
            state["sum"] = chat.made
            state["how"] = chat.how
        piece = SentPiece(shown.ids, shown.lengths, count_utf16(shown.text), shown.marks)
        return _pieces_response(state, [piece])


def _pieces_response(header: Mapping[str, Any], pieces: Iterable[SentPiece]) -> Response:
    shapes, columns = join_pieces(pieces)
    return columns_response({**header, "pieces": shapes}, columns)
