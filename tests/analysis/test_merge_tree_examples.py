"""Every claim that a notice of Merge tree makes, on GPT-2; a changed sentence needs a changed test."""

from pathlib import Path

from playground.analysis.examples import MERGE_TREE_EXAMPLES
from playground.catalog.registry import get_tokenizer

BY_TITLE = {example.title: example for example in MERGE_TREE_EXAMPLES}


def cut(text: str) -> list[bytes]:
    tokenizer = get_tokenizer("gpt2")
    return [tokenizer.vocabulary.raw_of(token_id) for token_id in tokenizer.encode(text)]


def text_of(title: str, *parts: str) -> str:
    """The example's text, where its notice says so."""
    assert all(part in BY_TITLE[title].notice for part in parts), BY_TITLE[title].notice
    return BY_TITLE[title].text


def test_titles_are_told_apart_and_every_sentence_has_a_test():
    assert len(BY_TITLE) == len(MERGE_TREE_EXAMPLES)
    source = Path(__file__).read_text(encoding="utf-8")
    assert all(f'text_of("{title}"' in source for title in BY_TITLE)


def test_a_word():
    text = text_of("A word", "no token for this word", "“ization”", "ends so many words")
    assert cut(text) == [b" token", b"ization"]
    vocabulary = get_tokenizer("gpt2").vocabulary
    ends = [raw for raw in vocabulary.raws_of(vocabulary.ids) if raw.endswith(b"ization")]
    assert len(ends) >= 20


def test_with_a_space_and_without():
    text = text_of("With a space and without", "as one token", "as three")
    assert cut(text) == [b"st", b"raw", b"berry", b" strawberry"]


def test_in_capitals():
    text = text_of("In capitals", "two tokens hold in lower case", "four in capitals")
    lower, title, upper = text.split()
    assert [len(cut(f" {word}")) for word in (lower, title, upper)] == [2, 2, 4]


def test_a_rare_word():
    text = text_of("A rare word", "GPT-2's five is “idis”")
    assert cut(text) == [b" ant", b"idis", b"establishment", b"arian", b"ism"]


def test_a_users_name():
    text = text_of("A user's name", "one token in GPT-2")
    assert len(cut(text)) == 1


def test_a_korean_greeting():
    text = text_of("A Korean greeting", "five characters is three bytes", "merges only two of the fifteen")
    assert [len(character.encode()) for character in text] == [3] * 5
    assert len(cut(text)) == 15 - 1


def test_emoji():
    text = text_of("Emoji", "characters of four bytes each", "parts of either, never both")
    assert [len(character.encode()) for character in text] == [4, 4]
    tokens = cut(text)
    starts = [sum(map(len, tokens[:n])) for n in range(len(tokens))]
    assert 4 in starts
    assert any(len(token) > 1 for token in tokens[: starts.index(4)])
    assert any(len(token) > 1 for token in tokens[starts.index(4) :])
