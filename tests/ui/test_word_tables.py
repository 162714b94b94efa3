"""A table of words or characters is learned from Train's corpus, and is one more tokenizer."""

from tests.ui import visits
from tests.ui.visits import visit


def learned(page, kind, name="mine"):
    page.session_state["tables.kind"] = kind
    page.session_state["tables.name"] = name
    page.run()
    if page.button(key="tables-learn").disabled:
        return {}
    page.button(key="tables-learn").click().run()
    assert not page.exception
    return page.session_state["keep.trained_tokenizers"]


def test_characters_are_learned_too():
    page = visit("train", {"train.corpus": "Paste a text", "train.pasted": "b a -- b"})
    assert learned(page, "Characters")["mine"].model.rows == (" ", "-", "a", "b")


def test_train_learns_from_its_corpus():
    page = visit("train", {"train.corpus": "Paste a text", "train.pasted": "b a -- b"})
    assert learned(page, "Words")["mine"].model.rows == ("--", "a", "b")


def test_a_text_that_cannot_be_learned_is_refused_in_one_sentence():
    page = visit("train", {"train.corpus": "Paste a text", "train.pasted": "  "})
    assert "mine" not in learned(page, "Words")
    assert "the table has no row" in page.error[0].value
    learned(page, "Words", name="a b")
    assert any("A name has 1 to 60" in error.value for error in page.error)


def test_a_taken_name_is_announced_before_its_tokenizer_is_replaced():
    kept = {"my-words": visits.learned("my-words", "the cat")}
    page = visit("train", {"keep.trained_tokenizers": kept})
    assert any("exists already: Train replaces it" in item.value.replace("\\", "") for item in page.caption)
    page = visit("train", {"keep.trained_tokenizers": kept, "tables.name": "other"})
    assert not any("replaces it" in item.value for item in page.caption)
