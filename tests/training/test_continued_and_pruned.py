"""Continue and Prune: tokenizers that start from an existing one."""

from collections import Counter
from itertools import pairwise

import pytest
import tiktoken
import tokenizers

from playground.analysis.language_counts import article_text
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.registry import get_tokenizer
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError
from playground.files.registry import FILE_FORMATS
from playground.training.algorithms.base import base_of, count_tokens
from playground.training.algorithms.continued import continue_bpe
from playground.training.algorithms.pruned import prune
from playground.training.pretoken_counts import count_pretokens

BASE = base_of(get_tokenizer("python_docs_4k"))
GPT2 = base_of(get_tokenizer("gpt2"))


def counted(base, text):
    return count_pretokens([text], SplitPattern.of(base.split_pattern))


def naive_merges(base, text, n_tokens):
    """Count all pairs again before each merge."""
    words = [list(base.encode_pretoken(part.text)) for part in base.iter_pretokens(text)]
    first, made = base.vocabulary.n_vocab, []
    for new_id in range(first, first + n_tokens):
        pairs = Counter(pair for word in words for pair in pairwise(word))
        pair, count = min(pairs.items(), key=lambda item: (-item[1], item[0]))
        made.append((*pair, new_id, count))
        for word in words:
            i = 0
            while i + 1 < len(word):
                if (word[i], word[i + 1]) == pair:
                    word[i : i + 2] = [new_id]
                i += 1
    return made, sum(map(len, words))


def test_continuing_merges_the_pairs_that_a_count_of_all_pairs_finds():
    text = article_text("hin", 1) * 3 + " aaaaaaa bananananana"
    found = continue_bpe(BASE, counted(BASE, text), n_tokens=60)
    made, n_tokens = naive_merges(BASE, text, 60)
    assert [(merge.left, merge.right, merge.id, merge.count) for merge in found.added] == made
    assert len(found.tokenizer.encode(text)) == n_tokens
    assert found.unreachable == ()


def test_gpt2_continued_on_nepali_saves_there_costs_nothing_in_english_and_loads_elsewhere(tmp_path):
    nepali, english = article_text("nep", None), article_text("eng", None)
    found = continue_bpe(GPT2, counted(GPT2, nepali), n_tokens=200)
    mine = found.tokenizer
    assert len(found.added) == 200
    assert found.unreachable == ()
    assert min(merge.id for merge in found.added) == GPT2.vocabulary.n_vocab
    assert len(mine.encode(nepali)) < 0.5 * len(GPT2.encode(nepali))
    assert mine.encode(english) == list(GPT2.encode(english))
    ranks = tiktoken.Encoding(
        "mine", pat_str=GPT2.split_pattern, mergeable_ranks=dict(mine.mergeable_ranks), special_tokens={}
    )
    assert mine.encode(nepali) == ranks.encode_ordinary(nepali)
    exported = mine.export_here(FILE_FORMATS["tokenizer.json"])
    (tmp_path / "t.json").write_text(next(iter(exported.files.values())))
    library = tokenizers.Tokenizer.from_file(str(tmp_path / "t.json"))
    assert mine.encode(nepali) == library.encode(nepali).ids
    assert mine.export_here(FILE_FORMATS["tiktoken"]).proof.sentence


@pytest.mark.parametrize("ids", ["kept", "renumbered"])
def test_a_pruned_tokenizer_encodes_its_text_as_before_and_any_other_without_loss(ids, tmp_path):
    text, other = article_text("eng", None), article_text("kor", 1) + " SolidGoldMagikarp"
    found = prune(GPT2, counted(GPT2, text), ids=ids)
    mine = found.tokenizer
    assert mine.encode(text) == [found.new_ids[token_id] for token_id in GPT2.encode(text)]
    assert mine.decode(mine.encode(other)) == other
    assert len(mine.vocabulary) + len(found.removed) == len(GPT2.vocabulary)
    assert not set(found.removed) & set(found.new_ids)
    assert set(found.scaffold).isdisjoint(GPT2.encode(text))
    if ids == "renumbered":
        assert sorted(found.new_ids.values()) == list(range(len(mine.vocabulary)))
    for name in ("tokenizer.json", "tiktoken"):
        assert mine.export_here(FILE_FORMATS[name]).proof.sentence
    rare = prune(GPT2, counted(GPT2, text), ids=ids, min_count=3).tokenizer
    assert len(rare.vocabulary) < len(mine.vocabulary)
    assert count_tokens(rare, counted(GPT2, text)) > count_tokens(mine, counted(GPT2, text))


def test_a_base_without_merges_of_bytes_and_senseless_numbers_are_refused():
    for name in ("bert_uncased", "characters"):
        with pytest.raises(InvalidInputError, match="has no merges of bytes; choose byte-level BPE"):
            base_of(get_tokenizer(name))
    empty = counted(BASE, "")
    with pytest.raises(InvalidInputError, match="0 new tokens cannot be learned; choose 1"):
        continue_bpe(BASE, empty, n_tokens=0)
    assert continue_bpe(BASE, empty, n_tokens=5).added == ()
    assert continue_bpe(BASE, counted(BASE, "a"), n_tokens=5).added == ()
    with pytest.raises(InvalidInputError, match="minimum count of 0"):
        prune(BASE, empty, min_count=0)


def test_tokens_that_no_merge_makes_stay_if_the_text_uses_them():
    merges = ((97, 98, 256), (256, 99, 257))
    model = BpeModel(SplitPattern.named("gpt2"), merges, whole=((b"xyz", 258), (b"zzz", 259)))
    base = TrainedTokenizer("whole", model)
    pretokens = counted(base, "ab xyz\nxyz\nab")
    pruned = prune(base, pretokens)
    assert pruned.tokenizer.model.whole == ((b"xyz", 258),)
    assert pruned.removed == {257: b"abc", 259: b"zzz"}
    more = continue_bpe(base, pretokens, n_tokens=3, min_count=1)
    assert more.tokenizer.encode("xyz") == [258]
    assert min(merge.id for merge in more.added) == 260
