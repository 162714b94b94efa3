"""Cutting a text at safe places keeps its pretokens and tokens, and most texts have many such places."""

from functools import cache
from itertools import pairwise

import pytest
import regex
import tiktoken
from hypothesis import example, given, settings
from hypothesis import strategies as st

from playground.bpe import safe_cuts
from playground.bpe.model import BpeModel
from playground.bpe.safe_cuts import SafeCuts, iter_safe_blocks, safe_cut_of
from playground.bpe.split_pattern import SPLIT_PATTERNS, SplitPattern, iter_pretokens
from playground.catalog.openai import encoding_names, load_openai
from playground.catalog.registry import TOKENIZERS, get_tokenizer
from playground.catalog.trained import TrainedTokenizer
from tests.engine_classes import classed_otherwise, members_in_tiktoken

#: Letters, digits, marks, punctuation and white space that the patterns distinguish. `regex` and tiktoken
#: disagree on the last four.
HARD_CHARACTERS = list(
    "aZsStéñßДдΣ中ひ안กनש'ſ07٣½²'’./!-—。，“”€\u0301\u093f\u0e34\u200d\u200b\ufeff🏽👩\x1c\x00_"
    "\U00011de0\U000107bb\U00010940ʕ"
)
WHITE_SPACE = list(" \t\n\r\x0b\x0c\x85\xa0\u2028\u3000")
hard_texts = st.lists(
    st.one_of(
        st.sampled_from(HARD_CHARACTERS),
        st.sampled_from(WHITE_SPACE),
        st.sampled_from(["\r\n", "\n\n", "  ", " \n", "'s", "'LL", "://", "Don't", ".\n/", "a\n/", "1234"]),
        st.sampled_from(['"\r\n"', '","', "'s'", "a1", "1a", "A.", "é'", "中。", "1'", "/\n", "''s"]),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=40,
).map("".join)


def pieces_at(places, text):
    return [text[start:end] for start, end in pairwise([0, *places, len(text)])]


def pieces_at_safe_cuts(text, safe_cut):
    return pieces_at([match.start() for match in safe_cut.finditer(text)], text)


def ids_of(encoding, texts):
    return [token_id for text in texts for token_id in encoding.encode_ordinary(text)]


@pytest.mark.parametrize("name", SPLIT_PATTERNS)
@given(text=hard_texts)
@example(text='"a","b"\r\n"c","d"\r\n')
@example(text="a.\n/b\n/c")
@example(text="x\r\ny  z\n")
@example(text="'1a's")
@settings(max_examples=20, deadline=None)
def test_pieces_have_the_pretokens_of_the_whole(name, text):
    pattern = SplitPattern.named(name)
    pieces = pieces_at_safe_cuts(text, safe_cut_of(name))
    pretokens = [pretoken for piece in pieces for pretoken, _ in iter_pretokens(piece, pattern)]
    assert pretokens == [pretoken for pretoken, _ in iter_pretokens(text, pattern)]


@pytest.mark.parametrize("name", [*encoding_names(), "llama3"])
@given(text=hard_texts)
@example(text="\U000107bb\n\na")
@settings(max_examples=20, deadline=None)
def test_pieces_have_the_ids_that_tiktoken_gives_the_whole(name, text):
    """No public vocabulary has Llama 3's pattern here, so it is tested with another vocabulary."""
    encoding = llama_3() if name == "llama3" else load_openai(name).encoding
    safe_cut = safe_cut_of(SplitPattern.of(encoding._pat_str).name)
    assert ids_of(encoding, pieces_at_safe_cuts(text, safe_cut)) == encoding.encode_ordinary(text)


@cache
def llama_3():
    return tiktoken.Encoding(
        "llama3",
        pat_str=SPLIT_PATTERNS["llama3"],
        mergeable_ranks=load_openai("cl100k_base").encoding._mergeable_ranks,
        special_tokens={},
    )


@pytest.mark.parametrize("name", SPLIT_PATTERNS)
def test_no_safe_cut_depends_on_a_character_that_regex_classes_differently(name):
    text = "".join(f"a{c}1{c}.{c}\n{c}'s。{c} " for c in classed_otherwise()[::20])
    pattern = SplitPattern.named(name)
    pieces = pieces_at_safe_cuts(text, safe_cut_of(name))
    pretokens = [pretoken for piece in pieces for pretoken, _ in iter_pretokens(piece, pattern)]
    assert pretokens == [pretoken for pretoken, _ in iter_pretokens(text, pattern)]


@pytest.mark.parametrize(
    ("characters", "character_class"), [("_LETTERS", r"\p{L}"), ("_PUNCTUATION", r"[\p{P}\p{S}]")]
)
def test_safe_cuts_name_characters_of_the_same_class_in_tiktoken(characters, character_class):
    named = "".join(regex.findall(f"[{getattr(safe_cuts, characters)}]", "".join(map(chr, range(0x10000)))))
    assert len(named) > 30
    assert "'" not in named
    assert members_in_tiktoken(character_class, named) == named


def test_a_typed_pattern_has_no_safe_cuts():
    assert safe_cut_of("custom") is safe_cut_of("none") is None
    assert SafeCuts(None).next("a b", 0) is SafeCuts(None).last("a b", 0, 2) is None
    assert not SafeCuts(None).is_safe("a b", 1)


#: Realistic texts, with line ends of every kind.
_ROWS = {
    "prose": "Hello, big world. ",
    "code": "    if x == y:\n        return {}\n",
    "quoted CSV": '"name","size","note"\r\n"a b","12",""\r\n',
    "quoted CSV without numbers": '"ab","cd","é"\r\n',
    "minified JSON": '{"name":"value","list":[1,2,{"deep":null}]},',
    "base64": "TWFueSBoYW5kcyBtYWtlIGxpZ2h0IHdvcmsu9",
    "Chinese": "人人生而自由\r\n在尊严和权利上一律平等。\r\n",
    "Chinese, one line": "人人生而自由，在尊严和权利上一律平等。",
    "Thai": "มนุษย์ทั้งหลายเกิดมามีอิสระ\r\n\r\n",
    "Devanagari": "सभीमनुष्योंकोगौरव\r\n",
    "Greek": "ΌλοιΟιΆνθρωποι\n\n",
    "Arabic": "يولدجميعالناسأحرارا\r",
}


@pytest.mark.parametrize("name", SPLIT_PATTERNS)
@pytest.mark.parametrize("title", _ROWS)
def test_safe_cuts_are_frequent_in_texts_of_every_kind(name, title):
    row = _ROWS[title]
    pieces = pieces_at_safe_cuts(row * 50, safe_cut_of(name))
    assert max(map(len, pieces)) <= 40


@st.composite
def texts_in_parts(draw):
    text = draw(hard_texts) + draw(hard_texts)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=12)))
    return pieces_at(cuts, text)


@pytest.mark.parametrize("name", TOKENIZERS)
@given(parts=texts_in_parts())
@settings(max_examples=15, deadline=None)
def test_blocks_keep_the_ids(name, parts):
    tokenizer = get_tokenizer(name)
    blocks = list(iter_safe_blocks(parts, SafeCuts(tokenizer.safe_cut)))
    text = "".join(parts)
    assert "".join(blocks) == text
    assert "" not in blocks
    assert [id_ for block in blocks for id_ in tokenizer.encode(block)] == tokenizer.encode(text)


@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_blocks_keep_special_tokens_whole(data):
    text = data.draw(st.text("ab 1.\n", min_size=2, max_size=40))
    starts = st.integers(0, len(text) - 2)
    special = {
        text[start : start + data.draw(st.integers(2, 9))]
        for start in data.draw(st.lists(starts, max_size=4))
    }
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=12)))
    tokenizer = TrainedTokenizer(
        "own", BpeModel(SplitPattern.named("gpt2"), (), {name: 256 + n for n, name in enumerate(special)})
    )
    allowed = frozenset(special)
    blocks = list(iter_safe_blocks(pieces_at(cuts, text), SafeCuts(tokenizer.safe_cut, special)))
    assert "".join(blocks) == text
    ids = [token_id for block in blocks for token_id in tokenizer.encode(block, allowed_special=allowed)]
    assert ids == tokenizer.encode(text, allowed_special=allowed)


@given(text=st.text("ab 1.\n", max_size=40), start=st.integers(0, 40), end=st.integers(0, 40))
def test_next_and_last_are_the_nearest_safe_places(text, start, end):
    cuts = SafeCuts(safe_cut_of("cl100k"), ["a b", "a ", "b.", ".\n1"])
    safe = [place for place in range(len(text) + 1) if cuts.is_safe(text, place)]
    start, end = start % (len(text) + 1), end % (len(text) + 1)
    assert cuts.next(text, start) == next((place for place in safe if place >= start), None)
    assert cuts.last(text, start, end) == next((p for p in reversed(safe) if start <= p <= end), None)
