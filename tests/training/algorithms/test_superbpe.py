"""SuperBPE against a plain loop and against `tokenizers`."""

from collections import Counter
from collections.abc import Sequence

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.bpe.lecture import get_stats, merge
from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError
from playground.files.registry import FILE_FORMATS
from playground.training.algorithms.learner import TrainingTexts
from playground.training.algorithms.superbpe import LINES, SUPERBPE, SuperBpeLearner
from playground.training.corpora import Corpus, split_held_out
from playground.training.pretoken_counts import count_pretokens
from playground.training.run import RunSettings, TrainingRun

_GPT2 = SplitPattern.named("gpt2")


def _learner(text: str, size: int, *, held_out_share: float = 0, **options: int) -> SuperBpeLearner:
    corpus = Corpus("", (text,))
    (training,), held_out = split_held_out(corpus, held_out_share)
    counts = count_pretokens([training], _GPT2), count_pretokens(held_out, _GPT2)
    texts = TrainingTexts(*counts, corpus, _GPT2, held_out_share)
    learner = SUPERBPE.start(texts, size, {"min_count": 1, **options})
    assert isinstance(learner, SuperBpeLearner)
    return learner


def _cut(text: str, pattern: SplitPattern) -> list[bytes]:
    return [piece.encode() for piece, _is_match in iter_pretokens(text, pattern)]


def _learn_slowly(
    pretokens: Sequence[bytes], lines: Sequence[bytes], n_first: int, n_merges: int, max_words: int
) -> list[tuple[int, int]]:
    """Count everything anew for each merge."""
    merges: list[tuple[int, int]] = []
    raws = [bytes([byte]) for byte in range(256)]
    pieces = [list(piece) for piece in pretokens]
    for _ in range(n_merges):
        if len(merges) == n_first:
            pieces = [list(line) for line in lines]
            for new_id, pair in enumerate(merges, start=256):
                pieces = [merge(piece, pair, new_id) for piece in pieces]
        counts = Counter[tuple[int, int]]()
        for piece in pieces:
            counts.update(get_stats(piece))
        if len(merges) >= n_first and max_words:
            joined = {pair: raws[pair[0]] + raws[pair[1]] for pair in counts}
            n_words = {pair: len(list(filter(None, raw.split(b" ")))) for pair, raw in joined.items()}
            counts = Counter({pair: n for pair, n in counts.items() if n_words[pair] <= max_words})
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        pieces = [merge(piece, best, 256 + len(merges)) for piece in pieces]
        merges.append(best)
        raws.append(raws[best[0]] + raws[best[1]])
    return merges


@settings(max_examples=60)
@given(st.text("ab \n:1.é", min_size=1, max_size=60), st.integers(1, 99), st.integers(0, 2))
def test_merges_are_those_of_a_plain_loop_and_the_tokenizer_encodes_as_learned(text, transition, max_words):
    learner = _learner(text, 280, transition=transition, max_words=max_words)
    while learner.advance(3):
        pass
    changes = learner.changes()
    raws = [change.raw for change in changes]
    # The loop gives each merge a new id, so it is followed until two merges spell the same.
    n_same = next((n for n, raw in enumerate(raws) if raw in raws[:n]), len(raws))
    n_first = learner.n_inside
    slow = _learn_slowly(_cut(text, _GPT2), _cut(text, LINES), n_first, n_same, max_words)
    assert [change.parts for change in changes[:n_same]] == slow
    if learner.n_steps > n_first and n_same == len(raws):
        ids = learner.tokenizer("mine").encode(text)
        assert len(ids) == learner.curve()[-1, 1]


def test_superwords_shorten_the_text_again_and_tokenizers_encodes_the_exported_file_alike(corpora):
    from tokenizers import Tokenizer

    whole = corpora["english"][:80_000]
    (training,), held_out_texts = split_held_out(Corpus("", (whole,)), 0.25)
    learner = _learner(whole, 1000, held_out_share=0.25, transition=60, min_count=2)
    assert learner.advance(446) == 446
    assert all(b" " not in change.raw[1:].strip() for change in learner.changes() if change.raw.strip())
    before = learner.curve()[-1]
    learner.advance(1)
    next_one = learner.candidates(8)[0]
    learner.advance()
    assert learner.stop_reason
    assert learner.curve().shape == (learner.n_steps + 1, 3)
    (change,) = learner.changes(447, 448)
    assert ((next_one.left, next_one.right), next_one.count) == (change.parts, change.count)
    _size, n_tokens, n_held_out = learner.curve()[-1].tolist()
    assert n_tokens < before[1]
    assert n_held_out < before[2]
    tokenizer = learner.tokenizer("mine")
    assert isinstance(tokenizer, TrainedTokenizer)
    assert len(tokenizer.encode("".join(training))) == n_tokens
    assert sum(len(tokenizer.encode(text)) for text in held_out_texts) == n_held_out
    written = tokenizer.export(FILE_FORMATS["tokenizer.json"])
    library = Tokenizer.from_str(written.files["mine.json"])
    held_out = "".join(held_out_texts)
    assert library.encode(held_out).ids == tokenizer.encode(held_out)


def test_a_run_measures_on_text_that_superbpe_has_not_learned_from():
    lines = "".join(f"the {word} of the {word}\n" for word in ("cat", "dog", "hen", "cow") * 300)
    run = TrainingRun(
        Corpus("", (lines,)), RunSettings(vocab_size=300, algorithm="superbpe", held_out_share=0.2)
    )
    run.wait()
    assert run.error == ""
    tokenizer = run.tokenizer("mine")
    _size, n_tokens, n_held_out = run.curve()[-1].tolist()
    assert 0 < n_held_out < n_tokens
    assert n_tokens + n_held_out == len(tokenizer.encode(lines))


@pytest.mark.parametrize("text", ["a" * 5000, "word", "語" * 200, ""])
def test_one_word_equal_letters_and_no_white_space_end_with_a_reason(text):
    learner = _learner(text, 300, transition=50)
    learner.advance()
    assert learner.stop_reason
    assert len(learner.tokenizer("mine").encode(text)) == learner.curve()[-1, 1]


def test_lines_are_cut_where_the_authors_script_cuts_them():
    """The expression is that of PythonNut/superbpe, scripts/extend_tokenizer.sh."""
    theirs = regex.compile(r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]{2,}[\r\n/]*| +(?!\S)")
    line = "He said -- (well) ... in 2024, 12345 times; a::b, 'so' !?/   so on  "
    pieces: list[str] = []
    end = 0
    for match in theirs.finditer(line):
        pieces += [line[end : match.start()]] * (match.start() > end) + [match[0]]
        end = match.end()
    assert [piece.decode() for piece in _cut(line, LINES)] == [
        *pieces,
        *([line[end:]] if end < len(line) else []),
    ]


@pytest.mark.parametrize(("size", "transition"), [(300, 100), (300, 0), (257, 50)])
def test_a_transition_outside_the_training_gets_a_sentence(size, transition):
    with pytest.raises(InvalidInputError, match=r"choose (1 to 99|258 to)"):
        _learner("to be or not to be", size, transition=transition)
