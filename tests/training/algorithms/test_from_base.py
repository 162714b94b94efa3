"""Continue and Prune behind the contract give the tokens that their tokenizers encode at each state."""

from dataclasses import replace

import pytest

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.registry import get_tokenizer
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError
from playground.training.algorithms.base import base_of, count_tokens
from playground.training.algorithms.continued import continue_bpe
from playground.training.algorithms.learner import TrainingTexts
from playground.training.algorithms.pruned import prune
from playground.training.algorithms.registry import get_algorithm
from playground.training.pretoken_counts import count_pretokens

CL100K = SplitPattern.named("cl100k")
BASE = base_of(get_tokenizer("python_docs_4k"))
TEXT = "नमस्ते दुनिया, the tokenizer tokenizes Straßenbahnhaltestelle aaaaaaa " * 20
HELD_OUT = "नमस्ते! The unseen tokenization of Straßenbahn and Schadenfreude"
PRETOKENS, HELD = count_pretokens([TEXT], CL100K), count_pretokens([HELD_OUT], CL100K)
TEXTS = TrainingTexts(PRETOKENS, HELD, None, CL100K, base=BASE)


@pytest.mark.parametrize(
    ("name", "options"), [("continue", {"min_count": 1}), ("prune", {}), ("prune", {"min_uses": 21})]
)
def test_curve_and_cuts_agree_with_the_tokenizer_of_each_state(name, options):
    learner = get_algorithm(name).start(TEXTS, 270, options)
    for _state in range(20):
        tokenizer = learner.tokenizer("now")
        n_vocab, n_tokens, n_held_out = learner.curve()[-1].tolist()
        assert n_vocab + len(tokenizer.special_tokens) == len(tokenizer.vocabulary)
        assert n_tokens == count_tokens(base_of(tokenizer), PRETOKENS)
        ids = list(tokenizer.encode(HELD_OUT))
        assert len(ids) == n_held_out
        if name == "prune" or not learner.n_steps:
            cut = learner.cutter().cut(HELD_OUT, learner.n_steps)
            assert [token_id for pretoken in cut for token_id, _n_bytes in pretoken] == ids
        coming = learner.candidates(1)
        if not learner.advance(1):
            break
        assert learner.changes(learner.n_steps - 1)[0].raw == coming[0].raw
    assert learner.n_steps == learner.n_steps_wanted
    assert learner.stop_reason


def test_both_end_as_their_short_forms_do():
    learner = get_algorithm("continue").start(TEXTS, 270, {})
    learner.advance()
    assert learner.tokenizer("x").model == continue_bpe(BASE, PRETOKENS, n_tokens=14).tokenizer.model
    learner = get_algorithm("prune").start(TEXTS, 270, {"ids": "renumbered"})
    learner.advance()
    assert learner.tokenizer("x").model == prune(BASE, PRETOKENS, ids="renumbered").tokenizer.model


def test_a_base_that_cuts_texts_otherwise_and_a_further_special_token_are_refused():
    with pytest.raises(InvalidInputError, match="gpt2 cuts texts by the pattern gpt2, but this corpus is c"):
        get_algorithm("prune").start(replace(TEXTS, base=get_tokenizer("gpt2")), 300, {})
    with pytest.raises(InvalidInputError, match="no tokenizer to start from"):
        get_algorithm("prune").start(replace(TEXTS, base=None), 300, {})
    with pytest.raises(InvalidInputError, match="remove <x>"):
        get_algorithm("continue").start(TEXTS, 300, {}).tokenizer("mine", ("<x>",))


def test_a_pair_whose_bytes_are_a_token_is_left_alone_and_told():
    gpt2 = SplitPattern.named("gpt2")
    merges = ((97, 98, 256), (98, 99, 257), (97, 257, 258))  # "abc" is encoded as "ab" and "c"
    base = TrainedTokenizer("unreachable", BpeModel(gpt2, merges, {"zz": 259}))
    counts = count_pretokens(["abc", "zz"] * 9, gpt2)
    learner = get_algorithm("continue").start(TrainingTexts(counts, None, None, gpt2, base=base), 300, {})
    learner.advance()
    assert learner.changes() == []
    assert learner.stop_reason.startswith("no further pair occurs often enough; 2 pairs left alone, because")
