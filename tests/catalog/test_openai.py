"""OpenAI's encodings equal tiktoken's own, and are made offline from checked files."""

import gzip
import shutil
from functools import cache

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from tiktoken.model import MODEL_TO_ENCODING
from tiktoken_ext import openai_public

from playground.catalog import openai, shipped_vocabularies
from playground.catalog.openai import encoding_names, load_openai
from playground.catalog.registry import encoding_name, get_tokenizer
from playground.core.errors import UnknownTokenizerError, VocabularyFileError

N_VOCAB = {
    "gpt2": 50257,
    "r50k_base": 50257,
    "p50k_base": 50281,
    "p50k_edit": 50284,
    "cl100k_base": 100277,
    "o200k_base": 200019,
    "o200k_harmony": 201088,
}
THREE = ["gpt2", "cl100k_base", "o200k_base"]


def counts_of(text):
    return [len(load_openai(name).encode(text)) for name in THREE]


def test_the_table_is_tiktokens_own(monkeypatch):
    """But for `load_…`, which download: their answers are replaced by the hash that they would check."""
    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", lambda _url, expected_hash: expected_hash)
    monkeypatch.setattr(
        openai_public, "data_gym_to_mergeable_bpe_ranks", lambda vocab_bpe_hash, **_: vocab_bpe_hash
    )
    assert encoding_names() == [*openai_public.ENCODING_CONSTRUCTORS]
    for name, define in openai_public.ENCODING_CONSTRUCTORS.items():
        theirs, ours = define(), load_openai(name)
        assert ours.lazy.pattern == theirs["pat_str"], name
        assert dict(ours.special_tokens) == theirs["special_tokens"], name
        assert theirs["mergeable_ranks"] in openai.SHA256.values()


def test_every_encoding_has_tiktokens_vocabulary_size():
    assert {name: load_openai(name).vocabulary.n_vocab for name in encoding_names()} == N_VOCAB


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".DefaultCellStyle", [4, 1, 3]),
        (" SolidGoldMagikarp", [1, 5, 5]),
        ("안녕하세요", [14, 5, 2]),
        ("Hello world", [2, 2, 2]),
        ("Hello world ", [3, 3, 3]),
        ("Egg", [2, 2, 1]),
    ],
)
def test_texts_have_their_known_numbers_of_tokens(text, expected):
    assert counts_of(text) == expected


@pytest.mark.parametrize("name", N_VOCAB)
@given(
    text=st.text(), special=st.sampled_from(["<|endoftext|>", "<|fim_prefix|>", "<|start|>"]), data=st.data()
)
@settings(max_examples=20)
def test_ids_are_tiktokens(name, text, special, data):
    tokenizer = load_openai(name)
    place = data.draw(st.integers(0, len(text)))
    text = text[:place] + special + text[place:]
    encoding = tokenizer.encoding
    assert tokenizer.encode(text) == encoding.encode(text, disallowed_special=())
    allowed = tokenizer.encode(text, allowed_special=frozenset([special]))
    known = {special} & encoding.special_tokens_set
    assert allowed == encoding.encode(text, allowed_special=known, disallowed_special=())


def test_every_model_of_tiktokens_table_has_its_encoding():
    for model, name in MODEL_TO_ENCODING.items():
        assert encoding_name(model) == encoding_name(model.upper()) == name
    assert get_tokenizer("gpt-4o-2024-05-13") is get_tokenizer("o200k_base")
    assert encoding_name("gpt-4-turbo-preview") == "cl100k_base"


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("gpt9", "did you mean gpt2 or gpt-5"), ("o200k", "did you mean o200k_base or gpt-5.6-sol?"),
        ("gpt-4p", "no tokenizer or model is called 'gpt-4p'; did you mean gpt2 or gpt-4"),
        ("deepsek-r1", "deepseek_v3 or deepseek-r1?"), ("", "type a model such as gpt-5"),
        ("../qqq", "type a model such as gpt-5"),
    ],
)  # fmt: skip
def test_the_error_for_an_unknown_name_has_the_nearest_name(name, advice):
    with pytest.raises(UnknownTokenizerError) as caught:
        get_tokenizer(name)
    assert repr(name) in str(caught.value)
    assert advice in str(caught.value)


@pytest.fixture
def own_vocabularies(tmp_path, monkeypatch):
    """Copy the vocabulary files for a test that damages them; previously loaded ones are set aside."""
    caches = [openai.load_openai, openai.gpt2_ranks]
    for name in ["vocab.bpe.gz", "cl100k_base.tiktoken.gz"]:
        shutil.copy(shipped_vocabularies.VOCABULARY_DIR / name, tmp_path / name)
    monkeypatch.setattr(shipped_vocabularies, "VOCABULARY_DIR", tmp_path)
    for cached in caches:
        fresh = cache(cached.__wrapped__)
        monkeypatch.setattr(openai, cached.__wrapped__.__name__, fresh)
    return tmp_path


def damage_byte(data: bytes) -> bytes:
    plain = bytearray(gzip.decompress(data))
    plain[len(plain) // 2] ^= 1
    return gzip.compress(bytes(plain), 1)


DAMAGES = {
    "one byte changed": damage_byte,
    "truncated": lambda data: data[: len(data) // 2],
    "not an archive": lambda _data: b"<html>Not found</html>",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
@pytest.mark.parametrize(
    ("name", "file_name"),
    [("cl100k_base", "cl100k_base.tiktoken")],
)
def test_a_damaged_file_is_named(own_vocabularies, name, file_name, damage):
    path = own_vocabularies / f"{file_name}.gz"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(VocabularyFileError, match=regex.escape(file_name)) as caught:
        openai.load_openai(name)
    assert str(own_vocabularies) in str(caught.value)


def test_a_missing_file_is_named_and_may_be_put_back(own_vocabularies):
    path = own_vocabularies / "vocab.bpe.gz"
    kept = path.rename(path.with_suffix(".kept"))
    with pytest.raises(VocabularyFileError, match=r"vocab\.bpe\.gz"):
        openai.load_openai("r50k_base")
    kept.rename(path)
    assert openai.load_openai("r50k_base").encode("Hello world") == [15496, 995]
