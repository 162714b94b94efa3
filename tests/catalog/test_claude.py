"""The reconstructed Claude tokenizers count as `ctok` does, and their tokens refer to the typed text."""

import json
from pathlib import Path

import pytest

from playground.catalog.claude import GENERATIONS
from playground.catalog.registry import get_tokenizer
from tests.catalog.in_pieces import same_in_pieces

#: Texts, and the number of tokens that ctok 1.3.0 gives a message of each in its versions 3.0, 4.7 and 4.8.
CASES = json.loads((Path(__file__).parent / "claude_cases.json").read_text())


@pytest.mark.parametrize("name", GENERATIONS)
def test_a_message_has_as_many_tokens_as_ctok_counts(name):
    place = list(GENERATIONS).index(name)
    tokenizer, n_frame = get_tokenizer(name), GENERATIONS[name].n_frame
    counted = {text: len(tokenizer.encode(text)) + n_frame for text, *_counts in CASES if text}
    assert counted == {text: counts[place] for text, *counts in CASES if text}


@pytest.mark.parametrize("name", GENERATIONS)
def test_a_text_encoded_in_parts_has_the_tokens_of_the_whole(name):
    tokenizer, first = get_tokenizer(name), list(GENERATIONS).index(name)
    for text, *_counts in CASES[first :: len(GENERATIONS)]:
        same_in_pieces(tokenizer, text)


def test_a_space_belongs_to_the_word_after_it_and_a_lone_mark_covers_nothing():
    tokenizer = get_tokenizer("claude_4_8")
    encoding = tokenizer.encode("a Hello\u0323")
    spelled = [tokenizer.vocabulary.entry(token_id).spelled for token_id in encoding]
    tokens = list(zip(spelled, encoding.starts.tolist(), encoding.ends.tolist(), strict=True))
    assert tokens == [
        ("⟨bow⟩a⟨eow⟩", 0, 1),
        ("⟨shift⟩", 1, 1),
        ("⟨bow⟩h", 1, 3),
        ("ell", 3, 6),
        ("ọ", 6, 9),
        ("⟨eow⟩", 9, 9),
    ]
    assert tokenizer.decode(encoding) == "a Hellọ"


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("claude", "claude_4_8"),
        ("claude-3-5-sonnet-20241022", "claude_3"),
        ("Claude Opus 4.6", "claude_3"),
        ("claude-opus-4-7", "claude_4_7"),
        ("anthropic/claude-sonnet-5", "claude_4_8"),
    ],
)
def test_a_model_of_claude_finds_its_generation(model, name):
    assert get_tokenizer(model).name == name
