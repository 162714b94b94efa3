"""Merge tree: the merges that produce each token of a text, and a race of tokenizers for one word."""

from playground.bpe.merging import merge_parts, merge_trees
from playground.ui import controls, page, picker
from playground.ui.merge_tree.forest import VIEW, follow_editor, forest_session
from playground.ui.merge_tree.forest_view import merge_forest_editor
from playground.ui.merge_tree.race import show_race
from playground.ui.vocabulary.old_links import follow_old_link

follow_old_link()
session = forest_session()
bar = page.open_page("Merge tree", claim="See which merges produce each token.")
view = controls.choose_view("merge_tree", [VIEW.default, "Merge race"])
follow_editor(session)
with bar.picker:
    tokenizer = picker.choose_tokenizer(default="gpt2")
session.use(tokenizer)

if view == VIEW.default:
    merge_forest_editor(session, key="merge_forest")
else:
    show_race(session)

page.show_source(merge_parts, merge_trees)
