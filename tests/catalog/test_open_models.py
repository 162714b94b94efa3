"""Open models' vocabularies are the published ones and give the ids of other implementations."""

import hashlib
import json
import unicodedata
from pathlib import Path

import pytest
import regex
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import normalizers

from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.catalog import normalized, ranked
from playground.catalog.normalized import NormalizedTokenizer, nfc_text, normalize_nfc
from playground.catalog.open_models import OPEN_MODELS
from playground.catalog.ranked import RankedTokenizer
from playground.catalog.registry import encoding_name, get_tokenizer, is_known
from playground.catalog.shipped_vocabularies import read_vocabulary
from playground.core.errors import NotShippedError
from tests.catalog.kinds import PUBLISHED_PATTERNS
from tests.engine_classes import classed_otherwise

UDHR = json.loads((Path(__file__).resolve().parents[2] / "assets/texts/udhr.json").read_text())
#: SHA-256 of the ids of the declaration in 39 languages, with spaces between, as other implementations give
#: them: tokenizers with Qwen's and DeepSeek's own tokenizer.json, mistral-common, Whisper's ranks in tiktoken
#: with its own pattern, and splintr for the others.
UDHR_IDS = {
    "qwen3": "236ba26e6d9f5fd67d77522e99f3520cc0adecb213345241b92ffc53251e79dc",
    "deepseek_v3": "4e7de078060fe58f5519b9779202e24e6d34f322f05c8c316dcef2331e0f8bcc",
    "mistral_tekken": "3d76019a5b0c21a763ca38062f5e918d2a47f41bb1f530864d11182906b10039",
    "glm4": "d9d316d856500b188193f4d65485d9190d4d298a41ca77cad46828bc3890780a",
    "kimi_k2": "fc69cfe4a6e2284133380d63eadc70151e88d4e491c64a29b09276edf4d20400",
    "phi4": "7f4657c9ea7f5214aefe2a9b0c196d5416c2c433b1e8c2621b7b32d70b136c08",
    "olmo2": "7f4657c9ea7f5214aefe2a9b0c196d5416c2c433b1e8c2621b7b32d70b136c08",
    "whisper": "c7cb6fb4f408809e91ad5990046bcdaa6c6effdf53e063c1605eaf4658b720a3",
}
#: One more than the largest id, special tokens too.
N_VOCAB = {
    "qwen3": 151_669, "deepseek_v3": 128_815, "mistral_tekken": 131_072, "glm4": 151_365, "kimi_k2": 163_840,
    "phi4": 100_352, "olmo2": 100_278, "whisper": 51_865,
}  # fmt: skip
#: What form C changes, and what stands around it.
decomposed = st.text(
    st.sampled_from(
        "aeoZ1 \n<'.é한か\u0301\u0323\u0307\u0327\u0338\u037e\u0958\u0f73"
        "\u1112\u1161\u11ab\u2126\u212b\u3099\ufb1d"
    ),
    max_size=16,
)


@pytest.mark.parametrize("name", OPEN_MODELS)
def test_ids_of_the_declaration_are_those_of_other_implementations(name):
    tokenizer = get_tokenizer(name)
    ids = (
        str(token_id) for entry in UDHR for text in entry["articles"] for token_id in tokenizer.encode(text)
    )
    assert hashlib.sha256(" ".join(ids).encode()).hexdigest() == UDHR_IDS[name]
    assert tokenizer.vocabulary.n_vocab == N_VOCAB[name]


def test_the_ranks_are_the_files_that_their_makers_publish():
    """GLM's tokenizer.model, Kimi's tiktoken.model, Qwen's and Whisper's .tiktoken files."""
    published = {
        "glm4": "5a493598071550244b2ee7f26118f3edec2150b9dfa967929a99052ac83fe716",
        "kimi_k2": "b6c497a7469b33ced9c38afb1ad6e47f03f5e5dc05f15930799210ec050c5103",
        "qwen3": "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186",
    }
    for name, file_hash in published.items():
        assert OPEN_MODELS[name].file_hash == file_hash
    whisper = read_vocabulary("whisper.tiktoken.gz") + b"= 50256\n"  # a token without bytes
    assert hashlib.sha256(whisper).hexdigest() == (
        "b34b360dbb493e781e479794586d661700670d65564001f23024971d1f2fa126"
    )


def test_ids_start_where_the_model_starts_them_and_ranks_with_the_bytes():
    for name, first_id in (("deepseek_v3", 3), ("mistral_tekken", 1000)):
        tokenizer = get_tokenizer(name)
        assert tokenizer.merges is not None
        (first_byte,) = [entry for entry in [tokenizer.vocabulary.entry(first_id)] if entry.kind == "byte"]
        assert first_byte.rank == 0
        token_id = tokenizer.encode(" the")[0]
        assert tokenizer.vocabulary.entry(token_id).rank == token_id - first_id
        assert tokenizer.merges.rank_of(token_id) == token_id - first_id
        assert all(part < token_id for part in tokenizer.merges.parts_of(token_id))


def test_special_tokens_have_their_known_ids():
    def special(name):
        return get_tokenizer(name).special_tokens

    assert special("qwen3")["<|im_start|>"] == 151_644
    assert special("deepseek_v3")["<｜Assistant｜>"] == 128_804
    assert special("mistral_tekken")["[INST]"] == 3
    assert special("glm4")["[gMASK]"] == 151_331
    assert special("kimi_k2")["<|im_user|>"] == 163_587
    assert special("phi4")["<|im_sep|>"] == 100_266
    assert special("olmo2")["<|endoftext|>"] == 100_257
    assert special("whisper")["<|30.00|>"] == 51_864


# ---- names


@pytest.mark.parametrize(
    ("model", "encoding"),
    [
        ("Qwen2.5-Coder-7B", "qwen3"), ("Qwen/Qwen3-8B", "qwen3"), ("qwen2", "qwen3"), ("QwQ-32B", "qwen3"),
        ("deepseek-r1", "deepseek_v3"), ("deepseek-ai/DeepSeek-V3.1", "deepseek_v3"),
        ("mistral nemo", "mistral_tekken"), ("gpt-oss", "o200k_harmony"), ("gpt-oss:20b", "o200k_harmony"),
        ("Mistral-Small-24B-Instruct-2501", "mistral_tekken"),
        ("glm-4.5-air", "glm4"), ("zai-org/GLM-4-9B-Chat", "glm4"), ("Kimi-K2-Instruct-0905", "kimi_k2"),
        ("phi-4", "phi4"), ("OLMo-2-1124-7B", "olmo2"), ("openai/whisper-large-v2", "whisper"),
        ("gpt-oss-20b", "o200k_harmony"), ("gpt-4o", "o200k_base"), ("o200k_base", "o200k_base"),
        ("google/gemma-4-E2B-it", "gemma_4"), ("gemini-3.1-pro", "gemma_4"),
        ("Mistral-7B-v0.1", "mistral_v1"), ("Mixtral-8x7B-Instruct-v0.1", "mistral_v1"),
        ("mistral-7b-instruct-v0.3", "mistral_v3"), ("Mixtral-8x22B", "mistral_v3"),
        ("bert-base-uncased", "bert_uncased"), ("BAAI/bge-small-en-v1.5", "bert_uncased"),
    ],
)  # fmt: skip
def test_names_of_models_lead_to_their_encodings(model, encoding):
    assert encoding_name(model) == encoding


@pytest.mark.parametrize(
    "model",
    [
        "Qwen3.5-9B",
        "phi-4-mini-instruct",
        "kimi-k2.5",
    ],
)
def test_models_with_another_vocabulary_are_not_taken_for_these(model):
    assert not is_known(model)


@pytest.mark.parametrize(
    "model",
    [
        "llama 3",
        "CodeLlama-7b",
        "google/gemma-3-4b-it",
    ],
)
def test_a_vocabulary_that_does_not_ship_is_answered_with_one_sentence(model):
    with pytest.raises(NotShippedError) as caught:
        encoding_name(model)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert len(sentence) < 170
    assert not is_known(model)
    assert "Open the tokenizer.json" in sentence


# ---- normalization


@given(text=decomposed | st.text(st.characters(exclude_categories=["Cs"]), max_size=12))
@settings(max_examples=30, deadline=None)
def test_normalizing_equals_the_librarys_and_each_byte_has_its_source(text):
    nfc = normalizers.NFC().normalize_str
    normalized = normalize_nfc(text, nfc)
    if normalized is None:
        assert nfc(text) == text
        return
    assert normalized.text == nfc(text)
    starts, ends = normalized.starts.tolist(), normalized.ends.tolist()
    assert starts == sorted(starts)
    assert ends == sorted(ends)
    raw, made = text.encode(), normalized.text.encode()
    assert len(starts) == len(ends) == len(made)
    assert all(0 <= start < end <= len(raw) for start, end in zip(starts, ends, strict=True))
    # Characters that came from the same bytes are those bytes, normalized.
    source: dict[tuple[int, int], bytes] = {}
    for byte, span in zip(made, zip(starts, ends, strict=True), strict=True):
        source[span] = source.get(span, b"") + bytes([byte])
    for (start, end), part in source.items():
        assert end - start == 1 or nfc(raw[start:end].decode()).encode() == part


@given(text=st.lists(decomposed | st.sampled_from(["a", " ", "\n", "é", "\u0301"]), max_size=20).map("".join))
def test_much_text_is_normalized_as_a_whole_is(text):
    asked: list[str] = []

    def nfc(part: str) -> str:
        asked.append(part)
        return normalizers.NFC().normalize_str(part)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(normalized, "_MAX_WHOLE", 2)
        assert nfc_text(text, nfc) == normalizers.NFC().normalize_str(text)
    assert not any(map(str.isascii, (c for part in asked if len(part) > 2 for c in part[len(part) // 2 :])))


def test_text_that_python_calls_normalized_is_unchanged_by_the_library():
    """This is why a text that Python finds normalized is not passed to the library."""
    nfc = normalizers.NFC().normalize_str
    characters = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    suspects = regex.findall(r"[\p{NFC_QC=N}\p{NFC_QC=M}\P{ccc=0}]", "".join(characters))
    assert len(suspects) > 1000
    for base in ("", "a", "\u0323"):
        for character in suspects:
            text = base + character
            assert nfc(text) == text or not unicodedata.is_normalized("NFC", text), ascii(text)
    known = set(suspects)
    plain = "".join(character for character in characters if character not in known)
    assert nfc(plain) == plain


def test_a_very_long_run_of_spaces_is_cut_like_a_short_one():
    """DeepSeek's numbers, Han letters and other text leave different ends of the white space before them."""
    deepseek = get_tokenizer("deepseek_v3")
    assert isinstance(deepseek, RankedTokenizer)
    for follower in ("1", "a"):
        text = " " * 250_001 + follower
        words = [word.text for word in deepseek.iter_pretokens(text)]
        assert words[1:] == [word.text for word in deepseek.iter_pretokens(" " * 5 + follower)][1:]
        merge = deepseek.encoding._core_bpe.encode_single_piece
        assert deepseek.encode(text) == [token_id for word in words for token_id in merge(word.encode())]


@pytest.mark.parametrize("name", ["qwen3", "mistral_tekken", "kimi_k2", "deepseek_v3", "whisper"])
def test_a_models_pattern_cuts_as_tiktoken_also_where_it_is_typed_or_opened(name):
    """Characters that `regex` classes differently must not change the ids."""
    tokenizer = get_tokenizer(name)
    base = tokenizer.base if isinstance(tokenizer, NormalizedTokenizer) else tokenizer
    assert isinstance(base, RankedTokenizer)
    text = "".join(f"x{character}:A {character}1" for character in classed_otherwise()[::40])
    published = PUBLISHED_PATTERNS[name]
    for expression in (base.split_pattern, *(published if len(published) == 1 else ())):
        pretokens = [pretoken for pretoken, _ in iter_pretokens(text, SplitPattern.typed(expression))]
        ids = [token_id for pretoken in pretokens for token_id in base.encode_pretoken(pretoken)]
        assert ids == base.encoding.encode_ordinary(text)


@pytest.mark.parametrize("name", ["deepseek_v3", "kimi_k2", "mistral_tekken", "glm4", "whisper"])
@given(
    text=st.text(st.sampled_from("aAé'中あア1!/ \n\r\0\u0301\u3040\u05c8\U00011de0"), min_size=9, max_size=60)
)
@settings(max_examples=30)
def test_pieces_of_a_long_text_have_the_ids_that_tiktoken_gives_the_whole(name, text):
    tokenizer = get_tokenizer(name)
    assert isinstance(tokenizer, RankedTokenizer)
    with pytest.MonkeyPatch.context() as context:
        context.setattr(ranked, "MAX_PIECE", 8)
        assert tokenizer.encode(text) == tokenizer.encoding.encode_ordinary(text)


@pytest.mark.parametrize(
    ("name", "run", "n"),
    [("deepseek_v3", "\0", 550_000), ("kimi_k2", "A", 250_000), ("kimi_k2", " ", 250_000)],
)
def test_a_pretoken_on_which_tiktokens_engine_gives_up_is_encoded(name, run, n):
    tokenizer = get_tokenizer(name)
    assert isinstance(tokenizer, RankedTokenizer)
    text = f"x1 {run * n}"
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == text
    shorter = tokenizer.encoding.encode_ordinary(run * 50_000)
    assert ids[300:310] == shorter[100:110], "all in the middle are alike"


def test_tokenizers_own_model_of_qwen_gives_the_same_ids():
    """Merges recovered from the ranks run in `tokenizers`, on a small vocabulary, which is quick."""
    qwen = get_tokenizer("qwen3")
    assert qwen.merges is not None
    entries = [qwen.vocabulary.entry(token_id) for token_id in range(3000)]
    vocab = {entry.spelled: entry.id for entry in entries}
    merges = [
        (entries[left].spelled, entries[right].spelled)
        for entry in entries[256:]
        for left, right in [qwen.merges.parts_of(entry.id)]
    ]
    model = tokenizers.models.BPE(vocab=vocab, merges=merges)
    for entry in entries[256:]:
        assert [token.id for token in model.tokenize(entry.spelled)] == [entry.id]
