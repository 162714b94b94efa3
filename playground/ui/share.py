"""Share: a link that restores what is chosen on a page, given by one button and taken from the address."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict, get_args

import streamlit as st

from playground.catalog.registry import is_known
from playground.core.errors import PlaygroundError, TextTooLongError
from playground.core.wording import listed
from playground.render.visible_text import markdown_escape
from playground.server.share_link import MAX_LINK_CHARS, LinkKind, link_query
from playground.ui import choices, component, state
from playground.ui.choices import PageName

#: Share was pressed; with what only the browser knows of the page.
ShareEvent = Literal["asked"]
_KEY = "share-button"
_component = component.define(
    "share_button",
    html="share_button/share_button.html",
    module="share_button/share_button.js",
    styles=("share_button/share_button.css",),
    events=get_args(ShareEvent),
)


class ShareAnswer(TypedDict):
    """The link that press `n` gets, as the query part of its address; `told` is what is said of it.

    Where there is none, `query` is empty and `told` says why.
    """

    n: int
    query: str
    told: str


class ShareData(TypedDict):
    """What the page gives the button; `is_live` where a component knows more of the page than the server."""

    is_live: bool
    answer: ShareAnswer | None


@dataclass(frozen=True, slots=True)
class Shared:
    """What a page shares beside its choices, as its kind of link has it.

    `large` names what may be left out for a link that is too long, by its name in the state or among the
    choices; `tokenizers` are those that the state names; `left_out` says what no link has.
    """

    state: Mapping[str, Any]
    large: Mapping[str, str]
    tokenizers: Iterable[str] = ()
    left_out: str = ""


#: What any other choice is called that a long link leaves out.
_OTHER = "a long text"
Gather = Callable[[Mapping[str, Any]], Shared]


def share_button(page: PageName, gather: Gather, *, is_live: bool = True) -> None:
    """The button of the bar; `gather` gets what only the browser knows, and gives what the page shares."""
    asked: object = state.kept("share.asked", None)
    if isinstance(asked, dict) and type(asked.get("n")) is int:
        shown = asked.get("shown")
        state.put(
            "share.answer", answer_press(page, gather, asked["n"], shown if isinstance(shown, dict) else {})
        )
    state.take("share.asked", None)  # last: a run that is ended before leaves the press to the next one
    data: ShareData = {"is_live": is_live, "answer": state.keep("share.answer", lambda: None)}
    _component(
        key=_KEY, data=data, asked=lambda: state.put("share.asked", state.component_value(_KEY, "asked"))
    )


def share_address_button() -> None:
    """The button of a page whose address says what it shows: its component gives the link."""
    data: ShareData = {"is_live": True, "answer": None}
    _component(key=_KEY, data=data)


def answer_press(page: PageName, gather: Gather, n: int, shown: Mapping[str, Any]) -> ShareAnswer:
    """The link to a page as it stands, and what is left out of it."""
    try:
        shared = gather(shown)
        chosen = choices.chosen_on(page)
        query, too_long = _link({**shared.state, "chosen": chosen}, shared.large)
    except PlaygroundError as error:
        return {"n": n, "query": "", "told": str(error)}
    texts = [title for name, title in shared.large.items() if name in shared.state or chosen.get(name)]
    held = [title for title in texts if title not in too_long]
    sentences = [f"Whoever has it can read {listed(held)}." if held else ""]
    if too_long:
        sentences.append(
            f"Left out: {listed(too_long)}, for a link over {MAX_LINK_CHARS:,} characters breaks in mail and "
            "chat. Send that as a file."
        )
    sentences.append(shared.left_out)
    own = [name for name in [*shared.tokenizers, *choices.tokenizer_names(chosen)] if not is_known(name)]
    if own := [name for name in dict.fromkeys(own) if name in state.trained_tokenizers()]:
        sentences.append(
            f"Left out: {listed(own)}, trained or opened here. Send the file too: its row under “Your "
            "tokenizers” saves it."
        )
    return {"n": n, "query": query, "told": " ".join(filter(None, sentences))}


def take_link(page: PageName, kind: LinkKind) -> dict[str, Any] | None:
    """The state of a link, taken out of the address, once its choices are in the fields; None without one.

    What is wrong with it is told by `tell_of_link`.
    """
    given = {name: value for name in kind.parameters if (value := state.query_parameter(name)) is not None}
    if not given:
        return None
    for name in given:
        state.set_query_parameter(name, None)
    told = _Told(page, "")
    state.put("share.told", told)
    try:
        said = kind.read(given)
    except PlaygroundError as error:
        told.error = str(error)
        return None
    assert said is not None
    chosen = said["chosen"] = choices.choose(page, said["chosen"])
    named = [said.get("tokenizer"), *(said.get("tokenizers") or []), *choices.tokenizer_names(chosen)]
    told.given, told.names = given, [*dict.fromkeys(name for name in named if name and not is_here(name))]
    told.left_out = [*dict.fromkeys(kind.large.get(name, _OTHER) for name in said["left_out"])]
    return said


def tell_of_link(page: PageName) -> None:
    """Say what is wrong with the link that was taken, or not in it, for as long as its page is shown."""
    told: _Told | None = state.keep("share.told", lambda: None)
    if told is None:
        return
    if told.page != page:
        state.put("share.told", None)
        return
    if told.error:
        st.error(markdown_escape(told.error))
    if told.left_out:
        st.caption(
            f"This link has no room for {listed(told.left_out)}, which its sender has and you do not. "
            "The rest is shown. Ask the sender for a file."
        )
    if told.names:
        it, file = ("it", "its file") if len(told.names) == 1 else ("them", "their files")
        st.warning(
            markdown_escape(
                f"This link names {listed(told.names)}, which its sender has and you do not: a link holds no "
                f"tokenizer. The rest is shown. Ask the sender for {file}, drop {it} on this page, and open "
                "the link again."
            )
        )


def link_of_page(page: PageName) -> bool:
    """Whether this page was opened by a link: what a browser has kept of it gives way."""
    told: _Told | None = state.keep("share.told", lambda: None)
    return told is not None and told.page == page


def take_again() -> None:
    """Put a link back into the address whose tokenizers have come meanwhile, to be taken by the next run."""
    told: _Told | None = state.keep("share.told", lambda: None)
    if told is not None and told.names and all(map(is_here, told.names)):
        for name, value in told.given.items():
            state.set_query_parameter(name, value)


@dataclass(slots=True)
class _Told:
    """What is to be told of the link by which a page was opened."""

    page: PageName
    error: str
    names: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    given: Mapping[str, str] = field(default_factory=dict)


def is_here(name: str) -> bool:
    """Whether a tokenizer of this name can be used by this visitor."""
    return is_known(name) or name in state.trained_tokenizers()


def _link(said: dict[str, Any], large: Mapping[str, str]) -> tuple[str, list[str]]:
    """A link, and what was left out of it, the largest first. Raises TextTooLongError."""
    chosen = dict(said["chosen"])
    said = {**said, "chosen": chosen}
    left_out: dict[str, str] = {}
    parts = [(said, name, title) for name, title in large.items() if name in said]
    parts += [(chosen, name, large.get(name, _OTHER)) for name in chosen if len(str(chosen[name])) > 200]
    parts.sort(key=lambda part: len(str(part[0][part[1]])))
    while True:
        try:
            return link_query(said), [*left_out.values()]
        except TextTooLongError:
            if not parts:
                raise
            holder, name, title = parts.pop()
            del holder[name]
            left_out[name] = title
            said["left_out"] = [*left_out]
