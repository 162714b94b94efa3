"""Health of small vocabularies against every text there is, and of known ones against what is known."""

import json
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.analysis.vocabulary_health import vocabulary_health
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.opened import tokenizer_of
from playground.catalog.registry import get_tokenizer
from playground.catalog.trained import TrainedTokenizer
from playground.files.library_file import LibraryFile
from playground.shell.main import main
from tests.catalog import sentencepiece_models, tokenizer_documents

EVERY_TEXT = ["".join(letters) for length in range(1, 7) for letters in product("ab", repeat=length)]


@st.composite
def merges(draw):
    """Merges of "a" and "b", each of two tokens that are there and in any order."""
    raw_of = {97: b"a", 98: b"b"}
    found: list[tuple[int, int, int]] = []
    for new_id in range(256, 256 + draw(st.integers(1, 7))):
        pair = draw(st.sampled_from(list(raw_of))), draw(st.sampled_from(list(raw_of)))
        raw = raw_of[pair[0]] + raw_of[pair[1]]
        if len(raw) <= 4 and pair not in [merge[:2] for merge in found]:
            found.append((*pair, new_id))
            raw_of[new_id] = raw
    return tuple(found)


@given(merges())
@settings(max_examples=40, deadline=None)
def test_a_token_is_lost_where_no_text_at_all_gives_it(merges):
    tokenizer = TrainedTokenizer("x", BpeModel(SplitPattern.named("none"), merges))
    given_by_some = {token_id for text in EVERY_TEXT for token_id in tokenizer.encode(text)}
    health = vocabulary_health(tokenizer)
    assert set(health.lost) == {new_id for _, _, new_id in merges} - given_by_some
    parts = {part for left, right, _ in tokenizer_merges(tokenizer) for part in (left, right)}
    assert set(health.only_parts) == set(health.lost) & parts


def tokenizer_merges(tokenizer):
    for token_id in tokenizer.vocabulary.ids.tolist():
        parts = tokenizer.merges.parts_of(token_id)
        for n in range(len(parts) - 1):
            yield parts[n], parts[n + 1], token_id


def test_known_vocabularies():
    gpt2 = vocabulary_health(get_tokenizer("gpt2"))
    vocabulary = get_tokenizer("gpt2").vocabulary
    assert gpt2.n_tokens == 50_257
    assert len(gpt2.not_utf8) == sum(not is_text(vocabulary.raw_of(n)) for n in range(50_256))
    assert (gpt2.duplicates, gpt2.spelled) == ((), ())
    for token_id in gpt2.lost:
        assert token_id not in get_tokenizer("gpt2").encode(vocabulary.raw_of(token_id).decode())


def is_text(raw):
    try:
        return raw.decode() is not None
    except UnicodeDecodeError:
        return False


def test_kinds_that_do_not_merge():
    pieces = "[UNK]\n[CLS]\nthe\n##s\nThe\nthes\né\n##the\na\n[unused0]"
    bert = vocabulary_health(tokenizer_of("x", LibraryFile.of("vocab.txt", pieces.encode())))
    # It keeps capital letters, "##the" goes on with "a", and punctuation cuts "[unused0]".
    assert (bert.lost, bert.only_parts, bert.duplicates) == ((9,), (), ())
    for tokenizer in (sentencepiece_models.opened("bpe, bytes"), tokenizer_documents.opened("like T5")):
        health = vocabulary_health(tokenizer)
        assert (health.n_tokens, health.duplicates) == (len(tokenizer.vocabulary), ())


def test_two_tokens_of_the_same_bytes_are_named():
    merges = ((97, 97, 256), (256, 97, 257), (97, 256, 258))
    health = vocabulary_health(TrainedTokenizer("x", BpeModel(SplitPattern.named("none"), merges)))
    assert (health.duplicates, health.lost) == (((257, 258),), (258,))


def test_the_command_prints_it(capsys):
    assert main(["health", "--tokenizer", "python_docs_4k"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "python_docs_4k: 4,096 tokens"
    assert main(["health", "--tokenizer", "python_docs_4k", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert lines[1].startswith(f"{len(answer['lost']):,} encode to other tokens")
    assert lines[3].startswith(f"{len(answer['not_utf8']):,} are not valid UTF-8 by themselves")
    assert len(lines) == 6


@pytest.mark.parametrize("name", ["utf8_bytes"])
def test_bytes_alone_are_all_met(name):
    health = vocabulary_health(get_tokenizer(name))
    assert (health.lost, len(health.not_utf8)) == ((), 128)
