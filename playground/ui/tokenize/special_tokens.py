"""A visitor's own special tokens: typed in the editor's *More* menu, and kept in the address."""

from typing import TypedDict

from streamlit.delta_generator import DeltaGenerator

from playground.catalog.extended import special_tokens_that_fit
from playground.core.tokenizer import Tokenizer
from playground.render.visible_text import markdown_escape
from playground.ui import state

_NAME, _TYPED, _ADDRESS = "own_special", "own_special.typed", "special"
_MAX_PROBLEMS = 10


class SpecialTokens(TypedDict):
    """Own special tokens as typed, one a line; those in use with their ids; why others are refused."""

    text: str
    used: list[tuple[str, int]]
    problems: list[str]


def own_special_tokens(tokenizer: Tokenizer, *, messages: DeltaGenerator) -> tuple[SpecialTokens, bool]:
    """Return the visitor's special tokens for a tokenizer, and whether they were typed just now.

    An error in `messages` says why one is refused; the menu lists all reasons.
    """
    text = _text()
    names = [*dict.fromkeys(line for line in text.splitlines() if line.strip())]
    used, problems = special_tokens_that_fit(tokenizer, names)
    if problems:
        n_refused = len(names) - len(used)
        are = "own special token is" if n_refused == 1 else "own special tokens are"
        messages.error(markdown_escape(f"{n_refused:,} {are} refused: {problems[0]}."))
    first = tokenizer.vocabulary.n_vocab
    return {
        "text": text,
        "used": [(token, first + place) for place, token in enumerate(used)],
        "problems": [f"{problem}." for problem in problems[:_MAX_PROBLEMS]],
    }, state.pop(_TYPED, False)


def take_special_tokens(text: object) -> None:
    """Replace the visitor's special tokens by those that the browser sent, one a line."""
    state.put(_NAME, str(text or ""))
    state.put(_TYPED, True)


def _text() -> str:
    """Return the special tokens as typed; a new visitor's are in the address."""
    return state.get_or_make(_NAME, lambda: state.query_parameter(_ADDRESS) or "")
