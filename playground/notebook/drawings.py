"""`show` and `show_tree`: a text's tokens, and how they are built, as HTML that also reads as plain text."""

from dataclasses import dataclass
from html import escape
from pathlib import Path

from playground.analysis.traces import Trace, trace_text
from playground.catalog.local_models import LocalPlaces
from playground.catalog.named_tokenizers import tokenizer_named
from playground.core.building import Given
from playground.core.errors import InvalidInputError
from playground.core.tokenizer import NO_SPECIAL, Tokenizer, replace_lone_surrogates, segment
from playground.core.wording import counted
from playground.render.building import building_svg
from playground.render.merge_tree import TREE_CSS, Height
from playground.render.palette import INK, PAPER, token_css
from playground.render.token_html import token_strip_html


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
    """HTML that a notebook displays; its `repr` is plain text.

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
    """Return the HTML of a drawing; title and notes are escaped, `parts` are HTML.

    >>> framed("<1>").endswith("<p>&lt;1&gt;</p></div>")
    True
    """
    below = "".join(f'<p class="note">{escape(note)}</p>' for note in notes if note)
    return (
        f'<style>{_CSS}</style><div class="tessera" role="group" aria-label="{escape(title, quote=True)}">'
        f"<p>{escape(title)}</p>{''.join(parts)}{below}</div>"
    )


def checked_text(text: object) -> str:
    """Return the text with lone surrogates replaced. Raises InvalidInputError.

    >>> checked_text(5)
    Traceback (most recent call last):
    playground.core.errors.InvalidInputError: the text must be a str, and is 5 (int)
    """
    if not isinstance(text, str):
        raise InvalidInputError(f"the text must be a str, and is {text!r:.60} ({type(text).__name__})")
    return replace_lone_surrogates(text)


#: What functions for notebooks take: a name or path, or a tokenizer.
AnyTokenizer = str | Path | Tokenizer


def found_tokenizer(tokenizer: AnyTokenizer) -> Tokenizer:
    """Return the tokenizer of a name or of a tokenizer's file, or the tokenizer itself.

    Names and files are those of the shell's `--tokenizer`; for ranks of an unknown file, `tessera.get` takes
    the split pattern.
    Raises UnknownTokenizerError, VocabularyFileError, InvalidInputError.

    >>> found_tokenizer("gpt-4o").name
    'o200k_base'
    """
    if isinstance(tokenizer, str | Path):
        return tokenizer_named(str(tokenizer), lambda: None, LocalPlaces.here())
    if not (hasattr(tokenizer, "encode") and hasattr(tokenizer, "vocabulary")):
        raise InvalidInputError(
            f"the tokenizer must be a name such as 'gpt2', a file or a Tokenizer, and is {tokenizer!r:.60}"
        )
    return tokenizer


#: Limits on the tiles drawn and the ids in the plain text; counts are of the whole text.
MAX_TILES, MAX_IDS = 500, 20


def show(text: str, tokenizer: AnyTokenizer = "gpt2", *, honours_special: bool = False) -> Drawing:
    """Draw a text's tokens, each with its id below and its bytes under the pointer.

    The tokenizer is an encoding, a model, a tokenizer's file or folder, or a `Tokenizer`. With
    `honours_special`, special tokens in the text are encoded as such. Raises what `found_tokenizer` does.

    >>> show("Hello world", "gpt2")
    gpt2: 2 tokens, 11 characters, 11 bytes, 5.50 bytes per token: 15496 995
    """
    text = checked_text(text)
    found = found_tokenizer(tokenizer)
    special = frozenset(found.special_tokens) if honours_special else NO_SPECIAL
    cut = segment(found, text, allowed_special=special)
    n_tokens = len(cut.encoding)
    title = f"{found.name}: {counted(n_tokens, 'token')}, {counted(len(text), 'character')}, " + counted(
        cut.n_bytes, "byte"
    )
    if n_tokens:
        title += f", {cut.bytes_per_token:.2f} bytes per token"
    n_left = len(cut.segments) - MAX_TILES
    more = (
        f"… and {counted(n_left, 'more piece')} of text, which is counted and not drawn" if n_left > 0 else ""
    )
    html = framed(title, token_strip_html(cut, max_segments=MAX_TILES), notes=(more,))
    ids = " ".join(map(str, cut.encoding[:MAX_IDS])) + (" …" if n_tokens > MAX_IDS else "")
    return Drawing(html, f"{title}: {ids}" if n_tokens else title)


#: Limit on the characters for which trees are drawn.
MAX_CHARS = 400


def show_tree(text: str, tokenizer: AnyTokenizer = "gpt2", *, height_by: Height = "depth") -> Drawing:
    """Draw how the tokens of each pretoken are found: by merges, by scores, or longest first.

    Joints show the piece and its rank. `height_by="order"` places each merge by the encoder's steps.

    Raises UnknownTokenizerError and InvalidInputError.

    >>> show_tree(" Egg", "gpt2")
    gpt2: 1 token, 1 pretoken, 3 merges: 14562
    """
    text = checked_text(text)
    found = found_tokenizer(tokenizer)
    trace = trace_text(found, text[:MAX_CHARS])
    drawn = [
        "<div>"
        + building_svg(
            pretoken.text, building, found.vocabulary, height_by=height_by, has_hex=not trace.text.isascii()
        )
        + "</div>"
        for pretoken, building in zip(trace.pretokens, trace.buildings, strict=True)
    ]
    title = f"{found.name}: {_counts(trace)}"
    whys = dict.fromkeys(building.why for building in trace.buildings if isinstance(building, Given))
    cut = f"The first {MAX_CHARS:,} of {len(text):,} characters are drawn." if len(text) > MAX_CHARS else ""
    html = framed(title, f'<div class="trees">{"".join(drawn)}</div>', notes=(*whys, cut))
    text = f"{title}: {' '.join(map(str, trace.ids))}" if trace.ids else title
    return Drawing(html, f"{text}\n{cut}" if cut else text)


def _counts(trace: Trace) -> str:
    counts = [counted(len(trace.ids), "token"), counted(len(trace.pretokens), "pretoken")]
    if trace.n_merges:
        counts.append(counted(trace.n_merges, "merge"))
    if trace.n_tries:
        counts.append(f"{trace.n_tries:,} {'try' if trace.n_tries == 1 else 'tries'}")
    if trace.n_pieces:
        counts.append(f"{counted(trace.n_pieces, 'piece')} weighed")
    return ", ".join(counts)
