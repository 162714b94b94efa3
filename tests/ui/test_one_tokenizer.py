"""The tokenizer follows from page to page, until one changes it there."""

from tests.ui.visits import learned, visit


def go(page, name):
    page.switch_page(f"pages/{name}.py")
    page.run()
    assert list(page.exception) == []
    return page


def picked(page, name):
    return page.selectbox(key=f"tokenizer.{name}").value


def choose(page, name, tokenizer):
    page.selectbox(key=f"tokenizer.{name}").set_value(tokenizer).run()
    assert list(page.exception) == []


def test_a_tokenizer_follows_until_a_page_has_its_own():
    page = visit("merge_tree")
    assert picked(page, "merge_tree") == "gpt2"
    assert picked(go(page, "tokenize"), "tokenize") == "cl100k_base"
    choose(page, "tokenize", "python_docs_4k")
    assert page.session_state["keep.editor"].base_tokenizer.name == "python_docs_4k"
    assert picked(go(page, "merge_tree"), "merge_tree") == "python_docs_4k"
    assert page.session_state["keep.merge_tree.session"].tokenizer.name == "python_docs_4k"
    choose(page, "merge_tree", "r50k_base")
    assert picked(go(page, "tokenize"), "tokenize") == "python_docs_4k", "it keeps its own"
    choose(page, "tokenize", "gpt2")
    assert picked(go(page, "merge_tree"), "merge_tree") == "r50k_base", "and so does this"


def test_pickers_of_several_open_with_what_was_chosen_last():
    kept = {"keep.trained_tokenizers": {"mine": learned("mine", "a text")}}
    page = visit("tokenize", kept)
    choose(page, "tokenize", "text-davinci-003")  # a model: pickers of several have its encoding
    assert go(page, "compare").multiselect(key="tokenizers.compare").value == [
        "p50k_base",
        "cl100k_base",
        "mine",
    ]
    assert go(page, "formats").multiselect(key="formats.tokenizers").value == ["p50k_base", "gpt2"]
    page.multiselect(key="formats.tokenizers").set_value(["utf8_bytes"]).run()
    choose(go(page, "tokenize"), "tokenize", "mine")
    compared = go(page, "compare").multiselect(key="tokenizers.compare").value
    assert compared == ["gpt2", "cl100k_base", "mine"], "it is there already"
    assert go(page, "formats").multiselect(key="formats.tokenizers").value == ["utf8_bytes"]


def test_what_names_no_tokenizer_is_followed_by_none_of_several():
    page = visit("compare", {"tokenizer.latest": "no such thing"})
    assert page.multiselect(key="tokenizers.compare").value[0] == "gpt2"
