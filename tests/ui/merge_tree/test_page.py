"""The Merge tree page: the race's verdict, the vocabulary by pages, and a link."""

from typing import Any

import pytest

from playground.analysis.traces import text_trees, trace_text
from playground.analysis.vocabulary_index import vocabulary_index
from playground.catalog.registry import get_tokenizer
from playground.catalog.sentencepiece_file import load_sentencepiece
from playground.render.merge_race import Runner
from playground.ui.merge_tree.race import MAX_WORD_CHARS, built_svgs, verdict, why_no_race
from playground.ui.merge_tree.vocabulary import PAGE_TOKENS
from tests.catalog import sentencepiece_models
from tests.ui.visits import html_of, learned, markdown_of, visit

NAME = "my__own__one"
SMALL = get_tokenizer("python_docs_4k")


@pytest.fixture(scope="module")
def own():
    return learned(NAME, "tokenization tokenization <b> " * 9)


@pytest.fixture
def page(own):
    names = [NAME, "python_docs_4k", "utf8_bytes"]
    kept = {"keep.trained_tokenizers": {NAME: own}, "keep.race": names, "view.merge_tree": "Merge race"}
    return visit("merge_tree", kept | {"keep.tokenizer": ["python_docs_4k"]})


def open_vocabulary(page, **fields):
    for name, value in fields.items():
        page.session_state[f"vocabulary.{name}"] = value
    page.button_group(key="view.merge_tree").set_value("Vocabulary").run()
    assert list(page.exception) == []
    return page


def ids(page):
    return page.dataframe[0].value["id"].tolist()


def test_the_race_names_who_has_the_word_first_as_text(page, own):
    rank = own.vocabulary.entry(own.encode(" tokenization")[0]).rank
    assert len(SMALL.encode(" tokenization")) > 1
    assert f"my\\_\\_own\\_\\_one has it as one token at the lowest rank, {rank}" in markdown_of(page)
    assert "utf8\\_bytes is not in the race: it has no merges with known ranks." in markdown_of(page)


def test_the_race_takes_the_first_word_of_the_trees_until_one_types_another(page):
    session = page.session_state["keep.merge_tree.session"]
    session.follow("<b> tokenization")
    assert page.run().text_input(key="race.word").placeholder == "<b>"
    page.text_input(key="race.word").set_value(" own").run()
    session.follow("other")
    assert page.run().text_input(key="race.word").value == " own"


def test_a_word_too_long_for_the_race_is_told(page):
    """A field with `max_chars` takes nothing of a longer paste."""
    page.text_input(key="race.word").set_value("x" * (MAX_WORD_CHARS + 3)).run()
    assert [error.value for error in page.error] == ["The word has 63 characters; the limit is 60."]
    assert page.text_input(key="race.word").proto.max_chars == 0


@pytest.mark.parametrize(
    ("tokenizer", "why", "drawn"),
    [
        (get_tokenizer("bert_uncased"), "it takes the longest piece that fits", "probes"),
        (sentencepiece_models.opened("unigram, nmt_nfkc, symbols"), "best total score", "lattice"),
    ],
)
def test_who_does_not_merge_does_not_race_and_shows_beside_it_how_it_builds_the_word(tokenizer, why, drawn):
    assert why in why_no_race(tokenizer, " word")
    assert [f'class="tree {drawn}"' in svg for svg in built_svgs(tokenizer, " word")] == [True]
    kept = {"keep.trained_tokenizers": {"opened": tokenizer}, "keep.race": ["gpt2", "opened"]}
    page = visit("merge_tree", {**kept, "view.merge_tree": "Merge race", "keep.tokenizer": ["gpt2"]})
    assert list(page.exception) == []
    said = markdown_of(page)
    assert said.index("gpt2 has the fewest tokens, 2") < said.index(why)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("x", "It is one byte, which every tokenizer has from the start."),
        (" the", "gpt2 and r50k_base have it as one token at the lowest rank, 262."),
        (
            "qjzz",
            "No tokenizer has it as one token. gpt2 and r50k_base have the fewest tokens, 3, "
            "of rank 3,019 at most.",
        ),
    ],
)
def test_who_is_equally_early_shares_the_first_place(word, said):
    runners = [
        Runner(name, "#000", tuple(text_trees(trace_text(tokenizer, word), tokenizer.vocabulary)))
        for name in ("gpt2", "python_docs_4k", "r50k_base")
        for tokenizer in [get_tokenizer(name)]
    ]
    assert verdict(runners) == said


def test_the_vocabulary_by_pages_is_all_of_it_once(page):
    open_vocabulary(page, text="", from_id=1000, to_id=1250)
    number = page.number_input(key="vocabulary.page")
    assert number.label == "Page, of 3"
    seen = ids(page)
    for n in (2, 3):
        number.set_value(n).run()
        seen += ids(page)
    assert seen == list(range(1000, 1251))
    assert len(ids(page)) == 251 - 2 * PAGE_TOKENS
    page.selectbox(key="vocabulary.order").set_value("latest first").run()
    assert ids(page) == list(range(1250, 1150, -1)), "another search begins at its first page"
    page.selectbox(key="vocabulary.order").set_value("longest first").run()
    lengths = page.dataframe[0].value["bytes"].tolist()
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] == max(len(SMALL.vocabulary.raw_of(token_id)) for token_id in range(1000, 1251))


def test_a_search_opens_its_own_first_token_as_text(page, own):
    index = vocabulary_index(own)
    chosen = ("another search", index.raws.index(b"a"))
    page.session_state["keep.tokenizer"] = [NAME]
    page.session_state["keep.vocabulary.token"] = chosen
    open_vocabulary(page, text="", pattern="[<a]", to_id=10**6)
    assert page.number_input(key="vocabulary.to_id").value == max(index.ids), "cut to this vocabulary"
    assert "<code>&lt;</code>" in html_of(page), "the first, and not what another search had chosen"
    page.text_input(key="vocabulary.pattern").set_value("^<$").run()
    assert "<code>&lt;</code>" in html_of(page)
    page.text_input(key="vocabulary.pattern").set_value("(").run()
    assert "does not compile" in page.error[0].value


def test_the_vocabulary_has_each_token_as_its_file_spells_it(page):
    open_vocabulary(page, text=" the")
    table = page.dataframe[0].value
    assert table["in its file"].tolist() == [SMALL.vocabulary.entry(i).spelled for i in table["id"]]
    assert "Ġthe" in table["in its file"].tolist()


def test_the_vocabulary_opens_with_no_condition_and_its_own_example_finds(page):
    open_vocabulary(page)
    pattern = page.text_input(key="vocabulary.pattern")
    n_all = len(vocabulary_index(SMALL).raws)
    heading = f"**{n_all:,}** of {n_all:,} tokens. Select a row to see its token."
    assert heading in [block.value for block in page.markdown]
    pattern.set_value(pattern.placeholder).run()
    assert any("tokens. Select a row" in block.value for block in page.markdown), "the example finds some"
    assert not page.info


def test_the_vocabulary_of_a_tokenizer_that_merges_nothing_is_browsed():
    kept = {"keep.tokenizer": ["bert_uncased"], "keep.race": ["gpt2", "r50k_base"]}
    page = open_vocabulary(visit("merge_tree", kept), pattern="^ization$")
    assert ids(page) == [3989]
    assert any("tokens (special tokens not included). Select" in block.value for block in page.markdown)
    assert "It is spelled \\#\\#ization in its file. It continues a word" in markdown_of(page)
    assert "Token 3,989 <code>ization</code>" in html_of(page)


def test_a_piece_of_sentencepiece_has_its_tree_its_score_and_what_is_merged_from_it():
    kept = {"keep.tokenizer": ["mistral_v1"], "keep.race": ["gpt2", "mistral_v1"]}
    page = open_vocabulary(visit("merge_tree", kept), pattern="^ the$")
    mistral: Any = load_sentencepiece("mistral_v1")
    (token_id,) = mistral.vocabulary.ids_of(b" the")
    assert ids(page) == [token_id]
    said = markdown_of(page)
    entry = mistral.vocabulary.entry(token_id)
    assert entry.score == 259 - token_id
    assert f"Its score in the file is −{token_id - 259}; the highest score merges first." in said
    assert f"merge {mistral.merges.rank_of(token_id) - 255:,} of the vocabulary" in said
    assert "are merged from it, by rank:" in said


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("안", "Nothing merges: the tokenizers have these bytes and characters from the start."),
        ("tokens", "mistral\\_v1"),
    ],
)
def test_pieces_race_too(word, said):
    tokenizer = get_tokenizer("mistral_v1")
    trees = tuple(text_trees(trace_text(tokenizer, word), tokenizer.vocabulary))
    assert said.replace("\\", "") in verdict([Runner(tokenizer.name, "#000", trees)])


def test_a_search_that_finds_nothing_but_for_its_case_says_so(page):
    shown = open_vocabulary(page, text="DEF")
    assert "Ignore case" in shown.info[0].value
    assert ids(open_vocabulary(page, text="DEF", case=True))
    assert "Remove a filter" in open_vocabulary(page, text="no such token anywhere").info[0].value


@pytest.mark.parametrize(
    ("set_before", "opens"), [({}, False), ({"to_id": 900}, True), ({"utf8": "no"}, True)]
)
def test_conditions_that_stand_apart_open_where_one_counts(page, set_before, opens):
    shown = open_vocabulary(page, **set_before)
    (more,) = [box for box in shown.expander if box.label == "More filters"]
    assert more.proto.expanded == opens
    assert more.number_input(key="vocabulary.to_id").value == set_before.get("to_id")
    shown.selectbox(key="vocabulary.utf8").set_value("yes").run()
    shown.selectbox(key="vocabulary.utf8").set_value("any").run()
    (more,) = [box for box in shown.expander if box.label == "More filters"]
    assert more.proto.expanded, "what one has just taken away stays in sight"


def test_a_pattern_that_takes_too_long_is_told(page, monkeypatch):
    monkeypatch.setattr("playground.analysis.vocabulary_index.MAX_SECONDS", 0.0)
    shown = open_vocabulary(page, pattern="^a$")
    assert "took longer than 0 s and was stopped" in shown.error[0].value.replace("\\", "")
