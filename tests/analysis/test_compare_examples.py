"""Every claim that a notice of Compare makes, on real encodings; a changed sentence needs a changed test."""

from pathlib import Path

import regex

from playground.analysis.comparison import cut_text
from playground.analysis.examples import COMPARE_EXAMPLES
from playground.catalog.registry import get_tokenizer

BY_TITLE = {example.title: example for example in COMPARE_EXAMPLES}


def cut(name: str, title: str) -> list[bytes]:
    tokenizer = get_tokenizer(name)
    return [tokenizer.vocabulary.raw_of(token_id) for token_id in tokenizer.encode(BY_TITLE[title].text)]


def pieces(name: str, text: str) -> list[str]:
    tokenizer = get_tokenizer(name)
    return [tokenizer.vocabulary.raw_of(token_id).decode() for token_id in tokenizer.encode(text)]


def claims(title: str, *parts: str) -> None:
    assert all(part in BY_TITLE[title].notice for part in parts), BY_TITLE[title].notice


def test_titles_are_told_apart_and_every_sentence_has_a_test():
    assert len(BY_TITLE) == len(COMPARE_EXAMPLES) == 8
    source = Path(__file__).read_text(encoding="utf-8")
    assert all(f'claims("{title}"' in source for title in BY_TITLE)


def test_english_prose():
    claims("English prose", "every common word is one token with the space before it", "must spell many")
    text = BY_TITLE["English prose"].text
    words = [word for word in regex.findall(r" \w+", text) if not word.startswith(" tokeniz")]
    assert len(words) >= 25
    for name in ("gpt2", "cl100k_base"):
        assert all(len(pieces(name, word)) == 1 for word in words)
    assert get_tokenizer("python_docs_4k").vocabulary.n_vocab == 4_096
    assert sum(len(pieces("python_docs_4k", word)) > 1 for word in words) >= 5


def test_python():
    claims("Python", "every space of an indent but the last", "take all but that one at once")
    text = BY_TITLE["Python"].text
    indents = [len(line) - len(line.lstrip()) for line in text.splitlines() if line.startswith(" ")]
    assert cut("gpt2", "Python").count(b" ") == sum(n_spaces - 1 for n_spaces in indents)
    for name in ("cl100k_base", "o200k_base"):
        runs = [raw for raw in cut(name, "Python") if len(raw) > 1 and not raw.strip(b" ")]
        assert [len(raw) for raw in runs] == [n_spaces - 1 for n_spaces in indents]


def test_json():
    claims("JSON", "More than half", '“":”', "“},” with its line end")
    for name in ("gpt2", "cl100k_base", "o200k_base"):
        tokens = cut(name, "JSON")
        n_marks = sum(not regex.search(r"[\p{L}\p{N}]", raw.decode()) for raw in tokens)
        assert n_marks > len(tokens) / 2
        assert b'":' in tokens
    assert b"},\n" in cut("cl100k_base", "JSON")
    assert b"},\n" not in cut("gpt2", "JSON")


def test_arithmetic():
    claims("Arithmetic", "6·77", "12·753", "677, 127·53", "in threes from the left")
    assert pieces("gpt2", " 677") == [" 6", "77"]
    assert pieces("gpt2", "12753") == ["12", "753"]
    for name in ("cl100k_base", "o200k_base"):
        assert pieces(name, "12753") == ["127", "53"]
        for number in regex.findall(r"\d+", BY_TITLE["Arithmetic"].text):
            assert pieces(name, number) == [number[i : i + 3] for i in range(0, len(number), 3)]


def test_long_numbers():
    claims("Long numbers", "at most three digits", "35 decimals of π are twelve tokens", "six zeros as one")
    decimals = BY_TITLE["Long numbers"].text.splitlines()[0].removeprefix("3.")
    assert len(decimals) == 35
    for name in ("cl100k_base", "o200k_base"):
        assert max(sum(map(str.isdigit, raw.decode())) for raw in cut(name, "Long numbers")) == 3
        assert len(pieces(name, decimals)) == 12
    assert b"000000" in cut("gpt2", "Long numbers")


def test_url_and_base64():
    claims("URL and base64", "under two characters on average", "over four in GPT-2 and cl100k")
    base64_line = BY_TITLE["URL and base64"].text.splitlines()[1]
    for name in ("gpt2", "cl100k_base", "o200k_base", "python_docs_4k"):
        assert len(base64_line) / len(pieces(name, base64_line)) < 2
    prose = BY_TITLE["English prose"].text
    for name in ("gpt2", "cl100k_base"):
        assert len(prose) / len(pieces(name, prose)) > 4


def test_emoji():
    claims("Emoji", "10 tokens in GPT-2, 12 in cl100k and 8 in o200k", "three people and two joiners")
    text = BY_TITLE["Emoji"].text
    family = text.split()[2]
    start = len(text[: text.index(family)].encode())
    for name, n_tokens in (("gpt2", 10), ("cl100k_base", 12), ("o200k_base", 8)):
        starts = cut_text(get_tokenizer(name), text).byte_starts
        inside = (starts >= start - 1) & (starts < start + len(family.encode()))  # a space joins the first
        assert int(inside.sum()) == n_tokens
    assert [len(character.encode()) for character in family] == [4, 3, 4, 3, 4]


def test_a_chat():
    claims("A chat", "“<|im_start|>” is seven ordinary tokens in GPT-2 and six in cl100k")
    for name, n_tokens in (("gpt2", 7), ("cl100k_base", 6)):
        tokenizer = get_tokenizer(name)
        assert len(tokenizer.encode("<|im_start|>")) == n_tokens
        special = set(tokenizer.special_tokens.values())
        assert special.isdisjoint(tokenizer.encode(BY_TITLE["A chat"].text))
