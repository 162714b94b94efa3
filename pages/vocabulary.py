"""Vocabulary: find a tokenizer's tokens, see which are unusual, compare it with another, and convert it."""

from playground.analysis.vocabulary_health import vocabulary_health
from playground.analysis.vocabulary_index import VocabularyIndex, prepare_index
from playground.ui import controls, page, picker
from playground.ui.vocabulary.compare import show_comparison
from playground.ui.vocabulary.convert import show_convert
from playground.ui.vocabulary.health import show_health
from playground.ui.vocabulary.search import show_search

bar = page.open_page("Vocabulary", claim="See every token that a tokenizer has.")
view = controls.choose_view("vocabulary", ["Search", "Health", "Compare", "Convert"])
with bar.picker:
    tokenizer = picker.choose_tokenizer(default="gpt2")

match view:
    case "Search":
        show_search(tokenizer)
    case "Health":
        prepare_index(tokenizer)
        show_health(tokenizer)
    case "Compare":
        show_comparison(tokenizer)
    case _:
        show_convert(tokenizer)

page.show_source(VocabularyIndex, vocabulary_health)
