"""Drawing: what a notebook displays. It needs no notebook to be made, and reads as text without one."""

from dataclasses import dataclass
from html import escape
from pathlib import Path

from playground.catalog.registry import get_tokenizer
from playground.core.errors import InvalidInputError
from playground.core.tokenizer import Tokenizer, replace_lone_surrogates
from playground.render.merge_tree import TREE_CSS
from playground.render.palette import INK, PAPER, token_css


def _css() -> str:
    colors = "".join(
        f"  --{name}: light-dark({color['light']}, {color['dark']});\n"
        for name, color in (("paper", PAPER), ("ink", INK))
    )
    rules = Path(__file__).with_name("drawing.css").read_text()
    trees = TREE_CSS.replace(".tree", ".tessera .tree")
    return token_css().replace(":host", ".tessera").replace("}", f"{colors}}}") + rules + trees


_CSS = _css()


@dataclass(frozen=True, slots=True, repr=False)
class Drawing:
    """HTML for a notebook; in a console it is its `text`.

    >>> Drawing("<p>Egg</p>", "Egg")
    Egg
    """

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


def framed(title: str, *parts: str, notes: tuple[str, ...] = ()) -> str:
    """The HTML of a drawing: its title and notes are text, its parts are HTML already.

    >>> framed("<1>").endswith("<p>&lt;1&gt;</p></div>")
    True
    """
    below = "".join(f'<p class="note">{escape(note)}</p>' for note in notes if note)
    return (
        f'<style>{_CSS}</style><div class="tessera" role="group" aria-label="{escape(title, quote=True)}">'
        f"<p>{escape(title)}</p>{''.join(parts)}{below}</div>"
    )


def checked_text(text: object) -> str:
    """The text, with lone surrogates replaced. Raises InvalidInputError.

    >>> checked_text(5)
    Traceback (most recent call last):
    playground.core.errors.InvalidInputError: the text must be a str, and is 5 (int)
    """
    if not isinstance(text, str):
        raise InvalidInputError(f"the text must be a str, and is {text!r:.60} ({type(text).__name__})")
    return replace_lone_surrogates(text)


def found_tokenizer(tokenizer: str | Tokenizer) -> Tokenizer:
    """The tokenizer of this name, or the one that is given. Raises UnknownTokenizerError, InvalidInputError.

    >>> found_tokenizer("gpt-4o").name
    'o200k_base'
    """
    if isinstance(tokenizer, str):
        return get_tokenizer(tokenizer)
    if not (hasattr(tokenizer, "encode") and hasattr(tokenizer, "vocabulary")):
        raise InvalidInputError(
            f"the tokenizer must be a name such as 'gpt2', or a Tokenizer, and is {tokenizer!r:.60}"
        )
    return tokenizer
