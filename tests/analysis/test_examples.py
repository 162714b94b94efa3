"""The notices of examples are true for real encodings; a changed notice needs a changed test."""

from pathlib import Path

import pytest
import regex

from playground.analysis.examples import COMPARE_EXAMPLES, MERGE_TREE_EXAMPLES, TOKENIZE_EXAMPLES
from playground.catalog.registry import get_tokenizer

EXAMPLES = {"tokenize": TOKENIZE_EXAMPLES, "compare": COMPARE_EXAMPLES, "merge tree": MERGE_TREE_EXAMPLES}
OPENAI = ("gpt2", "cl100k_base", "o200k_base")
FAMILY = "👨‍👩‍👧"


def tokens(name: str, text: str) -> list[bytes]:
    tokenizer = get_tokenizer(name)
    return [tokenizer.vocabulary.raw_of(token_id) for token_id in tokenizer.encode(text)]


def text_of(page: str, title: str, *claims: str) -> str:
    """Return the text of an example after checking that its notice makes these claims."""
    (example,) = (example for example in EXAMPLES[page] if example.title == title)
    assert all(claim in example.notice for claim in claims), example.notice
    return example.text


@pytest.mark.parametrize("page", EXAMPLES)
def test_every_notice_has_a_test(page):
    source = Path(__file__).read_text(encoding="utf-8")
    checked = regex.findall(rf'text_of\(\s*"{page}",\s*"([^"]+)"', source)
    assert sorted({*checked}) == sorted(example.title for example in EXAMPLES[page])


def test_a_common_word_is_one_token_and_a_number_or_another_script_several():
    text = text_of(
        "tokenize", "First look", "A common word is one token", "a rare word, a number and another"
    )
    for name in OPENAI:
        cut = tokens(name, text)
        assert {b" words", b" return"} <= set(cut)
        assert b"".join(cut[:2]) == b"Tokenization"
        for several in (" 677", "안녕하세요", " नमस्ते"):
            assert several in text
            assert len(tokens(name, several)) > 1


def test_strawberry_is_three_tokens():
    text = text_of("tokenize", "Words that split", "tokens of “strawberry”, not its ten letters")
    assert text.startswith("strawberry\n")
    assert {len(tokens(name, "strawberry")) for name in OPENAI} == {3}
    text = text_of("merge tree", "With a space and without", "as one token", "as three")
    assert tokens("gpt2", text) == [b"st", b"raw", b"berry", b" strawberry"]


def test_a_word_is_other_tokens_after_a_space_and_in_capitals():
    text = text_of("tokenize", "Egg, egg, EGG", "at the start of a line, after a space, and in capitals")
    assert all(word in text for word in ("\negg", " Egg", "\nEGG"))
    for name in OPENAI:
        assert len({tuple(tokens(name, word)) for word in ("Egg", " Egg", "EGG")}) == 3
    words = text_of("merge tree", "In capitals", "two tokens hold in lower case", "four in capitals").split()
    assert [len(tokens("gpt2", f" {word}")) for word in words] == [2, 2, 4]


def test_common_english_words_are_one_token_where_the_vocabulary_is_large():
    text = text_of(
        "compare",
        "English prose",
        "In a large vocabulary most common words are one token with the space before",
        "a small one must spell many",
    )
    words = [word for word in regex.findall(r" \w+", text) if not word.startswith(" tokeniz")]
    assert len(words) >= 25
    for name in ("o200k_base", "deepseek_v3"):
        assert all(len(tokens(name, word)) == 1 for word in words)
    assert get_tokenizer("claude_4_8").vocabulary.n_vocab < 20_000
    assert sum(len(tokens("claude_4_8", word)) > 1 for word in words) >= 5


def test_gpt2_spends_a_token_on_each_space_of_an_indent_and_its_successors_one_on_all():
    for text in (
        text_of(
            "compare", "Python", "each space of an indent", "all at once but the last, which the word takes"
        ),
        text_of("tokenize", "Indented Python", "each space of an indent", "all at once but the last"),
    ):
        indents = [len(line) - len(line.lstrip()) for line in text.splitlines() if line.startswith(" ")]
        assert tokens("gpt2", text).count(b" ") == sum(n_spaces - 1 for n_spaces in indents)
        for name in ("cl100k_base", "o200k_base"):
            runs = [raw for raw in tokens(name, text) if len(raw) > 1 and not raw.strip(b" ")]
            assert [len(raw) for raw in runs] == [n_spaces - 1 for n_spaces in indents]


def test_more_than_half_of_jsons_tokens_are_punctuation():
    text = text_of("compare", "JSON", "More than half", '“":”', "frequent enough to be one token")
    for name in (*OPENAI, "deepseek_v3", "claude_4_8", "qwen3"):
        n_marks = sum(not regex.search(r"[\p{L}\p{N}]", raw.decode()) for raw in tokens(name, text))
        assert n_marks > len(tokens(name, text)) / 2
        assert b'":' in tokens(name, text)


def test_numbers_are_cut_anywhere_or_in_threes_or_into_digits():
    claims = ("where their merges happen to", "in threes from the left", "into single digits")
    text = text_of("compare", "Arithmetic", *claims, "line up only as single digits")
    other = text_of("tokenize", "Arithmetic", *claims)
    assert tokens("gpt2", " 677") == [b" 6", b"77"]
    assert tokens("gpt2", "12753") == [b"12", b"753"]
    assert tokens("gpt2", " 6773") == [b" 6", b"773"]
    for name in ("cl100k_base", "o200k_base"):
        for number in regex.findall(r"\d+", text + other):
            assert tokens(name, number) == [number[i : i + 3].encode() for i in range(0, len(number), 3)]
    assert tokens("qwen3", "12753") == [b"1", b"2", b"7", b"5", b"3"]


def test_long_numbers_are_cut_after_at_most_three_digits():
    text = text_of(
        "compare",
        "Long numbers",
        "at most three digits",
        "35 decimals of π into twelve or more",
        "six zeros as one",
    )
    decimals = text.splitlines()[0].removeprefix("3.")
    assert len(decimals) == 35
    for name in ("cl100k_base", "o200k_base"):
        assert max(sum(map(str.isdigit, raw.decode())) for raw in tokens(name, text)) == 3
        assert len(tokens(name, decimals)) == 12
    assert b"000000" in tokens("gpt2", text)


def test_a_token_of_base64_has_less_than_half_the_characters_of_one_of_prose():
    text = text_of("compare", "URL and base64", "less than half the characters of one of English prose")
    base64_line = text.splitlines()[1]
    (prose,) = (example.text for example in COMPARE_EXAMPLES if example.title == "English prose")
    for name in (*OPENAI, "deepseek_v3", "claude_4_8", "qwen3", "python_docs_4k"):
        assert len(base64_line) / len(tokens(name, base64_line)) < len(prose) / len(tokens(name, prose)) / 2


def test_a_family_is_five_characters_of_three_or_four_bytes():
    claims = ("five characters", "three people and two joiners")
    assert FAMILY in text_of("compare", "Emoji", *claims, "three or four bytes")
    assert FAMILY in text_of("tokenize", "Emoji", *claims)
    assert [len(character.encode()) for character in FAMILY] == [4, 3, 4, 3, 4]
    assert [character == "\u200d" for character in FAMILY] == [False, True, False, True, False]


def test_no_token_holds_bytes_of_two_emoji():
    text = text_of("merge tree", "Emoji", "characters of four bytes each", "parts of either, never both")
    assert [len(character.encode()) for character in text] == [4, 4]
    cut = tokens("gpt2", text)
    starts = [sum(map(len, cut[:n])) for n in range(len(cut))]
    assert 4 in starts
    assert any(len(token) > 1 for token in cut[: starts.index(4)])
    assert any(len(token) > 1 for token in cut[starts.index(4) :])


def test_a_spelled_special_token_is_several_ordinary_tokens():
    text = text_of("compare", "A chat", "“<|im_start|>” is several ordinary tokens, not one special token")
    for name in ("gpt2", "cl100k_base", "qwen3"):
        tokenizer = get_tokenizer(name)
        assert len(tokenizer.encode("<|im_start|>")) > 1
        assert set(tokenizer.special_tokens.values()).isdisjoint(tokenizer.encode(text))
    text = text_of("tokenize", "A special token", "a few ordinary tokens; as a special token it is one")
    for name in OPENAI:
        tokenizer = get_tokenizer(name)
        assert 5 <= len(tokenizer.encode("<|endoftext|>")) <= 8
        ids = tokenizer.encode(text, allowed_special=frozenset(["<|endoftext|>"])).ids.tolist()
        assert ids.count(tokenizer.special_tokens["<|endoftext|>"]) == 1


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        (
            text_of("tokenize", "A Korean greeting", "GPT-2 needs 38 tokens", "cl100k 15 and o200k 10"),
            {"gpt2": 38, "cl100k_base": 15, "o200k_base": 10},
        ),
        (
            text_of("tokenize", "A Nepali sentence", "53 in GPT-2, 11 in o200k"),
            {"gpt2": 53, "o200k_base": 11},
        ),
    ],
)
def test_korean_and_nepali_need_many_tokens_in_gpt2(text, counts):
    assert {name: len(tokens(name, text)) for name in counts} == counts


def test_every_kind_of_white_space_has_its_tokens():
    text = text_of(
        "tokenize", "White space", "Tabs, double spaces, no-break spaces, CRLF and the space at the end"
    )
    for name in OPENAI:
        cut = tokens(name, text)
        assert cut[1].startswith(b"\t")
        assert {b" ", b" three", "\u00a0".encode()} <= set(cut)
        assert cut[-1] == b" "
        assert any(b"\r" in token for token in cut)


def test_the_merge_trees_of_words_and_names():
    text = text_of("merge tree", "A word", "no token for this word", "“ization”", "ends so many words")
    assert tokens("gpt2", text) == [b" token", b"ization"]
    vocabulary = get_tokenizer("gpt2").vocabulary
    assert sum(raw.endswith(b"ization") for raw in vocabulary.raws_of(vocabulary.ids)) >= 20
    text = text_of("merge tree", "A rare word", "GPT-2's five is “idis”")
    assert tokens("gpt2", text) == [b" ant", b"idis", b"establishment", b"arian", b"ism"]
    assert len(tokens("gpt2", text_of("merge tree", "A user's name", "one token in GPT-2"))) == 1
    text = text_of(
        "merge tree", "A Korean greeting", "five characters is three bytes", "merges only two of the fifteen"
    )
    assert [len(character.encode()) for character in text] == [3] * 5
    assert len(tokens("gpt2", text)) == 15 - 1
