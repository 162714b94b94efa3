"""Compare on the Vocabulary page: the tokens that two vocabularies share."""

from playground.catalog.registry import get_tokenizer
from tests.ui.visits import learned, markdown_of, visit

NAME = "my__own"


def open_compare(first, second, own=None):
    kept = {"keep.trained_tokenizers": {NAME: own} if own else {}, "view.vocabulary": "Compare"}
    return visit("vocabulary", kept | {"keep.tokenizer": [first], "keep.other": [second]})


def raws_of(tokenizer):
    special = set(tokenizer.special_tokens.values())
    return [tokenizer.vocabulary.raw_of(n) for n in tokenizer.vocabulary.ids.tolist() if n not in special]


def test_two_vocabularies_share_what_both_have_and_list_their_own_tokens_and_first_merges():
    own = learned(NAME, "the cat sat on the mat in the bath\n" * 9, vocab_size=270)
    page = open_compare(NAME, "python_docs_4k", own)
    ours, theirs = set(raws_of(own)), set(raws_of(get_tokenizer("python_docs_4k")))
    assert f"They share **{len(ours & theirs):,}** tokens" in markdown_of(page)
    share = f"{100 * len(ours & theirs) / len(ours):.0f} % of the {len(ours):,} of my\\_\\_own"
    assert share in markdown_of(page)
    longest = page.dataframe[0].value
    for name, only in ((NAME, ours - theirs), ("python_docs_4k", theirs - ours)):
        longest_bytes = max(map(len, only), default=0)
        assert longest[f"longest only in {name}"][0].startswith(f"{longest_bytes} bytes: ")
    assert page.dataframe[-1].value["python_docs_4k: rank"][0] == 256


def test_vocabularies_of_other_kinds_are_compared_and_too_large_a_one_is_refused():
    page = open_compare("bert_uncased", "mistral_v1")
    bert, mistral = (raws_of(get_tokenizer(name)) for name in ("bert_uncased", "mistral_v1"))
    assert f"They share **{len(set(bert) & set(mistral)):,}** tokens" in markdown_of(page)
    n_again = len(bert) - len(set(bert))
    said = " ".join(caption.value for caption in page.caption).replace("\\", "")
    assert f"bert_uncased has {n_again:,} tokens more, with the same bytes as others." in said
    page = open_compare("bert_uncased", "characters")
    assert "characters has 1,112,064 tokens. Vocabularies of up to 1,000,000" in page.info[0].value
    page = open_compare("gpt2", "gpt2")
    assert "Choose another tokenizer" in page.info[0].value
