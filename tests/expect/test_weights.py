"""Weights of GGUF files: llama.cpp's own library reads the same numbers; a damaged file is refused."""

import numpy as np
import pytest
from gguf import GGMLQuantizationType, GGUFReader
from gguf.constants import GGML_QUANT_SIZES
from gguf.quants import dequantize

from playground.core.errors import VocabularyFileError
from playground.expect.weights import TYPES, Weights
from tests.expect.models import write_tiny_model


@pytest.mark.parametrize("number", TYPES)
def test_any_blocks_are_dequantized_as_by_llama_cpp(number):
    kind = TYPES[number]
    n_weights, n_bytes = GGML_QUANT_SIZES[GGMLQuantizationType(number)]
    assert (kind.n_weights, kind.n_bytes, kind.name) == (
        n_weights,
        n_bytes,
        GGMLQuantizationType(number).name,
    )
    blocks = np.random.default_rng(number).integers(0, 256, (64, n_bytes), np.uint8)
    with np.errstate(all="ignore"):  # random halves may be infinite or no numbers
        ours = kind.dequantize(blocks)
        theirs = dequantize(blocks, GGMLQuantizationType(number))
    np.testing.assert_array_equal(ours.reshape(theirs.shape), theirs)


@pytest.mark.parametrize("kind", [GGMLQuantizationType.F32, GGMLQuantizationType.Q8_0])
def test_the_tensors_of_a_file_are_those_that_llama_cpps_library_reads(tmp_path, kind):
    path = write_tiny_model(tmp_path / "tiny.gguf", kind=kind)
    weights = Weights(path)
    tensors = {tensor.name: tensor for tensor in GGUFReader(path).tensors}
    assert weights.places.keys() == tensors.keys()
    for name, tensor in tensors.items():
        theirs = dequantize(tensor.data, tensor.tensor_type)
        np.testing.assert_array_equal(weights.read(name), theirs.reshape(weights.places[name].shape))


def test_a_file_that_ends_early_or_has_other_types_is_refused(tmp_path):
    path = write_tiny_model(tmp_path / "tiny.gguf")
    whole = path.read_bytes()
    path.write_bytes(whole[:-5000])
    with pytest.raises(VocabularyFileError, match=r"tiny\.gguf ends before its weights do"):
        Weights(path)
    path.write_bytes(b"")
    with pytest.raises(VocabularyFileError, match="not a GGUF file"):
        Weights(path)
    write_tiny_model(path, kind=GGMLQuantizationType.Q5_1)
    with pytest.raises(
        VocabularyFileError, match=r"token_embd.weight have a type \(number 7\) that is not read"
    ):
        Weights(path)
