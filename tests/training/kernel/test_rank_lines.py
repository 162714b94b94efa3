"""Files of ranks as compiled code reads them, against the dictionary that everyone else uses."""

import numpy as np
import pytest

from playground.catalog.open_models import OPEN_MODELS, load_open_model
from playground.catalog.openai import load_openai
from playground.catalog.ranked import RankedTokenizer
from playground.catalog.shipped_vocabularies import VOCABULARY_DIR, RankLines, parse_ranks, read_vocabulary
from playground.corpora.rank_recipes import recipe_of
from playground.training.kernel.rank_lines import read_rank_lines

FILES = sorted(path.name for path in VOCABULARY_DIR.glob("*.tiktoken.gz"))


@pytest.mark.parametrize("file_name", FILES)
def test_each_shipped_file(file_name):
    lines = RankLines(read_vocabulary(file_name))
    row, ranks = read_rank_lines(lines)
    text = row.text.tobytes()
    tokens = [text[start:stop] for start, stop in zip(row.ends[:-1], row.ends[1:], strict=True)]
    assert dict(zip(tokens, ranks.tolist(), strict=True)) == parse_ranks(lines)
    assert (np.diff(ranks.astype(np.int64)) > 0).all()  # in the order of ranks, as a recipe is
    assert row.has_all_bytes()


@pytest.mark.parametrize("load", [load_openai.__wrapped__, load_open_model])
def test_a_recipe_is_the_same_before_and_after_the_ranks_are_parsed(load):
    names = ["p50k_base", "cl100k_base"] if load is not load_open_model else [*OPEN_MODELS][1:4]
    for name in names:
        tokenizer = load(name)
        before = recipe_of(tokenizer)
        assert isinstance(tokenizer, RankedTokenizer)
        assert tokenizer.rank_lines is not None
        assert tokenizer.mergeable_ranks[b"a"] >= 0
        assert tokenizer.rank_lines is None
        after = recipe_of(tokenizer)
        if before is None or after is None:
            assert before is after
            continue
        n_bytes = before.tokens.ends[-1]
        assert before.tokens.ends.tolist() == after.tokens.ends.tolist()
        assert before.tokens.text[:n_bytes].tolist() == after.tokens.text[:n_bytes].tolist()
        assert before.ids.tolist() == after.ids.tolist()


def test_a_token_that_is_missing_is_seen():
    lines = read_vocabulary("cl100k_base.tiktoken.gz")
    first, _, rest = lines.partition(b"\n")
    assert first.endswith(b" 0")
    assert not read_rank_lines(rest)[0].has_all_bytes()
