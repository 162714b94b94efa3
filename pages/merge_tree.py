"""Merge tree: the merges that produce each token of a text, and a race of tokenizers for one word."""

from playground.bpe.merging import merge_parts, merge_trees
from playground.ui import controls, page, picker
from playground.ui.merge_tree.race import choose_runners, show_race
from playground.ui.merge_tree.session import VIEW, follow_editor, merge_tree_session
from playground.ui.merge_tree.trees import merge_tree_editor
from playground.ui.vocabulary.old_links import follow_old_link

follow_old_link()
session = merge_tree_session()
bar = page.open_page("Merge tree", claim="See which merges produce each token.")
view = controls.choose_view("merge_tree", [VIEW.default, "Merge race"])
is_race = view != VIEW.default
follow_editor(session)
with bar.picker:
    runners = choose_runners(messages=bar.messages) if is_race else []
    tokenizer = (
        picker.chosen_tokenizer(default="gpt2") if is_race else picker.choose_tokenizer(default="gpt2")
    )
session.use(tokenizer)
merge_tree_editor(session, key="merge_tree", view="race" if is_race else "trees")
if is_race:
    show_race(session.text, runners)

page.show_source(merge_parts, merge_trees)
