"""Cut to a token budget: the text in chunks, or its beginning, its end or both ends, to copy and to save."""

import io
import json
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from html import escape
from typing import Any, NamedTuple, TypeVar

import streamlit as st

from playground.analysis.token_budget import MARK, UNITS, Chunk, Truncation, Unit, cut_into_chunks, truncate
from playground.core.errors import PlaygroundError
from playground.core.tokenizer import Tokenizer
from playground.core.wording import counted
from playground.render.visible_text import markdown_escape
from playground.server.editor.session import EditorSession
from playground.ui import state
from playground.ui.save_file import copy_text, save_file

#: What to keep, by the words on screen: chunks of the whole text, or a part of it.
CHUNKS, START, END, BOTH = "All of it, in chunks", "The beginning", "The end", "Both ends"
_KEPT = {START: "start", END: "end", BOTH: "both"}
_UNIT_NAMES: dict[Unit, str] = {
    "tokens": "tokens", "sentences": "sentences", "lines": "lines", "sections": "Markdown sections",
}  # fmt: skip
KEEP = state.Field("budget.keep", CHUNKS)
UNIT = state.Field("budget.unit", "tokens")
SIZE, OVERLAP = state.Field("budget.size", 200), state.Field("budget.overlap", 20)
THE_MARK = state.Field("budget.mark", MARK.strip())
#: Chunks drawn, and characters of each; files have everything.
MAX_DRAWN, MAX_DRAWN_CHARACTERS = 100, 3_000
_LAST_CUT = "budget.last_cut"
T = TypeVar("T")


class _LastCut(NamedTuple):
    """What was cut last: by which tokenizer, what was asked for, and the pieces."""

    tokenizer: Tokenizer
    asked: tuple[object, ...]
    made: Any


def show_budget(session: EditorSession) -> None:
    """Draw the settings and the pieces of the editor's text."""
    section = st.expander("Cut to a token budget", key="budget", on_change="rerun")
    if not section.open:
        return  # a long text takes seconds to cut
    with section:
        columns = st.columns(4)
        n_tokens = columns[1].number_input("Tokens at most", min_value=1, step=50, **SIZE.shown())
        keep = columns[0].selectbox("Keep", [CHUNKS, *_KEPT], **KEEP.one_of([CHUNKS, *_KEPT]))
        names = [*reversed(UNITS)]
        unit = columns[2].selectbox(
            "Cut between", names, format_func=_UNIT_NAMES.__getitem__, **UNIT.one_of(names)
        )
        try:
            if keep == CHUNKS:
                overlap = columns[3].number_input("Overlap, in tokens", min_value=0, **OVERLAP.shown())
                _show_chunks(session, n_tokens=n_tokens, asked=overlap, unit=unit)
                return
            mark = MARK
            if keep == BOTH:
                mark = columns[3].text_input("In place of the middle", **THE_MARK.shown())
                mark = f"\n{mark}\n" if mark else ""
            shortened = _cut_once(session, truncate, n_tokens=n_tokens, keep=_KEPT[keep], by=unit, mark=mark)
            _show_truncation(session, shortened)
        except PlaygroundError as error:
            st.error(markdown_escape(str(error)))


def _listed_chunks(tokenizer: Tokenizer, text: str, **settings: Any) -> list[Chunk]:
    return [*cut_into_chunks(tokenizer, text, **settings)]


def _cut_once(session: EditorSession, cut: Callable[..., T], **settings: object) -> T:
    """Return what `cut` makes of the text; a run of the page in which nothing changed does not cut again."""
    document = session.document
    tokenizer, text, is_special = document.tokenizer, document.text, document.honours_special
    settings["allowed_special"] = frozenset(tokenizer.special_tokens) if is_special else frozenset()
    asked = (cut, text, settings)
    last: _LastCut | None = state.get(_LAST_CUT, None)
    if last is None or last.tokenizer is not tokenizer or last.asked != asked:
        last = _LastCut(tokenizer, asked, cut(tokenizer, text, **settings))
        state.put(_LAST_CUT, last)
    made: T = last.made
    return made


def _show_chunks(session: EditorSession, *, n_tokens: int, asked: int, unit: Unit) -> None:
    overlap = asked if asked < n_tokens else n_tokens // 2  # the default is too large for a small budget
    chunks = _cut_once(session, _listed_chunks, n_tokens=n_tokens, overlap=overlap, by=unit)
    if not chunks:
        st.info("There is no text to cut yet.")
        return
    with st.container(horizontal=True):
        copy_text("Copy JSON Lines", lambda: _json_lines(chunks))
        save_file("Save JSON Lines", "chunks.jsonl", lambda: _json_lines(chunks))
        save_file("Save text files", "chunks.zip", lambda: _zipped(chunks))
    if overlap < asked:
        st.caption(
            f"An overlap of {counted(asked, 'token')} does not fit a chunk of {n_tokens:,}, "
            f"so the chunks overlap by {overlap:,}."
        )
    said = "the text fits as it is" if len(chunks) == 1 else "no character is split"
    if n_forced := sum(chunk.cut != unit for chunk in chunks):
        said += f"; {counted(n_forced, 'chunk')} had to end inside a {_UNIT_NAMES[unit].removesuffix('s')}"
    st.write(f"**{counted(len(chunks), 'chunk')}**; {said}.")
    st.html(_pieces_html([_chunk_html(chunk) for chunk in chunks[:MAX_DRAWN]]))
    if len(chunks) > MAX_DRAWN:
        st.caption(f"Showing the first {MAX_DRAWN} chunks; the files have all {len(chunks):,}.")


def _show_truncation(session: EditorSession, cut: Truncation) -> None:
    with st.container(horizontal=True):
        copy_text("Copy the text", lambda: cut.text)
        save_file("Save the text", "shortened.txt", lambda: cut.text)
    start, end = cut.removed
    if start == end:
        st.write(f"The text has {counted(cut.n_tokens, 'token')} and fits; nothing is cut.")
        return
    text = session.document.text
    n_cut = end - start
    st.write(f"**{counted(cut.n_tokens, 'token')}** stay; {counted(n_cut, 'character')} are cut.")
    removed = f'<p class="cut">{counted(n_cut, "character")} cut</p>'
    head, tail = text[:start], text[end:]
    mark = escape(cut.mark.strip())
    parts = [_text_html(head) if head else "", removed + (f"<p>{mark}</p>" if mark else "")]
    st.html(_pieces_html(["".join([*parts, _text_html(tail, at_end=True) if tail else ""])]))


#: One scroll area; a repeated part is dimmed and underlined.
_STYLE = """<style>
.cut-pieces { max-height: 26rem; overflow: auto; }
.cut-pieces section { border-left: 3px solid var(--st-primary-color, #b4552d); padding: 0 0 0 .75rem; margin: 0 0 .9rem; }
.cut-pieces h4 { font-size: .875rem; font-weight: 600; margin: 0 0 .2rem; padding: 0; }
.cut-pieces pre { font: .875rem/1.5 monospace; white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; padding: 0; background: none; }
.cut-pieces .again { opacity: .75; text-decoration: underline dotted; }
.cut-pieces .cut { border-top: 1px dashed currentColor; margin: .4rem 0; padding-top: .2rem; font-size: .875rem; }
</style>"""  # noqa: E501


def _pieces_html(sections: Sequence[str]) -> str:
    held = "".join(f"<section>{section}</section>" for section in sections)
    attributes = 'class="cut-pieces" tabindex="0" role="group" aria-label="Pieces of the text"'
    return f"{_STYLE}<div {attributes}>{held}</div>"


def _chunk_html(chunk: Chunk) -> str:
    again, new = chunk.text[: chunk.n_repeated], chunk.text[chunk.n_repeated :]
    place = f"characters {chunk.char_start:,} to {chunk.char_end:,}"
    title = f"<h4>{chunk.index + 1:,} · {counted(chunk.n_tokens, 'token')} · {place}</h4>"
    repeated = f'<span class="again" title="Repeated from the chunk before">{escape(again)}</span>'
    shown = escape(_shortened(new))
    return f'{title}<pre dir="auto">{repeated if again else ""}{shown}</pre>'


def _text_html(text: str, *, at_end: bool = False) -> str:
    shown = (
        f"…{text[-MAX_DRAWN_CHARACTERS:]}"
        if at_end and len(text) > MAX_DRAWN_CHARACTERS
        else _shortened(text)
    )
    return f'<pre dir="auto">{escape(shown)}</pre>'


def _shortened(text: str) -> str:
    if len(text) <= MAX_DRAWN_CHARACTERS:
        return text
    n_each = MAX_DRAWN_CHARACTERS // 2
    return f"{text[:n_each]} … {text[-n_each:]}"


def _json_lines(chunks: Sequence[Chunk]) -> str:
    return "".join(json.dumps(asdict(chunk), ensure_ascii=False) + "\n" for chunk in chunks)


def _zipped(chunks: Sequence[Chunk]) -> bytes:
    """Return a ZIP archive with a text file for each chunk, in order of their names."""
    packed, n_digits = io.BytesIO(), len(str(len(chunks)))
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for chunk in chunks:
            name = zipfile.ZipInfo(f"chunk-{chunk.index + 1:0{n_digits}}.txt")
            archive.writestr(name, chunk.text, zipfile.ZIP_DEFLATED)
    return packed.getvalue()
