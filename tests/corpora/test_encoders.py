"""The compiled encoder equals tiktoken and each tokenizer's `encode`."""

import json
import random
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
from playground.corpora.encoders import Encoder, LibraryEncoder, encoder_of, iter_encoded
from playground.files.library_file import LibraryFile
from playground.files.tokenizer_json import write_tokenizer_json
from tests.catalog.kinds import KINDS
from tests.conftest import UDHR

COMPILED = [
    *encoding_names(),
    "qwen3",
    "mistral_tekken",
    "glm4",
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
PATTERNS = ["gpt2", "cl100k_base", "o200k_base", "qwen3", "mistral_tekken", "glm4"]

encoders: dict[str, Encoder] = {}


def encoder(name):
    if name not in encoders:
        encoders[name] = encoder_of(get_tokenizer(name))
    return encoders[name]


def expected(name, text):
    """Return tiktoken's ids for OpenAI's encodings, else those of the tokenizer's library."""
    if name in encoding_names():
        return load_openai(name).encoding.encode_ordinary(text)
    return get_tokenizer(name).encode(text).ids.tolist()


def test_encoders_say_whether_they_are_compiled():
    assert {name for name in TOKENIZERS if encoder(name).is_compiled} == set(COMPILED)


@pytest.mark.parametrize("name", COMPILED)
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
def test_a_tokenizer_json_is_compiled_only_with_the_ids_of_its_library(words, takes_whole, lists_all, texts):
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
    assert made.is_compiled or not lists_all or not takes_whole
    assert [made.encode([text]).tolist() for text in texts] == [list(opened.encode(text)) for text in texts]


@pytest.mark.parametrize("name", PATTERNS)
@settings(max_examples=60)
@given(text=st.text(st.sampled_from(HARD)) | st.text())
def test_difficult_unicode_has_the_ids_of_the_library(name, text):
    ids = encoder(name).encode([text]).tolist()
    assert ids == expected(name, text)
    assert encoder(name).count([text]) == len(ids)


@pytest.mark.parametrize("name", PATTERNS)
def test_long_pretokens_merge_as_short_ones_do(name):
    draw = random.Random(5)
    for n in (90, 95, 96, 97, 127, 128, 129, 500, 3_000):
        for letters in ("ab", "the ", "aeiounrst", "中文字", " ", "\n ", "é\u0301", "=-"):
            text = "".join(draw.choice(letters) for _ in range(n))
            assert encoder(name).encode([text]).tolist() == expected(name, text), (n, letters)


def test_ids_stay_correct_when_the_cache_is_full():
    """Count and then encode 40,000 rare words between 500 frequent ones."""
    name = "gpt2"
    draw = random.Random(9)
    often = ["".join(draw.choices("aeioukstézw", k=draw.randint(1, 7))) for _ in range(500)]
    rare = ["".join(draw.choices("qxjvbnmé", k=draw.randint(5, 6))) for _ in range(40_000)]
    texts = [" ".join(draw.choice(often) + " " + word for word in rare[n::8]) for n in range(8)]
    cached = encoder(name).fork()
    for text in (*texts, texts[0]):
        ids = expected(name, text)
        assert cached.count([text]) == len(ids)
        assert cached.encode([text], closing_id=5).tolist() == [*ids, 5]


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
        found = LibraryEncoder(tokenizer).encode(texts, closing_id=7).tolist()
    assert found == [token_id for text in texts for token_id in [*tokenizer.encode(text), 7]]


@given(texts=st.lists(st.text(st.sampled_from("ab <|endoftext|>")), max_size=8))
def test_special_tokens_are_honoured_where_allowed(texts):
    texts = [*texts, "a<|endoftext|>b", "<|endoftext|><|endoftext|>", ""]
    tokenizer = load_openai("gpt2")
    allowed = frozenset(["<|endoftext|>"])
    ids = encoder_of(tokenizer, allowed_special=allowed).encode(texts).tolist()
    assert ids == [id_ for text in texts for id_ in tokenizer.encoding.encode(text, allowed_special="all")]
    assert ids == LibraryEncoder(tokenizer, allowed).encode(texts).tolist()


def test_a_vocabulary_for_which_the_table_has_no_room_is_left_to_its_library(monkeypatch):
    n = len(load_openai("gpt2").mergeable_ranks)
    for room, is_compiled in ((n, True), (n - 1, False)):
        monkeypatch.setattr("playground.corpora.compiled_encoder.MAX_TOKENS", room)
        made = encoder_of(get_tokenizer("gpt2"))
        assert made.is_compiled == is_compiled
        assert made.encode(["tokenization", HARD]).tolist() == expected("gpt2", "tokenization") + expected(
            "gpt2", HARD
        )


def test_a_library_encodes_with_closing_ids_too():
    other = encoder("characters")
    assert other.encode(["ab", "", "c"], closing_id=9).tolist() == [97, 98, 9, 9, 99, 9]
    assert other.count(["ab", "c"]) == 3
    assert other.encode([]).tolist() == [] == encoder("gpt2").encode([]).tolist()


@pytest.mark.parametrize("pattern", ["gpt2", "o200k", "none"])
def test_trained_tokenizers(pattern):
    model = BpeModel(SplitPattern.named(pattern), ((97, 98, 256), (256, 99, 257), (32, 257, 258)))
    tokenizer = TrainedTokenizer("own", model)
    text = "abc ab abc\nabcabc" * 9
    made = encoder_of(tokenizer)
    assert made.is_compiled == (pattern != "none")
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


@pytest.mark.parametrize("n_threads", [1, 2, 4])
def test_ids_come_in_order_and_no_more_threads_encode_than_were_asked_for(n_threads):
    n_now = n_most = 0
    lock = threading.Lock()

    def encode(number):
        nonlocal n_now, n_most
        with lock:
            n_now += 1
            n_most = max(n_most, n_now)
        encoded = -sum(range(100 * number)) - number
        with lock:
            n_now -= 1
        return encoded

    found = list(iter_encoded(range(200), encode, n_threads))
    assert found == [(number, -sum(range(100 * number)) - number) for number in range(200)]
    assert n_most <= n_threads


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("what", ["read", "encoded"])
def test_an_error_is_raised_after_all_earlier_ids(what, n_threads):
    def fail_at_5(number):
        if number == 5:
            raise InvalidInputError(f"cannot be {what}")
        return number

    jobs = map(fail_at_5, range(9)) if what == "read" else range(9)
    encoded = iter_encoded(jobs, fail_at_5, n_threads)
    assert [next(encoded)[0] for _ in range(5)] == [0, 1, 2, 3, 4]
    with pytest.raises(InvalidInputError, match=f"cannot be {what}"):
        next(encoded)
