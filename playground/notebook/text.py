"""`show`: a text as the tokens that a tokenizer makes of it."""

from playground.core.tokenizer import NO_SPECIAL, Tokenizer, segment
from playground.core.wording import counted
from playground.notebook.drawing import Drawing, checked_text, found_tokenizer, framed
from playground.render.token_strip import token_strip_html

#: Tiles that are drawn, and ids that are written without a notebook; a longer text is counted whole.
MAX_TILES, MAX_IDS = 500, 20


def show(text: str, tokenizer: str | Tokenizer = "gpt2", *, honours_special: bool = False) -> Drawing:
    """Draw a text's tokens, each with its id below and its bytes under the pointer.

    The tokenizer is a name of the catalog, that of a model, or a `Tokenizer`. Special tokens are ordinary
    text unless they are honoured. Raises UnknownTokenizerError and InvalidInputError.

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
