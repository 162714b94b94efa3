"""`show_tree`: how a tokenizer builds the tokens of a word."""

from playground.analysis.traces import Trace, trace_text
from playground.core.building import Given
from playground.core.tokenizer import Tokenizer
from playground.core.wording import counted
from playground.notebook.drawing import Drawing, checked_text, found_tokenizer, framed
from playground.render.building import building_svg
from playground.render.merge_tree import Height

#: Characters whose trees are drawn.
MAX_CHARS = 400


def show_tree(text: str, tokenizer: str | Tokenizer = "gpt2", *, height_by: Height = "depth") -> Drawing:
    """Draw how each pretoken's tokens come about: by merging, by scores, or longest first.

    Joints have the piece and its rank. `height_by` "order" places each merge by the step at which the encoder
    does it. Raises UnknownTokenizerError and InvalidInputError.

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
    told = f"{title}: {' '.join(map(str, trace.ids))}" if trace.ids else title
    return Drawing(html, f"{told}\n{cut}" if cut else told)


def _counts(trace: Trace) -> str:
    counts = [counted(len(trace.ids), "token"), counted(len(trace.pretokens), "pretoken")]
    if trace.n_merges:
        counts.append(counted(trace.n_merges, "merge"))
    if trace.n_tries:
        counts.append(f"{trace.n_tries:,} {'try' if trace.n_tries == 1 else 'tries'}")
    if trace.n_pieces:
        counts.append(f"{counted(trace.n_pieces, 'piece')} weighed")
    return ", ".join(counts)
