"""Tokenizers that a visitor keeps, trained here or read from files: as many as there is room for."""

import os
from collections.abc import Callable
from weakref import WeakValueDictionary

import regex
import streamlit as st

from playground.analysis.chat_templates import opened_templates
from playground.catalog.kept_file import write_file
from playground.catalog.opened import OpenedTokenizer, model_of, tokenizer_of
from playground.catalog.registry import is_known
from playground.core.errors import LimitExceededError, PlaygroundError
from playground.core.wording import counted, quoted
from playground.render.visible_text import markdown_escape
from playground.server.editor.session import EditorSession
from playground.ui import controls, state

MAX_TOKENIZERS = 20
#: Characters of a tokenizer's name.
MAX_NAME = 60
#: Four like cl100k_base, or one and a half like Llama 3.
MAX_BYTES = 400_000_000
_REMOVE_KEY, _SAVE_KEY, _RENAME_KEY = "kept.remove", "kept.save", "kept.rename"
NEW_NAME = state.Field("kept.new_name", "")
#: The old and the new name of the tokenizer that is being renamed.
_RENAMING = "kept.renaming"
#: Session values that name tokenizers, alone or in a list. "tokenizer.own" names pickers.
_NAMES_TOKENIZERS = regex.compile(
    r"(?:keep\.)?(?:tokenizers?\.(?!own$)|formats\.tokenizers|compare\.\w+_vocabulary).*"
)
Rename = Callable[[str, str], None]
#: Those of all visitors, by identity: one that nobody holds is gone.
_kept_by_all: WeakValueDictionary[int, OpenedTokenizer] = WeakValueDictionary()


def max_bytes_of_all() -> int:
    """Return the memory for the tokenizers of all visitors: a quarter of the machine's, 600 MB at least."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        memory = 0
    return max(memory // 4, 600_000_000)


def keep_tokenizer(tokenizer: OpenedTokenizer) -> None:
    """Put it into every picker of this session, for another of its name. Raises LimitExceededError."""
    kept = state.trained_tokenizers()
    others = {name: other for name, other in kept.items() if name != tokenizer.name}
    if len(others) >= MAX_TOKENIZERS:
        raise LimitExceededError(
            f"{len(others)} tokenizers are kept in this session, the limit; remove one under Kept tokenizers",
            limit="memory",
        )
    n_bytes = sum(other.n_bytes_held for other in others.values()) + tokenizer.n_bytes_held
    if n_bytes > MAX_BYTES:
        largest = max(others.values(), key=lambda other: other.n_bytes_held, default=None)
        advice = "" if largest is None else f"; remove one under Kept tokenizers, such as {largest.name}"
        raise LimitExceededError(
            f"with {tokenizer.name} the tokenizers of this session would take {_megabytes(n_bytes)} of "
            f"memory; the limit is {_megabytes(MAX_BYTES)}{advice}",
            limit="memory",
        )
    n_bytes_of_all = sum(other.n_bytes_held for other in list(_kept_by_all.values()))
    if n_bytes_of_all + tokenizer.n_bytes_held > max_bytes_of_all():
        raise LimitExceededError(
            "this server keeps as many tokenizers of visitors as it can; try again later", limit="memory"
        )
    _kept_by_all[id(tokenizer)] = tokenizer
    kept[tokenizer.name] = tokenizer


def problem_with_name(name: str) -> str:
    """Why a tokenizer of the visitor cannot have a name, in a sentence; "" where it can."""
    if not regex.fullmatch(rf"\w[\w.-]{{0,{MAX_NAME - 1}}}", name):
        return (
            f"A name has 1 to {MAX_NAME} letters, digits, and the marks . - _, with . and - not first; "
            f"{_what_is_wrong(name)}."
        )
    if is_known(name):
        return f"{name} is the name of a known tokenizer; choose another."
    return ""


def _what_is_wrong(name: str) -> str:
    """What of a name is not allowed: its length, or the first character that is not.

    >>> _what_is_wrong("my tokenizer/2"), _what_is_wrong(".a")
    ("this one has ' ' at place 3", "this one has '.' at place 1")
    """
    wrong = regex.search(r"^\W|[^\w.-]", name)
    if wrong is None or len(name) > MAX_NAME:
        return f"this one has {counted(len(name), 'character')}"
    return f"this one has {quoted(wrong.group())} at place {wrong.start() + 1}"


def replaced_by(name: str, button: str) -> str:
    """What is said of a name that one of the visitor's tokenizers has, beside the button that takes it."""
    return f"{name} ({state.trained_tokenizers()[name].about}) is kept already: {button} replaces it."


def show_kept_tokenizers(on_rename: Rename) -> None:
    """What is kept, with what it takes, and menus to save, rename and remove one.

    `on_rename` gets the old and the new name, before anything else is renamed.
    """
    kept = state.trained_tokenizers()
    if not kept:
        return
    n_bytes = sum(tokenizer.n_bytes_held for tokenizer in kept.values())
    st.markdown(
        "**Kept tokenizers**",
        help=f"At most {MAX_TOKENIZERS}, and {_megabytes(MAX_BYTES)} of memory. This browser keeps them too, "
        "each up to 6 MB compressed, and other tabs open with them; what you remove here it forgets.",
    )
    st.caption(
        f"{counted(len(kept), 'tokenizer')}, about {_megabytes(n_bytes)}: "
        + ", ".join(f"{markdown_escape(name)} ({tokenizer.about})" for name, tokenizer in kept.items())
    )
    _show_renaming(on_rename)
    with st.container(horizontal=True):
        names = list(kept)
        st.menu_button(
            "Save a file", names, format_func=markdown_escape, key=_SAVE_KEY, on_click=_choose_file
        )
        st.menu_button(
            "Rename one", names, format_func=markdown_escape, key=_RENAME_KEY, on_click=_choose_to_rename
        )
        st.menu_button("Remove one", names, format_func=markdown_escape, key=_REMOVE_KEY, on_click=_remove)
    _show_file()


def _choose_file() -> None:
    state.put(_SAVE_KEY, state.chosen(_SAVE_KEY))


def _show_file() -> None:
    """The file of the tokenizer that was chosen last, to take away or to send with a link."""
    name = state.keep(_SAVE_KEY, str)
    tokenizer = state.trained_tokenizers().get(name)
    if tokenizer is None:
        return
    try:
        file_name, raw = write_file(name, model_of(tokenizer))
    except PlaygroundError as error:
        st.error(markdown_escape(f"{name} cannot be written: {error}."))
        return
    st.download_button(file_name, raw, file_name, icon=":material/download:", on_click="ignore")


def _choose_to_rename() -> None:
    name = state.chosen(_RENAME_KEY)
    NEW_NAME.put(name)
    state.put(_RENAME_KEY, name)


def _show_renaming(on_rename: Rename) -> None:
    """A field for the new name of the tokenizer that was chosen, until it has it."""
    old = state.keep(_RENAME_KEY, str)
    if old not in state.trained_tokenizers():
        return
    told = st.container()  # above the field, for a popover shows no more than its beginning
    with st.container(horizontal=True, vertical_alignment="bottom"):
        new = st.text_input("New name", placeholder=old, **NEW_NAME.shown()).strip()
        st.button(
            "Rename", icon=":material/edit:", key="kept-rename", on_click=lambda: _rename(old, on_rename)
        )
        st.button("Cancel", key="kept-rename-cancel", on_click=lambda: state.put(_RENAME_KEY, ""))
    if problem := _problem_with_new_name(old, new):
        told.error(markdown_escape(problem))


def _problem_with_new_name(old: str, new: str) -> str:
    """Why a kept tokenizer cannot have a name, in a sentence; "" where it can."""
    kept = state.trained_tokenizers()
    if new == old:
        return ""
    if new in kept:
        return f"{new} ({kept[new].about}) is kept already: choose another name, or remove that one first."
    return problem_with_name(new)


def _rename(old: str, on_rename: Rename) -> None:
    new = NEW_NAME.value.strip()
    if _problem_with_new_name(old, new):
        return  # which is told beside the field
    on_rename(old, new)
    state.put(_RENAMING, (old, new))
    finish_renaming()


def finish_renaming() -> None:
    """Give a kept tokenizer its new name, in every picker too; a run that is ended leaves that to the next.

    Its place among the others stays. Its library reads its file again when it is next asked for.
    """
    renaming: tuple[str, str] | None = state.kept(_RENAMING, None)
    if renaming is None:
        return
    old, new = renaming
    kept = state.trained_tokenizers()
    editor: EditorSession | None = state.kept("editor", None)
    if old != new and old in kept and new not in kept:
        titles = list(opened_templates(kept))
        tokenizer = tokenizer_of(new, model_of(kept[old]))
        _kept_by_all[id(tokenizer)] = tokenizer
        others = {new if name == old else name: other for name, other in kept.items()}
        others[new] = tokenizer
        kept.clear()
        kept.update(others)
        if editor is not None:
            editor.rename_template(dict(zip(titles, opened_templates(kept), strict=True)))
    rename_tokenizer(old, new)
    for name in (controls.OPENED, _SAVE_KEY, "tables.learned"):
        if state.kept(name, "") == old:
            state.put(name, new)
    state.put(_RENAME_KEY, "")
    state.put(_RENAMING, None)  # last: a run that is ended before leaves all this to the next one


def rename_tokenizer(old: str, new: str) -> None:
    """Choose a tokenizer by its new name wherever it is chosen by its old one; twice is as once."""
    for key in list(st.session_state):
        name = str(key)
        if not _NAMES_TOKENIZERS.fullmatch(name):
            continue
        is_field = not name.startswith("keep.")
        field: state.Field[object] = state.Field(name, None)
        value = field.value if is_field else st.session_state[name]
        if isinstance(value, list) and old in value:
            renamed: object = list(dict.fromkeys(new if each == old else each for each in value))
        elif value == old:
            renamed = new
        else:
            continue
        if is_field:
            field.put(renamed)
        else:
            state.put(name.removeprefix("keep."), renamed)


def _remove() -> None:
    """Forget a tokenizer; pickers that have it are set to another: its label would stay as a name."""
    removed = state.chosen(_REMOVE_KEY)
    rename_tokenizer(removed, controls.FIRST_SHOWN)
    state.trained_tokenizers().pop(removed, None)


def _megabytes(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:,.{0 if n_bytes >= 10_000_000 else 1}f} MB"
