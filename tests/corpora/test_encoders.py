"""Large texts get exactly the ids of each tokenizer's library."""

import json
import random

import numpy as np
import pytest
import splintr
import tiktoken
import toktok
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.bpe.character_categories import CATEGORIES, character_categories
from playground.bpe.gpt2_bytes import to_gpt2_characters
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.openai import encoding_names, load_openai
from playground.catalog.registry import TOKENIZERS, get_tokenizer
from playground.catalog.tokenizer_json_file import open_tokenizer_json
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError
from playground.core.tokenizer import EncodesInBatches
from playground.corpora import encoders as encoders_module
from playground.corpora.cores import encoders_of, iter_done
from playground.corpora.encoders import MUCH_CHARACTERS, Encoder, is_classified_alike
from playground.files.library_file import LibraryFile
from playground.files.tiktoken_ranks import ranks_text
from playground.files.tokenizer_json import write_tokenizer_json
from tests.catalog.kinds import KINDS
from tests.conftest import UDHR

BY_SPLINTR = [
    *encoding_names(),
    "qwen3",
    "mistral_tekken",
    "glm4",
    "kimi_k2",
    "phi4",
    "olmo2",
    "whisper",
    "python_docs_4k",
]
#: Letters with and without case, marks, numbers, white space, what tiktoken's Unicode does not yet know.
HARD = (
    "aZé ÉſǅʰꙮÅ가中ا1٣½Ⅷ \t\n\r\u00a0\u2003\u2028\x85'!/_-·\u0301\u0903\u200d🙂👩‍👧"
    "\U000323b0\U00010940\U0001e6c0\ufeff\0"
)
PATTERNS = ["gpt2", "cl100k_base", "o200k_base", "qwen3", "mistral_tekken", "glm4", "kimi_k2"]

encoders: dict[str, Encoder] = {}


def encoder_of(tokenizer, **options):
    """Return an encoder that has seen so much text that it uses splintr, if it can."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoders_module, "MUCH_CHARACTERS", 0)
        made = Encoder(tokenizer, **options)
        made.lengths(["a"])
    made._n_characters = MUCH_CHARACTERS
    return made


def encoder(name):
    if name not in encoders:
        encoders[name] = encoder_of(get_tokenizer(name))
    return encoders[name]


def expected(name, text):
    """Return tiktoken's ids for OpenAI's encodings, else those of the tokenizer's library."""
    if name in encoding_names():
        return load_openai(name).encoding.encode_ordinary(text)
    return get_tokenizer(name).encode(text).ids.tolist()


def uses_splintr(made):
    return not made.needs_library(MUCH_CHARACTERS)


def test_tokenizers_that_merge_by_rank_in_a_known_pattern_use_splintr():
    assert {name for name in TOKENIZERS if uses_splintr(encoder(name))} == set(BY_SPLINTR)


@pytest.fixture(scope="module")
def lines_alike() -> str:
    """Return each character that splintr is given, on a line of its own."""
    return "".join(
        f"{chr(code)}\n"
        for code in np.flatnonzero(character_categories()).tolist()
        if not 0xD800 <= code < 0xE000 and is_classified_alike(chr(code))
    )


@pytest.mark.parametrize(
    "of", [r"\s", r"\p{Han}", *(rf"\p{{{name}}}" for name in ("L", "N", "M", "Lu", "Ll", "Lt", "Lm", "Lo"))]
)
def test_splintr_has_the_class_that_tiktoken_has_for_each_character_that_it_is_given(of, lines_alike):
    """Of a run of characters inside or outside of a class, only the last byte merges with the line end."""
    ranks = {bytes([byte]): byte for byte in range(256)} | {
        bytes([byte, 10]): 256 + byte for byte in range(256)
    }
    peer = tiktoken.Encoding("of", pat_str=f"{of}+|[^{of}]+", mergeable_ranks=ranks, special_tokens={})
    ours = splintr.Tokenizer.from_bytes(ranks_text(ranks).encode(), f"{of}+|[^{of}]+", {})
    assert ours.encode_ordinary(lines_alike) == peer.encode_ordinary(lines_alike)


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_toktok_counts_each_character_that_it_is_given_as_tiktoken_does(name):
    is_one_of_many = (
        range(0x4E10, 0x9FF0),
        range(0xAC10, 0xD7A0),
        range(0x17010, 0x18CD0),
        range(0x20010, 0x323B0),
    )
    texts = [
        f"a{c}b {c}{c} {c}:A '{c} 1{c}2 \n{c}A{c}a"
        for code in np.flatnonzero(character_categories() != CATEGORIES.index("Cn")).tolist()
        if not 0xD800 <= code < 0xE000 and not any(code in codes for codes in is_one_of_many)
        if code < 0xF0010 and is_classified_alike(c := chr(code))
    ]
    peer = load_openai(name).encoding.encode_ordinary_batch(texts, num_threads=2)
    assert toktok.batch_count(texts, name, 2) == [*map(len, peer)]
    assert len(texts) > 50_000


@pytest.mark.parametrize("name", BY_SPLINTR)
def test_39_languages_and_code_have_the_ids_of_the_library(name, corpora):
    languages = json.loads(UDHR.read_text())
    texts = [*corpora.values(), *(json.dumps(language, ensure_ascii=False) for language in languages)]
    for text in texts:
        assert encoder(name).encode([text[:60_000]]).tolist() == expected(name, text[:60_000])


def all_splits(ranks):
    """Return every pair of tokens that joins to a token, in the order of these, as Llama 3 lists them."""
    return [
        [to_gpt2_characters(raw[:n]), to_gpt2_characters(raw[n:])]
        for raw in ranks
        for n in range(1, len(raw))
        if raw[:n] in ranks and raw[n:] in ranks
    ]


@given(
    words=st.lists(st.text("ab ", min_size=2, max_size=6).map(str.encode), unique=True, max_size=12),
    takes_whole=st.booleans(),
    lists_all=st.booleans(),
    texts=st.lists(st.text("ab .é") | st.sampled_from(["a<x>b<y>", "e\u0301 <x>"]), min_size=1, max_size=8),
)
@settings(max_examples=20, deadline=None)
def test_a_tokenizer_json_has_the_ids_of_its_library(words, takes_whole, lists_all, texts):
    ranks = {bytes([byte]): byte for byte in range(256)} | {raw: 256 + n for n, raw in enumerate(words)}
    pairs = all_splits(ranks)
    if not lists_all:
        pairs = pairs[::2]
    document = json.loads(write_tokenizer_json(BpeModel(SplitPattern.named("llama3"), ()), "x")["x.json"])
    document["normalizer"] = {"type": "NFC"}
    document["model"] |= {
        "vocab": {to_gpt2_characters(raw): rank for raw, rank in ranks.items()},
        "merges": pairs,
        "ignore_merges": takes_whole,
    }
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    document["added_tokens"] = [
        {"id": len(ranks), "content": "<x>", "special": False, **plain},
        {"id": len(ranks) + 1, "content": "<y>", "special": True, **plain},
    ]
    opened = open_tokenizer_json(
        LibraryFile.of("tokenizer.json", json.dumps(document).encode(), "x.json"), "x.json"
    )
    made = encoder_of(opened)
    assert uses_splintr(made) or not lists_all or takes_whole
    assert [made.encode([text]).tolist() for text in texts] == [list(opened.encode(text)) for text in texts]


@pytest.mark.parametrize("name", PATTERNS)
@settings(max_examples=60)
@given(text=st.text(st.sampled_from(HARD)) | st.text())
def test_difficult_unicode_has_the_ids_of_the_library(name, text):
    ids = encoder(name).encode([text]).tolist()
    assert ids == expected(name, text)
    assert encoder(name).lengths([text]) == [len(ids)]
    little = Encoder(get_tokenizer(name), allowed_special=frozenset(["<|endoftext|>"]))
    assert little.encode([text]).tolist() == ids  # merged here


@pytest.mark.parametrize("name", PATTERNS)
def test_long_pretokens_merge_as_short_ones_do(name):
    draw = random.Random(5)
    for n in (90, 95, 96, 97, 127, 128, 129, 500, 3_000):
        for letters in ("ab", "the ", "aeiounrst", "中文字", " ", "\n ", "é\u0301", "=-"):
            text = "".join(draw.choice(letters) for _ in range(n))
            assert encoder(name).encode([text]).tolist() == expected(name, text), (n, letters)


@pytest.mark.parametrize(
    "name",
    [
        "bert_uncased",
        "opened, like Llama 2",
        "opened, bpe, bytes",
        "opened, unigram, nmt_nfkc, symbols",
    ],
)
@settings(max_examples=10, deadline=None)
@given(texts=st.lists(st.text(st.sampled_from("the ca\n▁é安🙂\ud800")), max_size=4))
def test_a_batch_in_short_pieces_has_the_ids_of_each_text(name, corpora, texts):
    tokenizer = KINDS[name][0]()
    assert isinstance(tokenizer, EncodesInBatches)
    texts = [*texts, corpora["languages"][:2_000]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoders_module, "_PIECE_CHARACTERS", 9)
        found = Encoder(tokenizer).encode(texts, closing_id=7).tolist()
    assert found == [token_id for text in texts for token_id in [*tokenizer.encode(text), 7]]


@given(texts=st.lists(st.text(st.sampled_from("ab <|endoftext|>")), max_size=8))
def test_special_tokens_are_honoured_where_allowed(texts):
    texts = [*texts, "a<|endoftext|>b", "<|endoftext|><|endoftext|>", ""]
    tokenizer = load_openai("gpt2")
    allowed = frozenset(["<|endoftext|>"])
    expected_ids = [id_ for text in texts for id_ in tokenizer.encoding.encode(text, allowed_special="all")]
    assert encoder_of(tokenizer, allowed_special=allowed).encode(texts).tolist() == expected_ids
    assert Encoder(tokenizer, allowed_special=allowed).encode(texts).tolist() == expected_ids
    theirs = load_openai("o200k_base").encoding
    n_expected = [len(theirs.encode(text, allowed_special="all")) for text in texts]
    by_toktok = encoder_of(get_tokenizer("o200k_base"), allowed_special=allowed)
    assert by_toktok.lengths(texts) == n_expected


def test_a_library_encodes_with_closing_ids_too():
    other = encoder("characters")
    assert other.encode(["ab", "", "c"], closing_id=9).tolist() == [97, 98, 9, 9, 99, 9]
    assert other.lengths(["ab", "c"]) == [2, 1]
    assert other.encode([]).tolist() == [] == encoder("gpt2").encode([]).tolist()


@pytest.mark.parametrize("pattern", ["gpt2", "o200k", "none"])
def test_trained_tokenizers(pattern):
    model = BpeModel(SplitPattern.named(pattern), ((97, 98, 256), (256, 99, 257), (32, 257, 258)))
    tokenizer = TrainedTokenizer("own", model)
    text = "abc ab abc\nabcabc" * 9
    made = encoder_of(tokenizer)
    assert uses_splintr(made) == (pattern != "none")
    assert made.encode([text]).tolist() == tokenizer.encode(text).ids.tolist()


def test_merges_that_ranks_cannot_express_are_left_to_the_tokenizer():
    """Token 257 has the same spelling as two other neighbours, which the tokenizer doesn't merge."""
    model = BpeModel(SplitPattern.named("gpt2"), ((98, 99, 256), (97, 98, 257), (257, 99, 258)))
    tokenizer = TrainedTokenizer("own", model)
    made = encoder_of(tokenizer)
    assert made.encode(["abc abcc"]).tolist() == tokenizer.encode("abc abcc").ids.tolist()


def test_lone_surrogates_are_replaced():
    assert (
        encoder("gpt2").encode(["a\ud83d!"]).tolist() == get_tokenizer("gpt2").encode("a\ud83d!").ids.tolist()
    )


def encode_number(encoders, text):
    if text == "5 5":
        raise InvalidInputError("cannot be encoded")
    return encoders[0].encode([text]).tolist()


@pytest.mark.parametrize("n_cores", [1, 2])
@pytest.mark.parametrize("what", ["read", "encoded"])
def test_ids_come_in_order_and_an_error_after_all_earlier_ids(what, n_cores, monkeypatch):
    monkeypatch.setattr("playground.corpora.cores.MUCH_BYTES", 0)

    def jobs():
        for number in range(9):
            if what == "read" and number == 5:
                raise InvalidInputError("cannot be read")
            yield f"{number} {number}"

    gpt2 = get_tokenizer("gpt2")
    made = encoders_of([gpt2], allow_special=False)
    done = iter_done(jobs(), encode_number, made, allow_special=False, n_cores=n_cores, n_bytes=9)
    for number in range(5):
        text = f"{number} {number}"
        assert next(done) == (text, gpt2.encode(text).ids.tolist())
    with pytest.raises(InvalidInputError, match=f"cannot be {what}"):
        next(done)
