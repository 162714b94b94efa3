"""Every part of the app gives tiktoken's tokens, also for characters that `regex` classes differently."""

import random
from collections import Counter

import pytest
import tiktoken

from playground.analysis.live_document import LiveDocument
from playground.analysis.traces import text_trees, trace_text
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.catalog.openai import load_openai
from playground.catalog.registry import get_tokenizer
from playground.catalog.trained import TrainedTokenizer
from playground.core.text_units import count_utf16
from playground.corpora.encoders import Encoder
from playground.corpora.sources import Source
from playground.corpora.token_counts import count_tokens
from playground.server.merge_tree.data import MAX_TRACE_CHARS, draw_merge_trees
from playground.training.algorithms.bpe import BpeLearner
from playground.training.pretoken_counts import count_pretokens
from tests.engine_classes import classed_otherwise

ENCODINGS = ["gpt2", "cl100k_base", "o200k_base"]
PATTERNS = ["gpt2", "cl100k", "o200k", "llama3"]


def text_of(characters: str) -> str:
    """Return a text with each character between letters, digits, spaces and line ends."""
    return "".join(f"{c}:A'{c} {c}'s1{c}1 a{c}a\n{c}/" for c in characters)


@pytest.fixture(scope="module")
def text() -> str:
    return text_of(classed_otherwise())


def tiktokens_ids(tokenizer: TrainedTokenizer, text: str) -> list[int]:
    """Return tiktoken's ids with a vocabulary learned in the test."""
    encoding = tiktoken.Encoding(
        "x",
        pat_str=tokenizer.split_pattern,
        mergeable_ranks=dict(tokenizer.mergeable_ranks),
        special_tokens={},
    )
    return encoding.encode_ordinary(text)


@pytest.mark.parametrize("name", ENCODINGS)
def test_texts_and_files_have_tiktokens_ids(name, text, tmp_path):
    tokenizer = get_tokenizer(name)
    ids = load_openai(name).encoding.encode_ordinary(text)
    assert tokenizer.encode(text) == ids
    file = tmp_path / "text"
    file.write_text(text, newline="")
    assert count_tokens([Source(str(file))], [tokenizer]).files[0].tokens == (len(ids),)
    assert Encoder(tokenizer).encode([text]).tolist() == ids


@pytest.mark.parametrize("name", ENCODINGS)
def test_documents_have_tiktokens_ids(name, text):
    tokenizer = load_openai(name)
    edited = text[: len(text) // 3]
    document = LiveDocument(tokenizer, edited)
    assert document.ids == tokenizer.encoding.encode_ordinary(edited)
    draw = random.Random(4)
    for _ in range(30):
        place = draw.randrange(len(edited))
        inserted = draw.choice(["a", "'s", "1", " ", classed_otherwise()[-1]])
        document.edit(count_utf16(edited[:place]), 0, inserted)
        edited = edited[:place] + inserted + edited[place:]
    assert document.ids == tokenizer.encoding.encode_ordinary(edited)


@pytest.mark.parametrize("name", ENCODINGS)
def test_traces_and_trees_have_tiktokens_ids(name):
    """Merge trees are drawn of a trace, and the race draws its trees."""
    tokenizer = load_openai(name)
    text = "".join(f"{c}:A{c}1" for c in classed_otherwise())
    for part in (text[:MAX_TRACE_CHARS], text_of(classed_otherwise()[::50])):
        ids = tokenizer.encoding.encode_ordinary(part)
        trace = trace_text(tokenizer, part)
        assert list(trace.ids) == ids
    assert draw_merge_trees(part, tokenizer)["n_tokens"] == len(ids)
    assert [tree.id for tree in text_trees(trace, tokenizer.vocabulary)] == ids


@pytest.mark.parametrize("name", PATTERNS)
def test_a_training_counts_what_its_tokenizer_and_tiktoken_encode(name, text):
    pattern = SplitPattern.named(name)
    counts = count_pretokens([text], pattern)
    assert dict(counts.items()) == Counter(p.encode() for p, _ in iter_pretokens(text, pattern))
    held_out = text_of(classed_otherwise()[::-3])
    held_out_counts = count_pretokens([held_out], pattern)
    trainer = BpeLearner(counts, pattern=pattern, vocab_size=900, held_out=held_out_counts)
    trainer.advance()
    tokenizer = TrainedTokenizer("own", trainer.model())
    assert len(text) >= 250_000
    for whole, n_tokens in ((text, trainer.n_tokens), (held_out, trainer.n_held_out_tokens)):
        ids = tiktokens_ids(tokenizer, whole)
        assert len(ids) == n_tokens
        assert tokenizer.encode(whole) == ids


@pytest.mark.parametrize("name", PATTERNS)
def test_models_that_merge_pairs_are_cut_alike(name, text):
    """With two tokens of one spelling, tiktoken can't run the model, and `regex` cuts its texts."""
    pattern = SplitPattern.named(name)
    merges = ((97, 98, 256), (98, 99, 257), (256, 99, 258), (97, 257, 259), (58, 65, 260), (39, 115, 261))
    tokenizer = TrainedTokenizer("twins", BpeModel(pattern, merges))
    assert not tokenizer.is_exact_in_tiktoken
    without_twins = TrainedTokenizer("one", BpeModel(pattern, (*merges[:3], *merges[4:])))
    part = text[:60_000]  # no "abc" is in it
    assert tokenizer.encode(part) == tiktokens_ids(without_twins, part)


@pytest.mark.parametrize("expression", [r"\p{L}+|\P{L}", r"\w+|\W", r"(?i:k|ſ)+"])
def test_typed_patterns_cut_like_regex_in_training_and_encoding(expression):
    pattern = SplitPattern.typed(expression)
    text = text_of(classed_otherwise()[::40])
    trainer = BpeLearner(count_pretokens([text], pattern), pattern=pattern, vocab_size=400)
    trainer.advance()
    assert len(TrainedTokenizer("own", trainer.model()).encode(text)) == trainer.n_tokens
