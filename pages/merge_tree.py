"""Merge tree: the merges that produce each token, and a tokenizer's whole vocabulary."""

from playground.analysis.vocabulary_index import prepare_index
from playground.bpe.merging import merge_parts, merge_trees
from playground.ui import controls, page, picker
from playground.ui.merge_tree.convert import show_convert
from playground.ui.merge_tree.forest import VIEW, follow_editor, forest_session
from playground.ui.merge_tree.forest_view import merge_forest_editor
from playground.ui.merge_tree.health import show_health
from playground.ui.merge_tree.race import show_race
from playground.ui.merge_tree.vocabulary import show_vocabulary

session = forest_session()
bar = page.open_page("Merge tree", claim="See which merges produce each token.")
view = controls.choose_view("merge_tree", [VIEW.default, "Merge race", "Vocabulary", "Health", "Convert"])
follow_editor(session)
with bar.picker:
    tokenizer = picker.choose_tokenizer(default="gpt2")
session.use(tokenizer)

if tokenizer.merges is not None and view != "Vocabulary":
    prepare_index(tokenizer)
if view == VIEW.default:
    merge_forest_editor(session, key="merge_forest")
elif view == "Merge race":
    show_race(session)
elif view == "Vocabulary":
    show_vocabulary(tokenizer)
elif view == "Health":
    show_health(tokenizer)
else:
    show_convert(tokenizer)

page.show_source(merge_parts, merge_trees)
