"""Counting many files: a file is read whole, also if it has another size than when it was found."""

import pytest

from playground.catalog.registry import get_tokenizer
from playground.corpora.sources import find_sources
from playground.corpora.tree_counts import count_tree


@pytest.mark.parametrize("size", [0, 5, 99])
def test_a_file_that_has_grown_or_shrunk_is_counted_whole(size, tmp_path):
    (tmp_path / "a.txt").write_text("one two three")
    counted = count_tree(find_sources([str(tmp_path / "a.txt")]), [size], [get_tokenizer("gpt2")]).counted
    assert [(count.tokens, count.bytes) for count in counted.files] == [((3,), 13)]
