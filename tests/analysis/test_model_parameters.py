"""What rows cost: sums by hand, and the sizes of known vocabularies."""

import pytest

from playground.analysis.model_parameters import KNOWN_SIZES, MODELS, Model
from playground.catalog.registry import get_tokenizer


@pytest.mark.parametrize("name", KNOWN_SIZES)
def test_known_sizes_are_those_of_the_tokenizers(name):
    assert get_tokenizer(name).vocabulary.n_vocab == KNOWN_SIZES[name]


def test_a_tied_model_has_one_matrix_and_another_two():
    assert Model("own", 768, 0, is_tied=True).n_in_rows(1_000) == 768_000
    assert Model("own", 768, 0, is_tied=False).n_in_rows(1_000) == 1_536_000
    assert Model("own", 10, 300, is_tied=True).share_of_rows(10) == 0.25
    assert Model("own", 10, 0, is_tied=True).share_of_rows(0) == 0.0
    assert round(100 * MODELS["gpt2"].share_of_rows(KNOWN_SIZES["gpt2"])) == 31
