"""The merge trees of a text, with the player, as a page."""

from html import escape

from playground.core.errors import InvalidInputError
from playground.core.tokenizer import Tokenizer, replace_lone_surrogates
from playground.core.wording import counted
from playground.render.merge_tree import TREE_CSS, Height
from playground.render.visible_text import shown_bytes
from playground.server.merge_tree.data import draw_merge_trees
from playground.server.saved_page.page import SavedPage, in_quotes, named

#: A step that no text has; the player shows its last one.
MAX_STEP = 2**31 - 1
#: Tokens that a browser without scripts lists.
_MAX_LISTED = 2_000


def saved_trees(
    text: str, tokenizer: Tokenizer, *, height_by: Height = "depth", step: int | None = None
) -> SavedPage:
    """Return the page with the trees of a text; the player shows `step`, or the last one.

    Raises InvalidInputError for an empty text, and UnknownTokenError.
    """
    text = replace_lone_surrogates(text)
    if not text:
        raise InvalidInputError("there is no text, so there is no tree")
    drawn = draw_merge_trees(text, tokenizer, height_by=height_by)
    name = named(tokenizer)
    n_tokens = drawn["n_tokens"] + drawn["n_inserted"]
    n_tries, n_pieces = drawn["n_tries"], drawn["n_pieces"]
    done = [counted(drawn["n_merges"], "merge")] if drawn["n_merges"] else []
    done += [f"{n_tries:,} {'try' if n_tries == 1 else 'tries'}"] if n_tries else []
    done += [f"{counted(n_pieces, 'piece')} that fit"] if n_pieces else []
    ids = tokenizer.encode(text)[:_MAX_LISTED]
    shown = ", ".join(f"{shown_bytes(tokenizer.vocabulary.raw_of(one))} ({one})" for one in ids)
    return SavedPage(
        name=f"merge-tree-{tokenizer.name}",
        title=f"Merge trees in {name}" if drawn["n_merges"] else f"Tokens in {name}",
        caption=f"{in_quotes(text)} in {name}: {', '.join([counted(n_tokens, 'token'), *done])}.",
        hint="Play the merges, step through them, or drag the slider." if drawn["n_merges"] else "",
        made_from=name,
        figure="saved_page/merge_tree.html",
        look=("shared/tree_colors.css", "merge_tree/merge_tree.css", "saved_page/merge_tree.css"),
        css=TREE_CSS,
        fallback=f"<p>Tokens (ids): {escape(shown)}{' …' if n_tokens > len(ids) else ''}</p>",
        module="saved_page/merge_tree.js",
        header={**drawn, "step": MAX_STEP if step is None else step},
    )
