"""Every claim that a notice of Tokenize makes, on real encodings; a changed sentence needs a changed test."""

from pathlib import Path

import pytest
import regex

from playground.analysis.examples import TOKENIZE_EXAMPLES
from playground.catalog.registry import get_tokenizer

BY_TITLE = {example.title: example for example in TOKENIZE_EXAMPLES}
NAMES = {"GPT-2": "gpt2", "cl100k": "cl100k_base", "o200k": "o200k_base"}


def cut(name: str, text: str) -> list[bytes]:
    tokenizer = get_tokenizer(name)
    return [tokenizer.vocabulary.raw_of(token_id) for token_id in tokenizer.encode(text)]


def claims(title: str, *parts: str) -> str:
    """The text of an example whose notice says this."""
    assert all(part in BY_TITLE[title].notice for part in parts), BY_TITLE[title].notice
    return BY_TITLE[title].text


def test_titles_are_told_apart_and_every_notice_has_a_test():
    assert len(BY_TITLE) == len(TOKENIZE_EXAMPLES) == 10
    source = Path(__file__).read_text(encoding="utf-8")
    assert all(f'claims("{title}"' in source for title in BY_TITLE)
    assert all(example.text and example.notice.endswith(".") for example in TOKENIZE_EXAMPLES)


def test_first_look():
    text = claims("First look", "A common word is one token", "a rare word, a number and another script")
    for name in NAMES.values():
        tokens = cut(name, text)
        assert {b" words", b" return"} <= set(tokens)
        assert b"".join(tokens[:2]) == b"Tokenization"
        for several in (" 677", "안녕하세요", " नमस्ते"):
            assert several in text
            assert len(cut(name, several)) > 1


def test_words_that_split():
    text = claims("Words that split", "three tokens, not ten letters")
    assert text.startswith("strawberry\n")
    assert {len(cut(name, "strawberry")) for name in NAMES.values()} == {3}
    assert len("strawberry") == 10


def test_egg():
    text = claims("Egg, egg, EGG", "at the start of a line, after a space, and in capitals")
    for name in NAMES.values():
        spellings = [tuple(cut(name, word)) for word in ("Egg", " Egg", "EGG")]
        assert len(set(spellings)) == 3
        assert all(word in text for word in ("\negg", " Egg", "\nEGG"))


def test_arithmetic():
    text = claims("Arithmetic", "GPT-2 cuts numbers as they come", "in threes from the left")
    numbers = regex.findall(r"\d+", text)
    threes = {number: [number[i : i + 3].encode() for i in range(0, len(number), 3)] for number in numbers}
    for name in ("cl100k_base", "o200k_base"):
        assert {number: cut(name, number) for number in numbers} == threes
    assert cut("gpt2", "1275") == [b"12", b"75"]
    assert cut("gpt2", " 6773") == [b" 6", b"773"]


@pytest.mark.parametrize(
    "text",
    [
        claims("A Korean greeting", "GPT-2 needs 38 tokens", "cl100k 15 and o200k 10"),
        claims("A Nepali sentence", "53 in GPT-2, 11 in o200k"),
    ],
)
def test_a_greeting_and_a_sentence(text):
    notice = next(example.notice for example in TOKENIZE_EXAMPLES if example.text == text)
    said = [int(number) for number in regex.findall(r"(?<!-)\b\d+\b", notice)]  # the 2 of GPT-2 is none
    names = [NAMES[name] for name in regex.findall("|".join(NAMES), notice)]
    assert said in ([len(cut(name, each)) for name in names] for each in (text, text.rstrip("\n")))


def test_indented_python():
    text = claims("Indented Python", "each space of an indent but the last", "all but that one at once")
    indents = [len(line) - len(line.lstrip()) for line in text.splitlines() if line.startswith(" ")]
    assert cut("gpt2", text).count(b" ") == sum(n_spaces - 1 for n_spaces in indents)
    runs = [raw for raw in cut("cl100k_base", text) if len(raw) > 1 and not raw.strip(b" ")]
    assert [len(raw) for raw in runs] == [n_spaces - 1 for n_spaces in indents]


def test_emoji():
    text = claims("Emoji", "ten tokens in GPT-2", "three people and two joiners")
    family = "👨‍👩‍👧"
    assert family in text
    assert len(cut("gpt2", family)) == 10
    assert [character == "\u200d" for character in family] == [False, True, False, True, False]


def test_a_special_token():
    text = claims("A special token", "a few ordinary tokens; as a special token it is one")
    for name in NAMES.values():
        tokenizer = get_tokenizer(name)
        assert 5 <= len(tokenizer.encode("<|endoftext|>")) <= 8
        honoured = tokenizer.encode(text, allowed_special=frozenset(["<|endoftext|>"])).ids.tolist()
        assert honoured.count(tokenizer.special_tokens["<|endoftext|>"]) == 1


def test_white_space():
    text = claims("White space", "Tabs, double spaces, no-break spaces, CRLF and the space at the end")
    for name in NAMES.values():
        tokens = cut(name, text)
        assert tokens[1].startswith(b"\t")
        assert {b" ", b" three", "\u00a0".encode()} <= set(tokens)
        assert tokens[-1] == b" "
        assert any(b"\r" in token for token in tokens)
