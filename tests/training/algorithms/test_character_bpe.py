"""BPE over characters against the trainer of `tokenizers`."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.exports import exports_of
from playground.core.errors import InvalidInputError
from playground.files.proof import Export
from playground.files.tokenizers_library import split_expression
from playground.training.algorithms.character_bpe import CHARACTER_BPE, CharacterBpeLearner
from playground.training.algorithms.learner import TrainingTexts
from playground.training.pretoken_counts import count_pretokens

_GPT2 = SplitPattern.named("gpt2")


def _learner(text: str, size: int, held_out: str = "", **options: int | bool) -> CharacterBpeLearner:
    counts = count_pretokens([text], _GPT2), count_pretokens([held_out], _GPT2)
    learner = CHARACTER_BPE.start(TrainingTexts(*counts, None, _GPT2), size, {"min_count": 1, **options})
    assert isinstance(learner, CharacterBpeLearner)
    return learner


def _merged_in_library(text: str, size: int, min_count: int) -> list[list[str]]:
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    library = Tokenizer(models.BPE(unk_token="<unk>"))
    library.pre_tokenizer = pre_tokenizers.Split(Regex(split_expression(_GPT2)), "isolated")
    trainer = trainers.BpeTrainer(
        vocab_size=size, min_frequency=min_count, special_tokens=["<unk>"], show_progress=False
    )
    library.train_from_iterator([text], trainer)
    merges: list[list[str]] = json.loads(library.to_str())["model"]["merges"]
    return merges


def _merged(learner: CharacterBpeLearner) -> list[list[str]]:
    raw_of = learner.token_bytes()
    return [[raw_of[part].decode() for part in change.parts] for change in learner.changes()]


@settings(max_examples=40, deadline=None)
@given(st.text("abé 語\n", min_size=1, max_size=60), st.text("abc語ü ", max_size=20), st.booleans())
def test_merges_are_the_trainers_of_the_library_and_the_tokenizer_encodes_as_learned(text, other, has_bytes):
    n_least = len(set(text)) + (256 if has_bytes else 1)
    learner = _learner(text, n_least + 15, other, byte_fallback=has_bytes)
    while learner.advance(4):
        pass
    ours = _merged(learner)
    assert ours == _merged_in_library(text, len(set(text)) + 16, 1)
    tokenizer = learner.tokenizer("mine", ("<|end|>",))
    _size, n_tokens, n_held_out = learner.curve()[-1].tolist()
    for each, n in ((text, n_tokens), (other, n_held_out)):
        ids = list(tokenizer.encode(each))
        assert len(ids) == n
    if has_bytes:
        assert tokenizer.decode(tokenizer.encode(other)) == other


def test_a_text_is_learned_as_in_the_library_and_exported_with_the_proof(corpora):
    text = corpora["english"][:100_000] + " größer 語語語。"
    learner = _learner(text, 1_000, byte_fallback=False, min_count=2)
    next_one = learner.candidates(1)[0]
    learner.advance()
    assert learner.changes(0, 1)[0].parts == (next_one.left, next_one.right)
    assert _merged(learner) == _merged_in_library(text, 1_000, 2)
    exported = dict(exports_of(learner.tokenizer("mine", ("<|end|>",))))["Hugging Face tokenizers"]
    assert isinstance(exported, Export)
    assert list(exported.files) == ["mine.json"]


def test_a_vocabulary_without_room_for_merges_gets_a_sentence():
    with pytest.raises(InvalidInputError, match="merges begin after 259 tokens; choose a larger"):
        _learner("abc", 259)
