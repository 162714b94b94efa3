"""What survives a reload of the tab: the browser keeps it, and gives it back to the next visit.

Texts of live pages are kept by their own browser code.
"""

import hashlib
import json
import secrets
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, TypedDict, get_args

import regex

from playground.catalog.kept_file import write_kept
from playground.catalog.opened import OpenedTokenizer, model_of, tokenizer_of
from playground.catalog.registry import is_known
from playground.core.errors import InvalidInputError, LimitExceededError
from playground.server.memory_session import (
    CHOICES,
    TOKENIZER,
    MemorySession,
    Thing,
)
from playground.server.shapes import parse_json
from playground.ui import choices, component, share, state
from playground.ui.kept_tokenizers import keep_tokenizer

TypeSize = Literal["normal", "large"]
#: All that was kept has been given back.
MemoryEvent = Literal["given_back"]
_component = component.define(
    "memory",
    html="memory/memory.html",
    module="memory/memory.js",
    styles=("shared/notes.css", "memory/memory.css"),
    events=get_args(MemoryEvent),
)


class MemoryData(TypedDict):
    """What the page gives: names of what is to be kept, each with a digest, and the size of type.

    The browser keeps that for all tabs; a page that opens has it in its address (`web/first/first.js`).
    """

    type_size: TypeSize
    url: str
    is_fresh: bool
    things: dict[str, str]


def keep_in_browser(type_size: TypeSize) -> None:
    """Mount it; it shows nothing but what could not be kept."""
    session = state.keep("memory", MemorySession)
    session.things = _things()
    data: MemoryData = {
        "type_size": type_size,
        "url": component.address(session.url),
        "is_fresh": session.is_fresh,
        "things": {name: thing.digest for name, thing in session.things.items()},
    }
    _component(key="memory", data=data, given_back=lambda: state.put("memory.given_back", True))


def take_back() -> None:
    """Bring back what the browser has given, if it has; a page that a link opened stays as the link says."""
    session = state.keep("memory", MemorySession)
    if not state.keep("memory.given_back", bool):
        return
    session.is_fresh = False
    versions = state.keep("memory.versions", dict[str, tuple[object, str]])
    for name, (digest, model) in session.models.items():
        if (
            is_known(name)
            or name in state.trained_tokenizers()
            or not regex.fullmatch(r"\w[\w.-]{0,79}", name)
        ):
            continue
        tokenizer = tokenizer_of(name, model)
        try:
            keep_tokenizer(tokenizer)
        except LimitExceededError:
            continue
        versions[TOKENIZER + name] = tokenizer, digest
    said = _read_choices(session.data.get(CHOICES, b"{}"))
    for page in choices.CHOICES:
        of_page = said.get(page)
        if not share.link_of_page(page) and isinstance(of_page, dict):
            choices.choose(page, of_page, kept=True)
    share.take_again()
    session.models, session.data = {}, {}
    state.put("memory.given_back", False)  # last: a run that is ended before leaves all this to the next one


def _read_choices(raw: bytes) -> dict[str, Any]:
    try:
        said = parse_json(raw)
    except InvalidInputError:
        return {}
    return said if isinstance(said, dict) else {}


def _things() -> dict[str, Thing]:
    """What is to be kept of this visit as it stands."""
    chosen = {page: choices.chosen_on(page, kept=True) for page in choices.CHOICES}
    packed = json.dumps(chosen).encode()
    things = {CHOICES: Thing(_digest(packed), "what is chosen", lambda: packed)}
    for name, tokenizer in state.trained_tokenizers().items():
        version = _version_of(TOKENIZER + name, tokenizer, lambda: secrets.token_hex(8))
        things[TOKENIZER + name] = Thing(version, name, partial(_write, tokenizer))
    return things


def _version_of(name: str, thing: object, new: Callable[[], str]) -> str:
    """What tells this thing from the next: found once for each, as large things are not read in each run."""
    versions = state.keep("memory.versions", dict[str, tuple[object, str]])
    if name not in versions or versions[name][0] is not thing:
        versions[name] = thing, new()
    return versions[name][1]


def _write(tokenizer: OpenedTokenizer) -> bytes:
    return write_kept(model_of(tokenizer))


def _digest(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()[:16]
