"""Every algorithm of the table learns through the contract, in a `TrainingRun` and alone."""

from dataclasses import replace

import pytest

from playground.bpe.split_pattern import SplitPattern
from playground.catalog.registry import get_tokenizer
from playground.core.errors import InvalidInputError
from playground.training.algorithms.bpe import BpeLearner
from playground.training.algorithms.learner import TrainingTexts
from playground.training.algorithms.registry import ALGORITHMS, get_algorithm
from playground.training.corpora import Corpus
from playground.training.counted_corpus import CountedCorpus
from playground.training.curve import curve_points
from playground.training.pretoken_counts import count_pretokens
from playground.training.run import RunSettings, TrainingRun
from playground.training.run.settings import Status

TEXT = "the cat sat on the mat; the other cat sat on that hat: catsathat\n" * 40
GPT2 = SplitPattern.named("gpt2")


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_run_learns_with_any_algorithm_of_the_table(name):
    settings = RunSettings(
        300, SplitPattern.named("cl100k"), algorithm=name, base=get_tokenizer("python_docs_4k")
    )
    run = TrainingRun(Corpus("cats", (TEXT, TEXT.upper())), settings)
    run.wait()
    assert (run.status, run.error) == (Status.FINISHED, "")
    assert run.curve().shape == (run.n_steps + 1, 3)
    assert run.n_steps == run.n_steps_wanted or (run.learned and run.learned.stop_reason)
    assert curve_points(run)[-1].n_vocab == run.curve()[-1, 0]
    assert {change.step for change in run.changes()} <= set(range(run.n_steps))
    tokenizer = run.tokenizer("cats")
    assert "".join(tokenizer.decode(tokenizer.encode("the cat")).split()) == "thecat"


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize(
    "text",
    ["", "tokenization", "   " * 50, "a" * 5_000, "🙂👩‍👩‍👧" * 3],
    ids=["empty", "one word", "spaces", "equal letters", "emoji"],
)
def test_a_text_with_little_to_learn_is_learned_or_refused_with_a_sentence(name, text):
    settings = RunSettings(300, GPT2, algorithm=name, base=get_tokenizer("python_docs_4k"))
    run = TrainingRun(Corpus("little", (text,) if text else ()), settings)
    run.wait()
    if run.status is Status.FAILED:
        assert "choose" in run.error
    else:
        assert run.tokenizer("little").encode(text).ids.size or not text.strip()


def test_bpe_behind_the_contract_makes_the_trainers_merges():
    pretokens = count_pretokens([TEXT], GPT2)
    trainer = BpeLearner(pretokens, vocab_size=280, min_count=2)
    trainer.advance()
    learner = get_algorithm("bpe").start(TrainingTexts(pretokens, None, None, GPT2), 280, {})
    next_one = learner.candidates(1)[0]
    assert learner.advance(5) == 5
    learner.advance()
    assert [(c.parts, c.raw, c.count) for c in learner.changes()] == [
        ((m.left, m.right), m.raw, m.pair_count) for m in trainer.merges()
    ]
    assert (next_one.left, next_one.right) == learner.changes(0, 1)[0].parts
    assert learner.curve()[0].tolist() == [256, len(TEXT), 0]
    assert learner.curve()[-1, 1] == trainer.n_tokens


def test_an_unknown_algorithm_fails_with_the_names_of_the_known():
    counted = CountedCorpus("cats", count_pretokens([TEXT], GPT2), GPT2)
    run = TrainingRun(counted, RunSettings(algorithm="magic"))
    run.wait()
    assert run.status is Status.FAILED
    assert run.error.startswith("unknown algorithm 'magic'; choose from bpe, ")
    with pytest.raises(InvalidInputError):
        get_algorithm("")


@pytest.mark.parametrize("name", ALGORITHMS)
def test_held_out_text_changes_nothing_that_is_learned(name):
    corpus = Corpus("cats", (TEXT, TEXT.upper()))
    held_out = ("the zebra sat on the mat; œuvre, œuvre 語語 catsat", "Quick zebras " * 30)
    counts = count_pretokens(corpus.texts, GPT2)
    without = TrainingTexts(counts, None, corpus, GPT2, base=get_tokenizer("gpt2"))
    beside = replace(without, held_out=count_pretokens(held_out, GPT2), held_out_corpus=Corpus("", held_out))
    learned = []
    for texts in (without, beside):
        learner = get_algorithm(name).start(texts, 330, {"min_count": 1, "byte_fallback": False})
        learner.advance()
        tokenizer = learner.tokenizer("mine")
        changes = [(each.step, each.kind, each.raw, each.count) for each in learner.changes()]
        spelled = [entry.raw for entry in map(tokenizer.vocabulary.entry, tokenizer.vocabulary.ids.tolist())]
        learned.append((changes, spelled, learner.curve()[:, 1].tolist(), list(tokenizer.encode(TEXT))))
    assert learned[0] == learned[1]
    assert learner.curve()[-1, 2] > 0
