"""WordPiece against plain counting and against the trainer of `tokenizers`."""

from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.wordpiece import SPECIAL_PIECES
from playground.core.errors import InvalidInputError
from playground.training.algorithms.cutters import LOST_TEXT, UNKNOWN_TEXT
from playground.training.algorithms.learner import TrainingTexts
from playground.training.algorithms.wordpiece import WORDPIECE, WordPieceLearner
from playground.training.pretoken_counts import count_pretokens

_GPT2 = SplitPattern.named("gpt2")


def _learner(text: str, size: int, **options: str | float | bool) -> WordPieceLearner:
    texts = TrainingTexts(count_pretokens([text], _GPT2), None, None, _GPT2)
    learner = WORDPIECE.start(texts, size, {"min_count": 1, **options})
    assert isinstance(learner, WordPieceLearner)
    return learner


@given(st.lists(st.text("as", min_size=2, max_size=9), min_size=1, max_size=12), st.booleans())
@example(["asasa", "sasas", "aasas"], False)  # ##as + ##a is gained again while ##as is merged
def test_each_merge_has_the_best_score_of_all_pairs(words, by_ratio):
    text = " ".join(words)
    learner = _learner(text, 300, score="ratio" if by_ratio else "count")
    learner.advance()
    left = {word: [word[0], *("##" + c for c in word[1:])] for word in words}
    counted = Counter(words)
    for change in learner.changes():
        tokens, pairs = Counter[str](), Counter[tuple[str, str]]()
        for word, n in counted.items():
            for token in left[word]:
                tokens[token] += n
            for pair in zip(left[word], left[word][1:], strict=False):
                pairs[pair] += n
        a, b = (learner._tokens[part].decode() for part in change.parts)
        assert change.count == pairs[a, b]
        best = max(n / (tokens[x] * tokens[y]) if by_ratio else n for (x, y), n in pairs.items())
        assert change.score == pytest.approx(best)
        for parts in left.values():
            place = 0
            while place + 1 < len(parts):
                if (parts[place], parts[place + 1]) == (a, b):
                    parts[place : place + 2] = [a + b.removeprefix("##")]
                place += 1
    assert all(len(parts) == 1 for parts in left.values())


def test_the_vocabulary_is_that_of_hugging_faces_trainer_but_for_ties(corpora):
    """The trainer numbers ## characters in the order of a hash table, so it breaks ties by chance."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

    text = corpora["english"][:100_000]
    library = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    library.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    library.normalizer = normalizers.BertNormalizer(lowercase=True)
    trainer = trainers.WordPieceTrainer(
        vocab_size=1000, show_progress=False, special_tokens=list(SPECIAL_PIECES)
    )
    library.train_from_iterator([text], trainer)
    learner = _learner(text, 1000, score="count", lowercase=True)
    learner.advance()
    ours = set(learner.vocab_txt().splitlines())
    assert len(ours) == len(library.get_vocab()) == 1000
    assert len(ours & set(library.get_vocab())) >= 990
    tokenizer = learner.tokenizer("mine")
    assert tokenizer.vocabulary.n_vocab == 1000
    assert [tokenizer.vocabulary.entry(n).spelled for n in tokenizer.encode("The function")] == [
        "the", "function",
    ]  # fmt: skip


def test_a_text_begins_as_the_characters_of_its_words_and_white_space_is_lost():
    learner = _learner("hug hugs pug pun bun", 60, score="ratio")
    hugs, comma, bun = learner.cutter().cut("hugs, bun", 0)
    raw_of = learner.token_bytes()
    assert b"".join(raw_of[token_id] for token_id, _n_bytes in hugs) == b"hugs"
    assert comma == [(UNKNOWN_TEXT, 1)]
    assert bun[0] == (LOST_TEXT, 1)


@pytest.mark.parametrize(
    ("text", "size", "message"), [("a b c", 300, "two or more characters"), ("hug pug", 8, "larger")]
)
def test_a_text_that_cannot_be_learned_from_gets_a_sentence(text, size, message):
    with pytest.raises(InvalidInputError, match=message):
        _learner(text, size)


def test_equal_letters_end_with_a_reason():
    learner = _learner("a" * 90, 1000)
    learner.advance()
    assert learner.stop_reason == "no pair is left: every pretoken is one token"
