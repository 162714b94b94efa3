"""The tokens of Tokenize as a page."""

import base64
from html import escape
from typing import Any, Literal, TypedDict, get_args

from playground.analysis.pattern_cuts import alternatives_in, piece_cuts
from playground.analysis.shown_tokens import ShownTokens
from playground.core.errors import InvalidInputError
from playground.core.wording import counted
from playground.render.palette import token_css
from playground.server.editor.answers import EditorTotals
from playground.server.editor.session import EditorSession
from playground.server.editor.totals import shown_totals, text_totals, token_facts
from playground.server.saved_page.page import SavedPage, in_quotes, named

Label = Literal["text", "both", "ids", "bytes"]
ColorBy = Literal["position", "id", "rank", "bytes", "category", "pattern"]
LABELS, COLORS = get_args(Label), get_args(ColorBy)
#: Ids that a browser without scripts lists.
_MAX_LISTED = 2_000


class TokenView(TypedDict):
    """What tokens show, what their colours mean, and whether white space is visible."""

    label: Label
    colorBy: ColorBy
    marks: bool


PLAIN_VIEW: TokenView = {"label": "text", "colorBy": "position", "marks": False}


def saved_tokens(session: EditorSession, view: TokenView = PLAIN_VIEW) -> SavedPage:
    """Return the page with the session's tokens. Raises InvalidInputError if there are none to show."""
    with session.lock, session.document.lock:
        shown, document = session.shown(), session.document
        if shown.problem:
            raise InvalidInputError(shown.problem)
        is_text = session.mode == "text"
        chat = session.counted() if session.mode == "chat" else None
        totals = text_totals(document) if is_text else shown_totals(shown, document.version, chat)
        special = document.special_ids if is_text else shown.tokenizer.special_tokens.values()
        header: dict[str, Any] = {
            "view": view,
            "totals": {**totals, "version": 0},  # a page has no earlier versions
            "special_ids": sorted(special),
            "template_tokens": shown.template_ranges,
            **_source(shown),
            **_colors(session, shown, view["colorBy"]),
        }
    model = session.model.name if session.model and session.mode != "chat" else ""
    name = named(shown.tokenizer, model)
    return SavedPage(
        name=f"tokens-{shown.tokenizer.name}",
        title=f"Tokens in {name}",
        caption=_caption(session, shown, totals, name),
        hint="Point at a token, tap it, or use the arrow keys to see its id and bytes.",
        made_from=name,
        figure="saved_page/tokens.html",
        look=("shared/token_strip.css", "editor/editor.css", "saved_page/tokens.css"),
        css=token_css(),
        fallback=_fallback(shown),
        module="saved_page/tokens.js",
        header=header,
        columns=(shown.ids, shown.lengths, shown.marks),
    )


def _caption(session: EditorSession, shown: ShownTokens, totals: EditorTotals, name: str) -> str:
    text, n_tokens = in_quotes(shown.text), counted(totals["n_tokens"], "token")
    if session.mode == "ids":
        return f"{n_tokens} in {name}, given by their ids: {text}."
    if session.mode == "chat":
        number = " ".join(filter(None, [totals.get("mark", ""), n_tokens, totals.get("beside", "")]))
        return f"A chat: {number}. Its text is tokenized by {name}."
    size = f"{counted(len(shown.text), 'character')}, {counted(len(shown.raw), 'UTF-8 byte')}"
    return f"{text} ({size}) is {n_tokens} in {name}."


def _source(shown: ShownTokens) -> dict[str, str]:
    """Return the text, or the bytes if the ids give no valid UTF-8."""
    try:
        return {"text": shown.raw.decode()}
    except UnicodeDecodeError:
        return {"raw": base64.b64encode(shown.raw).decode()}


def _colors(session: EditorSession, shown: ShownTokens, color_by: ColorBy) -> dict[str, Any]:
    """Return the values that colours with a meaning show; the app's page asks its session for them."""
    if color_by in ("rank", "category"):
        ids = sorted(set(shown.ids.tolist()))
        return {"facts": {"ids": ids, **token_facts(shown.tokenizer, ids)}}
    if color_by == "pattern" and session.mode == "text":
        document = session.document
        cuts = [cut.number for place in range(len(document.pieces)) for cut in piece_cuts(document, place)]
        return {"alternatives": [*alternatives_in(document.tokenizer)], "cuts": cuts}
    return {}


def _fallback(shown: ShownTokens) -> str:
    ids = shown.ids[:_MAX_LISTED].tolist()
    more = f" … and {len(shown.ids) - len(ids):,} more" if len(shown.ids) > len(ids) else ""
    return f"<pre>{escape(shown.text)}</pre><p>Ids: {', '.join(map(str, ids))}{more}</p>"
