"""The Compare page: languages, vocabularies, and links."""

import pytest

from playground.analysis.density import article_text
from playground.catalog.registry import get_tokenizer
from playground.server.share_link import pack
from tests.ui.visits import learned, markdown_of, visit

NAME = "my__own"
SMALL = get_tokenizer("python_docs_4k")


@pytest.fixture(scope="module")
def own():
    return learned(NAME, "the cat sat on the mat in the bath\n" * 9, vocab_size=270)


def test_each_article_is_counted_in_each_tokenizer_anew(own):
    page = visit(
        "compare",
        {
            "keep.trained_tokenizers": {NAME: own},
            "tokenizers.compare": [NAME, "python_docs_4k"],
            "view.compare": "Languages",
        },
    )
    for article, number in (("article 1", 1), ("article 30", 30), ("all 30 articles", None)):
        page.selectbox(key="compare.article").set_value(article).run()
        table = page.dataframe[0].value.set_index("language")
        for language, code in (("English", "eng"), ("Korean", "kor")):
            text = article_text(code, number)
            assert table[NAME][language] == len(own.encode(text))
            assert table["python_docs_4k"][language] == len(SMALL.encode(text))
        assert table[f"{NAME} × English"].is_monotonic_decreasing
    page.multiselect(key="tokenizers.compare").set_value(["python_docs_4k", NAME]).run()
    table = page.dataframe[0].value
    assert list(table.columns[[1, 3]]) == ["python_docs_4k", NAME]
    assert table["python_docs_4k × English"].is_monotonic_decreasing
    assert not table[f"{NAME} × English"].is_monotonic_decreasing


def test_two_vocabularies_share_what_both_have_and_each_has_its_own(own):
    page = visit(
        "compare",
        {
            "keep.trained_tokenizers": {NAME: own},
            "tokenizers.compare": [NAME, "python_docs_4k", "utf8_bytes"],
            "view.compare": "Vocabularies",
        },
    )
    first, second = (
        page.selectbox(key="compare.first_vocabulary"),
        page.selectbox(key="compare.second_vocabulary"),
    )
    assert (first.options, second.options) == ([NAME, "python_docs_4k"], ["python_docs_4k"])
    ours = {bytes(raw) for raw in own.model.token_bytes().values()}
    theirs = set(SMALL.vocabulary.raws_of(SMALL.vocabulary.ids)) - {b"<|endoftext|>"}
    assert f"They share **{len(ours & theirs):,}** tokens" in markdown_of(page)
    assert f"of the {len(ours):,} of my\\_\\_own" in markdown_of(page)
    longest = page.dataframe[0].value
    for name, only in ((NAME, ours - theirs), ("python_docs_4k", theirs - ours)):
        longest_bytes = max(map(len, only), default=0)
        assert longest[f"longest only in {name}"][0].startswith(f"{longest_bytes} bytes: ")


def test_a_link_brings_text_and_tokenizers_once_and_a_damaged_one_is_told():
    link = pack({"text": "shared", "tokenizers": ["python_docs_4k", "utf8_bytes"]})
    page = visit("compare", link=link)
    assert page.session_state["keep.compare"].text == "shared"
    assert page.multiselect(key="tokenizers.compare").value == ["python_docs_4k", "utf8_bytes"]
    assert "share" not in page.query_params
    assert list(page.info) == []
    page.query_params["share"] = "<b>__x__.*"
    page.run()
    assert "damaged\\: it begins with '\\<b\\>\\_\\_x\\_\\_'" in page.error[0].value
    assert page.session_state["keep.compare"].text == "shared"
    page.multiselect(key="tokenizers.compare").set_value(["utf8_bytes"]).run()
    assert "Choose at least 2" in page.info[0].value
    assert list(page.exception) == []
