"""What every registered tokenizer promises, on hard texts and on random ones."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.catalog.registry import TOKENIZERS, get_tokenizer
from playground.core.errors import UnknownTokenError
from playground.core.tokenizer import decode_bytes, replace_lone_surrogates, segment

HARD_TEXTS = {
    "empty": "", "spaces": "   ", "families": "👩‍👩‍👧‍👦👨‍👧", "flags": "🇫🇷🇰🇷🇳", "jamo": "한글",
    "thai": "ภาษาไทยน้ำ", "devanagari": "क्षत्रिय नेपाली", "tamil": "தமிழ் நி", "arabic": "السَّلَامُ عَلَيْكُمْ",
    "zalgo": "Z̴̡͎͊a̷̛͓l̵̰̈́g̶o", "bom": "\ufeffa\ufeff", "surrogates": "a\ud83d b\ude00", "nul": "a\0b\0",
    "crlf": "a\r\nb\r\r\n\n", "special": "<|endoftext|> <|fim_prefix|>", "long spaces": " " * 300_000,
}  # fmt: skip


def keeps_its_promises(name, text):
    tokenizer = get_tokenizer(name)
    cut = segment(tokenizer, text)
    clean = replace_lone_surrogates(text)
    raw = clean.encode()
    assert cut.text == clean
    if len(text) < 1_000:  # the longest texts are encoded once, by `segment`
        assert list(cut.ids) == tokenizer.encode(text)
    places = [0, *(token.byte_end for token in cut.tokens)]
    assert [token.byte_start for token in cut.tokens] == places[:-1]
    assert places[-1] == len(raw)
    assert all(token.raw == raw[token.byte_start : token.byte_end] for token in cut.tokens)
    assert all(0 <= token.id < tokenizer.vocabulary.n_vocab and not token.is_special for token in cut.tokens)
    for token in cut.tokens[:50]:  # the characters that a token touches contain its bytes
        assert token.raw in clean[token.char_start : token.char_end].encode()
    assert "".join(segment.text for segment in cut.segments) == clean
    assert sum(len(segment.tokens) for segment in cut.segments) == len(cut.tokens)
    assert tokenizer.decode(cut.ids) == clean
    assert decode_bytes(tokenizer, cut.ids) == raw
    return True


@pytest.mark.parametrize("name", TOKENIZERS)
@pytest.mark.parametrize("text", HARD_TEXTS.values(), ids=HARD_TEXTS.keys())
def test_hard_texts(name, text):
    assert keeps_its_promises(name, text)


@pytest.mark.parametrize("name", TOKENIZERS)
def test_a_million_spaces(name):
    tokenizer = get_tokenizer(name)
    text = " " * 1_000_000 + "a"
    assert tokenizer.decode(tokenizer.encode(text)) == text


@pytest.mark.parametrize("name", TOKENIZERS)
@given(text=st.text(st.characters()))
@settings(max_examples=60, deadline=None)
def test_random_texts(name, text):
    assert keeps_its_promises(name, text)


@pytest.mark.parametrize("name", TOKENIZERS)
def test_special_tokens_count_only_when_allowed(name):
    tokenizer = get_tokenizer(name)
    for special, token_id in list(tokenizer.special_tokens.items())[:20]:
        text = f"a{special}b"
        assert token_id not in tokenizer.encode(text)
        cut = segment(tokenizer, text, allowed_special=frozenset({special}))
        assert [token.id for token in cut.tokens if token.is_special] == [token_id]
        assert tokenizer.vocabulary.raw_of(token_id) == special.encode()
        assert tokenizer.decode(cut.ids) == text


@pytest.mark.parametrize("name", TOKENIZERS)
@pytest.mark.parametrize("away", [-1, 0, 10**30])
def test_unknown_ids_are_named_with_the_range(name, away):
    tokenizer = get_tokenizer(name)
    wrong = -1 if away < 0 else tokenizer.vocabulary.n_vocab + away
    with pytest.raises(
        UnknownTokenError, match=f"has no token {wrong}.*0 to {tokenizer.vocabulary.n_vocab - 1:,}"
    ):
        tokenizer.vocabulary.raw_of(wrong)
