"""A table is learned from what a page has, and is one more tokenizer there and elsewhere."""

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


def test_tokenize_learns_from_its_text_and_chooses_what_it_learned():
    page = visit("tokenize")
    session = page.session_state["keep.editor"]
    session.document.replace("the cat, the mat")
    kept = learned(page, "Words and <|unk|>")
    assert kept["mine"].model.rows == (",", "cat", "mat", "the")
    assert "mine: Words of a text · 6 tokens · others become" in page.success[0].value.replace("\\", "")
    assert session.base_tokenizer is kept["mine"]
    session.document.replace("the dog")
    assert [int(i) for piece in session.document.pieces for i in piece.ids] == [3, 5]


def test_characters_are_learned_too():
    page = visit("tokenize")
    learned(page, "Characters")
    tokenizer = page.session_state["keep.editor"].base_tokenizer
    rows = tokenizer.model.rows
    assert rows == tuple(sorted(set(page.session_state["keep.editor"].document.text)))
    assert tokenizer.encode("".join(rows)) == [*range(len(rows))]


def test_train_learns_from_its_corpus():
    page = visit("train", {"train.corpus": "Paste a text", "train.pasted": "b a -- b"})
    assert learned(page, "Words")["mine"].model.rows == ("--", "a", "b")


def test_what_cannot_be_learned_is_one_sentence():
    page = visit("tokenize")
    page.session_state["keep.editor"].document.replace("  ")
    assert "mine" not in learned(page, "Words")
    assert "the table has no row" in page.error[0].value
    learned(page, "Words", name="a b")
    assert any("A name has 1 to 60" in error.value for error in page.error)


def test_a_name_that_is_taken_is_told_before_its_tokenizer_is_replaced():
    kept = {"my-words": visits.learned("my-words", "the cat")}
    page = visit("tokenize", {"keep.trained_tokenizers": kept})
    assert any("kept already: Learn replaces it" in item.value.replace("\\", "") for item in page.caption)
    page = visit("tokenize", {"keep.trained_tokenizers": kept, "tables.name": "other"})
    assert not any("replaces it" in item.value for item in page.caption)


def test_what_is_told_moves_no_table():
    page = visit("train", {"train.corpus": "Paste a text", "train.pasted": "b a -- b"})
    learned(page, "Words")
    tables = visits.places_of(page, "success")
    for name, told in (("mine", "Learn replaces it"), ("a b", "A name has 1 to 60"), ("other", "")):
        page.text_input(key="tables.name").set_value(name).run()
        assert any(told in item.value.replace("\\", "") for item in [*page.caption, *page.error])
        assert visits.places_of(page, "success") == tables


def test_a_kept_tokenizer_leaves_as_its_file():
    kept = {"my-words": visits.learned("my-words", "the cat")}
    page = visit("tokenize", {"keep.trained_tokenizers": kept, "keep.kept.save": "my-words"})
    assert [button.proto.label for button in page.get("download_button")] == ["my-words.model"]
    page = visit("tokenize", {"keep.trained_tokenizers": kept, "keep.kept.save": "gone"})
    assert list(page.get("download_button")) == []
